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
])('a spreadsheet with another separator finds no formula within %j', (text, written) => {
  for (const isLocal of [false, true])
    expect(csvOf(oneText(text), { isLocal, isGuarded: true })).toEqual({
      ...csvOf(oneText(written), { isLocal, isGuarded: false }),
      guardedCount: 1,
    });
});

it.each(['\t', '=\t', ',+1 '])('a text of 100,000 times %j is written', (part) => {
  const { text } = csvOf(oneText(part.repeat(100_000)), { isLocal: false, isGuarded: true });
  expect(text.length).toBeGreaterThanOrEqual(part.length * 100_000);
});
