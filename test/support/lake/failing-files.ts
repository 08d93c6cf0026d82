import syncFileSystem from 'node:fs';
import fileSystem from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Must be imported before any module that writes files. Counts the steps that a store takes in the file system. From a
 * given step on, the process is killed (before the step, or half-way through a write), or the disk is full: nothing
 * more is written, but files can still be renamed and removed.
 */
export type FileFault = 'kill' | 'full';

let fault: FileFault = 'kill';
let failAtStep = Number.POSITIVE_INFINITY;
let steps = 0;

/** Fails from this step on. Steps are counted from 1, starting now. */
export function failFilesAt(step: number, kind: FileFault): void {
  [failAtStep, fault, steps] = [step, kind, 0];
}

export function stepsTaken(): number {
  return steps;
}

function step(isGrowth: boolean): void {
  steps += 1;
  if (steps < failAtStep) return;
  if (fault === 'kill') {
    process.kill(process.pid, 'SIGKILL');
    // The signal may take a moment. Nothing must happen meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  if (isGrowth) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
}

function stepwise<Arguments extends unknown[], Result>(
  call: (...values: Arguments) => Promise<Result>,
  isGrowth: boolean,
) {
  return async (...values: Arguments): Promise<Result> => {
    step(isGrowth);
    return await call(...values);
  };
}

function stepwiseSync<Arguments extends unknown[], Result>(
  call: (...values: Arguments) => Result,
  isGrowth: boolean,
) {
  return (...values: Arguments): Result => {
    step(isGrowth);
    return call(...values);
  };
}

const { fsync, linkSync, mkdirSync, openSync, renameSync, unlinkSync, writeFileSync } = syncFileSystem;
Object.assign(syncFileSystem, {
  linkSync: stepwiseSync(linkSync, true),
  mkdirSync: stepwiseSync(mkdirSync, true),
  renameSync: stepwiseSync(renameSync, false),
  unlinkSync: stepwiseSync(unlinkSync, false),
  openSync: (...values: Parameters<typeof openSync>): number => {
    if (values[1] === 'wx') step(true);
    return openSync(...values);
  },
  writeFileSync: (file: number, data: unknown): void => {
    if (!(data instanceof Uint8Array)) throw new TypeError('the store writes bytes');
    const half = Math.floor(data.length / 2);
    step(true);
    writeFileSync(file, data.subarray(0, half));
    step(true);
    writeFileSync(file, data.subarray(half));
  },
  fsync: (file: number, done: (error: unknown) => void): void => {
    try {
      step(true);
    } catch (error) {
      process.nextTick(done, error);
      return;
    }
    fsync(file, done);
  },
});
const { mkdir, rename, link } = fileSystem;
Object.assign(fileSystem, {
  mkdir: stepwise(mkdir, true),
  rename: stepwise(rename, false),
  link: stepwise(link, true),
});
syncBuiltinESMExports();
