import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';

const RUT = '219999830019';
const NOVEMBER = ['--from', '2026-11-01', '--to', '2026-11-30'];
const TODAY = ['--from', '2026-11-28', '--to', '2026-11-28'];
/** Receipts issued on each day. */
const COUNTS = new Map([
  ['2026-11-27', 1],
  ['2026-11-28', 2],
  ['2026-11-29', 1],
  ['2026-11-30', 2],
]);

let folder: string;
let sandbox: Sandbox;
/** How many of them are there already. */
let come: Map<string, number>;
beforeEach(async () => {
  folder = newFolder();
  come = new Map([
    ['2026-11-27', 1],
    // Dated ahead.
    ['2026-11-30', 1],
  ]);
  vi.useFakeTimers({ toFake: ['Date'] });
  sandbox = await startSandbox({
    now: '2026-12-04T00:00:00',
    receiptsPerDay: (rut, direction, day) =>
      (rut === RUT && direction === 'emitidos' && COUNTS.get(day)) || 0,
    behaviour: {
      lateArrivals: false,
      hidden: ({ day }, appeared) => [{ start: come.get(day) ?? 0, end: appeared }],
    },
  });
});
afterEach(() => sandbox.close());

/** `moment`: in Uruguay. */
async function run(moment: string, command: string, ...words: string[]) {
  vi.setSystemTime(`${moment}-03:00`);
  const api = command === 'export' || command === 'missing' ? ['--api', sandbox.url, '--rut', RUT] : [];
  return await runMain(command, ...api, '--lake', join(folder, 'lake'), ...words);
}

async function missing(moment: string, ...words: string[]) {
  const { code, stdout } = await run(moment, 'missing', ...words, '--json');
  const { units, notEnded, totals } = JSON.parse(stdout);
  const daysOf = (list: readonly { fecha: string }[]) => [...new Set(list.map(({ fecha }) => fecha))].sort();
  return { code, days: daysOf(units), notEnded: daysOf(notEnded), totals, units };
}

describe('a day that was read before it had ended', () => {
  it('does not count as read: missing, coverage, query, report and close name it, and missing --export reads it', async () => {
    const early = '2026-11-28T12:00:00';
    expect((await run(early, 'export', ...NOVEMBER)).code).toBe(0);
    expect(await missing(early, ...NOVEMBER)).toMatchObject({
      code: 0,
      days: [],
      notEnded: ['2026-11-28', '2026-11-29', '2026-11-30'],
      totals: { units: 60, missing: 0, early: 0, notEnded: 6 },
    });
    come = COUNTS;

    const late = '2026-12-03T12:00:00';
    const found = await missing(late, ...NOVEMBER);
    expect(found).toMatchObject({
      code: 1,
      days: ['2026-11-28', '2026-11-29', '2026-11-30'],
      notEnded: [],
      totals: { missing: 6, never: 0, early: 6, failed: 0 },
    });
    expect(found.units[0]).toMatchObject({
      reason: 'early',
      readAt: expect.stringMatching(/^2026-11-28T12:/),
    });
    const table = await run(late, 'missing', ...NOVEMBER);
    expect(table.stdout).toMatch(
      /before their end.*\n.*\n.*\n.* emitidos .* 3 .* 2026-11-28\.\.2026-11-30\n/,
    );

    const calendar = await run(late, 'coverage', ...NOVEMBER, '--json');
    const [company] = JSON.parse(calendar.stdout).companies;
    expect(company.emitidos.states).toMatchObject({ early: 3, open: 27, missing: 0 });
    const drawn = await run(late, 'coverage', ...NOVEMBER);
    expect(drawn.stdout).toMatch(/^emitidos .*<<< .* 3 early/m);
    const query = await run(late, 'query', '--named', 'ventas-por-mes', '--month', '2026-11', '--rut', RUT);
    expect(query.stderr).toMatch(/3 days of emitidos in this period were last read before their end/);
    const report = await run(late, 'report', '--month', '2026-11', '--rut', RUT);
    expect(report.code).toBe(1);
    expect(report.stdout).toMatch(
      /no está completo[\s\S]* 6 días .* se leyeron por última vez antes de terminar/,
    );
    const close = ['--month', '2026-11', '--out', join(folder, 'cierres'), '--accept', 'gaps,details'];
    const refused = await run(late, 'close', ...close);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringMatching(/refused\. days: /) });

    expect((await run(late, 'missing', ...NOVEMBER, '--export')).code).toBe(0);
    expect(await missing(late, ...NOVEMBER)).toMatchObject({ code: 0, days: [], notEnded: [] });
    const count = await run(late, 'query', 'SELECT count(*) AS n FROM emitidos', '--json');
    expect(JSON.parse(count.stdout)).toEqual([{ n: 6 }]);
    const closed = await run(late, 'close', ...close);
    expect(closed).toMatchObject({ code: 0, stdout: expect.stringMatching(/closed, in /) });
  });

  it('does not count either while it is today; an interrupted export of today goes on, and its days are no failure', async () => {
    const noon = '2026-11-28T12:00:00';
    await run('2026-11-28T11:00:00', 'export', '--date', '2026-11-27');
    // Nothing of today was exported: the command that an interrupted export gives reads it.
    expect(await missing(noon, ...TODAY)).toMatchObject({ code: 0, totals: { missing: 0, notEnded: 2 } });
    const read = await run(noon, 'missing', ...TODAY, '--export', '--json');
    expect({ code: read.code, units: JSON.parse(read.stdout).units.length }).toEqual({ code: 0, units: 2 });
    sandbox.resetStats();
    const again = await run(noon, 'missing', ...TODAY, '--export');
    expect({ code: again.code, requests: sandbox.stats().requests }).toEqual({ code: 0, requests: 0 });
    expect(again.stdout).toMatch(
      /^Nothing is missing.*\nNot ended yet, and to be read when they have: 2 units of 2026-11-28\.\n/,
    );
    // The last second of the day, and the first after it.
    await run('2026-11-28T23:59:59', 'export', '--date', '2026-11-28');
    expect(await missing('2026-11-29T00:00:00', ...TODAY)).toMatchObject({ code: 1, days: ['2026-11-28'] });
    await run('2026-11-29T00:00:00', 'export', '--date', '2026-11-28');
    expect(await missing('2026-11-29T00:00:00', ...TODAY)).toMatchObject({ code: 0, days: [] });
  });
});
