import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TooManyRowsError } from '../../lib/api/errors.ts';
import { publicationLines, reasonLines } from '../../lib/cli/failure.ts';
import { verifyTable } from '../../lib/cli/verify-report.ts';
import { RunFailedError } from '../../lib/run/finish-run.ts';
import { plural } from '../../lib/text/terminal.ts';
import type { UnitVerification } from '../../lib/verify/verify-unit.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { runMain } from '../support/program/run-main.ts';

const DAY = ['--date', '2026-11-19'];
const UNIT = ['--rut', '219999830019', '--direction', 'emitidos'];
/** A count of one before a noun in the plural: `1 days`, `1 companies`. */
const ONE_OF_MANY = /(?<![\d.,-])1 (more )?[a-z-]+s\b.*/g;

let folder: string;
let sandbox: Sandbox;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  await mkdir(join(folder, 'lake'));
  sandbox = await startSandbox({
    now: '2026-11-25T03:00:00',
    receiptsPerDay: 1,
    behaviour: { lateArrivals: false },
  });
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

it('plural knows one, many and thousands', () => {
  expect([0, 1, 2, 1234].map((count) => plural(count, 'row'))).toEqual([
    '0 rows',
    '1 row',
    '2 rows',
    '1,234 rows',
  ]);
  expect([1, 2].map((count) => plural(count, 'company', 'companies'))).toEqual(['1 company', '2 companies']);
});

it('of one company-day with one receipt, every command speaks in the singular', async () => {
  const lake = ['--lake', join(folder, 'lake')];
  const api = ['--api', sandbox.url];
  const range = ['--from', '2026-11-19', '--to', '2026-11-19'];
  const asked = [
    ['missing', ...range, ...UNIT, ...api, ...lake],
    ['export', ...DAY, ...UNIT, ...api, ...lake],
    ['missing', ...range, ...UNIT, ...api, ...lake],
    ['verify', ...DAY, ...UNIT, ...api, ...lake],
    ['verify', '--date', '2026-11-18', ...UNIT, ...api, ...lake],
    ['coverage', ...range, ...UNIT, ...lake],
    ['coverage', ...range, ...UNIT, ...lake, '--html', join(folder, 'coverage.html')],
    ['query', 'SELECT count(*) FROM emitidos', ...lake],
    ['publish', ...range, ...lake],
    ['forget', '--rut', '219999830019', '--yes', ...lake],
  ];
  const said: string[] = [];
  for (const words of asked) {
    const { stdout, stderr } = await runMain(...words);
    said.push(`${stdout}${stderr}`.replaceAll(folder, ''));
  }
  for (const text of said) expect(text.match(ONE_OF_MANY)).toBeNull();
  expect(said[0]).toContain('1 of 1 company-day from');
  expect(said[2]).toContain('has all 1 company-day from');
  expect(said[5]).toContain('1 company-day from');
  expect(said[6]).toContain('1 company, ');
});

it('a run of one unit fails in the singular', () => {
  const unit = { rut: '219999830019', direction: 'emitidos', day: '2026-11-19' } as const;
  const count = {
    companies: 1,
    units: 1,
    states: { exportado: 0, sin_cambios: 0, vacio: 0, fallido: 0 },
    detailsOnly: 0,
    receipts: 0,
    missing: 1,
    failures: [unit],
    damaged: [],
  };
  const error = new RunFailedError({ corrida: 'a', dia: '2026-11-20' }, count);
  expect(error.message).toMatch(/^Of 1 unit of run a, 1 is missing \(its worker did not finish\)\./);
});

it('what is wrong with one day, list or request is told in the singular', () => {
  const unit = { rut: '219999830019', direction: 'emitidos', day: '2026-11-19' } as const;
  const counts = { equal: 0, missing: 22, extra: 0, different: 0, vanished: 0 };
  const results: UnitVerification[] = [
    { ...unit, ...counts, isStable: true, notCompared: [], damaged: 'it is cut', examples: [] },
  ];
  const scope = { list: 'v2', lake: 'l', nameOf: () => '', exportAgain: () => 'export' } as const;
  const verified = verifyTable(results, [], scope);
  expect(verified).not.toMatch(ONE_OF_MANY);
  expect(verified).toMatch(/: 1 of 1 company-day of l\. Repair the damaged object, then export it again\./);
  expect(publicationLines({ problems: [], remaining: 1 })).toEqual([
    '1 day was left for the next publication.',
  ]);
  const reasons = reasonLines(
    Array.from({ length: 21 }, (_, index) => ({ ...unit, error: `reason ${index}` })),
  );
  expect(reasons.at(-1)).toBe('  … and 1 more reason; --json has them all');
  const context = { direction: 'emitidos', rut: '219999830019' } as const;
  expect(new TooManyRowsError(context, 1).message).toContain('goes on past 1 row.');
});
