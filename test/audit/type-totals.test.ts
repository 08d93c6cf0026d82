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
  it('are by type and currency, exact where a double could not be', () => {
    const large = 99_999_999_999_999_999n;
    const { totals } = summaryOf('recibidos', [
      { tipo_comprobante: 111, moneda: 'UYU', totales_total: large },
      { tipo_comprobante: 111, moneda: 'UYU', totales_total: large },
      { tipo_comprobante: 111, moneda: 'UYU', totales_total: 1n },
      { tipo_comprobante: 111, moneda: 'USD', totales_total: 10n },
      { tipo_comprobante: 101, moneda: 'UYU', totales_total: -5n },
    ]);
    expect(totals).toEqual([
      { type: 101, currency: 'UYU', receipts: 1, withoutTotal: 0, total: '-0.05' },
      { type: 111, currency: 'USD', receipts: 1, withoutTotal: 0, total: '0.10' },
      { type: 111, currency: 'UYU', receipts: 3, withoutTotal: 0, total: '1999999999999999.99' },
    ]);
    expect(parseTotals(totalsJson(totals))).toEqual(totals);
  });

  it('leave out receipts that the API no longer lists', () => {
    const { totals } = summaryOf('emitidos', [
      { tipo_comprobante: 101, totales_total: 100n },
      { tipo_comprobante: 101, totales_total: 900n, visto_por_ultima_vez: 1_700_000_000_000_000n },
      { tipo_comprobante: 181, totales_total: 900n, visto_por_ultima_vez: 0n },
    ]);
    expect(totals).toEqual([{ type: 101, currency: null, receipts: 1, withoutTotal: 0, total: '1.00' }]);
  });

  it('count receipts without a total, a type or a currency separately', () => {
    const { totals } = summaryOf('recibidos', [
      { tipo_comprobante: 182, moneda: 'UYU' },
      { tipo_comprobante: 182, moneda: 'UYU', totales_total: 7n },
      { tipo_comprobante: 181 },
      { moneda: 'UYU', totales_total: 3n },
    ]);
    expect(totals).toEqual([
      { type: null, currency: 'UYU', receipts: 1, withoutTotal: 0, total: '0.03' },
      { type: 181, currency: null, receipts: 1, withoutTotal: 1, total: '0.00' },
      { type: 182, currency: 'UYU', receipts: 2, withoutTotal: 1, total: '0.07' },
    ]);
  });

  it('that cannot be parsed are undefined', () => {
    for (const text of [null, '', '{}', '[{"tipo":1}]']) expect(parseTotals(text)).toBeUndefined();
  });
});

describe("the company's name", () => {
  it('is that of a receipt which is its own', () => {
    const { companyName } = summaryOf('recibidos', [
      { receptor_nro_doc: '214844360018', receptor_denominacion: 'Otra' },
      { receptor_nro_doc: RUT, receptor_denominacion: '  ' },
      { receptor_nro_doc: RUT, receptor_denominacion: ' Empresa <SRL> ' },
    ]);
    expect(companyName).toBe('Empresa <SRL>');
    expect(summaryOf('emitidos', [{ tipo_comprobante: 101 }]).companyName).toBeUndefined();
  });
});
