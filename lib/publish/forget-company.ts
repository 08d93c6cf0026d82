import { closeTable } from '../audit/close.ts';
import { listOpenRuns, listParts, type Part } from '../audit/keys.ts';
import {
  rutOfStaged,
  rutOfUnit,
  STAGING_FOLDER,
  tableObject,
  UNITS_FOLDER,
  unitsFolder,
} from '../lake/layout.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { CAMBIOS, RECEIPT_TABLES, type Table } from '../lake/tables.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import type { Day } from '../time/days.ts';
import { DayObject } from './day-object.ts';
import type { TableDay } from './publish-day.ts';
import { type OnDayEnd, type Publication, publishDays } from './publish-days.ts';

const REMOVED_AT_ONCE = 16;

/**
 * Removes a company's receipts from the lake: its units, the lists and details that its exports staged, then its rows
 * in all days. Its audit stays, and so do its changes that took place. If interrupted, run it again. An active run of
 * the company would bring receipts back.
 */
export async function forgetCompany(
  store: LakeStore,
  writer: ParquetWriter,
  rut: string,
  onDayEnd?: OnDayEnd,
): Promise<Publication & { units: number }> {
  // The units show which of the staged changes took place. The others go with them.
  const runs = (await stagedChanges(store, rut)).map(({ run }) => run);
  for (const run of new Map(runs.map((run) => [run.id, run])).values()) {
    await closeTable({ store, writer }, CAMBIOS, run);
  }
  let units = 0;
  const days: TableDay[] = [];
  for (const table of RECEIPT_TABLES) {
    units += await removeOwn(store, unitsFolder(table.name), (key) => rutOfUnit(key) === rut);
    days.push(...(await publishedDays(store, table)));
  }
  await removeOwn(store, STAGING_FOLDER, (key) => rutOfStaged(key) === rut);
  for (const { key } of await stagedChanges(store, rut)) await store.remove(key);
  return { units, ...(await publishDays(store, writer, days, { forgottenRut: rut, onDayEnd })) };
}

/** Whether there is something to forget: a unit, staged data, staged changes, or rows of days without a unit. */
export async function holdsCompany(store: LakeStore, rut: string): Promise<boolean> {
  for await (const key of store.list(UNITS_FOLDER)) if (rutOfUnit(key) === rut) return true;
  for await (const key of store.list(STAGING_FOLDER)) if (rutOfStaged(key) === rut) return true;
  if ((await stagedChanges(store, rut)).length > 0) return true;
  return await isInTables(store, rut);
}

/** Whether a day of a table has rows of the company. A damaged one may. */
async function isInTables(store: LakeStore, rut: string): Promise<boolean> {
  for (const table of RECEIPT_TABLES) {
    for (const { day } of await publishedDays(store, table)) {
      if (await mayHoldRows(store, { table, day }, rut)) return true;
    }
  }
  return false;
}

async function mayHoldRows(store: LakeStore, { table, day }: TableDay, rut: string): Promise<boolean> {
  const object = await DayObject.open(store, table, day);
  await object?.close();
  return object !== undefined && (object.damage !== undefined || object.units.has(rut));
}

async function stagedChanges(store: LakeStore, rut: string): Promise<Part[]> {
  const parts: Part[] = [];
  for (const run of await listOpenRuns(store)) parts.push(...(await listParts(store, CAMBIOS, run)));
  return parts.filter((part) => part.rut === rut);
}

/** Returns how many objects were removed. */
async function removeOwn(store: LakeStore, folder: string, isOwn: (key: string) => boolean): Promise<number> {
  const own: string[] = [];
  for await (const key of store.list(folder)) if (isOwn(key)) own.push(key);
  await forEachConcurrent(own, REMOVED_AT_ONCE, (key) => store.remove(key));
  return own.length;
}

async function publishedDays(store: LakeStore, table: Table): Promise<TableDay[]> {
  const days = new Set<Day>();
  for await (const key of store.list(table.name)) {
    const found = tableObject(key);
    if (found?.table === table) days.add(found.day);
  }
  return [...days].sort().map((day) => ({ table, day }));
}
