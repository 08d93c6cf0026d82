import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as v from 'valibot';
import { bodyText } from '../api/body.ts';
import { isPartName, newPartName } from '../lake/store/folder-files.ts';
import { hasCode, WrongInputError } from '../system/errors.ts';
import { ordinaryFile, readSmallFile } from '../system/private-files.ts';
import { hasOtherOwner, makeFolder, PRIVATE_FOLDER_MODE } from '../system/private-folders.ts';
import { isDay } from '../time/days.ts';
import { SAY } from './phrases.ts';

/** The folder of a closed month: all there, or not there at all. `FOLDER/RUT/2026-10`, the next one `2026-10-2`. */

/** The index of the folder, with the hashes of all other files. */
export const INDEX = 'cierre.json';
const READ_ONLY = 0o400;
/** The bound of an index that others made, or put something in the place of. One has 30 KB and some 1,500 values. */
const MOST_INDEX_BYTES = 256 * 1024;
const MOST_INDEX_VALUES = 10_000;
const MOST_FILE_BYTES = 512 * 2 ** 20;
/** What four digits can say: nobody closes a month as often. */
const MOST_COUNT = 9999;
/** A close of one company takes seconds. */
const LEFT_OVER_MS = 3_600_000;

export type CloseFiles = AsyncIterable<readonly [name: string, content: Uint8Array | string]>;

/**
 * Writes the files and, last, their index into a folder beside, and gives it its name after `readBack`, which throws where
 * nobody could read it. `about` is asked when the files are written. Returns its path.
 */
export async function writeClose(
  out: string,
  rut: string,
  month: string,
  files: CloseFiles,
  about: () => object,
  readBack: (folder: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const above = join(out, rut);
  makeFolder(above, out);
  const part = join(above, `.${month}.${newPartName()}`);
  await mkdir(part, { mode: PRIVATE_FOLDER_MODE });
  await removeLeftovers(above, (await lstat(part)).mtimeMs - LEFT_OVER_MS);
  try {
    const hashes: Record<string, { bytes: number; sha256: string }> = {};
    for await (const [name, content] of files) {
      const bytes = Buffer.from(content);
      await writeFile(join(part, name), bytes, { flag: 'wx', mode: READ_ONLY });
      hashes[name] = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    }
    const index = `${JSON.stringify({ ...about(), files: hashes }, undefined, 2)}\n`;
    await writeFile(join(part, INDEX), index, { flag: 'wx', mode: READ_ONLY });
    await readBack(part);
    return await named(part, above, month);
  } catch (error) {
    // It may have its name by then.
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

/** What killed closes have left. */
async function removeLeftovers(above: string, leftBeforeMs: number): Promise<void> {
  for (const name of await readdir(above)) {
    const path = join(above, name);
    if (!/^\.\d{4}-\d\d\./.test(name) || !isPartName(name.slice('.YYYY-MM.'.length))) continue;
    // Another close may just have given it its name.
    const part = await lstat(path).catch(() => undefined);
    if (part === undefined || hasOtherOwner(part) || part.mtimeMs >= leftBeforeMs) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/**
 * The name after all that there are, and that there were: a close that is moved away leaves an empty file with its name. A
 * folder with files in it is never replaced by a rename.
 */
async function named(part: string, above: string, month: string): Promise<string> {
  const counts = (await readdir(above)).map((name) => countOf(name.replace(/^\./, ''), month) ?? 0);
  for (let count = Math.max(0, ...counts) + 1; count <= MOST_COUNT; count += 1) {
    const name = count === 1 ? month : `${month}-${count}`;
    const folder = join(above, name);
    try {
      await rename(part, folder);
      await keepName(join(above, `.${name}`));
      return folder;
    } catch (error) {
      if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
    }
  }
  throw new WrongInputError(SAY.noNumberLeft(above, `${month}-${MOST_COUNT}`));
}

/** Whatever stands there keeps the name too, and may be somebody's link to a file that is not to be emptied. */
async function keepName(path: string): Promise<void> {
  await writeFile(path, '', { flag: 'wx', mode: READ_ONLY }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
}

/** Which close of the month has this name; undefined if none has: other folders beside it are strangers'. */
function countOf(name: string, month: string): number | undefined {
  if (name === month) return 1;
  const count = name.startsWith(`${month}-`) ? name.slice(month.length + 1) : '';
  return /^(?!1$)[1-9]\d{0,3}$/.test(count) ? Number(count) : undefined;
}

/** These become a part of SQL. */
const YEAR = v.pipe(v.string(), v.regex(/^\d{4}$/));
const VALUE = v.pipe(v.string(), v.regex(/^\d+(\.\d+)?$/));
const Index = v.object({
  version: v.string(),
  month: v.pipe(
    v.string(),
    v.guard((month): month is `${number}-${number}` => isDay(`${month}-01`)),
  ),
  rut: v.pipe(v.string(), v.digits(), v.maxLength(12)),
  name: v.nullable(v.string()),
  /** Local, of Uruguay. */
  madeAt: v.string(),
  state: v.picklist(['incomplete', 'open', 'complete']),
  sentence: v.string(),
  accepted: v.array(v.object({ name: v.string(), text: v.string() })),
  lists: v.array(v.string()),
  form2181: v.object({ notAccepted: v.number() }),
  /** Values of the UI by year. */
  ui: v.record(YEAR, VALUE),
  /** When each day of both lists was last read well; local, of Uruguay. */
  read: v.array(v.object({ readAt: v.nullable(v.string()) })),
  files: v.record(v.string(), v.object({ bytes: v.number(), sha256: v.string() })),
});

export interface Close {
  folder: string;
  index: v.InferOutput<typeof Index>;
}

/** The close in a folder. Throws WrongInputError if there is none. */
export async function readClose(folder: string): Promise<Close> {
  try {
    const bytes = await readSmallFile(join(folder, INDEX), MOST_INDEX_BYTES);
    return { folder, index: v.parse(Index, JSON.parse(bodyText(bytes, MOST_INDEX_VALUES))) };
  } catch (error) {
    throw new WrongInputError(SAY.noClose(folder), { cause: error });
  }
}

/** A file of a close, as it is read. Throws WrongInputError, in the end, where it is not as it was written. */
export async function* closeFile(
  { folder, index }: Close,
  name: string,
): AsyncGenerator<Buffer, void, undefined> {
  const path = join(folder, name);
  const { bytes = 0, sha256 } = index.files[name] ?? {};
  const hash = createHash('sha256');
  try {
    for await (const chunk of ordinaryFile(path, Math.min(bytes, MOST_FILE_BYTES))) {
      hash.update(chunk);
      yield chunk;
    }
  } catch {
    throw new WrongInputError(SAY.altered(path));
  }
  if (hash.digest('hex') !== sha256) throw new WrongInputError(SAY.altered(path));
}

/** Whether a file is as the close wrote it. */
export async function isAsClosed(close: Close, name: string): Promise<boolean> {
  return await buffer(closeFile(close, name)).then(
    () => true,
    () => false,
  );
}

/** The close of a company's month below a folder that was made last; undefined if there is none. */
export async function newestClose(out: string, rut: string, month: string): Promise<Close | undefined> {
  const names = await readdir(join(out, rut)).catch(() => []);
  const numbered = names.flatMap((name) => {
    const count = countOf(name, month);
    return count === undefined ? [] : [{ name, count }];
  });
  numbered.sort((a, b) => a.count - b.count);
  let newest: Close | undefined;
  // One after the other: a folder made by somebody else may have many large ones.
  for (const { name } of numbered) {
    const folder = join(out, rut, name);
    const close = await readClose(folder);
    const { index } = close;
    if (index.rut !== rut || index.month !== month)
      throw new WrongInputError(SAY.otherClose(folder, index.month, index.rut));
    if (newest === undefined || newest.index.madeAt <= index.madeAt) newest = close;
  }
  return newest;
}
