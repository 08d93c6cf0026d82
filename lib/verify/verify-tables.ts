import type { Direction } from '../api/directions.ts';
import { forEachConcurrent } from '../concurrency.ts';
import { messageOf } from '../errors.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF } from '../lake/tables.ts';
import { DayDamagedError, DayObject } from '../publish/day-object.ts';
import { laggingRuts, type TableDay } from '../publish/publish-day.ts';
import type { Day } from '../time/days.ts';

/** A day of a table that does not show what its units hold: SQL fails there, or misses rows. */
export interface WrongDay extends TableDay {
  /** What is wrong, and what to do. */
  reason: string;
}

const DAYS_AT_ONCE = 4;

const LAGS = 'it lags behind its units. An export is running, or was interrupted, or its object is gone. Run';

/** Which days to look at, and for whom. */
export interface AskedTables {
  ruts: ReadonlySet<string>;
  directions: readonly Direction[];
  days: readonly Day[];
  signal: AbortSignal;
}

/** The tables' days that are damaged, or lag behind these companies' units. Reads each object to its end. */
export async function wrongDays(
  store: LakeStore,
  { ruts, directions, days, signal }: AskedTables,
): Promise<WrongDay[]> {
  const tables = directions.flatMap((direction) => [TABLE_OF[direction], DETAIL_TABLE_OF[direction]]);
  const asked = tables.flatMap((table) => days.map((day): TableDay => ({ table, day })));
  const reasons = new Map<TableDay, string>();
  await forEachConcurrent(asked, DAYS_AT_ONCE, async (tableDay) => {
    signal.throwIfAborted();
    const reason = await reasonOf(store, tableDay, ruts);
    if (reason !== undefined) reasons.set(tableDay, reason);
  });
  return asked.flatMap((tableDay) => {
    const reason = reasons.get(tableDay);
    return reason === undefined ? [] : [{ ...tableDay, reason }];
  });
}

async function reasonOf(
  store: LakeStore,
  tableDay: TableDay,
  ruts: ReadonlySet<string>,
): Promise<string | undefined> {
  const publish = `publish --from ${tableDay.day}`;
  try {
    const damage = await damageOf(store, tableDay);
    if (damage !== undefined)
      return `${damage} Move it away, then run ${publish}: its rows are in the units, too.`;
    const lagging = await laggingRuts(store, tableDay);
    return lagging.some((rut) => ruts.has(rut)) ? `${LAGS} ${publish}.` : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function damageOf(store: LakeStore, { table, day }: TableDay): Promise<string | undefined> {
  let object: DayObject | undefined;
  try {
    object = await DayObject.open(store, table, day);
    if (object?.damage !== undefined) return object.damage;
    await object?.readToEnd();
    return undefined;
  } catch (error) {
    if (error instanceof DayDamagedError) return error.message;
    throw error;
  } finally {
    await object?.close();
  }
}
