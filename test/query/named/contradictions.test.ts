import { describe, expect, it } from 'vitest';
import { askedLake } from '../../support/query/lake-of-both-lists.ts';
import { detail, received } from '../../support/query/made-receipts.ts';

/** What a receipt states in two ways that cannot both be is counted, and told. */

const VAT = { mnt_neto_iva_tasa_basica: 78, mnt_iva_tasa_basica: 22 };
const WITHHELD = JSON.stringify([
  { retenciones_percepciones: [{ codigo: 'x', tasa: 7, monto_sujeto: 9, valor: 5 }] },
]);

describe('a currency of the detail that is not that of the list', () => {
  const askedOf = async (moneda: string, stated: unknown) => {
    const recibidos = [111, 182].map((type, index) =>
      received('2026-11-02', `A${index}`, { moneda, tipo_comprobante: type }),
    );
    const totales = JSON.stringify({ moneda: stated, tipo_cambio: 40, ...VAT });
    const recibidos_detalle = recibidos.map((row) => detail(row, { totales, items: WITHHELD }));
    return await askedLake({ recibidos, recibidos_detalle });
  };

  it.each<[string, unknown]>([
    ['UYU', 'USD'],
    ['USD', 'UYU'],
    ['USD', 840],
  ])('as %s of the list beside %j is told, and counts as the list has it', async (moneda, stated) => {
    const ask = await askedOf(moneda, stated);
    const rate = moneda === 'UYU' ? '1.000000' : '40.000000';
    expect(await ask('libro-iva-compras', 8, 9, 28)).toEqual([[moneda, rate, 'moneda contradictoria']]);
    expect(await ask('resguardos', 8, 16)).toEqual([[moneda, 'moneda contradictoria']]);
    const position = await ask('posicion-iva', 3, 15, 16);
    expect(position.filter(([currency]) => currency === moneda)).toEqual(
      Array(2).fill([moneda, '1', 'hay que revisar']),
    );
    expect(await ask('vat-by-month', 3, 12)).toEqual([[moneda, '1']]);
    expect(await ask('formulario-2181', 4, 5)).toEqual([[null, '1']]);
  });

  it.each<[string, unknown]>([
    ['UYU', 'UYU'],
    ['UYU', ''],
    ['UYU', null],
    ['UYU', ['USD']],
    ['', 'USD'],
  ])('is none as “%s” beside %j', async (moneda, stated) => {
    const ask = await askedOf(moneda, stated);
    expect(await ask('libro-iva-compras', 28)).toEqual([[null]]);
    expect(await ask('resguardos', 16)).toEqual([[null]]);
    expect(await ask('vat-by-month', 12)).toEqual([['0']]);
    expect(await ask('formulario-2181', 4)).toEqual([['505']]);
  });
});
