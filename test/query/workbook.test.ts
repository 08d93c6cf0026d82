import { describe, expect, it } from 'vitest';
import type { Answer } from '../../lib/query/answer.ts';
import { WorkbookTooLargeError, workbookOf } from '../../lib/query/workbook.ts';
import { type ReadSheet, readWorkbook } from '../support/query/workbook.ts';

function answerOf(type: string, values: readonly (string | null)[], name = 'a'): Answer {
  return {
    columns: [{ name, type }],
    rows: values.map((value) => [value]),
  };
}

async function written(answer: Answer, notes: readonly string[] = []) {
  const { bytes, remarks } = await workbookOf([{ name: 'answer', answer }], notes);
  const [sheet, notesSheet] = readWorkbook(bytes);
  if (sheet === undefined) throw new Error('there is no sheet');
  return { sheet, notesSheet, remarks, bytes };
}

/** The column's cells below its heading: type, value, format. */
async function cellsOf(type: string, values: readonly (string | null)[], name?: string) {
  const { sheet, remarks } = await written(answerOf(type, values, name));
  return { cells: values.map((_, index) => cellAt(sheet, `A${index + 2}`)), remarks };
}

function cellAt(sheet: ReadSheet, address: string) {
  const cell = sheet.cells.get(address);
  expect(cell?.isFormula ?? false).toBe(false);
  return cell === undefined ? undefined : [cell.type, cell.value, cell.format];
}

/** The day's number in Excel, as its manual defines it: 1 January 1900 is 1, and 29 February 1900 is counted. */
function serialOf(day: string): number {
  return (Date.parse(day) - Date.parse('1900-01-01')) / 86_400_000 + 2;
}

it('says on its last sheet, in Spanish, what cells do not hold', async () => {
  const answer = answerOf('DECIMAL(19,2)', ['1234567890123456.78']);
  const { bytes } = await workbookOf([{ name: 'a', answer }], []);
  const notes = readWorkbook(bytes).at(-1);
  expect(notes?.name).toBe('Notas');
  expect(notes?.cells.get('A1')?.value).toMatch(/^En naranja: 1 número de más de 15 cifras, como texto\./);
});

describe('a workbook’s cells', () => {
  it('are numbers with their decimals where a number holds them', async () => {
    const values = ['0.00', '1234.50', '-0.05', '9999999999999.99', '100000000000000.00', null];
    const { cells, remarks } = await cellsOf('DECIMAL(17,2)', values);
    expect(cells).toEqual([
      ['n', '0', '#,##0.00'],
      ['n', '1234.5', '#,##0.00'],
      ['n', '-0.05', '#,##0.00'],
      ['n', '9999999999999.99', '#,##0.00'],
      ['n', '100000000000000', '#,##0.00'],
      ['n', '', '#,##0.00'],
    ]);
    expect(remarks).toEqual({ longNumbers: 0, longTexts: 0 });
  });

  it('are coloured texts where a number has more than 15 digits, which is noted once', async () => {
    const { sheet, remarks, notesSheet } = await written(
      answerOf('DECIMAL(17,2)', ['123456789012345.67', '-999999999999999.99', '12345678901234.50']),
    );
    expect(cellAt(sheet, 'A2')).toEqual(['s', '123456789012345.67', '@']);
    expect(cellAt(sheet, 'A3')).toEqual(['s', '-999999999999999.99', '@']);
    expect(cellAt(sheet, 'A4')).toEqual(['n', '12345678901234.5', '#,##0.00']);
    expect(['A2', 'A3', 'A4'].map((address) => sheet.cells.get(address)?.isFilled)).toEqual([
      true,
      true,
      false,
    ]);
    expect(remarks).toEqual({ longNumbers: 2, longTexts: 0 });
    expect(notesSheet?.cells.get('A1')?.value).toMatch(
      /^En naranja: 2 números de más de 15 cifras, como texto\./,
    );
  });

  it.each([
    ['INTEGER', '9999999', ['n', '9999999', '0']],
    ['BIGINT', '-12', ['n', '-12', '0']],
    ['HUGEINT', '1234567890123456', ['s', '1234567890123456', '@']],
    ['DECIMAL(17,3)', '40.125', ['n', '40.125', '#,##0.000']],
    ['DOUBLE', '0.30000000000000004', ['n', '0.30000000000000004', 'General']],
    ['DOUBLE', 'Infinity', ['s', 'Infinity', 'General']],
    ['BOOLEAN', 'true', ['b', '1', 'General']],
    ['BOOLEAN', 'false', ['b', '0', 'General']],
    ['INTEGER[]', '[1, 2]', ['s', '[1, 2]', '@']],
  ])('of %s: %s', async (type, value, cell) => {
    expect((await cellsOf(type, [value])).cells).toEqual([cell]);
  });

  it('are texts where the number is an id', async () => {
    for (const name of ['id', 'id_anterior', 'otro_id']) {
      const { cells, remarks } = await cellsOf('BIGINT', ['4613173657676546048', '7'], name);
      expect(cells).toEqual([
        ['s', '4613173657676546048', '@'],
        ['s', '7', '@'],
      ]);
      expect(remarks).toEqual({ longNumbers: 0, longTexts: 0 });
    }
  });

  it('are dates by the number of their day', async () => {
    const { cells } = await cellsOf('DATE', [
      '2026-11-19',
      '1900-03-01',
      '1899-12-31',
      '0001-01-01',
      '0099-12-31',
      '2026-11-19 (BC)',
      null,
    ]);
    expect(cells).toEqual([
      ['n', String(serialOf('2026-11-19')), 'dd/mm/yyyy'],
      ['n', '61', 'dd/mm/yyyy'],
      ['s', '1899-12-31', 'dd/mm/yyyy'],
      ['s', '0001-01-01', 'dd/mm/yyyy'],
      ['s', '0099-12-31', 'dd/mm/yyyy'],
      ['s', '2026-11-19 (BC)', 'dd/mm/yyyy'],
      ['n', '', 'dd/mm/yyyy'],
    ]);
    const times = ['2026-11-19 00:00:00', '2026-11-19 12:00:00', '2026-11-19 23:59:59.999999'];
    const read = (await cellsOf('TIMESTAMP', times)).cells.map(
      (cell) => Number(cell?.[1]) - serialOf('2026-11-19'),
    );
    expect(read[0]).toBe(0);
    expect(read[1]).toBe(0.5);
    // The format shows seconds, and Excel rounds to them: the fraction would be shown as the next day.
    expect(Math.round((read[2] ?? 0) * 86_400e6)).toBe(86_399_000_000);
  });

  it('are a month in words where the column is one, in Spanish', async () => {
    const { cells } = await cellsOf('DATE', ['2026-10-01'], 'mes');
    expect(cells).toEqual([['n', String(serialOf('2026-10-01')), '[$-380A]mmmm yyyy']]);
  });

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '=cmd|"/c calc"!A1',
    '\t=1',
    '\r=1',
    '018307280015',
    '#REF!',
    '#DIV/0!',
    '#N/A',
    '_x0041_',
    'a_x005F_b',
    ' blanks ',
    'two\nlines',
    '<b>&amp;</b>"\'',
    'Ñandú “El” 🧉',
    'no XML: \u0001 \u001f \ufffe \uffff',
    '',
    '2026-11-19',
    'TRUE',
  ])('hold the text %j as it is, and no formula', async (text) => {
    const { sheet } = await written(answerOf('VARCHAR', ['x', text]), [text]);
    const cell = sheet.cells.get('A3');
    expect(['s', 'inlineStr']).toContain(cell?.type);
    expect({ value: cell?.value, format: cell?.format, isFormula: cell?.isFormula }).toEqual({
      value: text,
      format: '@',
      isFormula: false,
    });
  });

  it('hold no more than 32767 characters; one that is cut is coloured and noted', async () => {
    const { sheet, remarks } = await written(answerOf('VARCHAR', ['x'.repeat(32_767), 'y'.repeat(32_768)]));
    expect(sheet.cells.get('A2')).toMatchObject({ value: 'x'.repeat(32_767), isFilled: false });
    expect(sheet.cells.get('A3')).toMatchObject({ value: 'y'.repeat(32_767), isFilled: true });
    expect(remarks).toEqual({ longNumbers: 0, longTexts: 1 });
  });
});

describe('a workbook’s sheet', () => {
  it('has a heading that stays, a filter over all rows, and widths that fit', async () => {
    const { sheet, notesSheet } = await written({
      columns: [
        { name: 'rut', type: 'VARCHAR' },
        { name: '=n', type: 'DECIMAL(17,2)' },
      ],
      rows: [
        ['219999830019', '1234567890123.45'],
        [null, null],
      ],
    });
    expect(sheet).toMatchObject({ frozenRows: '1', filter: 'A1:B3' });
    // One page wide, and as many pages long as the rows take.
    expect(sheet.paper).toMatchObject({ orientation: 'landscape', fitToWidth: '1', fitToHeight: '0' });
    expect(cellAt(sheet, 'A1')).toEqual(['s', 'rut', '@']);
    expect(cellAt(sheet, 'B1')).toEqual(['s', '=n', '@']);
    expect(sheet.widths).toEqual([13, 21]);
    expect(notesSheet).toBeUndefined();
  });

  it('repeats its heading on each printed page, whatever it is called', async () => {
    const answer = answerOf('INTEGER', ['1']);
    const names = ['answer', 'Libro IVA', 'sales-by-month', "d'IVA", 'Días y años', 'A1', '2026'];
    const sheets = names.map((name) => ({ name, answer }));
    const { bytes } = await workbookOf(sheets, ['a note']);
    expect(readWorkbook(bytes).map(({ name, printTitles }) => [name, printTitles])).toEqual([
      ['answer', "'answer'!$1:$1"],
      ['Libro IVA', "'Libro IVA'!$1:$1"],
      ['sales-by-month', "'sales-by-month'!$1:$1"],
      ["d'IVA", "'d''IVA'!$1:$1"],
      ['Días y años', "'Días y años'!$1:$1"],
      ['A1', "'A1'!$1:$1"],
      ['2026', "'2026'!$1:$1"],
      ['Notas', undefined],
    ]);
  });

  it('leaves ids off the paper', async () => {
    const [total] = answerOf('DECIMAL(17,2)', [], 'total').columns;
    const [id] = answerOf('BIGINT', [], 'id').columns;
    if (total === undefined || id === undefined) throw new Error('there is no column');
    const answer = { columns: [total, id], rows: [['1.00', '1481317040521232']] };
    const sheets = [
      { name: 'libro', above: ['Libro', 'octubre 2026'], answer, totals: [['1.00', null]] },
      { name: 'ids', answer: answerOf('BIGINT', ['1'], 'id') },
    ];
    const { bytes } = await workbookOf(sheets, []);
    expect(readWorkbook(bytes).map(({ printArea }) => printArea)).toEqual(["'libro'!$A$1:$A$5", undefined]);
  });

  it('has room between a number and a text beside it', async () => {
    const columns = [
      { name: 'total', type: 'DECIMAL(17,2)' },
      { name: 'nota', type: 'VARCHAR' },
      { name: 'estado', type: 'VARCHAR' },
    ];
    const { sheet } = await written({ columns, rows: [['1.00', 'x', 'y']] });
    const indented = ['A1', 'B1', 'C1', 'A2', 'B2', 'C2'].map((at) => sheet.cells.get(at)?.indent ?? '0');
    expect(indented).toEqual(['0', '1', '0', '0', '1', '0']);
  });

  it('has notes on rows as high as their text, one page wide', async () => {
    const { notesSheet } = await written(answerOf('INTEGER', []), ['short', 'word '.repeat(60)]);
    expect(notesSheet?.heights).toEqual([15, 60, 15]);
    expect(notesSheet?.paper).toMatchObject({ orientation: 'portrait', fitToWidth: '1' });
  });

  it('has notes beside it, a line each', async () => {
    const { notesSheet } = await written(answerOf('INTEGER', []), ['SELECT 1', '=2']);
    expect(notesSheet?.name).toBe('Notas');
    expect([...(notesSheet?.cells.values() ?? [])].map(({ value, format }) => [value, format])).toEqual([
      ['SELECT 1', '@'],
      ['=2', '@'],
      ['', '@'],
    ]);
  });

  it('has no more rows than Excel accepts', async () => {
    const rows = Array.from({ length: 1_048_576 }, () => []);
    const { columns } = answerOf('INTEGER', []);
    await expect(workbookOf([{ name: 'answer', answer: { columns, rows } }], [])).rejects.toThrow(
      new WorkbookTooLargeError('1048576 rows (1048575 at most)'),
    );
  });
});
