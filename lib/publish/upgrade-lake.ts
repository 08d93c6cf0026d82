import { closeRuns } from '../audit/close.ts';
import { forEachConcurrent } from '../concurrency.ts';
import { LagRecorder } from '../lake/lag-record.ts';
import { oldUnit, unitKey } from '../lake/layout.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { RECEIPT_TABLES } from '../lake/tables.ts';
import { systemClock } from '../time/clock.ts';
import type { Day } from '../time/days.ts';
import { type DayProblem, publishDay, type TableDay } from './publish-day.ts';
import { publishLagging } from './publish-days.ts';

const DAYS_AT_ONCE = 4;
const UNITS_AT_ONCE = 16;
/** The id under which an upgrade records its days as lagging, as a run does. */
const RUN_ID = 'upgrade';

export interface UpgradeOptions {
  onDay?: (day: TableDay) => void;
  signal?: AbortSignal;
}

export interface UpgradedLake {
  days: number;
  units: number;
  problems: DayProblem[];
  /** Why parts of open runs could not be read. */
  damagedParts: string[];
}

/**
 * Converts a lake of the old layout: units move out of the tables' folders, and each day gets its object. A day is
 * never in a table twice; for a moment it is in none. If interrupted, run it again. Audit and changes stay where they
 * are, and dead runs are closed.
 */
export async function upgradeLake(
  store: LakeStore,
  writer: ParquetWriter,
  { onDay, signal }: UpgradeOptions = {},
): Promise<UpgradedLake> {
  const upgraded: UpgradedLake = { days: 0, units: 0, problems: [], damagedParts: [] };
  // Details first, so that the first days of the lists are converted last of all.
  for (const table of RECEIPT_TABLES.toReversed()) {
    const [first, ...later] = await oldDays(store, table.name);
    if (first === undefined) continue;
    const lag = new LagRecorder(store, RUN_ID, [first, ...later]);
    const convert = async (day: Day): Promise<void> => {
      signal?.throwIfAborted();
      const keys: string[] = [];
      for await (const key of store.list(`${table.name}/fecha=${day}`)) {
        if (oldUnit(key) !== undefined) keys.push(key);
      }
      await forEachConcurrent(keys, UNITS_AT_ONCE, async (key) => {
        const unit = oldUnit(key);
        if (unit !== undefined) await store.copy(key, unitKey(table.name, day, unit.rut));
      });
      await lag.record(table, day);
      await forEachConcurrent(keys, UNITS_AT_ONCE, (key) => store.remove(key));
      const { problems } = await publishDay(store, writer, { table, day });
      upgraded.days += 1;
      upgraded.units += keys.length;
      upgraded.problems.push(...problems);
      onDay?.({ table, day });
    };
    const failures: unknown[] = [];
    await forEachConcurrent(later.reverse(), DAYS_AT_ONCE, async (day) => {
      if (failures.length === 0) await convert(day).catch((error: unknown) => failures.push(error));
    });
    // Thrown once the days under way have ended.
    if (failures.length > 0) throw failures[0];
    // This day shows that the lake has the old layout, until all others are converted.
    await convert(first);
  }
  // Days that an interrupted upgrade left without their object.
  const rest = await publishLagging(store, writer, { nowMs: systemClock.now(), endedRunId: RUN_ID });
  upgraded.problems.push(...rest.problems);
  // Only now, since changes are closed against units at their new keys.
  upgraded.damagedParts.push(...(await closeRuns({ store, writer })));
  return upgraded;
}

/** Days that still have units in the table's folder, in order. */
async function oldDays(store: LakeStore, tableName: string): Promise<Day[]> {
  const days = new Set<Day>();
  for await (const key of store.list(tableName)) {
    const day = oldUnit(key)?.day;
    if (day !== undefined) days.add(day);
  }
  return [...days].sort();
}
