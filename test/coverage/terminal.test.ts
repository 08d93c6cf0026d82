import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CompanyCoverage, DayCoverage } from '../../lib/coverage/company-coverage.ts';
import { coveragePage } from '../../lib/coverage/coverage-page.ts';
import { DAY_STATES, type DayState } from '../../lib/coverage/day.ts';
import { companyLines, dayGlyph, legendLines, terminalOverview } from '../../lib/coverage/terminal.ts';
import { paintFor, plain } from '../../lib/text/terminal.ts';
import { addDays, type Day } from '../../lib/time/days.ts';

function days(first: Day, cells: readonly (readonly [DayState, number | null])[]): DayCoverage[] {
  return cells.map(([state, receipts], index) => ({
    day: addDays(first, index),
    state,
    receipts,
    readings: undefined,
  }));
}

const COLOURED = paintFor({ isTTY: true }, {});

const COMPANY: CompanyCoverage = {
  rut: '219999830019',
  name: 'Empresa\u001b[31m\nS.A.',
  calendars: [
    {
      direction: 'recibidos',
      days: days('2026-10-29', [
        ['exported', 0],
        ['open', 10],
        ['open', 100],
        ['aged', 0],
        ['aged', 100],
        ['missing', null],
        ['failed', 50],
        ['unstable', 60],
        ['open', 60],
      ]),
    },
    { direction: 'emitidos', days: days('2026-10-29', Array(9).fill(['missing', null])) },
  ],
};

describe('companyLines', () => {
  it('has a row for each list and month, and in it a column for each day', () => {
    expect(companyLines(COMPANY, { columns: 120, paint: plain, language: 'en' })).toEqual([
      String.raw`219999830019  Empresa\u001b[31m\nS.A.`,
      'list       month    1   5   10   15   20   25   30   receipts  states',
      '─────────  ───────  ───────────────────────────────  ────────  ───────────────────────────────────────',
      'recibidos  2026-10                              ·:#       110  no day that needs a look',
      'recibidos  2026-11  _▆?X~+                                270  1 missing, 1 failed, 1 unstable, 2 aged',
      'emitidos   2026-10                              ???         0  3 missing',
      'emitidos   2026-11  ??????                                  0  6 missing',
    ]);
  });

  it('cuts no day in a narrow terminal, and no line is too wide', () => {
    const lines = companyLines(COMPANY, { columns: 56, paint: plain, language: 'en' });
    expect(lines).toContain('recibidos  2026-11  _▆?X~+');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(56);
  });

  it('says the same in colour and without', () => {
    const painted = companyLines(COMPANY, { columns: 80, paint: COLOURED, language: 'en' });
    expect(painted.join('\n')).toContain(COLOURED(['bold', 'red'], 'X'));
    expect(painted.map(stripVTControlCharacters)).toEqual(
      companyLines(COMPANY, { columns: 80, paint: plain, language: 'en' }).map(stripVTControlCharacters),
    );
  });

  it('has the rows of the page: the same months and receipts', async () => {
    async function* companies() {
      yield COMPANY;
    }
    const html = await coveragePage(
      { ruts: [COMPANY.rut], companies: companies(), damaged: [] },
      {
        from: '2026-10-29',
        to: '2026-11-06',
        directions: ['recibidos', 'emitidos'],
        nowMs: 0,
        lake: 'lake',
        readAgain: 'cfe-lake export',
      },
    );
    const summaries = Array.from(
      html.matchAll(/<summary>(\w+) de \d{4}: ([^<;]*)/g),
      ([, month, said]) => `${month}: ${said}`,
    );
    const rows = companyLines(COMPANY, { columns: 200, paint: plain, language: 'en' }).slice(3);
    const shown = rows.map((row) => {
      const [, month = '', count = ''] = /^\S+ +(\S+) {2}.{31} +([\d,]+) {2}/.exec(row) ?? [];
      const receipts = count === '0' ? 'sin comprobantes' : `${count} comprobantes`;
      return `${month === '2026-10' ? 'octubre' : 'noviembre'}: ${receipts}`;
    });
    expect(shown).toEqual(summaries);
  });
});

it('the sign of a day tells every state from every other, even without colour', () => {
  const counts = [0, 10, 30, 60, 80, 100];
  const glyphs = (state: DayState) => new Set(counts.map((count) => dayGlyph(state, count, 100)));
  const all = DAY_STATES.flatMap((state) => [...glyphs(state)]);
  expect(new Set(all).size).toBe(all.length);
});

it('the legend explains every state', () => {
  const legend = legendLines({ columns: 80, paint: plain, language: 'en' });
  expect(legend.join('')).not.toContain('\u001b');
  const pictures = legend.slice(0, DAY_STATES.length).map((line) => line.split(' ')[0]);
  expect(new Set(pictures).size).toBe(DAY_STATES.length);
});

describe('terminalOverview', () => {
  const well = (rut: string, name?: string): CompanyCoverage => ({
    rut,
    name,
    calendars: [
      { direction: 'recibidos', days: days('2026-10-29', Array(9).fill(['open', 10])) },
      { direction: 'emitidos', days: days('2026-10-29', Array(9).fill(['exported', 0])) },
    ],
  });

  it('has a row for each company and list that says which days need a look, problems first', () => {
    const overview = terminalOverview({ columns: 200, paint: plain, language: 'en' });
    overview.add(well('214844360018', 'Ñandú'));
    overview.add({ ...COMPANY, name: 'S.A.' });
    expect(overview.lines()).toEqual([
      '         rut  company       list  states, and days that are missing, failed or unstable',
      '────────────  ───────  ─────────  ───────────────────────────────────────────────────────────────',
      '219999830019  S.A.     recibidos  1 missing, 1 failed, 1 unstable, 2 aged: 2026-11-03..2026-11-05',
      '219999830019  S.A.      emitidos  9 missing: 2026-10-29..2026-11-06',
      '214844360018  Ñandú    recibidos  no day that needs a look',
      '214844360018  Ñandú     emitidos  no day that needs a look',
      '',
      "--rut RUT draws a company's calendars, --html FILE all.",
    ]);
  });

  it('loses no day in a narrow terminal, and says the same in colour', () => {
    const overview = terminalOverview({ columns: 80, paint: COLOURED, language: 'en' });
    overview.add(COMPANY);
    const lines = overview.lines().map(stripVTControlCharacters);
    expect(lines.join('')).toContain('2026-11-03..2026-11-05');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(overview.lines().join('')).toContain(COLOURED(['bold', 'red'], '1 failed'));
  });

  it('leaves those without trouble out when there are very many', () => {
    const overview = terminalOverview({ columns: 80, paint: plain, language: 'en' });
    for (let place = 0; place < 101; place += 1) overview.add(well(String(place)));
    overview.add(COMPANY);
    const lines = overview.lines();
    expect(lines.filter((line) => /^219999830019/.test(line))).toHaveLength(2);
    expect(lines.at(-1)).toMatch(/^101 companies without a .* day are left out\. /);
  });
});
