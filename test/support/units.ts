import { dayKey, unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { CONTENT_HASH, ReceiptRows } from '../../lib/lake/rows/receipt-rows.ts';
import { type LakeStore, ObjectMissingError } from '../../lib/lake/store/store.ts';
import type { Table } from '../../lib/lake/tables.ts';
import type { Day } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import { readRows } from './lake/read-rows.ts';

/** Valid RUTs, in order. */
export const RUTS = ['214198620015', '214844360018', '218617380010', '219999830019'] as const;

/** Writes a unit as an export does, with receipts of these ids and this total. */
export async function putUnit(
  store: LakeStore,
  table: Table,
  day: Day,
  rut: Rut,
  ids: readonly number[],
  total = 100n,
  key = unitKey(table.name, day, rut),
): Promise<void> {
  const rows = new ReceiptRows(table, rut);
  for (const id of ids) {
    const known: Record<string, bigint | string> = { id: BigInt(id), rut, totales_total: total };
    rows.appendValues(table.columns.map(({ name }) => known[name] ?? null));
  }
  const sorted = rows.sorted();
  const metadata = { [CONTENT_HASH]: sorted.contentHash() };
  const bytes = writeWithHyparquet({ columns: table.columns, rows: sorted, metadata });
  await store.replace(key, bytes, { metadata, expected: await store.find(key) });
}

/** The table's rows of a day as `rut id total`, in their order; undefined if the day has no object. */
export async function dayRows(store: LakeStore, table: Table, day: Day): Promise<string[] | undefined> {
  try {
    const file = await store.open(dayKey(table.name, day));
    try {
      const rows: string[] = [];
      for await (const row of readRows(file, table.columns)) {
        rows.push(`${row.rut} ${row.id} ${row.totales_total}`);
      }
      return rows;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof ObjectMissingError) return undefined;
    throw error;
  }
}
