import { describe, expect, it } from 'vitest';
import { type MadeRow, madeLake } from '../../support/query/made-lake.ts';
import { detail, issued, RUT, received } from '../../support/query/made-receipts.ts';

const TODAY = '2026-11-20';

/** The same receipt without an amount, as if that did not fit its column. */
function lacking(amount: 'totales_total' | 'totales_total_pagar', row: MadeRow): MadeRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== amount));
}

describe('amounts that are not of cents', () => {
  it('a book notes what of a line is not whole', async () => {
    const [fraction, worded, outdated, whole] = ['A1', 'A2', 'A3', 'A4'].map((number) =>
      received('2026-11-02', number, { tipo_comprobante: 112, moneda: 'USD' }),
    );
    if (!fraction || !worded || !outdated || !whole) throw new Error('four were made');
    const recibidos_detalle = [
      detail(fraction, {
        totales: '{"mnt_neto_iva_tasa_basica":0.02,"mnt_iva_tasa_basica":0.005,"tipo_cambio":40}',
      }),
      detail(worded, { totales: '{"mnt_iva_tasa_basica":"1,5","mnt_no_gravado":100,"tipo_cambio":40}' }),
      detail(outdated, { totales: '{"mnt_no_gravado":90}', motivo: 'x' }),
      detail(whole, { totales: '{"mnt_no_gravado":99.5,"tipo_cambio":40.123}' }),
    ];
    const answerOf = await madeLake({ recibidos: [fraction, worded, outdated, whole], recibidos_detalle });
    const answer = await answerOf('libro-iva-compras', TODAY);
    // Columns: not taxed, VAT at the basic rate, the rest and the total in dollars; some of them in pesos; remark.
    expect(answer.map((row) => [10, 15, 16, 17, 18, 24, 25, 28].map((index) => row[index]))).toEqual([
      [null, '-0.01', '-99.97', '-100.00', null, '-3998.80', '-4000.00', 'mas de dos decimales'],
      ['-100.00', null, '0.00', '-100.00', '-4000.00', '0.00', '-4000.00', 'monto ilegible'],
      ['-90.00', null, '-10.00', '-100.00', null, null, null, 'detalle anterior, sin tipo de cambio'],
      ['-99.50', null, '-0.50', '-100.00', '-3992.24', '-20.06', '-4012.30', null],
    ]);
    const declared = await answerOf('formulario-2181', TODAY);
    expect(declared.map((row) => row.slice(4))).toEqual([
      ['504', '1', '-3992.24', '0.00', '0', null],
      [null, '3', null, null, null, 'falta tipo de cambio'],
    ]);
  });

  it('a resguardo adds its lines up exactly, and notes what is no number', async () => {
    const [made, worded] = ['A1', 'A2'].map((number) =>
      received('2026-11-02', number, { tipo_comprobante: 282 }),
    );
    if (!made || !worded) throw new Error('two were made');
    const line = (value: string) =>
      `{"retenciones_percepciones":[{"codigo":"x","tasa":7,"monto_sujeto":1,"valor":${value}}]}`;
    const recibidos_detalle = [
      detail(made, { items: `[${[0.004, 0.004, 0.004].map(String).map(line).join()},{"monto":1}]` }),
      detail(worded, { items: `[${line('"?"')},{"retenciones_percepciones":"?"}]` }),
    ];
    const answer = await (await madeLake({ recibidos: [made, worded], recibidos_detalle }))(
      'resguardos',
      TODAY,
    );
    expect(answer.map((row) => row.slice(9, 17))).toEqual([
      ['x', '7.000', '3.00', '0.01', '0.01', null, 'AE', 'mas de dos decimales'],
      ['x', '7.000', '1.00', null, null, null, 'AE', 'monto ilegible'],
      [null, null, null, null, null, null, 'AE', 'monto ilegible'],
    ]);
  });

  it('VAT adds them up exactly, and says how many', async () => {
    const small = ['A1', 'A2', 'A3'].map((number) => received('2026-11-02', number));
    const [worded, outdated] = ['A4', 'A5'].map((number) => received('2026-11-02', number));
    if (!worded || !outdated) throw new Error('two more were made');
    const recibidos_detalle = [
      ...small.map((receipt) =>
        detail(receipt, { totales: '{"mnt_iva_tasa_basica":0.004,"mnt_neto_iva_tasa_basica":1}' }),
      ),
      detail(worded, { totales: '{"mnt_iva_tasa_basica":"1.234,56","mnt_neto_iva_tasa_basica":2}' }),
      detail(outdated, {
        totales: '{"mnt_iva_tasa_basica":4.40,"mnt_neto_iva_tasa_basica":20}',
        motivo: 'x',
      }),
    ];
    const recibidos = [...small, worded, outdated];
    const answer = await (await madeLake({ recibidos, recibidos_detalle }))('vat-by-month', TODAY);
    expect(answer.map((row) => row.slice(3))).toEqual([
      ['UYU', '5', null, null, null, null, '25.00', '4.41', '0', '5'],
    ]);
  });

  it('items sold add them up exactly, too', async () => {
    const receipt = issued('2026-11-02', 'A1');
    const line = '{"codigo":"c","nombre":"n","cantidad":0.0004,"monto":0.004}';
    const emitidos_detalle = [
      detail(receipt, { items: `[${line},${line},${line}]`, totales: '{"moneda":"UYU"}' }),
    ];
    const answer = await (await madeLake({ emitidos: [receipt], emitidos_detalle }))('items-sold', TODAY);
    expect(answer).toEqual([[RUT, 'c', 'n', null, 'UYU', '1', '0.001', '0.01', '0', '3']]);
  });

  it('items sold count a quantity or an amount that is an object', async () => {
    const receipt = issued('2026-11-02', 'A1');
    const items =
      '[{"cantidad":{"valor":2},"monto":1},{"cantidad":2,"monto":[1]},{"cantidad":null,"monto":1}]';
    const emitidos_detalle = [detail(receipt, { items, totales: '{"moneda":"UYU"}' })];
    const answer = await (await madeLake({ emitidos: [receipt], emitidos_detalle }))('items-sold', TODAY);
    expect(answer).toEqual([[RUT, null, null, null, 'UYU', '1', '2.000', '2.00', '1', '2']]);
  });
});

describe('exchange rates', () => {
  const VAT = { mnt_neto_iva_tasa_basica: 100, mnt_iva_tasa_basica: 22 };
  const RATES = ['43.1236', '43.123', '0', '-40', '"43,1"', '0.0000001'];

  it('are taken as stated, and none that is not above 0', async () => {
    const recibidos = RATES.map((_, index) =>
      received('2026-11-02', `A${index}`, { moneda: 'USD', totales_total: '122' }),
    );
    const recibidos_detalle = recibidos.map((receipt, index) =>
      detail(receipt, { totales: JSON.stringify(VAT).replace('}', `,"tipo_cambio":${RATES[index]}}`) }),
    );
    const answerOf = await madeLake({ recibidos, recibidos_detalle });
    const book = await answerOf('libro-iva-compras', TODAY);
    expect(book.map((row) => [row[9], row[23], row[25]])).toEqual([
      ['43.123600', '948.72', '5261.08'],
      ['43.123000', '948.71', '5261.01'],
      ...[null, null, null, null].map(() => [null, null, null]),
    ]);
    const declared = await answerOf('formulario-2181', TODAY);
    expect(declared.map((row) => row.slice(4, 7))).toEqual([
      ['505', '2', '1897.43'],
      [null, '4', null],
    ]);
  });

  it('of what was withheld are taken as stated, too', async () => {
    const recibidos = RATES.map((_, index) =>
      received('2026-11-02', `A${index}`, { moneda: 'USD', tipo_comprobante: 182 }),
    );
    const items = '[{"retenciones_percepciones":[{"codigo":"x","tasa":7,"monto_sujeto":9,"valor":1000}]}]';
    const recibidos_detalle = recibidos.map((receipt, index) =>
      detail(receipt, { items, totales: `{"tipo_cambio":${RATES[index]}}` }),
    );
    const answer = await (await madeLake({ recibidos, recibidos_detalle }))('resguardos', TODAY);
    expect(answer.map((row) => row[13])).toEqual(['43123.60', '43123.00', null, null, null, null]);
  });
});

describe('receipts without an amount in the list', () => {
  it('are lines of a book that say so', async () => {
    const receipt = lacking('totales_total', issued('2026-11-02', 'A1'));
    const emitidos_detalle = [detail(receipt, { totales: '{"moneda":"UYU","mnt_no_gravado":100}' })];
    const answer = await (await madeLake({ emitidos: [receipt], emitidos_detalle }))(
      'libro-iva-ventas',
      TODAY,
    );
    expect(answer.map((row) => [10, 16, 17, 28].map((index) => row[index]))).toEqual([
      ['100.00', null, null, 'sin total'],
    ]);
  });

  it('are counted beside the sum of the daily report', async () => {
    const whole = issued('2026-11-02', 'A1');
    const rejected = lacking('totales_total', issued('2026-11-02', 'A3', { estado_dgi_codigo: 'BE' }));
    const emitidos = [whole, lacking('totales_total', issued('2026-11-02', 'A2')), rejected];
    const answer = await (await madeLake({ emitidos }))('daily-report', TODAY);
    expect(answer.map((row) => row.slice(6))).toEqual([['3', '1', '100.00', '1']]);
  });

  it('are counted beside what is owed, of either sum', async () => {
    const recibidos = [
      received('2026-11-02', 'A1'),
      lacking('totales_total_pagar', received('2026-11-02', 'A2')),
      lacking('totales_total', received('2026-11-02', 'A3')),
    ];
    const answer = await (await madeLake({ recibidos }))('payables-by-supplier', TODAY);
    expect(answer.map((row) => row.slice(5))).toEqual([['3', '200.00', '200.00', '2']]);
  });
});

it('receipts of more pesos than any sum holds are in no line of the form, and counted; others are', async () => {
  const recibidos = Array.from({ length: 20 }, (_, at) =>
    received('2026-11-02', `A${at}`, { moneda: 'IDR' }),
  );
  const recibidos_detalle = recibidos.map((receipt, at) => {
    const amount = at === 0 ? '22' : '999999999999999999.99';
    const totals = { mnt_neto_iva_tasa_basica: 78, mnt_iva_tasa_basica: amount, tipo_cambio: 99_999_999_999 };
    return detail(receipt, { totales: JSON.stringify(totals) });
  });
  const answer = await (await madeLake({ recibidos, recibidos_detalle }))('formulario-2181', TODAY);
  expect(answer.map((row) => row.slice(4, 7))).toEqual([
    ['505', '1', '2199999999978.00'],
    [null, '19', null],
  ]);
});

it('a receipt of an unknown type is in no line of the form, and counted', async () => {
  const receipt = received('2026-11-02', 'A1', { tipo_comprobante: 199 });
  const recibidos_detalle = [
    detail(receipt, { totales: '{"mnt_neto_iva_tasa_basica":78,"mnt_iva_tasa_basica":22}' }),
  ];
  const answer = await (await madeLake({ recibidos: [receipt], recibidos_detalle }))(
    'formulario-2181',
    TODAY,
  );
  expect(answer.map((row) => row.slice(4))).toEqual([[null, '1', null, null, null, null]]);
});
