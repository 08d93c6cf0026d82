import { describe, expect, it } from 'vitest';
import { EMITIDOS, RECIBIDOS } from '../../../lib/lake/tables.ts';
import { RUT } from '../../support/api/api-client.ts';
import { recordOf, records, rowsOf } from './rows-of.ts';

const RECEIVED = {
  id: 7,
  tipo_comprobante: 111,
  serie: 'A',
  numero: 1234567,
  forma_pago: 2,
  moneda: 'UYU',
  fecha_emision: '2026-11-19T00:00:00',
  fecha_firma: '2026-11-19T10:20:30.5',
  emisor: { ruc: '211003420017', razon_social: 'Ñandú & Cía' },
  receptor: { nro_doc: RUT, denominacion: 'La Empresa' },
  totales: { total: 617.5, total_pagar: -0.01 },
  estado: { codigo: 'AE' },
};

const ISSUED = {
  id: 8,
  tipo_comprobante: 101,
  serie: 'B',
  numero: 1,
  fecha_emision: '2026-11-19T00:00:00',
  fecha_firma: '2026-11-19T10:20:30',
  receptor: { ruc: '211003420017', razon_social: 'Otra' },
  totales: { total: 1, total_pagar: 1 },
  estado_receptor: { codigo: 'ACEPTADO' },
  estado_dgi: { codigo: 'CE' },
};

const DAY_MICROS = 1_795_046_400_000_000n;

describe('a receipt as the contract describes it', () => {
  it('received, has each field in its column', () => {
    expect(records(rowsOf([RECEIVED]).sorted())).toEqual([
      {
        id: 7n,
        rut: RUT,
        tipo_comprobante: 111,
        serie: 'A',
        numero: 1234567,
        forma_pago: 2,
        moneda: 'UYU',
        fecha_emision: DAY_MICROS,
        fecha_firma: DAY_MICROS + 37_230_500_000n,
        emisor_ruc: '211003420017',
        emisor_razon_social: 'Ñandú & Cía',
        receptor_nro_doc: RUT,
        receptor_denominacion: 'La Empresa',
        totales_total: 61_750n,
        totales_total_pagar: -1n,
        estado_codigo: 'AE',
      },
    ]);
  });

  it('issued, has each field in its column', () => {
    expect(records(rowsOf([ISSUED], EMITIDOS).sorted(), EMITIDOS)).toEqual([
      {
        id: 8n,
        rut: RUT,
        tipo_comprobante: 101,
        serie: 'B',
        numero: 1,
        fecha_emision: DAY_MICROS,
        fecha_firma: DAY_MICROS + 37_230_000_000n,
        receptor_ruc: '211003420017',
        receptor_razon_social: 'Otra',
        totales_total: 100n,
        totales_total_pagar: 100n,
        estado_receptor_codigo: 'ACEPTADO',
        estado_dgi_codigo: 'CE',
      },
    ]);
  });

  it('may have anything but its id missing or null, without a warning', () => {
    const empty = { id: 1 };
    const nulls = Object.fromEntries(Object.keys(RECEIVED).map((name) => [name, null]));
    const innerNulls = { id: 3, emisor: { ruc: null }, receptor: {}, totales: { total: null }, estado: null };
    const rows = rowsOf([empty, { ...nulls, id: 2 }, innerNulls]);
    expect(records(rows.sorted())).toEqual([1n, 2n, 3n].map((id) => ({ id, rut: RUT })));
    expect(rows.conversionErrors).toBe(0);
  });

  it('has the largest values that fit', () => {
    const text = `{"id":9223372036854775807,"numero":2147483647,"tipo_comprobante":-2147483648,
      "totales":{"total":999999999999999.99,"total_pagar":-999999999999999.99}}`;
    expect(records(rowsOf([text]).sorted())[0]).toMatchObject({
      id: 9223372036854775807n,
      numero: 2147483647,
      tipo_comprobante: -2147483648,
      totales_total: 99_999_999_999_999_999n,
      totales_total_pagar: -99_999_999_999_999_999n,
    });
  });
});

/** The receipt's JSON, what `otros` then holds, and the number of warnings. */
const MISFITS: readonly [name: string, receipt: string, otros: string, warnings: number][] = [
  [
    'an amount of 22 digits',
    '{"id":1,"totales":{"total":12345678901234567890.12}}',
    '{"totales.total":12345678901234567890.12}',
    1,
  ],
  ['an amount with three decimals', '{"id":1,"totales":{"total":0.125}}', '{"totales.total":0.125}', 1],
  ['an amount as text', '{"id":1,"totales":{"total_pagar":"12.50"}}', '{"totales.total_pagar":"12.50"}', 1],
  ['a number where text belongs', '{"id":1,"serie":5}', '{"serie":5}', 1],
  ['text where a number belongs', '{"id":1,"tipo_comprobante":"111"}', '{"tipo_comprobante":"111"}', 1],
  ['a number past 32 bits', '{"id":1,"numero":2147483648}', '{"numero":2147483648}', 1],
  ['a number that is no integer', '{"id":1,"forma_pago":1.5}', '{"forma_pago":1.5}', 1],
  ['a boolean', '{"id":1,"moneda":true}', '{"moneda":true}', 1],
  [
    'a day that does not exist',
    '{"id":1,"fecha_emision":"2026-02-30T00:00:00"}',
    '{"fecha_emision":"2026-02-30T00:00:00"}',
    1,
  ],
  [
    'a date with a zone',
    '{"id":1,"fecha_firma":"2026-11-19T00:00:00Z"}',
    '{"fecha_firma":"2026-11-19T00:00:00Z"}',
    1,
  ],
  ['a lone surrogate', '{"id":1,"moneda":"U\\ud800Y"}', '{"moneda":"U\\\\ud800Y"}', 1],
  [
    'an object where a value belongs',
    '{"id":1,"estado":{"codigo":{"b":1,"a":[2]}}}',
    '{"estado.codigo":{"a":[2],"b":1}}',
    1,
  ],
  ['text where an object belongs', '{"id":1,"emisor":"211003420017"}', '{"emisor":"211003420017"}', 1],
  ['a list where an object belongs', '{"id":1,"totales":[{"total":1}]}', '{"totales":[{"total":1}]}', 1],
  [
    'a long number where an object belongs',
    '{"id":1,"emisor":12345678901234567890}',
    '{"emisor":12345678901234567890}',
    1,
  ],
  ['false where an object belongs', '{"id":1,"estado":false}', '{"estado":false}', 1],
  [
    'several at once',
    '{"id":1,"serie":1,"emisor":2,"totales":{"total":"x","total_pagar":1}}',
    '{"emisor":2,"serie":1,"totales.total":"x"}',
    3,
  ],
  ['a new field', '{"id":1,"nuevo":{"b":1,"a":null}}', '{"nuevo":{"a":null,"b":1}}', 0],
  ['a new field of null', '{"id":1,"nuevo":null}', '{"nuevo":null}', 0],
  [
    'a new inner field',
    '{"id":1,"emisor":{"ruc":null,"pais":"UY"},"totales":{"iva":{"x":1.10}}}',
    '{"emisor.pais":"UY","totales.iva":{"x":1.1}}',
    0,
  ],
  [
    'a new field with a long number',
    '{"id":1,"tasa":0.12345678901234567890}',
    '{"tasa":0.12345678901234567890}',
    0,
  ],
  [
    'names that objects have anyway',
    '{"id":1,"__proto__":{"x":1},"constructor":2,"toString":"3"}',
    '{"__proto__":{"x":1},"constructor":2,"toString":"3"}',
    0,
  ],
  [
    'an inner name that objects have anyway',
    '{"id":1,"emisor":{"__proto__":"x"}}',
    '{"emisor.__proto__":"x"}',
    0,
  ],
  [
    'a seventh fractional digit',
    '{"id":1,"fecha_firma":"2026-11-19T00:00:00.1234567"}',
    '{"fecha_firma":"2026-11-19T00:00:00.1234567"}',
    0,
  ],
  [
    'nine fractional digits',
    '{"id":1,"fecha_firma":"2026-11-19T00:00:00.123456789"}',
    '{"fecha_firma":"2026-11-19T00:00:00.123456789"}',
    0,
  ],
];

describe('what has no column, or does not fit it', () => {
  it.each(MISFITS)('is kept in otros: %s', (_name, receipt, otros, warnings) => {
    const rows = rowsOf([receipt]);
    expect(rows.conversionErrors).toBe(warnings);
    expect(records(rows.sorted())[0]?.otros).toBe(otros);
  });

  it('leaves its column null, and the others as they are', () => {
    const odd = {
      ...RECEIVED,
      serie: 5,
      emisor: 'x',
      totales: { total: 'x', total_pagar: 2 },
      moneda: 'UYI',
    };
    const { serie, emisor_ruc, emisor_razon_social, totales_total, otros, ...rest } = recordOf(odd);
    expect({ serie, emisor_ruc, emisor_razon_social, totales_total }).toEqual({
      serie: undefined,
      emisor_ruc: undefined,
      emisor_razon_social: undefined,
      totales_total: undefined,
    });
    expect(otros).toBe('{"emisor":"x","serie":5,"totales.total":"x"}');
    expect(rest).toMatchObject({
      moneda: 'UYI',
      totales_total_pagar: 200n,
      numero: 1234567,
      estado_codigo: 'AE',
    });
  });

  it('is all in the column that can be, where only digits past the sixth are cut off', () => {
    for (const past of ['7', '78', '789']) {
      const row = recordOf({
        id: 1,
        fecha_firma: `2026-11-19T00:00:00.123456${past}`,
        fecha_emision: `2026-11-19T00:00:00.123456${past.replaceAll(/./g, '0')}`,
      });
      expect(row).toEqual({
        fecha_firma: DAY_MICROS + 123_456n,
        fecha_emision: DAY_MICROS + 123_456n,
        otros: `{"fecha_firma":"2026-11-19T00:00:00.123456${past}"}`,
      });
    }
  });

  it('stays with its own receipt', () => {
    const rows = rowsOf([{ id: 1, nuevo: 1 }, { id: 2 }, { id: 3, otro: 2 }]);
    expect(records(rows.sorted()).map(({ otros }) => otros)).toEqual([
      '{"nuevo":1}',
      undefined,
      '{"otro":2}',
    ]);
  });

  it('is told apart from a field of the contract that the other list has', () => {
    expect(recordOf({ id: 1, forma_pago: 1, estado: { codigo: 'AE' } }, EMITIDOS)).toEqual({
      otros: '{"estado":{"codigo":"AE"},"forma_pago":1}',
    });
    expect(recordOf({ id: 1, estado_dgi: { codigo: 'AE' } }, RECIBIDOS)).toEqual({
      otros: '{"estado_dgi":{"codigo":"AE"}}',
    });
  });
});
