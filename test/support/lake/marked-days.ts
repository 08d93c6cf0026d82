import { Marks } from '../../../lib/lake/marks.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import { TABLE_OF } from '../../../lib/lake/tables.ts';
import { type Clock, systemClock } from '../../../lib/time/clock.ts';
import type { Day } from '../../../lib/time/days.ts';
import type { Direction } from '../../../lib/units/unit.ts';

/** Marks these days, as a run does before it writes. */
export async function markDays(
  store: LakeStore,
  runId: string,
  days: readonly Day[],
  clock: Clock = systemClock,
  directions: readonly Direction[] = ['recibidos'],
): Promise<Marks> {
  const marks = new Marks(store, { id: runId }, clock);
  for (const direction of directions)
    for (const day of days) await marks.around(TABLE_OF[direction], day, async () => undefined);
  return marks;
}
