import type { ApiClient } from '../api/client.ts';
import { ApiError, UnauthorizedError } from '../api/errors.ts';
import { readLegacyList } from '../api/unpaged.ts';
import { type Column, TABLE_OF } from '../lake/tables.ts';
import { addDays } from '../time/days.ts';
import type { Unit } from '../units/unit.ts';
import type { ReadUnit } from './reading/read-company.ts';
import { ReceiptsByDay } from './reading/receipts-by-day.ts';

/** The legacy list of a day is empty, which may be because of how it was asked for. */
function unclearDay(unit: Unit, reason: string): ApiError {
  return new ApiError(
    unit,
    `the legacy list of this day alone is empty, perhaps because FechaHasta excludes its day, and the one that ends a day later says nothing: ${reason}`,
    { advice: 'Compare with the paged list: leave out --legacy.' },
  );
}

/**
 * Reads a unit's deprecated, unpaged list. It has no pages, so no fault in paging can hide a receipt. It is asked for
 * with the next day, since `FechaHasta` may exclude its day, and for the day alone where that does not tell what the
 * day has. The contract does not say which fields its receipts have (§4.6), so columns whose field no receipt has are
 * not compared. Throws an ApiError if it is not clear what the day has.
 */
export async function listedByLegacy(
  unit: Unit,
  client: ApiClient,
  signal: AbortSignal | undefined,
): Promise<ListedUnit> {
  const { day, direction } = unit;
  const read = async (nextDay: 'asked' | 'notAsked') => {
    const filters = { FechaDesde: day, FechaHasta: nextDay === 'asked' ? addDays(day, 1) : day };
    const { items, ids } = await readLegacyList(client, direction, filters, signal);
    const sink = new ReceiptsByDay(unit, { from: day, to: day, includesNextDay: nextDay === 'asked' });
    sink.add({ pageNumber: 1, items, ids }, 0);
    const absent = absentColumns(TABLE_OF[direction].columns, items);
    // Fields that the contract doesn't name may differ between the two kinds of list.
    const listed = { rows: sink.rowsOf(day), isStable: true, ignored: new Set([...absent, 'otros']) };
    return { listed, undated: sink.undated };
  };

  let unclear: ApiError | undefined;
  try {
    const { listed, undated } = await read('asked');
    if (undated.length > 0) unclear = unclearDay(unit, 'its receipts have no issue date');
    else if (listed.rows.rowCount > 0) return listed;
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ApiError) || error instanceof UnauthorizedError) throw error;
    unclear = unclearDay(unit, error.reason);
  }
  const { listed } = await read('notAsked');
  if (unclear !== undefined && listed.rows.rowCount === 0) throw unclear;
  return listed;
}

/** A list without receipts says nothing about its fields, so it has none. */
function absentColumns(columns: readonly Column[], items: readonly unknown[]): ReadonlySet<string> {
  if (items.length === 0) return new Set();
  const absent = new Map(columns.flatMap(({ name, path }) => (path ? [[name, path.split('.')]] : [])));
  for (const item of items) {
    if (absent.size === 0) break;
    for (const [name, path] of absent) if (hasPath(item, path)) absent.delete(name);
  }
  return new Set(absent.keys());
}

/** Whether the receipt has this path. It counts as present if a part of it is null. */
function hasPath(receipt: unknown, path: readonly string[]): boolean {
  let value = receipt;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return true;
    if (!Object.hasOwn(value, name)) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return true;
}
/** A unit as the API lists it. `ignored`: columns that cannot be compared. */
export type ListedUnit = Pick<ReadUnit, 'rows' | 'isStable'> & { ignored: ReadonlySet<string> };
