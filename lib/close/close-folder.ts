import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../system/errors.ts';
import { PRIVATE_FOLDER_MODE } from '../system/private-files.ts';

/** The folder of a closed month: all there, or not there at all. `FOLDER/RUT/2026-10`, the next one `2026-10-2`. */

/** The index of the folder, with the hashes of all other files. */
export const INDEX = 'cierre.json';
const READ_ONLY = 0o400;
/** A close of one company takes seconds. */
const LEFT_OVER_MS = 3_600_000;

export type CloseFiles = AsyncIterable<readonly [name: string, content: Uint8Array | string]>;

/** Writes the files and, last, their index into a folder beside, and gives it its name. Returns its path. */
export async function writeClose(
  out: string,
  rut: string,
  month: string,
  files: CloseFiles,
  about: object,
): Promise<string> {
  const above = join(out, rut);
  await mkdir(above, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  const part = join(above, `.${month}.${randomUUID()}.part`);
  await mkdir(part, { mode: PRIVATE_FOLDER_MODE });
  await removeLeftovers(above, (await lstat(part)).mtimeMs - LEFT_OVER_MS);
  try {
    const hashes: Record<string, { bytes: number; sha256: string }> = {};
    for await (const [name, content] of files) {
      const bytes = Buffer.from(content);
      await writeFile(join(part, name), bytes, { flag: 'wx', mode: READ_ONLY });
      hashes[name] = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    }
    const index = `${JSON.stringify({ ...about, files: hashes }, undefined, 2)}\n`;
    await writeFile(join(part, INDEX), index, { flag: 'wx', mode: READ_ONLY });
    return await named(part, above, month);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

/** What killed closes have left. */
async function removeLeftovers(above: string, leftBeforeMs: number): Promise<void> {
  for (const name of await readdir(above)) {
    const path = join(above, name);
    const isPart = name.startsWith('.') && name.endsWith('.part');
    if (isPart && (await lstat(path)).mtimeMs < leftBeforeMs)
      await rm(path, { recursive: true, force: true });
  }
}

/** The first name that nobody has. A folder with files in it is never replaced by a rename. */
async function named(part: string, above: string, month: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const folder = join(above, nameOf(month, count));
    const isTaken = await lstat(folder).then(
      () => true,
      () => false,
    );
    if (isTaken) continue;
    try {
      await rename(part, folder);
      return folder;
    } catch (error) {
      if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
    }
  }
}

function nameOf(month: string, count: number): string {
  return count === 1 ? month : `${month}-${count}`;
}

/** The newest close of a company's month below a folder; undefined if there is none. */
export async function newestClose(out: string, rut: string, month: string): Promise<string | undefined> {
  const names = new Set(await readdir(join(out, rut)).catch(() => []));
  let newest: string | undefined;
  for (let count = 1; names.has(nameOf(month, count)); count += 1) newest = nameOf(month, count);
  return newest === undefined ? undefined : join(out, rut, newest);
}
