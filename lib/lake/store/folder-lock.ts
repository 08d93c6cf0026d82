import { accessSync, closeSync, constants, lstatSync, openSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CfeLakeError, hasCode, WrongInputError } from '../../system/errors.ts';
import { PRIVATE_FILE_MODE } from '../../system/private-files.ts';
import { hasForeignOwner, isRealFolder, makeFolder } from '../../system/private-folders.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { uruguayDateTime } from '../../time/days.ts';
import { LOCK_FOLDER } from '../layout.ts';
import { LAKE } from '../phrases.ts';
import { ignoreMissing, isPartName, removeFile } from './folder-files.ts';

const LOOKED_EVERY_MS = 1_000;

/** Always empty. It stays, since another process may have opened it to wait for it. */
const LOCKED_FILE = 'lock';
/** Who has the lock, while somebody has it. */
const HOLDER_FILE = 'holder';
/** SQLite's, of a transaction that writes nothing. */
const JOURNAL_FILE = `${LOCKED_FILE}-journal`;

export interface LockRequest {
  /** Who asks, for those who wait meanwhile: `export`. */
  command: string;
  waitMs: number;
  signal: AbortSignal;
  onWait: (holder: string) => void;
  clock?: Clock;
}

export interface FolderLock {
  /** The holder writes its new files here, and the next one removes what a killed one left. */
  readonly folder: string;
  release(): Promise<void>;
}

/**
 * Waits for the lock of the one writer of a folder (docs/decisions/0008), and takes it: the operating system's, which ends
 * with the process. Makes the lake's folder, too. Throws LakeBusyError, WrongInputError where the folder or the lock's is not
 * this user's own, or the signal's reason.
 */
export async function takeLock(
  root: string,
  address: string,
  { command, waitMs, signal, onWait, clock = systemClock }: LockRequest,
): Promise<FolderLock> {
  const folder = join(root, LOCK_FOLDER);
  const holderFile = join(folder, HOLDER_FILE);
  makeFolder(folder, root);
  // Also root follows no link that another user may put in here.
  if (!isRealFolder(folder) || hasForeignOwner(lstatSync(folder))) throw notOwn(folder);
  makeLockedFile(join(folder, LOCKED_FILE));
  const file = await openedFile(join(folder, LOCKED_FILE));
  try {
    const endMs = clock.monotonicMs() + waitMs;
    for (let toldHolder: string | undefined; !isLocked(file); ) {
      const holder = (await readFile(holderFile, 'utf8').catch(ignoreMissing)) ?? 'another command';
      if (clock.monotonicMs() >= endMs) throw new LakeBusyError(address, holder);
      if (toldHolder !== holder) onWait(holder);
      toldHolder = holder;
      await clock.sleep(LOOKED_EVERY_MS, signal);
    }
    await removeLeftovers(folder);
    const began = uruguayDateTime(clock.now()).slice(0, 16).replace('T', ' ');
    const holder = `${command}, begun ${began} (process ${process.pid} on ${hostname()})`;
    await writeFile(holderFile, holder, { flag: 'wx', mode: PRIVATE_FILE_MODE });
  } catch (error) {
    file.close();
    throw error;
  }
  const release = async () => {
    try {
      await removeLeftovers(folder);
    } finally {
      file.close();
    }
  };
  return { folder, release };
}

function notOwn(path: string): WrongInputError {
  return new WrongInputError(LAKE.notOwnLock(path), { advice: LAKE.removeFromLock() });
}

/**
 * Makes the file if it is missing. One that is there is never opened: the system takes all of a process's locks of a file as
 * soon as it closes that file anywhere, and SQLite sees to its own descriptors alone. Throws WrongInputError where something
 * else than an empty file is there: a pipe would be waited for.
 */
function makeLockedFile(path: string): void {
  try {
    // In one step of this process, so that nothing in it has the lock of a file that is new.
    closeSync(openSync(path, 'wx', PRIVATE_FILE_MODE));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  const found = lstatSync(path);
  if (!found.isFile() || found.size > 0) throw notOwn(path);
  // SQLite would say of either only that it can't be opened, or open it to read.
  accessSync(path, constants.R_OK | constants.W_OK);
}

/** SQLite holds the lock of a file in an exclusive transaction, on all systems alike. */
async function sqlite(): Promise<typeof import('node:sqlite')> {
  const { emitWarning } = process;
  // Node 22 warns that it is experimental. What is used of it here has been the same ever since.
  process.emitWarning = () => undefined;
  try {
    return await import('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Throws WrongInputError where its path has more than the some 500 bytes that SQLite takes. */
async function openedFile(path: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await sqlite();
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw hasErrorNumber(error, SQLITE_CANTOPEN) ? new WrongInputError(LAKE.longPath(path.length)) : error;
  }
}

const SQLITE_BUSY = 5;
const SQLITE_CANTOPEN = 14;

function hasErrorNumber(error: unknown, errorNumber: number): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === errorNumber;
}

/** Whether the file is locked now for this process. */
function isLocked(file: DatabaseSync): boolean {
  try {
    file.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (hasErrorNumber(error, SQLITE_BUSY)) return false;
    throw error;
  }
}

/** Removes what a holder writes here, and nothing else that may be there. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name === HOLDER_FILE || name === JOURNAL_FILE || isPartName(name)) removeFile(join(folder, name));
}

/** Another command writes the lake, and was waited for. */
export class LakeBusyError extends CfeLakeError {
  override name = 'LakeBusyError';
  constructor(address: string, holder: string) {
    super(LAKE.isBusy(holder, address), { advice: LAKE.waitLonger() });
  }
}
