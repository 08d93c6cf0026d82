import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { CfeLakeError, EXIT_WRONG_INPUT } from '../errors.ts';

const OTHERS_MAY_WRITE = 0o022;
const ANYTHING_FOR_OTHERS = 0o077;
/** In a folder that is sticky nobody renames or removes what is another's. */
const STICKY = 0o1000;
const ROOT = 0;

/** Others may have put something there, or could; so nothing in it is believed, and nothing is written to it. */
export class UnsafeFolderError extends CfeLakeError {
  override name = 'UnsafeFolderError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor(folder: string, why: string) {
    super(`${folder} ${why}, so nothing is kept there.`, {
      advice: 'Put that right, or name a folder of your own in XDG_CACHE_HOME.',
    });
  }
}

/**
 * A folder that only this user reads and writes, for what is made anew when it is lost; made when it is not there:
 * `$XDG_CACHE_HOME/cfe-lake/NAME`, or the platform's own place for caches. It and those above it are checked at each
 * call. Throws UnsafeFolderError, or the system's error where it can't be made.
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

/** The folder; the one above it has to be there already, so that no home is made for a user who has none. */
function made(folder: string): string {
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return folder;
}

/** The folder with its links resolved, after a look at it and all above it: who may rename one could swap ours. */
function trusted(folder: string): string {
  const real = realpathSync.native(folder);
  for (let each = real; ; each = dirname(each)) {
    const found = lstatSync(each);
    if (!found.isDirectory()) throw new UnsafeFolderError(each, 'is no folder');
    if (isOfAnother(found) && found.uid !== ROOT) throw new UnsafeFolderError(each, "is another user's");
    if (hasBits(found, OTHERS_MAY_WRITE) && !hasBits(found, STICKY)) {
      throw new UnsafeFolderError(each, `may be written by others (mode ${modeOf(found)})`);
    }
    if (each === dirname(each)) return real;
  }
}

function checkedPrivate(folder: string): string {
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new UnsafeFolderError(folder, 'is no folder of its own');
  if (isOfAnother(found)) throw new UnsafeFolderError(folder, "is another user's");
  if (hasBits(found, ANYTHING_FOR_OTHERS)) {
    throw new UnsafeFolderError(folder, `is open to others (mode ${modeOf(found)}, not 700)`);
  }
  return folder;
}

function isOfAnother({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid();
}

/** Windows has lists in place of modes; a user's own place for caches is closed to others there. */
function hasBits({ mode }: Stats, bits: number): boolean {
  return process.platform !== 'win32' && (mode & bits) !== 0;
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o7777).toString(8);
}
