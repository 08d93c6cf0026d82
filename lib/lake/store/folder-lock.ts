import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CfeLakeError, hasCode } from '../../system/errors.ts';
import { PRIVATE_FILE_MODE } from '../../system/private-files.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { uruguayDateTime } from '../../time/days.ts';
import { LOCK_FOLDER } from '../layout.ts';
import { ignoreMissing, makeFolder, noneIfMissing } from './folder-files.ts';

const RENEWED_EVERY_MS = 10_000;
/** By the file system's own clock. */
const DEAD_AFTER_MS = 90_000;
/** A machine that slept wakes with an old lock, and its holder renews it within this time. */
const WATCHED_MS = RENEWED_EVERY_MS + 2_000;
const LOOKED_EVERY_MS = 1_000;

/** In `.lock`: is there while somebody holds the lock. In it the holder has a folder with a random name. */
const HELD = 'held';
/** In the holder's folder: who that is. Written again at each renewal. */
const HOLDER = 'holder';

export interface LockRequest {
  /** Who asks, for those who wait meanwhile: `export`. */
  command: string;
  waitMs: number;
  signal: AbortSignal;
  /** Called with each holder that is waited for. */
  onWait: (holder: string) => void;
  clock?: Clock;
}

export interface FolderLock {
  /** The holder writes its files here. If the lock is taken from it they are gone, and it can't move them into the lake. */
  readonly folder: string;
  /** Aborted with LakeTakenError once another has the lock. */
  readonly signal: AbortSignal;
  /** Throws LakeTakenError if another has the lock. */
  assertHeld(): void;
  /** Throws LakeTakenError if another has taken the lock from the work that ends. */
  release(): Promise<void>;
}

/**
 * Waits for the lock of the one writer of a folder (docs/decisions/0008), and takes it: by renaming a folder, which
 * fails where another's is. A dead one is moved away under its own random name, so that no later one is meant. Throws
 * LakeBusyError, or the signal's reason.
 */
export async function takeLock(
  root: string,
  address: string,
  { command, waitMs, signal, onWait, clock = systemClock }: LockRequest,
): Promise<FolderLock> {
  const locks = join(root, LOCK_FOLDER);
  const held = join(locks, HELD);
  const name = randomUUID();
  const folder = join(held, name);
  const began = uruguayDateTime(clock.now()).slice(0, 16).replace('T', ' ');
  const holder = `${command}, begun ${began} (process ${process.pid} on ${hostname()})`;
  const endMs = clock.monotonicMs() + waitMs;
  for (let told = ''; ; ) {
    signal.throwIfAborted();
    const nowMs = await tryToTake(locks, name, holder);
    if (nowMs === undefined) break;
    const found = await findHolder(held);
    if (found === undefined) continue;
    if (nowMs - found.renewedAtMs > DEAD_AFTER_MS) {
      await clock.sleep(WATCHED_MS, signal);
      const later = await findHolder(held);
      if (later?.name === found.name && later.renewedAtMs === found.renewedAtMs)
        await rename(join(held, found.name), join(locks, found.name)).catch(ignoreMissing);
      continue;
    }
    if (clock.monotonicMs() >= endMs) throw new LakeBusyError(address, found.holder);
    if (told !== found.name) onWait(found.holder);
    told = found.name;
    await clock.sleep(LOOKED_EVERY_MS, signal);
  }
  const lost = new AbortController();
  const released = new AbortController();
  const lock = {
    folder,
    signal: lost.signal,
    assertHeld: () => {
      if (!released.signal.aborted && !existsSync(folder)) lost.abort(new LakeTakenError(address));
      lost.signal.throwIfAborted();
    },
    release: async () => {
      released.abort();
      await rm(folder, { recursive: true, force: true });
      // Unless the next writer is there already.
      for (const path of [held, locks]) await rmdir(path).catch(() => undefined);
      lost.signal.throwIfAborted();
    },
  };
  const renew = async (): Promise<never> => {
    for (;;) {
      await clock.sleep(RENEWED_EVERY_MS, released.signal, true);
      released.signal.throwIfAborted();
      // On a full disk it may only be late.
      await writeFile(join(folder, HOLDER), holder, { flag: 'r+' }).catch(lock.assertHeld);
    }
  };
  // Ends when the lock is given back or lost.
  void renew().catch(() => undefined);
  return lock;
}

/** Undefined once the lock is taken; else the time now, by the file system's clock. */
async function tryToTake(locks: string, name: string, holder: string): Promise<number | undefined> {
  const held = join(locks, HELD);
  const prepared = join(locks, name);
  const file = join(prepared, name, HOLDER);
  let nowMs = 0;
  try {
    makeFolder(join(prepared, name));
    await writeFile(file, holder, { mode: PRIVATE_FILE_MODE });
    nowMs = (await stat(file)).mtimeMs;
    // Not every system renames onto an empty folder.
    await rmdir(held).catch(() => undefined);
    await rename(prepared, held);
  } catch (error) {
    // Another holds it, or has just removed what the dead and the waiting prepared.
    const isOthers = ['ENOTEMPTY', 'EEXIST', 'ENOENT'].some((code) => hasCode(error, code));
    if (!isOthers && (await findHolder(held)) === undefined) throw error;
    return nowMs;
  } finally {
    await rm(prepared, { recursive: true, force: true });
  }
  for (const other of await readdir(locks).catch(noneIfMissing)) {
    if (other !== HELD) await rm(join(locks, other), { recursive: true, force: true }).catch(() => undefined);
  }
  return undefined;
}

async function findHolder(held: string) {
  const [name] = await readdir(held).catch(noneIfMissing);
  if (name === undefined) return undefined;
  const file = join(held, name, HOLDER);
  const found = await stat(file).catch(ignoreMissing);
  const holder = await readFile(file, 'utf8').catch(ignoreMissing);
  // Without the file, the holder died as it gave the lock back.
  return { name, holder: holder ?? 'another command', renewedAtMs: found?.mtimeMs ?? 0 };
}

/** Another command writes the lake, and was waited for. */
export class LakeBusyError extends CfeLakeError {
  override name = 'LakeBusyError';
  constructor(address: string, holder: string) {
    super(`${holder} is writing the lake ${address}, so nothing was done.`, {
      advice: 'Try again when it has ended, or wait longer with --wait MINUTES.',
    });
  }
}

/** This process stood still, and another took it for dead. */
export class LakeTakenError extends CfeLakeError {
  override name = 'LakeTakenError';
  constructor(address: string) {
    super(`This command stood still for too long, and another began to write the lake ${address}.`, {
      advice: 'What was stored is whole. Run it again to go on.',
    });
  }
}
