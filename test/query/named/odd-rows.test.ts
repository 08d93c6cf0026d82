import { describe, expect, it } from 'vitest';
import { type MadeRow, madeLake } from '../../support/made-lake.ts';

/** Rows that no sandbox sends: what each question makes of them was worked out by hand. */

const TODAY = '2026-11-20';
const RUT = '211003420017';
const SUPPLIER = '214844360018';
const GONE = { visto_por_ultima_vez: '2026-11-12T03:00:00' };

let ids = 0;
function received(fecha: string, number: string, rest: MadeRow = {}): MadeRow {
  ids += 1;
  return {
    ...{
      fecha,
      id: ids,
      rut: RUT,
      tipo_comprobante: 111,
      serie: number.slice(0, 1),
      numero: number.slice(1),
    },
    ...{ emisor_ruc: SUPPLIER, emisor_razon_social: 'Proveedor', moneda: 'UYU', totales_total: '100' },
    ...{ totales_total_pagar: '100', fecha_firma: `${fecha}T10:00:00`, forma_pago: 2, estado_codigo: 'AE' },
    ...rest,
  };
}

function issued(fecha: string, number: string, rest: MadeRow = {}): MadeRow {
  ids += 1;
  return {
    ...{
      fecha,
      id: ids,
      rut: RUT,
      tipo_comprobante: 111,
      serie: number.slice(0, 1),
      numero: number.slice(1),
    },
    ...{ receptor_ruc: SUPPLIER, totales_total: '100', totales_total_pagar: '100', estado_dgi_codigo: 'AE' },
    ...{ estado_receptor_codigo: 'ACEPTADO', fecha_firma: `${fecha}T10:00:00` },
    ...rest,
  };
}

/** Its detail, as it stands in the list. */
function detail({ fecha = '', id = 0, tipo_comprobante: type = 0 }: MadeRow, rest: MadeRow): MadeRow {
  return { fecha, id, rut: RUT, tipo_comprobante: type, leido: '2026-11-19T03:00:00', ...rest };
}

describe('duplicate supplier invoices', () => {
  it('sets every receipt beside the latest before it that has another number', async () => {
    const recibidos = [
      received('2026-11-02', 'A5'),
      received('2026-11-03', 'A6'),
      received('2026-11-03', 'A6'),
      received('2026-11-04', 'A5'),
    ];
    const answer = await (await madeLake({ recibidos }))('duplicate-supplier-invoices', TODAY);
    expect(answer.map((row) => [...row.slice(6, 9), ...row.slice(9, 12), row[12]].join(' '))).toEqual([
      '2026-11-03 A 6 2026-11-02 A 5 1',
      '2026-11-03 A 6 2026-11-02 A 5 1',
      '2026-11-04 A 5 2026-11-03 A 6 1',
    ]);
  });

  it('takes a contingency receipt of the same number for another one', async () => {
    const recibidos = [received('2026-11-02', 'A5'), received('2026-11-03', 'A5', { tipo_comprobante: 211 })];
    const answer = await (await madeLake({ recibidos }))('duplicate-supplier-invoices', TODAY);
    expect(answer.map((row) => [row[3], row[7], row[8]])).toEqual([['211', 'A', '5']]);
  });

  it('knows nothing of suppliers without a document', async () => {
    const recibidos = ['A5', 'B6'].map((number) => received('2026-11-02', number, { emisor_ruc: '' }));
    expect(await (await madeLake({ recibidos }))('duplicate-supplier-invoices', TODAY)).toEqual([]);
  });
});

it('numbers under two ids, and one id under two dates', async () => {
  const twice = received('2026-11-05', 'B7');
  const recibidos = [
    received('2026-11-02', 'A5'),
    received('2026-11-02', 'A5'),
    received('2026-11-02', 'A5', { emisor_ruc: '218617380010' }),
    received('2026-11-02', 'A5', { tipo_comprobante: 112 }),
    received('2026-11-03', 'A6'),
    received('2026-11-04', 'A6', GONE),
    twice,
    { ...twice, fecha: '2026-11-06' },
    received('2026-11-06', 'A', {}),
    received('2026-11-07', 'A9'),
    received('2026-11-08', 'A9', { estado_codigo: 'BE' }),
  ].map(({ numero, ...rest }) => (numero === '' ? rest : { ...rest, numero: numero ?? '' }));
  const emitidos = [issued('2026-11-09', 'A1'), issued('2026-11-09', 'A1')];
  const answer = await (await madeLake({ recibidos, emitidos }))('numbers-under-two-ids', TODAY);
  expect(answer.map((row) => [...row.slice(1, 7), row[9], row[10]].join(' '))).toEqual([
    `emitidos ${RUT} 111 A 1 2026-11-09 AE 2`,
    `emitidos ${RUT} 111 A 1 2026-11-09 AE 2`,
    `recibidos ${SUPPLIER} 111 A 5 2026-11-02 AE 2`,
    `recibidos ${SUPPLIER} 111 A 5 2026-11-02 AE 2`,
    `recibidos ${SUPPLIER} 111 A 9 2026-11-07 AE 1`,
    `recibidos ${SUPPLIER} 111 A 9 2026-11-08 BE 1`,
    `recibidos ${SUPPLIER} 111 B 7 2026-11-05 AE 2`,
    `recibidos ${SUPPLIER} 111 B 7 2026-11-06 AE 2`,
  ]);
});

it('numbering gaps have the date that a number has now', async () => {
  const emitidos = [
    issued('2026-11-01', 'A1', GONE),
    issued('2026-11-05', 'A1'),
    issued('2026-11-02', 'A3', { estado_dgi_codigo: 'BE' }),
    issued('2026-11-06', 'A3'),
    issued('2026-11-02', 'A5', GONE),
    issued('2026-11-07', 'A5', { estado_dgi_codigo: 'BE' }),
    issued('2026-11-07', 'A6'),
  ];
  const answer = await (await madeLake({ emitidos }))('numbering-gaps', TODAY);
  expect(answer.map((row) => row.slice(3).join(' '))).toEqual([
    'falta 2 2 1 2026-11-05 2026-11-06',
    'falta 4 4 1 2026-11-06 2026-11-07',
    'rechazado 5 5 1 2026-11-07 2026-11-07',
  ]);
});

describe('what waits', () => {
  it('an answer is owed by a RUT, and by no document that only looks like one', async () => {
    const documents = [
      ...['AB1234567890', '2148443600181', '21 484436001', '٢١٤٨٤٤٣٦٠٠١٨', ''],
      // Another check digit; and with the right one: a prefix too high, one too low, no number, not 001.
      ...['210303670014', '991234560011', '001234560019', '210000000019', '211234560027'],
    ];
    const nobody = documents.map((receptor_ruc) => issued('2026-11-02', 'A1', { receptor_ruc }));
    const owing = ['219999830019', '217832560011'].map((receptor_ruc) =>
      issued('2026-11-03', 'A2', { receptor_ruc }),
    );
    const passport = issued('2026-11-04', 'A3', { receptor_ruc: '211003420017' });
    const company = issued('2026-11-05', 'A4', { receptor_ruc: '210303670014' });
    const emitidos = [...nobody, ...owing, passport, company].map(
      ({ estado_receptor_codigo: _, ...rest }) => rest,
    );
    const emitidos_detalle = [
      detail(passport, { receptor: '{"tipo_documento":5,"nro_doc":"211003420017"}' }),
      detail(company, { receptor: '{"tipo_documento":2,"nro_doc":"210303670014"}' }),
    ];
    const answer = await (await madeLake({ emitidos, emitidos_detalle }))('unanswered-by-age', TODAY);
    expect(answer).toEqual([[RUT, 'receptor', '0 a 20', '111', '3', '2026-11-03']]);
  });

  it('an empty status is none', async () => {
    const emitidos = [
      issued('2026-11-02', 'A1', { estado_receptor_codigo: '' }),
      issued('2026-11-03', 'A2', { estado_dgi_codigo: '' }),
    ];
    const recibidos = [received('2026-11-04', 'A3', { estado_codigo: '' })];
    const answerOf = await madeLake({ emitidos, recibidos });
    expect(await answerOf('rejected-by-age', TODAY)).toEqual([]);
    expect(await answerOf('unanswered-by-age', TODAY)).toEqual([
      [RUT, 'dgi', '0 a 20', '111', '1', '2026-11-03'],
      [RUT, 'estado', '0 a 20', '111', '1', '2026-11-04'],
      [RUT, 'receptor', '0 a 20', '111', '1', '2026-11-02'],
    ]);
  });
});

it('a credit note whose references are no array has not none', async () => {
  const type = { tipo_comprobante: 112 };
  const [none, absent, strange, some] = ['A1', 'A2', 'A3', 'A4'].map((number) =>
    received('2026-11-02', number, type),
  );
  if (!none || !absent || !strange || !some) throw new Error('four notes were made');
  const recibidos_detalle = [
    detail(none, { referencias: '[]' }),
    detail(absent, { otros: '{"algo":1}' }),
    detail(strange, { otros: '{"referencias":{"serie":"A","numero":5}}' }),
    detail(some, { referencias: '[{"serie":"A","numero":5}]' }),
  ];
  const recibidos = [none, absent, strange, some];
  const answer = await (await madeLake({ recibidos, recibidos_detalle }))(
    'credit-notes-without-reference',
    TODAY,
  );
  expect(answer.map((row) => row[5])).toEqual(['1', '2']);
});

describe('amounts that are not of cents', () => {
  it('a book notes what of a line is not whole', async () => {
    const [fraction, worded, outdated, whole] = ['A1', 'A2', 'A3', 'A4'].map((number) =>
      received('2026-11-02', number, { tipo_comprobante: 112, moneda: 'USD' }),
    );
    if (!fraction || !worded || !outdated || !whole) throw new Error('four were made');
    const recibidos_detalle = [
      detail(fraction, { totales: '{"mnt_iva_tasa_basica":0.005,"tipo_cambio":40}' }),
      detail(worded, { totales: '{"mnt_iva_tasa_basica":"1,5","mnt_no_gravado":100,"tipo_cambio":40}' }),
      detail(outdated, { totales: '{"mnt_no_gravado":90}', motivo: 'x' }),
      detail(whole, { totales: '{"mnt_no_gravado":99.5,"tipo_cambio":40.123}' }),
    ];
    const answerOf = await madeLake({ recibidos: [fraction, worded, outdated, whole], recibidos_detalle });
    const answer = await answerOf('libro-iva-compras', TODAY);
    // Not taxed, VAT at the basic rate, the rest and the total, in dollars and in pesos.
    expect(answer.map((row) => [10, 15, 16, 17, 18, 24, 25, 27].map((index) => row[index]))).toEqual([
      [null, '-0.01', '-99.99', '-100.00', null, '-3999.60', '-4000.00', 'mas de dos decimales'],
      ['-100.00', null, '0.00', '-100.00', '-4000.00', '0.00', '-4000.00', 'monto ilegible'],
      ['-90.00', null, '-10.00', '-100.00', null, null, null, 'detalle anterior'],
      ['-99.50', null, '-0.50', '-100.00', '-3992.24', '-20.06', '-4012.30', null],
    ]);
    const declared = await answerOf('formulario-2181', TODAY);
    expect(declared.map((row) => row.slice(4))).toEqual([
      ['504', '1', '-3992.24', '0.00'],
      [null, '3', null, null],
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
    expect(answer.map((row) => row.slice(9, 16))).toEqual([
      ['x', '7.000', '3.00', '0.01', '0.01', 'AE', 'mas de dos decimales'],
      ['x', '7.000', '1.00', null, null, 'AE', 'monto ilegible'],
    ]);
  });

  it('VAT adds them up exactly, and says how many', async () => {
    const small = ['A1', 'A2', 'A3'].map((number) => received('2026-11-02', number));
    const [worded, outdated] = ['A4', 'A5'].map((number) => received('2026-11-02', number));
    if (!worded || !outdated) throw new Error('two more were made');
    const recibidos_detalle = [
      ...small.map((one) =>
        detail(one, { totales: '{"mnt_iva_tasa_basica":0.004,"mnt_neto_iva_tasa_basica":1}' }),
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

  it('items sold do too', async () => {
    const one = issued('2026-11-02', 'A1');
    const line = '{"codigo":"c","nombre":"n","cantidad":0.0004,"monto":0.004}';
    const emitidos_detalle = [
      detail(one, { items: `[${line},${line},${line}]`, totales: '{"moneda":"UYU"}' }),
    ];
    const answer = await (await madeLake({ emitidos: [one], emitidos_detalle }))('items-sold', TODAY);
    expect(answer).toEqual([[RUT, 'c', 'n', null, 'UYU', '1', '0.001', '0.01', '0', '3']]);
  });
});

it('payables to suppliers without a document stand under their names', async () => {
  const recibidos = ['Uno', 'Dos'].map((name) =>
    received('2026-11-02', 'A1', { emisor_ruc: '', emisor_razon_social: name }),
  );
  const answer = await (await madeLake({ recibidos }))('payables-by-supplier', TODAY);
  expect(answer.map((row) => [row[2], row[6]])).toEqual([
    ['Dos', '100.00'],
    ['Uno', '100.00'],
  ]);
});
