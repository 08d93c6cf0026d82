import { createHash } from 'node:crypto';
import type { Value } from '../../lake/parquet/writer.ts';
import { LAST_SEEN_COLUMN, type SortedRows } from '../../lake/rows/receipt-rows.ts';
import type { Table } from '../../lake/tables.ts';
import { rowText } from '../../lake/value-text.ts';

/** What a unit's object of the list holds. */
export interface ListObject {
  table: Table;
  rows: SortedRows;
  sha256: string;
}

/** A receipt of the list, as its detail needs to know it. */
export interface ListedReceipt {
  id: bigint;
  /** The row in the list. */
  row: number;
  /** Which state of the row a detail belongs to. */
  summaryHash: string;
  /** Null while the API lists the receipt; else when it was last stored as listed, in microseconds. */
  lastSeen: bigint | null;
}

/** How many receipts the API lists. */
export function listedCount({ table, rows }: ListObject): number {
  return rows.values(lastSeenIndexOf(table), 0, rows.rowCount).filter((value) => value === null).length;
}

function lastSeenIndexOf(table: Table): number {
  return table.columns.findIndex(({ name }) => name === LAST_SEEN_COLUMN);
}

/** The receipts of a unit in the order of their ids; those that the API no longer lists are among them. */
export function listedReceipts({ table, rows }: ListObject): ListedReceipt[] {
  const lastSeenIndex = lastSeenIndexOf(table);
  return Array.from({ length: rows.rowCount }, (_, row) => {
    const values = rows.valuesOf(row);
    const lastSeen = values[lastSeenIndex];
    return {
      id: rows.id(row),
      row,
      summaryHash: summaryHash(table, values),
      lastSeen: typeof lastSeen === 'bigint' ? lastSeen : null,
    };
  });
}

/** By the columns that have a value: one that is added to the table and is null changes nothing. */
function summaryHash(table: Table, values: readonly Value[]): string {
  return createHash('sha256').update(rowText(table, values)).digest('hex');
}
