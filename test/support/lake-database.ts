import { TABLES } from '../../lib/lake/tables.ts';
import { type LakeDatabase, openDatabase } from '../../lib/query/lake-database.ts';
import { listFolder } from '../../lib/query/lake-files.ts';

/** Opens all of the lake in a folder for SQL. */
export async function openLakeDatabase(folder: string): Promise<LakeDatabase> {
  const { files } = await listFolder(folder, TABLES);
  return await openDatabase({ folder, isReplaced: true }, files, async () => files);
}
