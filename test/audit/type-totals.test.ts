import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTotals, summarise, totalsJson } from '../../lib/audit/row.ts';
import type { Row } from '../../lib/lake/parquet/writer.ts';
import { ReceiptRows } from '../../lib/lake/rows/receipt-rows.ts';
import { TABLE_OF } from '../../lib/lake/tables.ts';
import type { Direction } from '../../lib/units/unit.ts';

const RUT = '219999830019';

function summaryOf(direction: Direction, rows: readonly Row[]) {
  const table = TABLE_OF[direction];
  const receipts = new ReceiptRows(table, RUT);
  for (const [index, row] of rows.entries()) {
    const whole: Row = { id: BigInt(index + 1), rut: RUT, ...row };
    receipts.appendValues(table.columns.map(({ name }) => whole[name] ?? null));
  }
  return summarise(table, receipts.sorted(), RUT);
}

describe('the totals of a unit', () => {
  it('are exact sums over the receipts that the API lists, in order of type and currency, and are read as they were written', () => {
    // Sums of the large ones are none that a double could hold.
    const cents = fc.oneof(fc.bigInt(-999n, 999n), fc.bigInt(10n ** 16n, 10n ** 17n - 1n));
    const receipt = fc.record({
      tipo_comprobante: fc.constantFrom(null, 101, 111, 181),
      moneda: fc.constantFrom(null, 'USD', 'UYU'),
      totales_total: fc.option(cents),
      visto_por_ultima_vez: fc.constantFrom(null, null, 0n, 1_700_000_000_000_000n),
      otros: fc.constantFrom(null, '{"nuevo":1}'),
    });
    fc.assert(
      fc.property(fc.array(receipt), (receipts) => {
        const listed = receipts.filter(({ visto_por_ultima_vez }) => visto_por_ultima_vez === null);
        const expected = [null, 101, 111, 181].flatMap((type) =>
          [null, 'USD', 'UYU'].flatMap((currency) => {
            const rowsOfType = listed.filter(
              (row) => row.tipo_comprobante === type && row.moneda === currency,
            );
            const totals = rowsOfType.flatMap(({ totales_total }) => totales_total ?? []);
            const sum = totals.reduce((total, amount) => total + amount, 0n);
            const withoutTotal = rowsOfType.length - totals.length;
            const digits = String(sum < 0n ? -sum : sum).padStart(3, '0');
            const total = `${sum < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
            return rowsOfType.length === 0
              ? []
              : [{ type, currency, receipts: rowsOfType.length, withoutTotal, total }];
          }),
        );
        const unknown = listed.filter(({ otros }) => otros !== null).length;
        const summary = summaryOf('recibidos', receipts);
        expect(parseTotals(totalsJson(summary.totals))).toEqual(expected);
        expect(summary).toEqual({
          totals: expected,
          companyName: undefined,
          unknownFields: unknown === 0 ? undefined : new Map([['nuevo', unknown]]),
        });
      }),
    );
  });

  it('are of all receipts of a unit that is read in several pieces', () => {
    const { totals } = summaryOf('emitidos', Array(20_001).fill({ totales_total: 1n }));
    expect(totals).toMatchObject([{ type: null, currency: null, receipts: 20_001, total: '200.01' }]);
  });

  it('that cannot be parsed are undefined', () => {
    for (const text of [null, '', '{}', '[{"tipo":1}]']) expect(parseTotals(text)).toBeUndefined();
  });

  it('whose total or currency is none that this program writes are undefined', () => {
    const parsed = (total: string, moneda = 'UYU') =>
      parseTotals(JSON.stringify([{ tipo: 111, moneda, comprobantes: 1, sin_total: 0, total }]));
    const longest = `-${'9'.repeat(36)}.99`;
    expect(parsed(longest)).toMatchObject([{ total: longest }]);
    for (const total of ['', '1', '1.5', '1,50', '1e3', ' 1.00', '1.00\n', `${'9'.repeat(37)}.99`])
      expect(parsed(total), total).toBeUndefined();
    expect(parsed('1.00', 'x'.repeat(101))).toBeUndefined();
  });
});

it("the company's name is that of a receipt which is its own", () => {
  const { companyName } = summaryOf('recibidos', [
    { receptor_nro_doc: '214844360018', receptor_denominacion: 'Otra' },
    { receptor_nro_doc: RUT, receptor_denominacion: '  ' },
    { receptor_nro_doc: RUT },
    { receptor_nro_doc: RUT, receptor_denominacion: ' Empresa <SRL> ' },
    { receptor_nro_doc: RUT, receptor_denominacion: 'Una más' },
  ]);
  expect(companyName).toBe('Empresa <SRL>');
  expect(summaryOf('emitidos', [{ tipo_comprobante: 101 }]).companyName).toBeUndefined();
});
