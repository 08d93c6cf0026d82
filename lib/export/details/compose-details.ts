import { ReceiptRows, type SortedRows } from '../../lake/rows/receipt-rows.ts';
import type { DetailPool } from './detail-pool.ts';
import type { ListedReceipt, ListObject } from './listed-receipts.ts';
import { summaryObject } from './summary-object.ts';

/**
 * What a unit's object of details shall hold: a row for each receipt that the API lists. Its detail; or the one
 * that was read before, with the reason why there is no newer one; or what the list says, with the reason. Receipts
 * that are gone from the list keep the row that they have, marked as in the list.
 */
export function composeDetails(
  list: ListObject,
  receipts: readonly ListedReceipt[],
  pool: DetailPool,
  lastStoredMicros: bigint,
): SortedRows {
  const { table, rut } = pool.rows;
  const rows = new ReceiptRows(table, rut);
  const left = new Set(pool.ids);
  for (const { id, row, lastSeen, summaryHash } of receipts) {
    const values = pool.find(id);
    left.delete(id);
    if (lastSeen !== null) {
      if (values !== undefined) rows.appendVanished(values, lastSeen);
      continue;
    }
    const reason = pool.reasons.get(id) ?? null;
    if (values !== undefined && (reason === null || pool.readAt(values) !== undefined)) {
      rows.appendValues(pool.listed(values, reason));
    } else {
      const summary = summaryObject(list.table, list.rows.valuesOf(row));
      rows.append(summary, { motivo: reason, resumen_sha256: summaryHash });
    }
  }
  // The object of the list may have been taken away by hand: then it no longer knows of them.
  for (const id of left) {
    const values = pool.find(id);
    if (values !== undefined) rows.appendVanished(values, lastStoredMicros);
  }
  return rows.sorted();
}
