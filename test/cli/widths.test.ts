import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { namedQueries } from '../../lib/query/named-queries.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { campaign } from '../support/campaign.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain, runStreamed } from '../support/program/run-main.ts';

const DAY = '2026-11-19';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: '2026-11-20T03:00:00', receiptsPerDay: 2 });
});
afterAll(() => sandbox.close());

it.each(campaign({ quick: [50, 120], long: [50, 80, 120] }))(
  'in a terminal of %i columns tables and sentences fit, whole words',
  async (columns) => {
    const api = ['--api', sandbox.url];
    const lake = ['--lake', newFolder()];
    for (const words of [
      ['export', '--date', DAY, ...api, ...lake],
      ['verify', '--date', DAY, ...api, ...lake],
      ['missing', '--from', '2026-11-15', '--to', DAY, ...api, ...lake],
      ['companies', 'check', ...api],
      ['query', '--named', 'vat-by-month', ...lake],
      ['query', 'SELECT * FROM recibidos LIMIT 2', ...lake],
      ['--help'],
    ]) {
      const { stdout } = await runStreamed(words, { isTTY: true, columns });
      const lines = stripVTControlCharacters(stdout).split('\n');
      // Commands and addresses stay on one line, for copying.
      const own = lines.filter((line) => !/npm run|cfe-lake-/.test(line));
      expect(own.filter((line) => line.length > columns)).toEqual([]);
      expect(own.length).toBeGreaterThan(5);
    }
  },
);

it('cuts no name of a query that one has to type', async () => {
  const { stdout } = await runStreamed(['query', '--named', 'list'], { isTTY: true, columns: 80 });
  for (const { name, alias } of namedQueries()) expect(stdout).toContain(`${name}  or  ${alias}\n`);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

it('wraps the help of options with a long placeholder', async () => {
  const { stdout } = await runStreamed(['missing', '--help'], { isTTY: true, columns: 80 });
  const options = stdout.split('\n').filter((line) => !line.includes('npm run'));
  expect(options.filter((line) => line.length > 80)).toEqual([]);
});

it('suggests a question whose answer fits 80 columns', async () => {
  const lake = ['--lake', newFolder()];
  const { stdout } = await runMain('export', '--date', DAY, '--api', sandbox.url, ...lake);
  const [, sql = ''] = /Query it: .* "(.*)"/.exec(stdout) ?? [];
  const answer = await runMain('query', sql, ...lake);
  expect(answer.code).toBe(0);
  expect(answer.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
