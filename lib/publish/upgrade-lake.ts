import { closeRuns } from '../audit/close.ts';
import { forEachConcurrent } from '../concurrency/for-each-concurrent.ts';
import { LagRecorder } from '../lake/lag-record.ts';
import { oldUnit, unitKey } from '../lake/layout.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { RECEIPT_TABLES } from '../lake/tables.ts';
import { systemClock } from '../time/clock.ts';
import { type DayProblem, publishDay, type TableDay } from './publish-day.ts';
import { publishLagging } from './publish-lagging.ts';

const DAYS_AT_ONCE = 4;
const UNITS_AT_ONCE = 16;
/** Days that an upgrade may have left without their object are recorded under it, as a run's are. */
const RUN_ID = 'upgrade';

export interface UpgradeOptions {
  /** Told of each day that was converted. */
  onDay?: (day: TableDay) => void;
  signal?: AbortSignal;
}

export interface UpgradedLake {
  days: number;
  units: number;
  problems: DayProblem[];
  /** Why parts of the audit of runs that were not closed could not be read. */
  damagedParts: string[];
}

/**
 * Converts a lake whose tables were read from its units: these move to where no table points at, and each day gets its
 * object. A day is never in a table twice; for a moment it is in none. Whatever it was interrupted by, done again it
 * goes on. Audit and changes stay where they are; runs that died before they were closed are closed.
 */
export async function upgradeLake(
  store: LakeStore,
  writer: ParquetWriter,
  { onDay, signal }: UpgradeOptions = {},
): Promise<UpgradedLake> {
  const upgraded: UpgradedLake = { days: 0, units: 0, problems: [], damagedParts: [] };
  // Details first, so that the lists' first days are the very last.
  for (const table of RECEIPT_TABLES.toReversed()) {
    const [first, ...later] = await oldDays(store, table.name);
    if (first === undefined) continue;
    const lag = new LagRecorder(store, RUN_ID, [first, ...later]);
    const convert = async (fecha: string): Promise<void> => {
      signal?.throwIfAborted();
      const keys: string[] = [];
      for await (const key of store.list(`${table.name}/fecha=${fecha}`)) {
        if (oldUnit(key) !== undefined) keys.push(key);
      }
      await forEachConcurrent(keys, UNITS_AT_ONCE, async (key) => {
        await store.copy(key, unitKey(table.name, fecha, oldUnit(key)?.rut ?? ''));
      });
      await lag.record(table, fecha);
      await forEachConcurrent(keys, UNITS_AT_ONCE, (key) => store.remove(key));
      const { problems } = await publishDay(store, writer, { table, fecha });
      upgraded.days += 1;
      upgraded.units += keys.length;
      upgraded.problems.push(...problems);
      onDay?.({ table, fecha });
    };
    await forEachConcurrent(later.reverse(), DAYS_AT_ONCE, convert);
    // By it the lake is known as one of the layout before, until all others are converted.
    await convert(first);
  }
  // Days that an interrupted upgrade left without their object.
  const rest = await publishLagging(store, writer, { nowMs: systemClock.now(), endedRunId: RUN_ID });
  upgraded.problems.push(...rest.problems);
  // Only now: their changes are told of units that are where this version looks for them.
  upgraded.damagedParts.push(...(await closeRuns({ store, writer })));
  return upgraded;
}

/** Days with units among what the table is read from, in order. */
async function oldDays(store: LakeStore, tableName: string): Promise<string[]> {
  const days = new Set<string>();
  for await (const key of store.list(tableName)) {
    const day = oldUnit(key)?.day;
    if (day !== undefined) days.add(day);
  }
  return [...days].sort();
}
