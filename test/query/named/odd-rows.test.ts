import { describe, expect, it } from 'vitest';
import { type MadeRow, madeLake } from '../../support/query/made-lake.ts';
import { detail, GONE, issued, RUT, received, SUPPLIER } from '../../support/query/made-receipts.ts';

/** Rows that the sandbox never sends. The expected answers were worked out by hand. */

const TODAY = '2026-11-20';
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

  it('treats a contingency receipt of the same number as a different one', async () => {
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
  const far = [-1, 2_147_483_647].map((numero) => issued('2026-11-05', 'B1', { numero }));
  const asked = await madeLake({ emitidos: [...emitidos, ...far] });
  const answer = await asked('numbering-gaps', TODAY);
  expect(answer.map((row) => row.slice(3).join(' '))).toEqual([
    'falta 2 2 1 2026-11-05 2026-11-06',
    'falta 4 4 1 2026-11-06 2026-11-07',
    'rechazado 5 5 1 2026-11-07 2026-11-07',
    'falta 0 2147483646 2147483647 2026-11-05 2026-11-05',
  ]);
});

describe('what waits', () => {
  it('an answer is owed by a RUT, and by no document that only looks like one', async () => {
    const documents = [
      'AB1234567890',
      '2148443600181',
      '21 484436001',
      '٢١٤٨٤٤٣٦٠٠١٨',
      '',
      // A wrong check digit; then, with the right one: prefix too high, prefix too low, no number, not 001.
      '210303670014',
      '991234560011',
      '001234560019',
      '210000000019',
      '211234560027',
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
    expect(answer).toEqual([[RUT, 'receptor', '0 a 20', '111', '3', '2026-11-03', null, null, '0']]);
  });

  it('an empty status counts as no status', async () => {
    const emitidos = [
      issued('2026-11-02', 'A1', { estado_receptor_codigo: '' }),
      issued('2026-11-03', 'A2', { estado_dgi_codigo: '' }),
    ];
    const recibidos = [received('2026-11-04', 'A3', { estado_codigo: '' })];
    const answerOf = await madeLake({ emitidos, recibidos });
    expect(await answerOf('rejected-by-age', TODAY)).toEqual([]);
    expect(await answerOf('unanswered-by-age', TODAY)).toEqual([
      [RUT, 'dgi', '0 a 20', '111', '1', '2026-11-03', null, null, '0'],
      [RUT, 'estado', '0 a 20', '111', '1', '2026-11-04', null, null, '0'],
      [RUT, 'receptor', '0 a 20', '111', '1', '2026-11-02', null, null, '0'],
    ]);
  });
});

describe('e-Tickets', () => {
  // 5,000 UI at 6.4208.
  const LIMIT = 32_104;
  const ticket = (number: string, rest: MadeRow = {}) =>
    issued('2026-11-02', number, {
      tipo_comprobante: 101,
      estado_dgi_codigo: 'NE',
      receptor_ruc: '',
      ...rest,
    });
  const totals = (rest: object) => ({ totales: JSON.stringify({ moneda: 'UYU', ...rest }) });
  const totalOf = (total: number) => ({ totales_total: total.toFixed(2) });
  const small = ticket('A1', totalOf(LIMIT - 0.01 + 7_062.88));
  const atLimit = ticket('A2', totalOf(LIMIT));
  const dollars = ticket('A3', totalOf(1_000));
  const withoutRate = ticket('A4');
  const byTotal = ticket('A5', { totales_total_pagar: String(LIMIT - 1) });
  const old = ticket('A6', { fecha: '2025-12-30' });
  const note = ticket('A7', { tipo_comprobante: 102, ...totalOf(50_000) });
  const identified = ticket('A8', { receptor_ruc: '12345678', ...totalOf(50_000) });
  const invoice = ticket('A9', { tipo_comprobante: 111 });
  const unread = ticket('B1');
  const emitidos = [small, atLimit, dollars, withoutRate, byTotal, old, note, identified, invoice, unread];
  const emitidos_detalle = [
    detail(small, totals({ mnt_neto_iva_tasa_basica: LIMIT - 0.01, mnt_iva_tasa_basica: 7_062.88 })),
    detail(atLimit, totals({ mnt_neto_iva_tasa_basica: LIMIT - 1, mnt_no_gravado: 1 })),
    detail(dollars, totals({ moneda: 'USD', tipo_cambio: 40, mnt_neto_iva_tasa_minima: 1_000 })),
    detail(withoutRate, totals({ moneda: 'USD', mnt_neto_iva_tasa_minima: 1 })),
    detail(byTotal, totals({})),
    detail(old, totals({ mnt_no_gravado: 1 })),
    detail(note, totals({ mnt_no_gravado: 50_000 })),
    detail(identified, totals({ mnt_no_gravado: 50_000 })),
    detail(invoice, totals({ mnt_no_gravado: 1 })),
  ];

  it('below the limit are told apart from all other pending answers', async () => {
    const answer = await (await madeLake({ emitidos, emitidos_detalle }))('unanswered-by-age', TODAY);
    const ofDgi = answer.filter(([, whose]) => whose === 'dgi');
    expect(ofDgi.map(([, , , type, count, , group]) => `${type} ${count} ${group}`).sort()).toEqual([
      '101 1 sin valor de UI',
      '101 2 bajo el limite',
      '101 2 sin leer el detalle',
      '101 3 sobre el limite',
      '102 1 sobre el limite',
      '111 1 null',
    ]);
  });

  it('above the limit without a buyer are named, and those of unknown amount counted', async () => {
    const named = [atLimit, dollars, small, byTotal, old, note, identified, invoice, unread, withoutRate];
    const answer = await (await madeLake({ emitidos: named, emitidos_detalle }))(
      'e-tickets-sin-identificar',
      TODAY,
    );
    expect(answer.map((row) => row.slice(11))).toEqual([
      ['comprobante', null],
      [null, 'falta tipo de cambio'],
    ]);
    expect(answer.map((row) => row.slice(3, 10).join(' '))).toEqual([
      `101 A 3 USD 40000.00 ${LIMIT}.00 1`,
      // One whose detail was not read, and one in dollars without a rate.
      '      2',
    ]);
  });

  it('have no buyer whose document has no letter, nor a digit but 0', async () => {
    const [nobody, somebody] = [
      [' ', '-', '0', '0.000-0', '', undefined],
      ['7', 'C', ' 12345678 '],
    ];
    const shown = async (
      documents: readonly (string | undefined)[],
      inDetail: 'nro_doc' | 'ruc' | undefined,
    ) => {
      const rows = documents.map((document, index) => {
        const { receptor_ruc, ...row } = ticket(`A${index}`, totalOf(50_000));
        return document === undefined || inDetail ? row : { ...row, receptor_ruc: document };
      });
      const details = rows.map((row, index) => {
        const receptor = JSON.stringify(inDetail ? { ruc: '-', [inDetail]: documents[index] } : {});
        return detail(row, { ...totals({ mnt_no_gravado: 50_000 }), receptor });
      });
      const asked = await madeLake({ emitidos: rows, emitidos_detalle: details });
      return (await asked('e-tickets-sin-identificar', TODAY)).length;
    };
    for (const place of [undefined, 'nro_doc', 'ruc'] as const) {
      expect(await shown(nobody, place)).toBe(nobody.length);
      expect(await shown(somebody, place)).toBe(0);
    }
  });

  it.each([2027, 2028, 2030])('of %i are judged with the newest UI before it, by name', async (year) => {
    const inYear = (number: string, rest: MadeRow = {}) =>
      ticket(number, { fecha: `${year}-01-05`, fecha_firma: `${year}-01-05T10:00:00`, ...rest });
    const below = inYear('A1', totalOf(LIMIT - 1));
    const above = inYear('A2', totalOf(LIMIT + 1));
    const asked = await madeLake({
      emitidos: [below, above, inYear('A3')],
      emitidos_detalle: [
        detail(below, totals({ mnt_no_gravado: LIMIT - 1 })),
        detail(above, totals({ mnt_no_gravado: LIMIT + 1 })),
      ],
    });
    const today = `${year}-01-20`;
    const waiting = await asked('unanswered-by-age', today);
    expect(waiting.map((row) => [row[6], row[7]])).toEqual([
      ['bajo el limite', 'con la UI de 2026'],
      ['sin leer el detalle', null],
      ['sobre el limite', 'con la UI de 2026'],
    ]);
    const named = await asked('e-tickets-sin-identificar', today);
    expect(named.map((row) => [row[8], row[9], row[12]])).toEqual([
      [`${LIMIT}.00`, '1', 'con la UI de 2026'],
      [null, '1', null],
    ]);
  });
});

it('a credit note whose references are no array is not taken for one without', async () => {
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

it('the currency of a received receipt is its detail’s where the list names none', async () => {
  const recibidos = [111, 112].map((type) => {
    const { moneda: _, ...row } = received('2026-11-02', `A${type}`, { totales_total: '122' });
    return { ...row, tipo_comprobante: type };
  });
  const totales = JSON.stringify({
    moneda: 'USD',
    tipo_cambio: 40,
    mnt_neto_iva_tasa_basica: 100,
    mnt_iva_tasa_basica: 22,
  });
  const asked = await madeLake({
    recibidos,
    recibidos_detalle: recibidos.map((row) => detail(row, { totales, referencias: '[]' })),
  });
  for (const name of ['libro-iva-compras', 'vat-by-month', 'credit-notes-without-reference']) {
    const answer = await asked(name, TODAY);
    expect(answer.length > 0 && answer.every((row) => row.includes('USD')), name).toBe(true);
  }
  // VAT on purchases at 22 %, of an invoice and a note of the same amount.
  expect((await asked('formulario-2181', TODAY)).map((row) => row[4])).toEqual(['505']);
});

it('a detail whose total is not the list’s was read before the list, and is said to be', async () => {
  const emitidos = ['A1', 'A2', 'A3'].map((number) => issued('2026-11-02', number));
  const totales = (total: number | undefined) =>
    JSON.stringify({ total, moneda: 'UYU', mnt_neto_iva_tasa_basica: 80, mnt_iva_tasa_basica: 20 });
  const totals = [99.99, 100, undefined];
  const emitidos_detalle = emitidos.map((row, index) => detail(row, { totales: totales(totals[index]) }));
  const asked = await madeLake({ emitidos, emitidos_detalle });
  const notes = (await asked('libro-iva-ventas', TODAY)).map((row) => row.at(-2));
  expect(notes).toEqual(['detalle anterior', null, null]);
  expect((await asked('vat-by-month', TODAY)).map((row) => row.at(-1))).toEqual(['1']);
  // Of its currency, of its concept, and of all.
  expect((await asked('posicion-iva', TODAY)).map((row) => row.slice(-2))).toEqual(
    [1, 2, 3].map(() => ['1', 'hay que revisar']),
  );
  // The two that are known, and the one that is in no line.
  const declared = await asked('formulario-2181', TODAY);
  expect(declared.map((row) => row.slice(4, 7))).toEqual([
    ['502', '2', '40.00'],
    [null, '1', null],
  ]);
});

it('a signature or a due date before 2011, when there were no CFE, is no day', async () => {
  const odd = { fecha_firma: '0001-01-01T00:00:00', estado_dgi_codigo: 'BE' };
  const emitidos = [
    issued('2026-11-02', 'A1', odd),
    issued('2026-11-02', 'A2', { estado_dgi_codigo: 'NE' }),
    issued('2026-11-02', 'A3', { ...odd, estado_dgi_codigo: 'NE', receptor_ruc: '' }),
  ];
  const due = ['0001-01-01T00:00:00', '2026-12-01T00:00:00', '1900-01-01T00:00:00'];
  const emitidos_detalle = emitidos.map((row, index) => detail(row, { fecha_vencimiento: due[index] ?? '' }));
  const asked = await madeLake({ emitidos, emitidos_detalle });
  const signed = await asked('late-signed-and-future-dated', TODAY);
  expect(signed.map((row) => row.slice(2, 4))).toEqual(Array(2).fill(['firma anterior a 2011', null]));
  expect((await asked('rejected-by-age', TODAY)).map((row) => row[2])).toEqual(['18']);
  const waiting = await asked('unanswered-by-age', TODAY);
  expect(waiting.map((row) => [row[2], row[4], row[5]])).toEqual([['0 a 20', '2', '2026-11-02']]);
  const receivables = await asked('receivables-by-due-date', TODAY);
  expect(receivables.map((row) => [row[1], row[3]])).toEqual([
    ['2026-12-01', '1'],
    [null, '1'],
  ]);
});
