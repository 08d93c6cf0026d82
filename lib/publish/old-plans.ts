import * as v from 'valibot';
import { OPEN_RUNS_FOLDER } from '../lake/layout.ts';
import { type LakeStore, readText } from '../lake/store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF } from '../lake/tables.ts';
import { MINUTE_MS } from '../time/days.ts';
import { DIRECTIONS, daysOf, UnitListSchema } from '../units/unit.ts';
import type { TableDay } from './publish-day.ts';

/**
 * Plans of runs that an earlier version began: instead of marks, they say which days may lag. Each is published once
 * more when its run is over, then forgotten. Nothing writes them any more.
 */

/** The earlier version renewed a plan every five minutes. */
const OVER_AFTER_MS = 30 * MINUTE_MS;

const PlanText = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ renewedAtMs: v.number(), companies: v.array(v.object({ units: UnitListSchema })) }),
);

export interface OldPlan {
  key: string;
  renewedAtMs: number;
  days: TableDay[];
}

/** What can't be read has no days, and is forgotten. */
export async function readOldPlans(store: LakeStore): Promise<OldPlan[]> {
  const plans: OldPlan[] = [];
  for await (const key of store.list(OPEN_RUNS_FOLDER)) {
    if (!key.endsWith('/plan.json')) continue;
    const parsed = v.safeParse(PlanText, await readText(store, key));
    const { renewedAtMs, companies } = parsed.success ? parsed.output : { renewedAtMs: 0, companies: [] };
    const days = DIRECTIONS.flatMap((direction) =>
      [...new Set(companies.flatMap(({ units }) => daysOf(units, direction)))].flatMap((day) => [
        { table: TABLE_OF[direction], day },
        { table: DETAIL_TABLE_OF[direction], day },
      ]),
    );
    plans.push({ key, renewedAtMs, days });
  }
  return plans;
}

export function isPlanOver({ renewedAtMs }: OldPlan, nowMs: number): boolean {
  return nowMs - renewedAtMs > OVER_AFTER_MS;
}
