import { listOpenRuns, listParts, type Part } from '../audit/keys.ts';
import { sealRun } from '../audit/seal.ts';
import { rutOfUnit, tableObject, UNITS_FOLDER } from '../lake/layout.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { CAMBIOS, RECEIPT_TABLES, type Table } from '../lake/tables.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import { openDay } from './day-object.ts';
import type { TableDay } from './publish-day.ts';
import { type OnDayEnd, type Publication, publishDays } from './publish-days.ts';

const REMOVED_AT_ONCE = 16;

/**
 * Removes a company's receipts from the lake: its units, then its rows in all days. Its audit stays, and so do its changes that took place. If interrupted, run it again. An active run of
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
    await sealRun({ store, writer }, run);
  }
  const keys: string[] = [];
  for await (const key of ownKeys(store, rut)) keys.push(key);
  // Before anything is removed: of a table that can't be listed, the rows would stay.
  const days: TableDay[] = [];
  for (const table of RECEIPT_TABLES) days.push(...(await publishedDays(store, table)));
  await forEachConcurrent(keys, REMOVED_AT_ONCE, (key) => store.remove(key));
  const publication = await publishDays(store, writer, days, { forgottenRut: rut, onDayEnd });
  return { units: keys.filter((key) => rutOfUnit(key) === rut).length, ...publication };
}

/** Whether there is something to forget: a unit, staged changes, or rows of days without a unit. */
export async function holdsCompany(store: LakeStore, rut: string): Promise<boolean> {
  for await (const _key of ownKeys(store, rut)) return true;
  for (const table of RECEIPT_TABLES) {
    for (const { day } of await publishedDays(store, table)) {
      const object = await openDay(store, table, day);
      // A damaged one may have rows of it.
      if (object?.damage !== undefined || object?.units.has(rut) === true) return true;
    }
  }
  return false;
}

/** The company's units, and its changes of runs that are not sealed. */
async function* ownKeys(store: LakeStore, rut: string): AsyncGenerator<string> {
  for await (const key of store.list(UNITS_FOLDER)) if (rutOfUnit(key) === rut) yield key;
  for (const { key } of await stagedChanges(store, rut)) yield key;
}

async function stagedChanges(store: LakeStore, rut: string): Promise<Part[]> {
  const parts: Part[] = [];
  for (const run of await listOpenRuns(store)) parts.push(...(await listParts(store, CAMBIOS, run)));
  return parts.filter((part) => part.rut === rut);
}

async function publishedDays(store: LakeStore, table: Table): Promise<TableDay[]> {
  const days: TableDay[] = [];
  for await (const key of store.list(table.name)) {
    const day = tableObject(key)?.day;
    if (day !== undefined) days.push({ table, day });
  }
  return days;
}
