import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textRecords, textTable } from '../../lib/text/text-table.ts';

const ROWS = [
  ['214844360018', 'Ferretería “El Tornillo Flojo” S.R.L.', '110', '0'],
  ['219999830019', 'Súper', '1,405', '0'],
];
const HEADINGS = ['rut', 'company', 'receipts', 'notices'];
const SIDES = ['left', 'left', 'right', 'right'] as const;

const lines = (columns?: number, droppable: readonly string[] = []) =>
  textTable(HEADINGS, ROWS, SIDES, { columns, droppable }).split('\n');

describe('a table', () => {
  it('is as wide as its cells where there is no limit, and where it fits', () => {
    const whole = [
      'rut           company                                receipts  notices',
      '────────────  ─────────────────────────────────────  ────────  ───────',
      '214844360018  Ferretería “El Tornillo Flojo” S.R.L.       110        0',
      '219999830019  Súper                                     1,405        0',
    ];
    expect(lines()).toEqual(whole);
    expect(lines(70, ['notices'])).toEqual(whole);
  });

  it('goes on below with the texts that are wanted whole', () => {
    const rows = [['219999830019', '2026-11-01..2026-11-03, 2026-11-07, 2026-11-09', '6']];
    const table = textTable(['rut', 'days', 'n'], rows, ['left', 'left', 'right'], {
      columns: 42,
      wraps: 'days',
    });
    expect(table.split('\n').slice(2)).toEqual([
      '219999830019  2026-11-01..2026-11-03,    6',
      '              2026-11-07, 2026-11-09',
    ]);
  });

  it('loses columns that give way, and no more of them than needed', () => {
    expect(lines(69, ['notices', 'receipts'])[0]).toBe(
      'rut           company                                receipts',
    );
    expect(lines(60, ['notices', 'receipts'])[0]).toBe('rut           company');
  });

  it('then cuts its longest texts, with a sign that it did', () => {
    expect(lines(50, ['notices'])).toEqual([
      'rut           company                     receipts',
      '────────────  ──────────────────────────  ────────',
      '214844360018  Ferretería “El Tornillo F…       110',
      '219999830019  Súper                          1,405',
    ]);
  });

  it('loses what gives way last only where not even cut texts fit', () => {
    const drawn = (columns: number) =>
      textTable(HEADINGS, ROWS, SIDES, { columns, droppable: ['notices'], droppableLast: ['company'] });
    expect(drawn(36).split('\n')[2]).toBe('214844360018  Ferretería…        110');
    expect(drawn(35).split('\n')[2]).toBe('214844360018       110');
  });

  it('cuts no text within an amount', () => {
    const rows = [['UYU 1.234.567,80; USD 5,00', '1']];
    const drawn = (columns: number) =>
      textTable(['a', 'b'], rows, ['left', 'right'], { columns }).split('\n').at(-1);
    expect(drawn(18)).toBe('UYU…             1');
    expect(drawn(21)).toBe('UYU 1.234.567,80;…  1');
  });

  it('colours cells after they were cut and padded, and cleans other people’s colours out of them', () => {
    const paintCell = (text: string, heading: string) => (heading === 'company' ? `<${text}>` : text);
    const drawn = textTable(HEADINGS, [['1', 'S\u001b[31m', '2', '3'], ...ROWS], SIDES, {
      columns: 50,
      droppable: ['notices'],
      paintCell,
    });
    expect(drawn.split('\n').slice(2)).toEqual([
      String.raw`1             <S\u001b[31m>                        2`,
      '214844360018  <Ferretería “El Tornillo F…>       110',
      '219999830019  <Súper>                          1,405',
    ]);
  });

  it('fits every terminal that has room for its numbers and twelve characters of each text', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'ñ', '“', '👩‍👧', '7'), maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell)),
        fc.integer({ min: 40, max: 120 }),
        (rows, columns) => {
          const text = textTable(['a', 'b', 'c'], rows, ['left', 'left', 'left'], { columns });
          const segmenter = new Intl.Segmenter();
          for (const line of text.split('\n')) {
            expect([...segmenter.segment(line)].length).toBeLessThanOrEqual(columns);
          }
        },
      ),
    );
  });
});

describe('rows below one another', () => {
  it('have a line for each value, with texts cut and numbers whole', () => {
    expect(textRecords(HEADINGS, ROWS, SIDES, 30).split('\n')).toEqual([
      '── 1 ──',
      'rut       214844360018',
      'company   Ferretería “El Torn…',
      'receipts  110',
      'notices   0',
      '── 2 ──',
      'rut       219999830019',
      'company   Súper',
      'receipts  1,405',
      'notices   0',
    ]);
    expect(textRecords(['n'], [['12345678901234567890']], ['right'], 10)).toBe(
      '── 1 ──\nn  12345678901234567890',
    );
  });

  it('keep one line for a text of several, and none of its commands', () => {
    expect(textRecords(['a', 'bc'], [['x\n\u001b[31m', '']], [], 80)).toBe(
      '── 1 ──\na   x\\n\\u001b[31m\nbc',
    );
  });
});
