import { forEachConcurrent } from '../concurrency.ts';
import { rutOfUnit, tableObject, unitsFolder } from '../lake/layout.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { RECEIPT_TABLES, type Table } from '../lake/tables.ts';
import type { Day } from '../time/days.ts';
import type { TableDay } from './publish-day.ts';
import { type Publication, publishDays } from './publish-lagging.ts';

const REMOVED_AT_ONCE = 16;

/**
 * Removes a company's receipts from the lake: its units, then its rows in all days. Its audit and changes stay. If
 * interrupted, run it again. An active run of the company would bring receipts back.
 */
export async function forgetCompany(
  store: LakeStore,
  writer: ParquetWriter,
  rut: string,
): Promise<Publication & { units: number }> {
  let units = 0;
  const days: TableDay[] = [];
  for (const table of RECEIPT_TABLES) {
    const own: string[] = [];
    for await (const key of store.list(unitsFolder(table.name))) if (rutOfUnit(key) === rut) own.push(key);
    await forEachConcurrent(own, REMOVED_AT_ONCE, (key) => store.remove(key));
    units += own.length;
    days.push(...(await publishedDays(store, table)));
  }
  return { units, ...(await publishDays(store, writer, days, { forgottenRut: rut })) };
}

/** The days that the table has. */
export async function publishedDays(store: LakeStore, table: Table): Promise<TableDay[]> {
  const days = new Set<Day>();
  for await (const key of store.list(table.name)) {
    const found = tableObject(key);
    if (found?.table === table) days.add(found.day);
  }
  return [...days].sort().map((day) => ({ table, day }));
}
