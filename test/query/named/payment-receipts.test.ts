import { describe, expect, it } from 'vitest';
import { DIRECTIONS } from '../../../lib/units/unit.ts';
import { askedLake, lakeOfBothLists } from '../../support/query/lake-of-both-lists.ts';
import { detail, received } from '../../support/query/made-receipts.ts';

/** A payment receipt has the total 0, and what it is of in total_pagar. Its detail may leave out what is 0. */

const BOOKS = { emitidos: 'libro-iva-ventas', recibidos: 'libro-iva-compras' } as const;
const PAYMENT = { totales_total: '0', totales_total_pagar: '500' };

describe('a total of 0', () => {
  it('has all its amounts, of 0, where its detail was read', async () => {
    const ask = await lakeOfBothLists([
      { row: PAYMENT },
      { row: PAYMENT, totals: { mnt_iva_tasa_basica: 0 } },
      { row: { ...PAYMENT, tipo_comprobante: 112 } },
    ]);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 10, 14, 15, 16, 17, 28)).toEqual(
        Array(3).fill(['0.00', '0.00', '0.00', '0.00', '0.00', null]),
      );
    const position = await ask('posicion-iva', 3, 5, 12, 15, 16);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual(
      Array(2).fill(['UYU', '0.00', '0', '0', null]),
    );
    expect(await ask('vat-by-month', 11, 12)).toEqual([
      ['0', '0'],
      ['0', '0'],
    ]);
    expect(await ask('formulario-2181')).toEqual([]);
  });

  it('has none that is known where its detail was not read, nor what of it is no number', async () => {
    const ask = await lakeOfBothLists([
      { row: PAYMENT, totals: { mnt_no_gravado: 'x' } },
      { row: PAYMENT, totals: { mnt_neto_iva_tasa_basica: 78, mnt_iva_tasa_basica: 22 } },
    ]);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 10, 28)).toEqual([
        [null, 'monto ilegible'],
        ['0.00', 'no cierra'],
      ]);
    const recibidos = ['A1', 'A2'].map((number) => received('2026-11-02', number, PAYMENT));
    const { leido, ...never } = detail(recibidos[0] ?? {}, { totales: '{"total":0}', motivo: 'x' });
    const unread = await askedLake({ recibidos, recibidos_detalle: [never] });
    expect(await unread('libro-iva-compras', 10, 28)).toEqual(Array(2).fill([null, 'sin desglose']));
  });

  it('says nothing of a receipt that has another', async () => {
    const ask = await lakeOfBothLists([{}, { row: { totales_total: '0.01' } }]);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual([['sin desglose'], ['sin desglose']]);
  });
});
