import { openStore, parseS3Address } from '../lake/store/open-store.ts';
import { type LakeDatabase, openLakeDatabase } from './lake-database.ts';
import { mirrorFolder, mirrorTables, type PartitionRange, tablesIn } from './mirror.ts';

/**
 * Opens the lake at an address for one question. Of a lake in a bucket, the objects of the tables that the SQL
 * names are copied first, as far as they changed since the last question; `range` limits their partitions.
 * Throws LakeMissingError, LakeAddressError or LakeRequestError.
 */
export async function openLake(
  address: string,
  sql: string,
  range: PartitionRange,
  onObject?: (key: string) => void,
): Promise<LakeDatabase> {
  if (parseS3Address(address) === undefined) return await openLakeDatabase(address);
  const folder = mirrorFolder(address);
  await mirrorTables(await openStore(address), tablesIn(sql), range, folder, onObject);
  return await openLakeDatabase(folder);
}
