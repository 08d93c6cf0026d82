import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReceiptRows } from '../../../lib/lake/rows/receipt-rows.ts';
import { EMITIDOS, RECIBIDOS } from '../../../lib/lake/tables.ts';
import { RUT } from '../../support/api/api-client.ts';
import { campaign } from '../../support/campaign.ts';
import { records, rowsOf } from './rows-of.ts';

function sortedIds(rows: ReceiptRows): bigint[] {
  const sorted = rows.sorted();
  return Array.from({ length: sorted.rowCount }, (_, index) => sorted.id(index));
}

const anyId = fc.oneof(
  fc.bigInt({ min: 0n, max: 50n }),
  // Neighbouring integers that are the same double.
  fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
  fc.bigInt({ min: 2n ** 63n - 9n, max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

describe('the rows of a unit', () => {
  it('are sorted by id, none twice, even past 2^53', () => {
    fc.assert(
      fc.property(fc.array(anyId, { maxLength: 300 }), (ids) => {
        const distinct = [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
        expect(sortedIds(rowsOf(ids.map((id) => `{"id":${id}}`)))).toEqual(distinct);
      }),
      { numRuns: campaign({ quick: 25, long: 200 }) },
    );
  });

  it('are the first ones that came, of those with the same id', () => {
    const rows = rowsOf([
      { id: 2, serie: 'A' },
      { id: 1, serie: 'B' },
      { id: 2, serie: 'C' },
      '{"id":9007199254740993,"serie":"D"}',
      '{"id":9007199254740992,"serie":"E"}',
      '{"id":9007199254740993,"serie":"F"}',
    ]);
    expect(records(rows.sorted()).map(({ id, serie }) => [id, serie])).toEqual([
      [1n, 'B'],
      [2n, 'A'],
      [9007199254740992n, 'E'],
      [9007199254740993n, 'D'],
    ]);
  });

  it('state the length of each one’s texts, by which row groups are bounded', () => {
    const document = JSON.stringify({ extra: 'x'.repeat(5000) });
    const sorted = rowsOf([
      { id: 2, serie: 'AB' },
      { id: 1, extra: 'x'.repeat(5000) },
    ]).sorted();

    expect(sorted.textBytes(1)).toBe(RUT.length + 'AB'.length);
    expect(sorted.textBytes(0)).toBe(RUT.length + document.length);
  });

  it('are given in pieces, as the writers ask for them', () => {
    const rows = rowsOf(Array.from({ length: 1000 }, (_, index) => ({ id: 1000 - index, numero: index })));
    const sorted = rows.sorted();
    const numero = RECIBIDOS.columns.findIndex(({ name }) => name === 'numero');
    expect(sorted.values(numero, 0, 3)).toEqual([999, 998, 997]);
    expect(sorted.values(numero, 998, 1000)).toEqual([1, 0]);
    expect(sorted.values(numero, 500, 500)).toEqual([]);
  });

  it('take over rows of other readings and stored rows unchanged', () => {
    const full = `{"id":9007199254740993,"tipo_comprobante":101,"serie":"A","numero":5,
      "fecha_emision":"2026-11-19T00:00:00","fecha_firma":"9999-12-31T23:59:59.999999",
      "emisor":{"razon_social":"Ñandú 🦤"},"totales":{"total":-999999999999999.99},"nuevo":[1,"x"]}`;
    for (const table of [RECIBIDOS, EMITIDOS]) {
      const from = rowsOf([full, '{"id":1}'], table);
      const into = new ReceiptRows(table, RUT);
      for (let row = 0; row < from.rowCount; row += 1) into.appendValues(from.valuesOf(row));
      expect(records(into.sorted(), table)).toEqual(records(from.sorted(), table));
      expect(into.sorted().contentHash()).toBe(from.sorted().contentHash());
    }
  });

  it('keep more rows and texts than their first buffers hold', () => {
    const receipts = Array.from({ length: 5000 }, (_, index) => ({ id: index, serie: `S${index % 700}` }));
    const all = records(rowsOf(receipts).sorted());
    expect(all.map(({ id, serie }) => ({ id: Number(id), serie }))).toEqual(receipts);
  });
});
