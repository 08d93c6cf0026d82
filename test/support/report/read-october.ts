import type { ReadPeriod } from '../../../lib/report/read-days.ts';

export const OCTOBER = { from: '2026-10-01', to: '2026-10-31' } as const;

/** The month, after its end, of a lake that lacks nothing of it. */
export const READ_OCTOBER: ReadPeriod = {
  ...OCTOBER,
  today: '2026-11-20',
  readAgain: 'export',
  isLagging: false,
  damaged: [],
};
