import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** They replace modules, or count on having a process to themselves. */
export const ALONE = ['test/lake/store/folder-interleaved.test.ts', 'test/examples/cdk-app.test.ts'];

/** Those in which a whole run's Lambdas wait on no clock. They load many packages, and share them. */
export const WORKFLOWS = [
  'test/workflow/{details,lost-answers,news,out-of-time,request-cap,runs,turns}.test.ts',
];

/** Those that only `npm run test:long` runs. */
const LONG = 'test/**/*.long.test.ts';

/** How each kind of files is run. */
export const HOW = {
  shared: { name: 'shared', isolate: false },
  alone: { name: 'alone' },
  workflows: { name: 'workflows', isolate: false, setupFiles: [fileOf('test/setup/workflows.ts')] },
};

/** A folder of this run, in memory where there is room: on a disk, making and removing a file takes 30 times as long. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir(), 'tests-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 2 * 2 ** 30;
  } catch {
    return false;
  }
}

export default defineConfig({
  resolve: {
    // The examples import the package, which a checkout has not built.
    alias: { 'cfe-lake/cdk': fileOf('lib/stack/index.ts') },
  },
  test: {
    // Many tests wait for processes and sockets of their own.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Else X-Ray's SDK follows every promise of the process, and all tests after the first Lambda's are slower for it.
    env: {
      AWS_XRAY_MANUAL_MODE: 'true',
      TMPDIR: temporaryFolder(),
      // Processes that tests start take the modules of this checkout compiled.
      NODE_COMPILE_CACHE: fileOf('node_modules/.cache/compiled'),
    },
    setupFiles: [fileOf('test/setup/seed.ts')],
    // A red build must be a reason: what is tried is the same each time. npm run test:long looks further.
    provide: { isLong: false, seed: 20_261_122 },
    projects: [
      {
        extends: true,
        test: { ...HOW.shared, include: ['test/**/*.test.ts'], exclude: [...ALONE, ...WORKFLOWS, LONG] },
      },
      { extends: true, test: { ...HOW.alone, include: ALONE } },
      { extends: true, test: { ...HOW.workflows, include: WORKFLOWS } },
    ],
  },
});
