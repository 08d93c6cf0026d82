import {
  closeSync,
  constants,
  type Dirent,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Said } from '../text/language.ts';
import { hasCode, WrongInputError } from './errors.ts';
import { FILES } from './phrases.ts';

/** Folders of this program are only for the user that runs it. */
export const PRIVATE_FOLDER_MODE = 0o700;
export const OTHERS_MAY_READ = 0o044;
export const OTHERS_MAY_WRITE = 0o022;
const ANYTHING_FOR_OTHERS = 0o077;
/** In a sticky folder, users can't rename or remove each other's files. */
const STICKY = 0o1000;
const ROOT = 0;

/**
 * Makes the folder and its parents, once assertOwnFolders has checked the way to it. Returns the first that was not there.
 */
export function makeFolder(path: string, given = path): string | undefined {
  assertOwnFolders(path, given);
  const firstNew = withParents(resolve(path));
  // Somebody may have put something there meanwhile.
  if (firstNew !== undefined) assertOwnFolders(path, given);
  return firstNew;
}

/** mkdir's `recursive` says ENOENT where the disk is read-only or a quota is used up, and never ends where mkdir always says so. */
function withParents(path: string): string | undefined {
  if (isFolderNow(path)) return undefined;
  const parent = dirname(path);
  const firstNew = parent === path ? undefined : withParents(parent);
  try {
    mkdirSync(path, PRIVATE_FOLDER_MODE);
  } catch (error) {
    // Another run may have made it meanwhile, or removed the one above it.
    if (hasCode(error, 'ENOENT') && !isFolderNow(parent)) return withParents(path);
    if (!isFolderNow(path)) throw error;
  }
  return firstNew ?? path;
}

function isFolderNow(path: string): boolean {
  return foundAt(path)?.isDirectory() === true;
}

/** What is there, or where a link leads; undefined if nothing can be reached. */
function foundAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether there is a folder at this path, and no link to one. */
export function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Throws WrongInputError where another user, but root, could choose or change what is written: a link of theirs is on the
 * way to `path`, or they own a folder on it from `given` on, which somebody named. Root writes into all folders, as into
 * one that is mounted into a container. Nothing is read from modes: disks of Windows have one for all that is on them.
 */
export function assertOwnFolders(path: string, given = path): void {
  assertNoForeignLink(path);
  if (process.getuid?.() === ROOT) return;
  const fromLength = resolve(given).length;
  for (const step of wayTo(resolve(path)).filter(({ length }) => length >= fromLength)) {
    const found = foundAt(step);
    if (found !== undefined && hasForeignOwner(found))
      throw new WrongInputError(FILES.folderOfAnother(step), { advice: FILES.removeOrShare() });
  }
}

/** Throws WrongInputError where a link is on the way from this folder to what is in it: it may have been sent with it. */
export function assertNoLinkIn(folder: string, path: string): void {
  for (const step of wayTo(resolve(path)).filter(({ length }) => length > resolve(folder).length))
    if (isLink(step)) throw new WrongInputError(FILES.linkInLake(step), { advice: FILES.removeLink() });
}

/**
 * Throws WrongInputError where the file that was opened at this path is not in its folder: a link took the place of one on
 * the way from `folder`, between a look and the opening.
 */
export function assertOpenedIn(folder: string, path: string, handle: number): void {
  const openedAt = pathOfHandle(handle);
  if (openedAt === undefined) {
    assertNoLinkIn(folder, path);
    return;
  }
  const asked = join(realpathSync.native(folder), relative(folder, dirname(path)));
  // Not every disk tells capitals apart.
  if (dirname(openedAt).toLowerCase() !== asked.toLowerCase())
    throw new WrongInputError(FILES.linkInLake(path), { advice: FILES.removeLink() });
}

/**
 * What is in the folder at this path within another; none where it is gone, undefined where something else is in its place.
 * Throws WrongInputError where a link took the place of a folder on the way meanwhile.
 */
export function entriesAt(within: string, path: string): Dirent[] | undefined {
  let handle: number | undefined;
  try {
    // Windows cannot open folders.
    if (process.platform === 'win32') return readdirSync(path, { withFileTypes: true });
    handle = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    assertOpenedIn(within, path, handle);
    // What was opened, where the system has a path for it.
    const opened = pathOfHandle(handle) === undefined ? path : `/proc/self/fd/${handle}`;
    return readdirSync(opened, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    if (hasCode(error, 'ENOTDIR') || hasCode(error, 'ELOOP')) return undefined;
    throw error;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Where an open file is, whatever stands at its path now; undefined where the system does not tell. */
function pathOfHandle(handle: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`);
  } catch {
    return undefined;
  }
}

/** Not if nobody can tell: whatever uses the path says why. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}

/** Throws WrongInputError where a link of another user, but root, is on the way to this path; never on Windows. */
export function assertNoForeignLink(path: string): void {
  if (process.getuid === undefined) return;
  for (const step of wayTo(resolve(path))) {
    const found = lstatSync(step, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() !== true) continue;
    if (hasForeignOwner(found))
      throw new WrongInputError(FILES.linkOfAnother(step), { advice: FILES.nameFolderItself() });
    // A link of one's own may lead over another's; one that leads in a circle leads nowhere.
    if (foundAt(step) !== undefined)
      assertNoForeignLink(resolve(realpathSync.native(dirname(step)), readlinkSync(step)));
  }
}

/** The path, and all that are above it, from the top. */
function wayTo(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...wayTo(parent), path];
}

/** Other users can write to the folder, so nothing in it is trusted and nothing is written to it. */
function unsafe(folder: string, why: string, advice: Said): WrongInputError {
  return new WrongInputError(`${folder} ${why}, so it is not used.`, { advice });
}

const NAME_A_CACHE = 'Correct that, or name a folder of your own in XDG_CACHE_HOME.';

/**
 * Throws a WrongInputError if other users can write to the folder, or swap it for another: what is in it may be theirs, such
 * as a link at the name of a file to be written.
 */
export function assertOwnFolder(folder: string): void {
  const advice = FILES.beginElsewhere();
  const found = lstatSync(trusted(folder, advice, FILES.beginInHome()));
  if (hasBits(found, OTHERS_MAY_WRITE))
    throw new WrongInputError(FILES.folderOpen(folder, modeOf(found)), { advice });
}

/**
 * A folder that only this user can read and write, created if missing, for files that can be made again:
 * `$XDG_CACHE_HOME/cfe-lake/NAME`, or below the platform's cache folder. Each call checks it and the folders above it.
 * Throws WrongInputError if other users can write there, or the system's error if it can't be made.
 */
export function privateCacheFolder(name: string): string {
  return cacheFolder(name, made);
}

/** The same, where it is there already: undefined if it is not, and nothing is made. */
export function privateCacheFolderIfThere(name: string): string | undefined {
  try {
    return cacheFolder(name, (folder) => folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function cacheFolder(name: string, there: (folder: string) => string): string {
  const place = cachePlace();
  const above = trusted(dirname(place));
  const caches = trusted(there(join(above, basename(place))));
  const folder = checkedPrivate(there(join(caches, 'cfe-lake')));
  return checkedPrivate(there(join(folder, name)));
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
    mkdirSync(folder, PRIVATE_FOLDER_MODE);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return folder;
}

/** The folder's real path, once all folders on it are checked: a user who can rename one of them could swap ours. */
function trusted(folder: string, advice: Said = NAME_A_CACHE, adviceOfAnother = advice): string {
  const real = realpathSync.native(folder);
  for (let step = real; ; step = dirname(step)) {
    const found = lstatSync(step);
    if (!found.isDirectory()) throw unsafe(step, 'is not a folder', advice);
    if (hasForeignOwner(found)) throw unsafe(step, 'belongs to another user', adviceOfAnother);
    if (hasBits(found, OTHERS_MAY_WRITE) && !hasBits(found, STICKY)) {
      throw unsafe(step, `may be written by others (mode ${modeOf(found)})`, advice);
    }
    if (step === dirname(step)) return real;
  }
}

function checkedPrivate(folder: string): string {
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw unsafe(folder, 'is not a folder, or only a link to one', NAME_A_CACHE);
  if (hasOtherOwner(found)) throw unsafe(folder, 'belongs to another user', NAME_A_CACHE);
  if (hasBits(found, ANYTHING_FOR_OTHERS)) {
    throw unsafe(folder, `is open to others (mode ${modeOf(found)}, not 700)`, NAME_A_CACHE);
  }
  return folder;
}

/** Whether another user owns what was found; never on Windows, whose files have no such owner. */
export function hasOtherOwner({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid();
}

/** The same, but for root, who could do everything anyway. */
export function hasForeignOwner(found: Stats): boolean {
  return hasOtherOwner(found) && found.uid !== ROOT;
}

/** Always false on Windows, which has no modes. A user's cache folder is private there. */
export function hasBits({ mode }: Stats, bits: number): boolean {
  return process.platform !== 'win32' && (mode & bits) !== 0;
}

export function modeOf({ mode }: Stats): string {
  return (mode & 0o7777).toString(8);
}
