import { globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig, type ViteUserConfig } from 'vitest/config';

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** They replace modules: another file's, in the same process, would be loaded already. */
const ALONE = globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes('vi.mock('));

/** Those in which a whole run's Lambdas wait on no clock. They load many packages, and share them. */
const WORKFLOWS = globSync('test/workflow/{details,login,lost-answers,mails,run-event,runs}.test.ts');

/** Those that only `npm run test:long` runs. */
const ONLY_LONG = '.long.test.ts';

/** What `npm run test:long` runs at length: files with a search in them, or with tests that are for that run alone. */
const LONGER = /\bfc\.|\b(?:campaign|oneIn)[(<]|\bitLong\b|\bLOOKS\b|\blooksOf\(|\bsharedQueriedLake\(/;

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

/** `npm test` and `npm run test:long`: the files that `isRun` chooses, each beside those that it can share with. */
function testing(isRun: (file: string) => boolean): ViteUserConfig {
  const files = globSync('test/**/*.test.ts').filter(isRun);
  const filesIn = (names: readonly string[]) => files.filter((file) => names.includes(file));
  const setupFiles = [fileOf('test/setup/workflows.ts')];
  return {
    resolve: {
      // The examples import the package, which a checkout has not built.
      alias: { 'cfe-lake/cdk': fileOf('lib/stack/index.ts') },
    },
    test: {
      // Many tests wait for processes and sockets of their own.
      maxWorkers: '100%',
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // Else X-Ray's SDK follows every promise of the process, and all tests after the first Lambda's are slower for it.
      env: {
        AWS_XRAY_MANUAL_MODE: 'true',
        // What a person of another language sees has tests of its own.
        LC_ALL: 'C.UTF-8',
        TMPDIR: temporaryFolder(),
        // Processes that tests start take the modules of this checkout compiled.
        NODE_COMPILE_CACHE: fileOf('node_modules/.cache/compiled'),
      },
      setupFiles: [fileOf('test/setup/seed.ts'), fileOf('test/setup/undone.ts')],
      // A red build must be a reason: what is tried is the same each time. npm run test:long looks further.
      provide: { isLong: false, seed: 20_261_122 },
      projects: [
        {
          extends: true,
          test: {
            name: 'shared',
            isolate: false,
            include: files.filter((file) => ![...ALONE, ...WORKFLOWS].includes(file)),
          },
        },
        { extends: true, test: { name: 'alone', include: filesIn(ALONE) } },
        {
          extends: true,
          test: { name: 'workflows', isolate: false, setupFiles, include: filesIn(WORKFLOWS) },
        },
      ],
    },
  };
}

/** From a seed of its own. */
function testingLong(): ViteUserConfig {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  process.stdout.write(`Seed ${seed}; the same courses again: SEED=${seed} npm run test:long\n`);
  const isRun = (file: string) => file.endsWith(ONLY_LONG) || LONGER.test(readFileSync(file, 'utf8'));
  return mergeConfig(testing(isRun), { test: { testTimeout: 600_000, provide: { isLong: true, seed } } });
}

/** `npm run check:package`: needs a registry, or npm's cache, and a minute. */
const CHECKING_PACKAGE: ViteUserConfig = {
  test: { include: ['test/package/*.check.ts'], testTimeout: 120_000, hookTimeout: 300_000 },
};

export default defineConfig(({ mode }) => {
  if (mode === 'package') return CHECKING_PACKAGE;
  return mode === 'long' ? testingLong() : testing((file) => !file.endsWith(ONLY_LONG));
});
