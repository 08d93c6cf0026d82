import { describe, expect, it } from 'vitest';
import { readDayTotals } from '../../lib/coverage/day-totals.ts';
import { ObjectMissingError } from '../../lib/lake/store/store.ts';
import { newStore, RUT, storeUnit } from '../support/coverage-lake.ts';

const received = { rut: RUT, direccion: 'recibidos', fecha: '2026-11-19' } as const;
const issued = { ...received, direccion: 'emitidos' } as const;

describe('readDayTotals', () => {
  it('sums by type and currency, exactly where a double could not', async () => {
    const store = newStore();
    const large = 99_999_999_999_999_999n;
    await storeUnit(store, received, [
      { tipo_comprobante: 111, moneda: 'UYU', totales_total: large },
      { tipo_comprobante: 111, moneda: 'UYU', totales_total: large },
      { tipo_comprobante: 111, moneda: 'UYU', totales_total: 1n },
      { tipo_comprobante: 111, moneda: 'USD', totales_total: 10n },
      { tipo_comprobante: 101, moneda: 'UYU', totales_total: -5n },
    ]);
    expect(await readDayTotals(store, received)).toEqual([
      { tipo: 101, moneda: 'UYU', receipts: 1, withoutTotal: 0, total: -5n },
      { tipo: 111, moneda: 'USD', receipts: 1, withoutTotal: 0, total: 10n },
      { tipo: 111, moneda: 'UYU', receipts: 3, withoutTotal: 0, total: 2n * large + 1n },
    ]);
  });

  it('leaves out receipts that the API no longer lists', async () => {
    const store = newStore();
    await storeUnit(store, issued, [
      { tipo_comprobante: 101, totales_total: 100n },
      { tipo_comprobante: 101, totales_total: 900n, visto_por_ultima_vez: 1_700_000_000_000_000n },
      { tipo_comprobante: 181, totales_total: 900n, visto_por_ultima_vez: 0n },
    ]);
    expect(await readDayTotals(store, issued)).toEqual([
      { tipo: 101, moneda: null, receipts: 1, withoutTotal: 0, total: 100n },
    ]);
  });

  it('counts receipts without a total, a type or a currency apart', async () => {
    const store = newStore();
    await storeUnit(store, received, [
      { tipo_comprobante: 182, moneda: 'UYU' },
      { tipo_comprobante: 182, moneda: 'UYU', totales_total: 7n },
      { tipo_comprobante: 181 },
      { moneda: 'UYU', totales_total: 3n },
    ]);
    expect(await readDayTotals(store, received)).toEqual([
      { tipo: null, moneda: 'UYU', receipts: 1, withoutTotal: 0, total: 3n },
      { tipo: 181, moneda: null, receipts: 1, withoutTotal: 1, total: 0n },
      { tipo: 182, moneda: 'UYU', receipts: 2, withoutTotal: 1, total: 7n },
    ]);
  });

  it('says which object is missing', async () => {
    await expect(readDayTotals(newStore(), received)).rejects.toThrow(ObjectMissingError);
  });
});
