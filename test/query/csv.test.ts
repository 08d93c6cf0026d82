import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, type CsvDialect, csvRows } from '../../lib/query/answer.ts';

function csvOf(asked: Answer, dialect: CsvDialect) {
  let guardedCount = 0;
  const onGuarded = () => {
    guardedCount += 1;
  };
  return { text: [...csvRows(asked, dialect, onGuarded)].join(''), guardedCount };
}

const text = { type: 'VARCHAR' };
const answer: Answer = {
  columns: [
    { name: 'rut', ...text },
    { name: 'total', type: 'DECIMAL(17,2)' },
    { name: 'nombre', ...text },
  ],
  rows: [
    ['018307280015', '-123456789012345.67', '=1+1'],
    [null, null, 'El "Ñandú"; S.A., 1.5'],
    ['@a', '0.10', '-5'],
    ['+54 911', '7', '-5,25'],
    ['\t=1', '1.5', 'dos\nlíneas'],
    ['＝1+1', null, null],
  ],
};

describe('CSV', () => {
  it('is RFC 4180, each value to the last character', () => {
    expect(csvOf(answer, { isLocal: false, isGuarded: false })).toEqual({
      text: [
        'rut,total,nombre',
        '018307280015,-123456789012345.67,=1+1',
        ',,"El ""Ñandú""; S.A., 1.5"',
        '@a,0.10,-5',
        '+54 911,7,"-5,25"',
        '\t=1,1.5,"dos\nlíneas"',
        '＝1+1,,',
      ].join('\r\n'),
      guardedCount: 0,
    });
  });

  it('is the same in a file, but for what a spreadsheet would run', () => {
    const exact = csvOf(answer, { isLocal: false, isGuarded: false }).text;
    expect(csvOf(answer, { isLocal: false, isGuarded: true })).toEqual({
      text: exact.replace(/(?<=^|,)(?==1|@a|\+54|\t=|＝)/gm, "'").replace("'\t=", "'\t'="),
      guardedCount: 5,
    });
  });

  it('of es-UY has a byte-order mark, semicolons, decimal commas, and runs nothing', () => {
    expect(csvOf(answer, { isLocal: true, isGuarded: true })).toEqual({
      text: `\u{feff}${[
        'rut;total;nombre',
        "018307280015;-123456789012345,67;'=1+1",
        ';;"El ""Ñandú""; S.A., 1.5"',
        "'@a;0,10;-5",
        "'+54 911;7;-5,25",
        '\'\t\'=1;1,5;"dos\nlíneas"',
        "'＝1+1;;",
      ].join('\r\n')}`,
      guardedCount: 5,
    });
  });
});
const oneText = (text: string) => ({ columns: [{ name: 'nombre', type: 'VARCHAR' }], rows: [[text]] });

it.each([
  '\n=1+1',
  '\r\n=1+1',
  '\n',
  '\n\n@SUM(A1)',
  '\t=1',
  '\r+1',
  '\v-1',
  '\f=1',
  '\u2028=1',
  '＝1',
  '\u202e=1',
  '\u00a0=1',
  '\u0001=1',
  ' =1',
  '  \t=1',
])('a spreadsheet gets %j as a text', (text) => {
  const { text: csv, guardedCount } = csvOf(oneText(text), { isLocal: true, isGuarded: true });
  expect(guardedCount).toBe(1);
  expect(csv.split('nombre\r\n')[1]?.replace(/^"/, '')).toMatch(/^'/);
});

it.each([' SA', '-12,5', '', '[1,-5]', 'Paz, Ana; tel. +598', '{"a":-5}', 'a;-5 ;b', 'a\t-5\tb'])(
  'a spreadsheet gets %j unchanged',
  (text) => {
    expect(csvOf(oneText(text), { isLocal: true, isGuarded: true }).guardedCount).toBe(0);
  },
);

it.each([
  ['foo;=1+1;bar', "foo;'=1+1;bar"],
  ['foo,@SUM(1)', "foo,'@SUM(1)"],
  ['a|-1-1', "a|'-1-1"],
  ['a\t "=1', 'a\t "\'=1'],
  ['Ñandú\n=1', "Ñandú\n'=1"],
  ['\u200b=1', "'\u200b=1"],
  ["A;-1 =cmd|' /C calc'!A0", "A;'-1 =cmd|' /C calc'!A0"],
  ['A,+1\u00a0+cmd|x', "A,'+1\u00a0+cmd|x"],
  ['A\u2028=1', "A\u2028'=1"],
  ["ACME;-2,5+cmd|' /C calc'!A1;", "ACME;'-2,5+cmd|' /C calc'!A1;"],
  ['ACME\t-2,5&A1\t', "ACME\t'-2,5&A1\t"],
  ['ACME|-2,*A1', "ACME|'-2,*A1"],
])('a spreadsheet with another separator finds no formula within %j', (text, written) => {
  for (const isLocal of [false, true])
    expect(csvOf(oneText(text), { isLocal, isGuarded: true })).toEqual({
      ...csvOf(oneText(written), { isLocal, isGuarded: false }),
      guardedCount: 1,
    });
});

it('a number at the end of a text may go on in the next column', () => {
  const { text, guardedCount } = csvOf(oneText('ACME;-2'), { isLocal: false, isGuarded: true });
  expect({ text, guardedCount }).toEqual({ text: "nombre\r\nACME;'-2", guardedCount: 1 });
});

const signed: Answer['columns'] = [
  { name: 'signo', type: 'INTEGER' },
  { name: 'fecha', type: 'DATE' },
  ...oneText('').columns,
];

it.each([
  ["5+cmd|' /C calc'!A1;", true],
  ['*A1', true],
  ['%+A1', true],
  ['e5+A1', true],
  ['5', false],
  ['219999830019', false],
  ['Ñandú + Cía', false],
  ['ACME', false],
])('%j after a negative number at the start of a line has an apostrophe: %j', (name, isGuarded) => {
  for (const fecha of [null, '2026-11-19']) {
    const { text, guardedCount } = csvOf(
      {
        columns: signed,
        rows: [
          ['-1', fecha, name],
          ['1', fecha, name],
        ],
      },
      { isLocal: false, isGuarded: true },
    );
    const lines = text.split('\r\n').map((line) => line.split(',')[2]);
    expect(lines.slice(1)).toEqual([isGuarded ? `'${name}` : name, name]);
    expect(guardedCount).toBe(isGuarded ? 1 : 0);
  }
});

/** The cells of a line for a program with this separator: by its quotes, or as if they were nothing special. */
function cellsOf(csv: string, separator: string, hasQuotes: boolean): string[][] {
  const cell = hasQuotes ? `(?:"(?:[^"]|"")*"?)?[^${separator}\r\n]*` : `[^${separator}\r\n]*`;
  const line = new RegExp(`${cell}(?:${separator}${cell})*(?:\r\n|[\r\n]|$)`, 'gy');
  return [...csv.matchAll(line)].map(([found]) =>
    [...found.replace(/[\r\n]+$/, '').matchAll(new RegExp(`(?:^|${separator})(${cell})`, 'g'))].map(
      ([, of = '']) =>
        hasQuotes ? of.replace(/^"((?:[^"]|"")*)"?/, (_, inner: string) => inner.replaceAll('""', '"')) : of,
    ),
  );
}

it('no cell of any row is a formula, whatever separator a program takes, with quotes or without', () => {
  const units = [
    '=',
    '+',
    '-',
    '@',
    '1',
    '2',
    ';',
    ',',
    '.',
    '\t',
    '|',
    '"',
    "'",
    ' ',
    'a',
    'E',
    '*',
    '&',
    '\n',
    '\r',
    ']',
    '\u200b',
    '(',
  ];
  const text = fc.string({ unit: fc.constantFrom(...units), maxLength: 9 });
  const amount = fc.constantFrom('-1', '-0.50', '7', '-123456.78');
  const day = fc.constantFrom('2026-11-19', null);
  const row = fc.tuple(fc.oneof(amount, text), fc.oneof(amount, day, text), text, text);
  fc.assert(
    fc.property(
      row,
      fc.boolean(),
      fc.constantFrom(';', ',', '\t', '\\|'),
      fc.boolean(),
      (values, isLocal, separator, hasQuotes) => {
        const columns = values.map((value, index) => ({
          name: String(index),
          type: index < 2 && /^-?\d+(\.\d+)?$/.test(value ?? '') ? 'DECIMAL(17,2)' : 'VARCHAR',
        }));
        const { text: csv } = csvOf({ columns, rows: [values] }, { isLocal, isGuarded: true });
        for (const line of cellsOf(csv, separator, hasQuotes).slice(1))
          for (const [place, cell] of line.entries()) {
            const shown = cell.replace(hasQuotes ? /^[\s\u200b]+/ : /^"?[\s\u200b]*/, '');
            if (!/^[=+\-@]/.test(shown)) continue;
            // A number; or one that a quote or a bracket ends, at which no formula goes on.
            if (/^[+-]\d+([.,]\d+)?\s*($|["\]])/.test(shown)) continue;
            // No formula goes on at a semicolon.
            if (isLocal && /^[+-]\d+([.,]\d+)?;/.test(shown)) continue;
            // Columns of numbers at the start of a line that is not cut: up to a name, or a text with an apostrophe.
            if (place === 0 && /^[+-]\d(?:[\d.:\s"-]|,\+?)*($|'|(?!E[\d+-])[aE])/.test(shown)) continue;
            expect.fail(`${JSON.stringify(csv)} has ${JSON.stringify(cell)}`);
          }
      },
    ),
    { numRuns: 20_000 },
  );
});

it.each(['\t', '=\t', ',+1 '])('a text of 100,000 times %j is written', (part) => {
  const { text } = csvOf(oneText(part.repeat(100_000)), { isLocal: false, isGuarded: true });
  expect(text.length).toBeGreaterThanOrEqual(part.length * 100_000);
});
