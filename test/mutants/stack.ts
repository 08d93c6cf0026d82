import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createVitest } from 'vitest/node';
import { orderOf } from './sql-mutants.ts';
import { mutantsIn } from './stack-mutants.ts';

/**
 * `npm run test:mutants:stack -- [COUNT]`: which changes of alarms and policies in the templates the tests of test/infra
 * notice that look at templates. So many of each are chosen by a seed, the same each time.
 */
const [count = '80'] = process.argv.slice(2);
const FILES =
  'condition-keys,cost-page,functions,invariants,lake,monitoring,own-key,platform,resource-policies,rights,schedules,security-page';
const LOADING = globSync(`test/infra/{${FILES}}.test.ts`).map((file) => `await import('${resolve(file)}');`);
const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
Object.assign(process.env, { FOLDER: folder, MUTANTS: '*.test.ts' });

/** Those with which all tests pass. Each has a file that loads them all. */
async function survivorsOf(mutants: readonly string[]): Promise<string[]> {
  for (const [index, mutant] of mutants.entries()) {
    const lines = [`process.env.MUTANT = ${JSON.stringify(mutant)};`, ...LOADING];
    writeFileSync(join(folder, `${index}.test.ts`), lines.join('\n'));
  }
  const vitest = await createVitest({
    config: 'test/mutants/vitest.config.ts',
    watch: false,
    update: false,
    dir: folder,
    setupFiles: ['test/mutants/mutated-templates.ts'],
    reporters: [],
  });
  const { testModules } = await vitest.runTestSpecifications(await vitest.globTestSpecifications());
  await vitest.close();
  const passed = testModules.filter((file) => file.ok());
  return passed.flatMap(
    ({ moduleId }) => mutants[Number.parseInt(moduleId.slice(folder.length + 1), 10)] ?? [],
  );
}

if ((await survivorsOf([''])).length === 0)
  throw new Error('the tests fail without a mutant: npx vitest run test/infra');
const templates = globSync(`${folder}/*.json`).map((file): unknown => JSON.parse(readFileSync(file, 'utf8')));
for (const kind of ['alarms', 'policies'] as const) {
  const all = new Set(templates.flatMap((template) => mutantsIn(template, kind)).map(([title]) => title));
  const mutants = [...all].toSorted((a, b) => orderOf(a) - orderOf(b)).slice(0, Number(count));
  const survivors = await survivorsOf(mutants);
  process.stdout.write(`\n${kind}: ${mutants.length - survivors.length} of ${mutants.length} are noticed\n`);
  for (const title of survivors) process.stdout.write(`  ${title}\n`);
}
