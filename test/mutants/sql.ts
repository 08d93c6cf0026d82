import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DECLARED, mutantsOf } from './sql-mutants.ts';

/**
 * `npm run test:mutants:sql -- [COUNT]`: which changes of the SQL of the declared tables would change an answer that a
 * test of test/query asks for. Each question is asked of the same lake with one sign, operator, join or sum changed.
 */
const file = join(mkdtempSync(join(tmpdir(), 'mutants-')), 'noticed');
const [count = '60'] = process.argv.slice(2);
writeFileSync(file, '');
spawnSync('npx', ['vitest', 'run', '--config', 'test/mutants/vitest.sql.config.ts'], {
  stdio: 'inherit',
  env: { ...process.env, MUTANTS: count, NOTICED: file },
});
const noticed = new Set(readFileSync(file, 'utf8').split('\n'));
for (const name of DECLARED) {
  const mutants = mutantsOf(name, Number(count));
  const survivors = mutants.filter(({ title }) => !noticed.has(title));
  process.stdout.write(`\n${name}: ${mutants.length - survivors.length} of ${mutants.length} are noticed\n`);
  for (const { title } of survivors) process.stdout.write(`  ${title}\n`);
}
