import * as v from 'valibot';
import { planKey } from '../lake/layout.ts';
import { DamagedObjectError } from '../lake/parquet/reader.ts';
import {
  type LakeStore,
  type ObjectBytes,
  readObject,
  replaceText,
  retriedOnRace,
  undefinedIfMissing,
} from '../lake/store/store.ts';
import type { Clock } from '../time/clock.ts';
import { type Day, MINUTE_MS, uruguayDateTime } from '../time/days.ts';
import { isTwelveDigits, type Rut } from '../units/rut.ts';
import {
  DIRECTIONS,
  type Direction,
  daysOf,
  listUnits,
  planUnits,
  type Unit,
  type UnitList,
  UnitListSchema,
  type UnitResult,
  unitsOf,
} from '../units/unit.ts';
import { listOpenRuns, type Run } from './keys.ts';

/**
 * The plan of a run: its units. It is written before anything is read, and renewed as long as the run lives. It says
 * which days of the tables may lag, and which units failed: those without a row once the run is over. It is removed by
 * a publication of its days that began when the run was over.
 */

const FORMAT_VERSION = 1;
/** A run that lives renews its plan about this often. */
const RENEWED_AFTER_MS = 5 * MINUTE_MS;
/**
 * After this long without a renewal nothing is written any more. An invocation takes 15 minutes at most, and may begin
 * with a plan of 5: the rest is for clocks that differ.
 */
const OVER_AFTER_MS = 30 * MINUTE_MS;

/** Companies with the same units. */
const CompaniesSchema = v.strictObject({
  ruts: v.array(v.pipe(v.string(), v.guard(isTwelveDigits))),
  units: UnitListSchema,
});
type PlannedCompanies = v.InferOutput<typeof CompaniesSchema>;

const PlanText = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    version: v.literal(FORMAT_VERSION),
    /** Milliseconds since the epoch. */
    startedAtMs: v.number(),
    /** When the run was last known to live. */
    renewedAtMs: v.number(),
    companies: v.array(CompaniesSchema),
  }),
);

export interface RunPlan {
  run: Run;
  startedAtMs: number;
  companies: readonly PlannedCompanies[];
}

/** A plan as the lake has it. */
export interface StoredPlan extends RunPlan {
  renewedAtMs: number;
  version: string;
}

/** The units of each company, in short. */
export function plannedCompanies(unitsByRut: ReadonlyMap<Rut, readonly Unit[]>): PlannedCompanies[] {
  const byUnits = new Map<string, PlannedCompanies>();
  for (const [rut, own] of unitsByRut) {
    const units = listUnits(own);
    if (units === null) continue;
    const name = JSON.stringify(units);
    const companies = byUnits.get(name) ?? { ruts: [], units };
    byUnits.set(name, companies);
    companies.ruts.push(rut);
  }
  return [...byUnits.values()];
}

/** The same for companies that all have these days. */
export function plannedAlike(
  ruts: readonly Rut[],
  directions: readonly Direction[],
  days: readonly Day[],
): PlannedCompanies[] {
  return ruts
    .slice(0, 1)
    .map((rut) => ({ ruts: [...ruts], units: listUnits(planUnits(rut, directions, days)) ?? {} }));
}

/** Each company of a plan with its units, by RUT. A generator: there may be millions of units. */
export function* unitsByCompany({ companies }: RunPlan): Generator<readonly [rut: Rut, units: Unit[]]> {
  const lists = new Map<Rut, UnitList[]>();
  for (const { ruts, units } of companies) {
    for (const rut of ruts) lists.set(rut, [...(lists.get(rut) ?? []), units]);
  }
  for (const [rut, own] of [...lists].sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield [rut, own.flatMap((list) => unitsOf(rut, list))];
  }
}

/** The result of a unit that a run planned and has no row of. Its moment is that of the plan: any row of it is later. */
export function unrecordedResult({ run, startedAtMs }: Omit<RunPlan, 'companies'>, unit: Unit): UnitResult {
  const moment = uruguayDateTime(startedAtMs);
  const nothing = { misfits: 0, pages: 0, requests: 0, retries: 0, bytes: 0 };
  const error = unrecordedError(run);
  return { ...unit, ...nothing, state: 'fallido', error, startedAt: moment, endedAt: moment };
}

export function unrecordedError({ id }: Run): string {
  return `Run ${id} ended before it recorded what became of this unit. Export it again.`;
}

/** Whether the run writes no more units. */
export function isOver({ renewedAtMs }: StoredPlan, nowMs: number): boolean {
  return nowMs - renewedAtMs > OVER_AFTER_MS;
}

/** The plan of a run that writes no more units; undefined of any other. Throws DamagedObjectError. */
export async function readPlanIfOver(
  store: LakeStore,
  run: Run,
  nowMs: number,
): Promise<StoredPlan | undefined> {
  const plan = await readPlan(store, run);
  return plan !== undefined && isOver(plan, nowMs) ? plan : undefined;
}

/** Writes a run's plan and keeps it alive, for one process of the run. */
export class PlanKeeper {
  readonly plan: RunPlan;
  private readonly store: LakeStore;
  private readonly clock: Clock;
  private last: { atMs: number; done: Promise<void> } | undefined;

  /** `companies`: those of this process. Another one may have planned more. */
  constructor(store: LakeStore, run: Run, companies: readonly PlannedCompanies[], clock: Clock) {
    this.store = store;
    this.clock = clock;
    this.plan = { run, startedAtMs: clock.now(), companies };
  }

  /**
   * Await it before the run reads, and before and after it writes a unit: after a write that took hours, on a machine
   * that slept, the plan may be gone.
   */
  async renew(): Promise<void> {
    const now = this.clock.now();
    if (this.last === undefined || now - this.last.atMs >= RENEWED_AFTER_MS) {
      const renewal = { atMs: now, done: this.write(now) };
      this.last = renewal;
      // The next unit tries again.
      renewal.done.catch(() => {
        if (this.last === renewal) this.last = undefined;
      });
    }
    await this.last.done;
  }

  private async write(now: number): Promise<void> {
    const { run, companies: own, startedAtMs } = this.plan;
    if (own.length === 0) return;
    // Another worker of the run may just have replaced it, or a publication removed it.
    await retriedOnRace(async () => {
      const standing = await readPlan(this.store, run);
      const known = new Set(standing?.companies.flatMap(({ ruts }) => ruts));
      const isWhole = own.every(({ ruts }) => ruts.every((rut) => known.has(rut)));
      if (standing !== undefined && isWhole && now - standing.renewedAtMs < RENEWED_AFTER_MS) return;
      const plan: v.InferOutput<typeof PlanText> = {
        version: FORMAT_VERSION,
        startedAtMs: standing?.startedAtMs ?? startedAtMs,
        renewedAtMs: now,
        companies: [...(standing?.companies ?? []), ...(isWhole ? [] : own)],
      };
      await replaceText(this.store, planKey(run), JSON.stringify(plan), standing);
    });
  }
}

/** The plans of all runs that may have unpublished days. Of those that can't be read, `onDamage` gets the error. */
export async function readPlans(
  store: LakeStore,
  onDamage: (error: DamagedObjectError) => void,
): Promise<StoredPlan[]> {
  const plans: StoredPlan[] = [];
  for (const run of await listOpenRuns(store)) {
    const plan = await readPlan(store, run).catch((error: unknown) => {
      if (!(error instanceof DamagedObjectError)) throw error;
      onDamage(error);
      return undefined;
    });
    if (plan !== undefined) plans.push(plan);
  }
  return plans;
}

/** Undefined if the run has none. Throws DamagedObjectError. */
export async function readPlan(store: LakeStore, run: Run): Promise<StoredPlan | undefined> {
  const read = async (file: ObjectBytes): Promise<StoredPlan> => {
    const parsed = v.safeParse(PlanText, Buffer.from(await file.slice(0)).toString('utf8'));
    if (!parsed.success) throw new DamagedObjectError(file.name, 'no plan that this version can read');
    const { startedAtMs, renewedAtMs, companies } = parsed.output;
    return { run, startedAtMs, renewedAtMs, companies, version: file.version };
  };
  return await readObject(store, planKey(run), read).catch(undefinedIfMissing);
}

/** Removes the plan unless its run has renewed it since it was read. */
export async function removePlan(store: LakeStore, { run, version }: StoredPlan): Promise<void> {
  const found = await store.find(planKey(run));
  if (found?.version === version) await store.remove(planKey(run));
}

/** The directions and days of a plan, each once. */
export function plannedDays({ companies }: RunPlan) {
  return DIRECTIONS.map((direction) => ({
    direction,
    days: [...new Set(companies.flatMap(({ units }) => daysOf(units, direction)))].sort(),
  }));
}
