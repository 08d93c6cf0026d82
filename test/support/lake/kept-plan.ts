import { PlanKeeper, plannedAlike } from '../../../lib/audit/plan.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import { type Clock, systemClock } from '../../../lib/time/clock.ts';
import type { Day } from '../../../lib/time/days.ts';
import type { Direction } from '../../../lib/units/unit.ts';
import { RUTS } from '../units.ts';

/** Writes the plan of a run of these days of two companies, as the run does before it reads. */
export async function keptPlan(
  store: LakeStore,
  runId: string,
  days: readonly Day[],
  clock: Clock = systemClock,
  directions: readonly Direction[] = ['recibidos'],
): Promise<PlanKeeper> {
  const companies = plannedAlike(RUTS.slice(0, 2), directions, days);
  const keeper = new PlanKeeper(store, { id: runId, day: '2026-11-02' }, companies, clock);
  await keeper.renew();
  return keeper;
}
