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

function stepwiseSync<Arguments extends unknown[]>(call: (...values: Arguments) => void, isGrowth: boolean) {
  return (...values: Arguments): void => {
    step(isGrowth);
    call(...values);
  };
}

const { linkSync, renameSync } = syncFileSystem;
Object.assign(syncFileSystem, {
  linkSync: stepwiseSync(linkSync, true),
  renameSync: stepwiseSync(renameSync, false),
});
const { mkdir, rename, unlink, link, open } = fileSystem;
Object.assign(fileSystem, {
  mkdir: stepwise(mkdir, true),
  rename: stepwise(rename, false),
  unlink: stepwise(unlink, false),
  link: stepwise(link, true),
  open: async (...values: Parameters<typeof open>) => {
    if (values[1] !== 'wx') return await open(...values);
    step(true);
    const handle = await open(...values);
    const { writeFile, sync } = handle;
    handle.writeFile = async (data, options) => {
      if (!(data instanceof Uint8Array)) throw new TypeError('the store writes bytes');
      const half = Math.floor(data.length / 2);
      step(true);
      await writeFile.call(handle, data.subarray(0, half), options);
      step(true);
      await writeFile.call(handle, data.subarray(half), options);
    };
    handle.sync = stepwise(sync.bind(handle), true);
    return handle;
  },
});
syncBuiltinESMExports();
