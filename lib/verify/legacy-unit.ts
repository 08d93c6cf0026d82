import type { ApiClient } from '../api/client.ts';
import type { ListTally } from '../api/list/page-request.ts';
import { readLegacyList } from '../api/unpaged.ts';
import { RangeSink } from '../export/range-sink.ts';
import type { Unit } from '../export/units.ts';
import { ReceiptRows } from '../lake/rows/receipt-rows.ts';
import type { Column, Table } from '../lake/tables.ts';

export interface LegacyReading {
  rows: ReceiptRows;
  /** Columns that can't be compared: the legacy list brought their field in no receipt. */
  absent: ReadonlySet<string>;
}

/**
 * Reads a unit's deprecated, unpaged list: one request, so nothing of paging can hide a receipt. The contract
 * doesn't say which fields its receipts have (§4.6), so those that it lacks altogether are named.
 */
export async function readLegacyUnit(
  { rut, direccion, fecha }: Unit,
  table: Table,
  client: ApiClient,
  tally: ListTally,
  signal?: AbortSignal,
): Promise<LegacyReading> {
  const filters = { FechaDesde: fecha, FechaHasta: fecha };
  const { items, ids } = await readLegacyList(client, direccion, filters, tally, signal);
  const context = { rut, direction: direccion, day: fecha };
  const asked = { from: fecha, to: fecha, isNextDayAsked: false };
  const sink = new RangeSink(() => new ReceiptRows(table, rut), context, asked);
  sink.add({ pageNumber: 1, items, ids }, 0);
  return { rows: sink.rowsOf(fecha), absent: absentColumns(table.columns, items) };
}

function absentColumns(columns: readonly Column[], items: readonly unknown[]): ReadonlySet<string> {
  const absent = new Map(columns.flatMap(({ name, path }) => (path ? [[name, path.split('.')]] : [])));
  for (const item of items) {
    if (absent.size === 0) break;
    for (const [name, path] of absent) if (isBrought(item, path)) absent.delete(name);
  }
  return new Set(absent.keys());
}

/** Whether the receipt says anything at this path; a null on the way says that there is nothing. */
function isBrought(receipt: unknown, path: readonly string[]): boolean {
  let value = receipt;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return true;
    if (!Object.hasOwn(value, name)) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return true;
}
