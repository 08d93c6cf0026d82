import type { Unit, UnitResult } from '../units/unit.ts';
import type { Run } from './keys.ts';

/** What a run was to read. */
export interface PlannedRun {
  run: Run;
  units(): Iterable<Unit>;
}

/** The result of a unit that a run planned and has no row of. It began when the run was planned: any row of it is later. */
export function unrecordedResult(run: Run, unit: Unit): UnitResult {
  const moment = plannedAt(run);
  const noCounts = { conversionErrors: 0, pages: 0, requests: 0, retries: 0, bytes: 0 };
  return {
    ...unit,
    ...noCounts,
    state: 'fallido',
    error: unrecordedError(run),
    startedAt: moment,
    endedAt: moment,
  };
}

export function unrecordedError({ id }: Run): string {
  return `Run ${id} ended before it recorded what became of this unit. Export it again.`;
}

/** The moment that a run's id begins with (newRun, readRunRequest), in local time; without one, when its day began. */
function plannedAt({ id, day }: Run): string {
  const [, date, hour, minute, second] = /^(\d{8})(\d\d)(\d\d)(\d\d)-/.exec(id) ?? [];
  const isSameDay = date === day.replaceAll('-', '');
  return `${day}T${isSameDay ? `${hour}:${minute}:${second}` : '00:00:00'}`;
}
