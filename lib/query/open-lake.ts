import { openStore, parseS3Address } from '../lake/store/open-store.ts';
import { TABLES } from '../lake/tables.ts';
import { type LakeDatabase, openLakeDatabase, type PartitionRange } from './lake-database.ts';
import { mirrorFolder, mirrorTables, tablesIn } from './mirror.ts';

/** There is a lake, or the place for one, and nothing in it. */
export class LakeEmptyError extends Error {
  override name = 'LakeEmptyError';
  readonly isWrongPlace = true;
  constructor(address: string) {
    super(
      `There is nothing in the lake ${address} yet. Export something first, or name another with --lake.`,
    );
  }
}

/**
 * Opens the lake at an address for one question. Of a lake in a bucket, the objects of the tables that the SQL
 * names are copied first, as far as they changed since the last question; `range` limits their partitions.
 * Throws LakeMissingError, LakeEmptyError, LakeAddressError or LakeRequestError.
 */
export async function openLake(
  address: string,
  sql: string,
  range: PartitionRange,
  onObject?: (key: string) => void,
): Promise<LakeDatabase> {
  const database = await openFolderOrMirror(address, sql, range, onObject);
  const asked = tablesIn(sql);
  const isNothingThere = asked.length > 0 && asked.every((name) => database.emptyTables.includes(name));
  if (isNothingThere && (await isLakeEmpty(address))) {
    database.close();
    throw new LakeEmptyError(address);
  }
  return database;
}

async function openFolderOrMirror(
  address: string,
  sql: string,
  range: PartitionRange,
  onObject?: (key: string) => void,
): Promise<LakeDatabase> {
  if (parseS3Address(address) === undefined) return await openLakeDatabase(address, range);
  const folder = mirrorFolder(address);
  await mirrorTables(await openStore(address), tablesIn(sql), range, folder, onObject);
  return await openLakeDatabase(folder, range);
}

async function isLakeEmpty(address: string): Promise<boolean> {
  const store = await openStore(address);
  for (const { name } of TABLES) {
    for await (const _key of store.list(name)) return false;
  }
  return true;
}
