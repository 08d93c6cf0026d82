import { expect, it } from 'vitest';
import { RECEIPT_TYPES } from '../../lib/lake/receipt-types.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { openLakeDatabase } from '../support/query/lake-database.ts';

/** Written out from the tax authority's table. */
const ORDINARY = [101, 102, 103, 111, 112, 113, 121, 122, 123, 124, 131, 132, 133, 141, 142, 143];
const SLIPS_AND_OTHERS = [151, 152, 153, 181, 182];

it('has every type, including those of contingency', () => {
  const codes = [...ORDINARY, ...SLIPS_AND_OTHERS];
  expect(RECEIPT_TYPES.map(({ code }) => code)).toEqual([...codes, ...codes.map((code) => code + 100)]);
  expect(new Set(RECEIPT_TYPES.map(({ name }) => name)).size).toBe(42);
});

it('is a view beside the tables of a lake', async () => {
  const database = await openLakeDatabase(newFolder());
  try {
    const answerOf = async (sql: string) =>
      (await database.connection.runAndReadAll(sql)).getRows().map((row) => row.map(String).join(' '));
    const codes = (condition: string) =>
      answerOf(`SELECT tipo_comprobante FROM tipos_comprobante WHERE ${condition} ORDER BY 1`);
    expect(await codes('signo = -1')).toEqual(
      [102, 112, 122, 132, 142, 152, 202, 212, 222, 232, 242, 252].map(String),
    );
    expect(await codes("clase = 'remito'")).toEqual(['124', '181', '224', '281']);
    expect(await codes("clase = 'resguardo'")).toEqual(['182', '282']);
    expect(await codes("clase = 'boleta de entrada'")).toEqual(['151', '152', '153', '251', '252', '253']);
    expect(await codes("clase = 'exportacion'")).toEqual(['121', '122', '123', '221', '222', '223']);
    expect(await answerOf('SELECT * FROM tipos_comprobante WHERE tipo_comprobante IN (112, 281)')).toEqual([
      '112 Nota de crédito de e-Factura -1 venta',
      '281 e-Remito, contingencia 1 remito',
    ]);
  } finally {
    database.close();
  }
});
