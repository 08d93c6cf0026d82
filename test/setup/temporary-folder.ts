import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm';
/** Some ten times what the tests hold there at once. A container may have less. */
const NEEDED_BYTES = 2 ** 29;

/** Lakes of tests are written to memory where there is room: a disk would have them wait for each file. */
export function setup(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || freeBytes() < NEEDED_BYTES) return undefined;
  const folder = mkdtempSync(join(IN_MEMORY, 'cfe-lake-tests-'));
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
}

function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
