import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CompanyCoverage, DayCoverage } from '../../lib/coverage/company-coverage.ts';
import { DAY_STATES, type DayState } from '../../lib/coverage/day.ts';
import { companyLines, dayGlyph, legendLines, terminalOverview } from '../../lib/coverage/terminal.ts';
import { ENGLISH } from '../../lib/coverage/texts/english.ts';
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
  it('draws a row for each month and a column for each day, both directions side by side', () => {
    expect(companyLines(COMPANY, { columns: 80, paint: plain })).toEqual([
      String.raw`219999830019  Empresa\u001b[31m\nS.A.`,
      'recibidos  380 receipts: 1 missing, 1 failed, 1 unstable, 2 aged, 3 still re-read, 1 settled',
      'emitidos   no receipts: 9 missing',
      '           recibidos                         emitidos',
      '           1   5   10   15   20   25   30    1   5   10   15   20   25   30',
      '2026-10                                ·:#                               ???',
      '2026-11    _▆?X~+                            ??????',
    ]);
  });

  it('draws one below the other where there is no room, and no line is too wide', () => {
    const lines = companyLines(COMPANY, { columns: 60, paint: plain });
    expect(lines.filter((line) => line.startsWith('2026-11'))).toEqual([
      '2026-11    _▆?X~+',
      '2026-11    ??????',
    ]);
    const calendarLines = lines.filter((line) => !line.includes(':'));
    expect(Math.max(...calendarLines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('says the same in colour and without', () => {
    const painted = companyLines(COMPANY, { columns: 80, paint: COLOURED });
    expect(painted.join('\n')).toContain(COLOURED(['bold', 'red'], 'X'));
    expect(painted.map(stripVTControlCharacters)).toEqual(
      companyLines(COMPANY, { columns: 80, paint: plain }).map(stripVTControlCharacters),
    );
  });
});

describe('dayGlyph', () => {
  it('tells every state from every other, even without colour', () => {
    const counts = [0, 10, 30, 60, 80, 100];
    const glyphs = (state: DayState) => new Set(counts.map((count) => dayGlyph(state, count, 100)));
    const all = DAY_STATES.flatMap((state) => [...glyphs(state)]);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('legendLines', () => {
  it('explains every state', () => {
    const legend = legendLines(plain);
    for (const state of DAY_STATES)
      expect(legend.some((line) => line.includes(` ${ENGLISH.states[state]} `))).toBe(true);
    expect(legend.join('')).not.toContain('\u001b');
    const pictures = legend.slice(0, DAY_STATES.length).map((line) => line.split(' ')[0]);
    expect(new Set(pictures).size).toBe(DAY_STATES.length);
  });
});

describe('terminalOverview', () => {
  const RANGE = { from: '2026-10-29', to: '2026-11-06' } as const;
  const well = (rut: string, name?: string): CompanyCoverage => ({
    rut,
    name,
    calendars: [
      { direction: 'recibidos', days: days('2026-10-29', Array(9).fill(['open', 10])) },
      { direction: 'emitidos', days: days('2026-10-29', Array(9).fill(['exported', 0])) },
    ],
  });

  it('has a line for each company and direction, a column for each day, problems first', () => {
    const overview = terminalOverview(RANGE, { columns: 35, paint: plain });
    overview.add(well('214844360018', 'A name that is far too long'));
    overview.add(COMPANY);
    expect(overview.lines()).toEqual([
      '                          Oct 2026',
      '219999830019    recibidos ·:#_▆?X~+',
      String.raw`Empresa\u001b[… emitidos  ?????????`,
      '214844360018    recibidos #########',
      'A name that is… emitidos  ·········',
    ]);
  });

  it('puts several days into a column where the terminal is too narrow, and shows the worst of them', () => {
    const overview = terminalOverview(RANGE, { columns: 28, paint: plain });
    overview.add(COMPANY);
    expect(overview.lines()).toEqual([
      'A column is 2 days: the worst of them.',
      '                       Oct 2026',
      '219999830019 recibidos :_?X+',
      String.raw`Empresa\u00… emitidos  ?????`,
    ]);
  });

  it('leaves those without trouble out when there are very many', () => {
    const overview = terminalOverview(RANGE, { columns: 80, paint: plain });
    for (let place = 0; place < 101; place += 1) overview.add(well(String(place)));
    overview.add(COMPANY);
    expect([overview.leftOut(), overview.lines().length]).toEqual([101, 3]);
  });
});
