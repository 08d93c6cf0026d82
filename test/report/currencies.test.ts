import { describe, expect, it } from 'vitest';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { readReport } from '../../lib/report/read-report.ts';
import { ENGLISH_REPORT } from '../../lib/report/texts/english.ts';
import { currencyHint } from '../../lib/report/verdict.ts';
import { itLong } from '../support/campaign.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';

const RUT = '219999830019';
const fecha = '2026-10-05';
const NAMED_NOWHERE = 'Neither the lists nor the details that were read name it.';

/** An issued receipt and, unless the detail is undefined, its detail with these totals. */
function issued(
  id: number,
  tipo_comprobante: number,
  totales: string | undefined,
  leido = `${fecha}T10:00:00`,
) {
  const receipt = { id, rut: RUT, fecha, tipo_comprobante, totales_total: '10.00' };
  const detail = { id, rut: RUT, fecha, tipo_comprobante, totales: totales ?? '', leido };
  return { receipt, details: totales === undefined ? [] : [detail] };
}

/** What the report of October advises about the currencies of sales and of purchases. */
async function advice(all: readonly ReturnType<typeof issued>[], received: readonly (string | undefined)[]) {
  const folder = await madeLakeFolder({
    emitidos: all.map(({ receipt }) => receipt),
    emitidos_detalle: all.flatMap(({ details }) => details),
    recibidos: received.map((moneda, index) => ({
      id: 100 + index,
      rut: RUT,
      fecha,
      tipo_comprobante: 111,
      totales_total: '5.00',
      ...(moneda === undefined ? {} : { moneda }),
    })),
  });
  const month = { from: '2026-10-01', to: '2026-10-31', today: '2026-11-20' } as const;
  const report = await readReport(new FolderStore(folder), { rut: RUT, name: undefined, ...month });
  return (['ventas', 'compras'] as const).map((id) => currencyHint(report, id, ENGLISH_REPORT));
}

describe('where a currency is not known', () => {
  it('the report says how to read details that were not read', async () => {
    const [sales, purchases] = await advice([issued(1, 101, undefined), issued(2, 151, undefined)], ['UYU']);
    expect(sales).toMatch(/^The currency is in the details. To read them:\n {2}.* --details emitidos$/);
    expect(purchases).toBe(sales);
  });

  it('it does not advise to read details again that do not name it', async () => {
    expect(await advice([issued(1, 101, '{"divisa":"UYU"}'), issued(2, 151, '{}')], [])).toEqual([
      NAMED_NOWHERE,
      NAMED_NOWHERE,
    ]);
  });

  it('nor to read issued receipts for a received one', async () => {
    const [, purchases] = await advice([issued(1, 101, undefined)], ['UYU', undefined]);
    expect(purchases).toBe(NAMED_NOWHERE);
  });

  itLong('it advises nothing where all are known', async () => {
    const known = '{"moneda":"UYU"}';
    expect(await advice([issued(1, 101, known), issued(2, 151, known)], ['UYU'])).toEqual([
      undefined,
      undefined,
    ]);
  });
});
