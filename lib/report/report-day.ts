import type { DayCoverage } from '../coverage/company-coverage.ts';
import { type DayState, isMarked, isTroubled, MARKED_STATES } from '../coverage/day.ts';
import { STATES } from '../coverage/words.ts';

/** That of the day's list; or older: so are its details, and what they state may not be so any more. */
export type ReportState = DayState | 'older';

export interface ReportDay extends Omit<DayCoverage, 'state'> {
  direction: string;
  state: ReportState;
}

export const REPORT_STATES: Readonly<Record<ReportState, string>> = {
  ...STATES,
  older: 'con detalles de antes que su lista',
};

/** States that need a look, worst first. */
export const STATES_TO_LOOK_AT = [...MARKED_STATES, 'older'] as const satisfies readonly ReportState[];

export function isToLookAt({ state }: Pick<ReportDay, 'state'>): boolean {
  return state === 'older' || isMarked(state);
}

export function isToReadAgain({ state }: Pick<ReportDay, 'state'>): boolean {
  return state === 'older' || isTroubled(state);
}
