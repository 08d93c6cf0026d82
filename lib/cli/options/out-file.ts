import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../usage.ts';

/** Before the work, which may take minutes: there is a folder for the file that an option names. Throws UsageError. */
export async function assertFolderOf(option: string, file: string): Promise<void> {
  const folder = dirname(file);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    throw new UsageError(`--${option}: there is no folder ${folder}. Make it, or name another file.`);
  }
}
