import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Column, EMITIDOS, RECIBIDOS, type Table } from '../../../lib/lake/tables.ts';
import { campaign } from '../../support/campaign.ts';
import { anyText } from '../../support/texts.ts';
import { rowsOf } from './rows-of.ts';

const text = fc.oneof(fc.constantFrom('', 'A', 'B', 'AB', '1:A', ';', '0:'), anyText(4));
const amount = fc.integer({ min: -200, max: 200 }).map((cents) => cents / 100);
/** Few values, so that receipts are often almost alike. */
const receipt = fc.record(
  {
    tipo_comprobante: fc.constantFrom(101, 111, null),
    serie: fc.option(text),
    numero: fc.option(fc.nat(3)),
    moneda: fc.option(text),
    fecha_firma: fc.constantFrom(
      '2026-11-19T00:00:00',
      '2026-11-19T00:00:00.000001',
      '2026-11-19T00:00:00.0000011',
      null,
    ),
    emisor: fc.record({ ruc: fc.option(text), razon_social: fc.option(text) }),
    receptor: fc.record({ denominacion: fc.option(text) }),
    totales: fc.record({ total: fc.option(amount), total_pagar: fc.option(amount) }),
    estado: fc.record({ codigo: fc.option(text) }),
    nuevo: fc.option(text),
  },
  { requiredKeys: [] },
);
const id = fc.oneof(fc.bigInt({ min: 0n, max: 8n }), fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 4n }));
const receipts = fc
  .uniqueArray(fc.tuple(id, receipt), { selector: ([key]) => key, maxLength: 8 })
  .map((rows) =>
    rows.map(([key, fields]) => `{"id":${key},${JSON.stringify(fields).slice(1)}`.replace(',}', '}')),
  );

function hashOf(texts: readonly string[], table: Table = RECIBIDOS): string {
  return rowsOf(texts, table).sorted().contentHash();
}

/** The content of the rows, read in a different way than for the hash. */
function contentOf(texts: readonly string[]): string {
  const rows = rowsOf(texts).sorted();
  const columns = RECIBIDOS.columns.map((_, index) => rows.values(index, 0, rows.rowCount));
  return JSON.stringify(columns, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value));
}

describe('the hash of the content', () => {
  it('does not depend on the order in which receipts came, nor on receipts that came twice', () => {
    const inTwoOrders = receipts.chain((texts) =>
      fc.tuple(fc.constant(texts), fc.shuffledSubarray(texts, { minLength: texts.length })),
    );
    fc.assert(
      fc.property(inTwoOrders, ([rows, reordered]) => {
        expect(hashOf(reordered)).toBe(hashOf(rows));
        expect(hashOf([...rows, ...reordered])).toBe(hashOf(rows));
      }),
      { numRuns: campaign({ quick: 40, long: 300 }) },
    );
  });

  it('is the same for the same content only', () => {
    fc.assert(
      fc.property(receipts, receipts, (rows, otherRows) => {
        expect(hashOf(rows) === hashOf(otherRows)).toBe(contentOf(rows) === contentOf(otherRows));
      }),
      { numRuns: campaign({ quick: 120, long: 2000 }) },
    );
  });

  it('changes with any one value of any one receipt', () => {
    const changed = fc
      .tuple(receipts, receipt, fc.nat())
      .filter(([texts]) => texts.length > 0)
      .map(([texts, fields, position]) => {
        const index = position % texts.length;
        const kept = /^\{"id":\d+/.exec(texts[index] ?? '')?.[0] ?? '';
        const text = `${kept},${JSON.stringify(fields).slice(1)}`.replace(',}', '}');
        return [texts, texts.with(index, text)] as const;
      });
    fc.assert(
      fc.property(changed, ([before, after]) => {
        expect(hashOf(before) === hashOf(after)).toBe(contentOf(before) === contentOf(after));
      }),
      { numRuns: campaign({ quick: 60, long: 1000 }) },
    );
  });

  it.each([
    [
      'a cent past 2^53',
      '{"id":1,"totales":{"total":100000000000000.01}}',
      '{"id":1,"totales":{"total":100000000000000.02}}',
    ],
    ['an id past 2^53', '{"id":9007199254740992}', '{"id":9007199254740993}'],
    ['null and nothing of text', '{"id":1,"serie":""}', '{"id":1,"serie":null}'],
    ['zero and null', '{"id":1,"numero":0}', '{"id":1}'],
    ['text in another column', '{"id":1,"serie":"A"}', '{"id":1,"moneda":"A"}'],
    [
      'the seventh digit',
      '{"id":1,"fecha_firma":"2026-11-19T00:00:00.1234567"}',
      '{"id":1,"fecha_firma":"2026-11-19T00:00:00.1234568"}',
    ],
    ['a new field', '{"id":1}', '{"id":1,"nuevo":null}'],
  ])('tells %s apart', (_name, receipt, otherReceipt) => {
    expect(hashOf([receipt])).not.toBe(hashOf([otherReceipt]));
  });

  it('changes with an additional row, even if all its values are those of another', () => {
    const hashes = [0, 1, 2, 3].map((count) =>
      hashOf(Array.from({ length: count }, (_, index) => `{"id":${index},"serie":"A"}`)),
    );
    expect(new Set(hashes).size).toBe(4);
  });

  it('tells texts apart that run together', () => {
    expect(hashOf(['{"id":1,"serie":"AB"}', '{"id":2,"serie":"C"}'])).not.toBe(
      hashOf(['{"id":1,"serie":"A"}', '{"id":2,"serie":"BC"}']),
    );
  });

  it('is the same however a value was written', () => {
    expect(hashOf(['{"id":1,"totales":{"total":10,"total_pagar":-0.0},"x":{"a":1,"b":2}}'])).toBe(
      hashOf(['{"x":{"b":2,"a":1},"totales":{"total_pagar":0,"total":10.00e0},"id":1}']),
    );
  });

  it('changes with the columns of the table', () => {
    const columns: readonly Column[] = EMITIDOS.columns;
    const renamed = {
      ...EMITIDOS,
      columns: columns.with(4, { name: 'num', type: 'int32', path: 'numero', meaning: '' }),
    };
    expect(hashOf([], EMITIDOS)).not.toBe(hashOf([], RECIBIDOS));
    expect(hashOf(['{"id":1,"numero":5}'], renamed)).not.toBe(hashOf(['{"id":1,"numero":5}'], EMITIDOS));
  });

  it('has 64 hexadecimal digits', () => {
    expect(hashOf([])).toMatch(/^[0-9a-f]{64}$/);
  });
});
