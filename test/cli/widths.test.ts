import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../lib/sandbox/sandbox.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain, runStreamed } from '../support/program/run-main.ts';

const DAY = '2026-11-19';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: '2026-11-20T03:00:00', receiptsPerDay: 2 });
});
afterAll(() => sandbox.close());

it.each([50, 80, 120])(
  'in a terminal of %i columns tables and sentences fit, whole words',
  async (columns) => {
    const api = ['--api', sandbox.url];
    const lake = ['--lake', newFolder()];
    await runMain('export', '--date', DAY, ...api, ...lake);
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
