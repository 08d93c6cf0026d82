import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/** Replaces functions of `node:fs`, for whoever imported them, until the test is over. */
export function patchFs(functions: Partial<typeof fs>): void {
  const names = Object.keys(functions) as (keyof typeof fs)[];
  const before = Object.fromEntries(names.map((name) => [name, fs[name]]));
  const put = (given: Partial<typeof fs>) => {
    Object.assign(fs, given);
    syncBuiltinESMExports();
  };
  onTestFinished(() => put(before));
  put(functions);
}

/** As `linkSync` from a lake on another disk. */
export function onAnotherDisk(): never {
  throw Object.assign(new Error('another disk'), { code: 'EXDEV' });
}
