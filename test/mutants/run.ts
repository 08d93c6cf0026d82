import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needlessTests } from './needless-tests.ts';

/**
 * `npm run test:mutants -- ROOM… [LINES] [TESTS] [--needless]`: which changes of a room (files and folders of lib) the
 * tests of its first one's folder notice, or those of a pattern (`test/export/*.test.ts`). StrykerJS brings 159 packages,
 * so npx fetches it. Strings are left as they are. Of a large room some lines are chosen by a seed, the same each time.
 * With `--needless` each mutant meets all tests that reach it, and the tests are told without which no further mutant lives.
 */
const PACKAGES = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1', 'vitest@5.1.1'];
/** With some 0.85 mutants a line. */
const DEFAULT_LINES = 240;
const SEED = 20_261_128;

const words = process.argv.slice(2);
const areNeedlessAsked = words.includes('--needless');
const rooms = words.filter((word) => word.startsWith('lib/'));
const [room = ''] = rooms;
const mostLines = Number(words.find((word) => /^\d+$/.test(word)) ?? DEFAULT_LINES);
const files = rooms.flatMap((name) => (name.endsWith('.ts') ? [name] : globSync(`${name}/**/*.ts`)));
if (files.length === 0) {
  process.stderr.write('Name files or folders of lib: npm run test:mutants -- lib/api/list\n');
  process.exit(2);
}
const folderOfTests = (room.endsWith('.ts') ? room.slice(0, room.lastIndexOf('/')) : room).replace(
  'lib/',
  'test/',
);
// Templates are made before any test, and once for all of them.
const isOfStack = room.startsWith('lib/stack/');
const usualTests = isOfStack ? 'test/infra/*.test.ts' : `${folderOfTests}/**/*.test.ts`;
const tests = words.find((word) => word.startsWith('test/')) ?? usualTests;
const lines = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((_, index) => ({ range: `${file}:${index + 1}-${index + 1}`, order: orderOf(file, index) })),
);
const chosen = lines.toSorted((a, b) => a.order - b.order).slice(0, mostLines);
const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
const config = join(folder, 'stryker.json');
const report = join(folder, 'mutation.json');
writeFileSync(
  config,
  JSON.stringify({
    mutate: lines.length > mostLines ? chosen.map(({ range }) => range) : files,
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
    coverageAnalysis: isOfStack ? 'off' : 'perTest',
    mutator: { excludedMutations: ['StringLiteral'] },
    ignoreStatic: !isOfStack,
    // It is only rewritten for type checks, of which there are none.
    tsconfigFile: 'none',
    concurrency: 2,
    dryRunTimeoutMinutes: 30,
    tempDirName: folder,
    disableBail: areNeedlessAsked,
    reporters: ['progress-append-only', 'clear-text', 'json'],
    jsonReporter: { fileName: report },
    clearTextReporter: { allowColor: false, reportTests: false },
  }),
);
const command = ['--yes', ...PACKAGES.map((name) => `--package=${name}`), 'stryker', 'run', config];
const { status } = spawnSync('npx', command, {
  stdio: 'inherit',
  env: { ...process.env, MUTANTS: tests, ISOLATED: String(isOfStack) },
});
process.exitCode = status ?? 1;
if (areNeedlessAsked && status === 0)
  process.stdout.write(`${needlessTests(readFileSync(report, 'utf8')).join('\n')}\n`);

/** A number of the line's own, which says nothing of the line. */
function orderOf(file: string, index: number): number {
  let state = SEED + index;
  for (const character of `${file}${index}`)
    state = (Math.imul(state, 1_664_525) + character.charCodeAt(0) + 1_013_904_223) >>> 0;
  return state;
}
