import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import {
  CfeLakeError,
  EXIT_WRONG_INPUT,
  hasCode,
  type SystemFault,
  systemFaultOf,
  WrongInputError,
} from './errors.ts';

/** Files of this program are only for the user that runs it. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;

/**
 * Writes a file that only this user may read, in one step, replacing an older one. A link at this path is neither
 * followed nor replaced: in a folder that others can write to, they would choose what is overwritten. `prepare` gets the
 * path of the file while nothing is in it. Throws a CfeLakeError that says why it can't be written, and what to do.
 */
export async function writePrivateFile(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  prepare?: (part: string) => Promise<unknown>,
): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await assertReplaceable(path);
    try {
      // Fails if anything exists at this path, so no link is followed here either.
      const file = await open(part, 'wx', PRIVATE_FILE_MODE);
      try {
        await prepare?.(part);
        await file.writeFile(content);
      } finally {
        await file.close();
      }
      await rename(part, path);
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    const fault = systemFaultOf(error);
    if (fault === undefined) throw error;
    throw notWritable(path, fault);
  }
}

/**
 * The same of a file with tokens or a login, also on Windows, which has no modes: `icacls`, in place of the folder's
 * permissions, leaves it to this user alone. Nobody has run that.
 */
export async function writeSecretFile(
  path: string,
  content: string | Uint8Array,
  icacls = process.platform === 'win32' ? runIcacls : undefined,
): Promise<void> {
  const { USERDOMAIN: domain } = process.env;
  const { username } = userInfo();
  const user = domain === undefined ? username : `${domain}\\${username}`;
  await writePrivateFile(
    path,
    content,
    icacls && ((part) => icacls([part, '/inheritance:r', '/grant:r', `${user}:F`])),
  );
}

const runIcacls = (words: readonly string[]): Promise<unknown> => promisify(execFile)('icacls', words);

/** Whether there is a folder at this path, or a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function notWritable(
  path: string,
  { reason, advice, exitCode }: Pick<SystemFault, 'reason' | 'advice' | 'exitCode'>,
): CfeLakeError {
  return new CfeLakeError(`${path} can't be written: ${reason}.`, { advice: `${advice}.`, exitCode });
}

/** Throws CfeLakeError if something that is no file is at this path. */
export async function assertReplaceable(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found.isFile()) return;
  const [reason, advice] = found.isSymbolicLink()
    ? ['it is a link', 'Remove the link, or name another file']
    : found.isDirectory()
      ? ['it is a folder', 'Name a file in it']
      : ['it is a device', 'Name an ordinary file, or redirect what is printed'];
  throw notWritable(path, { reason, advice, exitCode: EXIT_WRONG_INPUT });
}

/** Whether other users of this machine may read or change the file. False on Windows, which has no modes. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  const found = process.platform === 'win32' ? undefined : await stat(path).catch(() => undefined);
  return found?.isFile() === true && (found.mode & ~PRIVATE_FILE_MODE & 0o666) !== 0;
}

const OTHERS_MAY_WRITE = 0o022;
const ANYTHING_FOR_OTHERS = 0o077;
/** In a sticky folder, users can't rename or remove each other's files. */
const STICKY = 0o1000;
const ROOT = 0;

/** Other users can write to the folder, so nothing in it is trusted and nothing is written to it. */
function unsafe(folder: string, why: string): WrongInputError {
  return new WrongInputError(`${folder} ${why}, so it is not used.`, {
    advice: 'Correct that, or name a folder of your own in XDG_CACHE_HOME.',
  });
}

/**
 * A folder that only this user can read and write, created if missing, for files that can be made again:
 * `$XDG_CACHE_HOME/cfe-lake/NAME`, or below the platform's cache folder. Each call checks it and the folders above it.
 * Throws WrongInputError if other users can write there, or the system's error if it can't be made.
 */
export function privateCacheFolder(name: string): string {
  const place = cachePlace();
  const above = trusted(dirname(place));
  const caches = trusted(made(join(above, basename(place))));
  const own = checkedPrivate(made(join(caches, 'cfe-lake')));
  return checkedPrivate(made(join(own, name)));
}

function cachePlace(): string {
  const { XDG_CACHE_HOME: named = '', LOCALAPPDATA: local = '' } = process.env;
  if (isAbsolute(named)) return named;
  if (process.platform === 'win32' && isAbsolute(local)) return local;
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
}

/** Makes the folder. The one above it must exist, so that no home is made for a user without one. */
function made(folder: string): string {
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return folder;
}

/** The folder's real path, once all folders on it are checked: a user who can rename one of them could swap ours. */
function trusted(folder: string): string {
  const real = realpathSync.native(folder);
  for (let each = real; ; each = dirname(each)) {
    const found = lstatSync(each);
    if (!found.isDirectory()) throw unsafe(each, 'is not a folder');
    if (isOfAnother(found) && found.uid !== ROOT) throw unsafe(each, 'belongs to another user');
    if (hasBits(found, OTHERS_MAY_WRITE) && !hasBits(found, STICKY)) {
      throw unsafe(each, `may be written by others (mode ${modeOf(found)})`);
    }
    if (each === dirname(each)) return real;
  }
}

function checkedPrivate(folder: string): string {
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw unsafe(folder, 'is not a folder, or only a link to one');
  if (isOfAnother(found)) throw unsafe(folder, 'belongs to another user');
  if (hasBits(found, ANYTHING_FOR_OTHERS)) {
    throw unsafe(folder, `is open to others (mode ${modeOf(found)}, not 700)`);
  }
  return folder;
}

/** Whether another user owns what was found; never on Windows, whose files have no such owner. */
export function isOfAnother({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid();
}

/** Always false on Windows, which has no modes. A user's cache folder is private there. */
function hasBits({ mode }: Stats, bits: number): boolean {
  return process.platform !== 'win32' && (mode & bits) !== 0;
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o7777).toString(8);
}
