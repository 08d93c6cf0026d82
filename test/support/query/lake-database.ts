import { TABLES } from '../../../lib/lake/tables.ts';
import { type LakeDatabase, openDatabase } from '../../../lib/query/lake-database.ts';
import { listFolder } from '../../../lib/query/lake-files.ts';

/** Opens a lake in a folder for SQL, with all its files. */
export async function openLakeDatabase(folder: string): Promise<LakeDatabase> {
  const { files } = await listFolder(folder, TABLES);
  return await openDatabase(folder, files, async () => files);
}
