import { dayKey, unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import type { ParquetWriter, Row } from '../../lib/lake/parquet/writer.ts';
import { CONTENT_HASH, ReceiptRows } from '../../lib/lake/rows/receipt-rows.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import type { Table } from '../../lib/lake/tables.ts';
import type { Day } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import { foundRows } from './lake/text-rows.ts';

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
  const rows = ids.map((id) => ({ id: BigInt(id), totales_total: total }));
  await putRows(store, table, key, rut, rows);
}

/** Writes rows of a company as a unit, in row groups of this many. */
export async function putRows(
  store: LakeStore,
  table: Table,
  key: string,
  rut: Rut,
  rows: readonly Row[],
  writer: ParquetWriter = writeWithHyparquet,
  groupRows = rows.length,
): Promise<void> {
  const sorted = (some: readonly Row[]) => {
    const unit = new ReceiptRows(table, rut);
    for (const row of some)
      unit.appendValues(table.columns.map(({ name }) => (name === 'rut' ? rut : (row[name] ?? null))));
    return unit.sorted();
  };
  async function* groups() {
    for (let start = 0; start < rows.length; start += groupRows)
      yield sorted(rows.slice(start, start + groupRows));
  }
  const metadata = { [CONTENT_HASH]: sorted(rows).contentHash() };
  const bytes = writer({ columns: table.columns, rows: groups(), metadata });
  await store.replace(key, bytes, { metadata, expected: await store.find(key) });
}

/** The table's rows of a day as `rut id total`, in their order; undefined if the day has no object. */
export async function dayRows(store: LakeStore, table: Table, day: Day): Promise<string[] | undefined> {
  const rows = await foundRows(store, dayKey(table.name, day), table);
  return rows?.map(({ rut, id, totales_total: total }) => `${rut} ${id} ${total}`);
}
