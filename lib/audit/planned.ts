import type { Row } from '../lake/parquet/writer.ts';
import { dayNumber } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import type { Unit, UnitResult } from '../units/unit.ts';
import type { Part, Run } from './keys.ts';
import { rowOf, unitName } from './row.ts';
import type { RunRows } from './run-rows.ts';

/** What a run was to read. */
export interface PlannedRun {
  run: Run;
  units(): Iterable<Unit>;
}

/** The units that a run has staged changes of: it wrote their lists, or was about to. */
export function plannedByChanges(run: Run, staged: readonly Part[]): PlannedRun {
  return { run, units: () => staged.flatMap(({ changes }) => changes?.unit ?? []) };
}

/**
 * Adds a row for each planned unit without one, which failed, and returns how many. Units that a part may have that
 * could not be read are left out.
 */
export function addUnrecorded(rows: RunRows, { run, units }: PlannedRun, unread: readonly Part[]): number {
  const [ruts = [], directions = [], days = []] = ['rut', 'direccion', 'fecha'].map((name) =>
    rows.unsorted(name),
  );
  const recorded = new Set(ruts.map((rut, row) => `${rut} ${directions[row]} ${days[row]}`));
  const mayBeUnread = (rut: Rut) => unread.some((part) => part.rut <= rut && rut <= part.lastRut);
  const before = rows.rowCount;
  let failed: Row | undefined;
  for (const unit of units()) {
    const { rut, direction, day } = unit;
    const name = unitName(rut, direction, dayNumber(day));
    if (recorded.has(name) || mayBeUnread(rut)) continue;
    recorded.add(name);
    // One row for all: made apart, those of a run that recorded nothing would take most of sealing's time and memory.
    failed ??= rowOf(run, unrecordedResult(run, unit));
    rows.addRow({ ...failed, rut, direccion: direction, fecha: dayNumber(day) });
  }
  return rows.rowCount - before;
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
  return `Run ${id} has not recorded what became of this unit. Unless it is under way, export it again.`;
}

/** The moment that a run's id begins with (newRun, readRunRequest), in local time; without one, when its day began. */
function plannedAt({ id, day }: Run): string {
  const [, date, hour, minute, second] = /^(\d{8})(\d\d)(\d\d)(\d\d)-/.exec(id) ?? [];
  const isSameDay = date === day.replaceAll('-', '');
  return `${day}T${isSameDay ? `${hour}:${minute}:${second}` : '00:00:00'}`;
}
