import { constants } from 'node:fs';
import { copyFile, link, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { forEachConcurrent } from '../concurrency/for-each-concurrent.ts';
import type { LakeFile } from './lake-files.ts';

const FILES_AT_ONCE = 16;

/**
 * Gives the files, as they stand now, a second name below another folder, so that a question reads what was there when
 * it began, whatever is replaced meanwhile; where no name can lead to them (another disk, another user's), a copy.
 * Gives those that are still there.
 */
export async function holdFiles<File extends LakeFile>(
  files: readonly File[],
  from: string,
  to: string,
): Promise<File[]> {
  const held = new Set<File>();
  await forEachConcurrent(files, FILES_AT_ONCE, async (file) => {
    const source = join(from, file.path);
    const target = join(to, file.path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    try {
      await link(source, target).catch(() => copyFile(source, target, constants.COPYFILE_FICLONE));
      held.add(file);
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isGone) throw error;
    }
  });
  return files.filter((file) => held.has(file));
}
