import { describe, expect, it } from 'vitest';
import { DIRECTIONS } from '../../../lib/units/unit.ts';
import { askedLake, lakeOfBothLists } from '../../support/query/lake-of-both-lists.ts';
import { detail, issued, received } from '../../support/query/made-receipts.ts';

/** What a receipt states and nobody can read is in no sum, and told: never as if it were not there. */

const BOOKS = { emitidos: 'libro-iva-ventas', recibidos: 'libro-iva-compras' } as const;
const USD = { moneda: 'USD', totales_total: '122' };
const VAT = { mnt_neto_iva_tasa_basica: 78, mnt_iva_tasa_basica: 22 };
const RESGUARDO = { tipo_comprobante: 182 };
const QUOTED = [{ fecha: '2026-11-01', moneda: 'USD', valor: '40', fuente: 'x' }];
const withheld = (value: unknown, code = 'x') => ({
  codigo: code,
  tasa: 7,
  monto_sujeto: 9,
  valor: value,
});
const items = (...parts: readonly unknown[]) => ({
  items: JSON.stringify(parts.map((retenciones_percepciones) => ({ retenciones_percepciones }))),
});

describe('a net without its VAT', () => {
  const RATES = ['minima', 'basica'];
  const totalsOf = (net: unknown, vat: unknown) =>
    RATES.map((rate) => ({
      totals: {
        mnt_no_gravado: 1,
        [`mnt_neto_iva_tasa_${rate}`]: net,
        [`mnt_iva_tasa_${rate}`]: vat,
      },
    }));

  it.each<[unknown, unknown]>([
    [99, null],
    [-0.01, undefined],
  ])('as %j beside %j is noted, counted, and in no line of the form', async (net, vat) => {
    const ask = await lakeOfBothLists(totalsOf(net, vat));
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual([['falta IVA'], ['falta IVA']]);
    const position = await ask('posicion-iva', 3, 15, 16);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual(
      Array(2).fill(['UYU', '2', 'hay que revisar']),
    );
    expect(await ask('vat-by-month', 12)).toEqual([['2'], ['2']]);
    expect(await ask('formulario-2181', 4, 5)).toEqual([[null, '4']]);
  });

  it('is counted, too, where the net cannot be read', async () => {
    const ask = await lakeOfBothLists(totalsOf('99,5', undefined));
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual([['monto ilegible'], ['monto ilegible']]);
    const position = await ask('posicion-iva', 3, 15);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual(Array(2).fill(['UYU', '2']));
  });

  it('is a whole line where the net is 0 or the rest of a subtraction, or neither is above 0, or the VAT stated', async () => {
    const ask = await lakeOfBothLists([
      ...totalsOf(0, null),
      ...totalsOf('5.684341886080802e-14', null),
      ...totalsOf(undefined, 0),
      ...totalsOf(0.02, 0),
    ]);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual(Array(8).fill([null]));
    expect(await ask('vat-by-month', 12)).toEqual([['0'], ['0']]);
  });
});

describe('what a line of a resguardo withholds', () => {
  it.each([
    ['an object', withheld(1_000_000)],
    ['a text', 'x'],
    ['a list of lists', [[withheld(1_000_000)]]],
  ])('as %s is noted beside the other lines, and counted', async (_, part) => {
    const ask = await lakeOfBothLists([{ row: RESGUARDO, detail: items([withheld(5)], part, null, []) }]);
    const rows = [
      ['x', '5.00', null],
      [null, null, 'monto ilegible'],
    ];
    expect(await ask('resguardos', 9, 12, 16)).toEqual([...rows, ...rows]);
    const position = await ask('posicion-iva', 3, 7, 15, 16);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual(
      Array(2).fill(['UYU', '5.00', '1', 'hay que revisar']),
    );
  });

  it.each<[string, object, (string | null)[]]>([
    ['code', { codigo: ['x'] }, [null, '7.000']],
    ['code', { codigo: '' }, [null, '7.000']],
    ['code', { codigo: undefined }, [null, '7.000']],
    ['rate', { tasa: '7 %' }, ['x', null]],
    ['rate', { tasa: { valor: 7 } }, ['x', null]],
  ])('under a %s as of %j is noted, and in the sum', async (_, part, [code, rate]) => {
    const items182 = items([{ ...withheld(5), ...part }]);
    const ask = await lakeOfBothLists([{ row: RESGUARDO, detail: items182 }]);
    expect(await ask('resguardos', 9, 10, 12, 16)).toEqual(
      Array(2).fill([code, rate, '5.00', 'codigo o tasa ilegible']),
    );
  });

  it('is under its code whatever blanks are around it, and less where it annuls, as 09 too', async () => {
    const parts = [withheld(5, ' 2181001'), withheld(7, '2181001 '), withheld(1, 'x')];
    const annuls = { retenciones_percepciones: [withheld(3, '2181001')], indicador_facturacion: '09' };
    const { items: lines } = items(parts);
    const ask = await lakeOfBothLists([
      { row: RESGUARDO, detail: { items: JSON.stringify([...JSON.parse(lines), annuls]) } },
    ]);
    const rows = [
      ['2181001', '9.00', null],
      ['x', '1.00', null],
    ];
    expect(await ask('resguardos', 9, 12, 16)).toEqual([...rows, ...rows]);
    expect((await ask('posicion-iva', 2, 7)).slice(0, 4)).toEqual([
      ['Creditos fiscales de resguardos emitidos', '9.00'],
      ['Creditos fiscales de resguardos recibidos', '9.00'],
      ['Retenciones efectuadas', '1.00'],
      ['Retenciones sufridas', '1.00'],
    ]);
    const blank = await lakeOfBothLists([{ row: RESGUARDO, detail: items([withheld(5, ' ')]) }]);
    expect(await blank('resguardos', 9, 16)).toEqual(Array(2).fill([null, 'codigo o tasa ilegible']));
  });

  it.each([{ codigo: 2181 }, { tasa: null }, { tasa: undefined }])('is whole as of %j', async (part) => {
    const ask = await lakeOfBothLists([{ row: RESGUARDO, detail: items([{ ...withheld(5), ...part }]) }]);
    expect(await ask('resguardos', 16)).toEqual([[null], [null]]);
  });

  it('is told where the line is none', async () => {
    const lines = ['x', [{ retenciones_percepciones: [withheld(7)] }], null];
    const { items: whole } = items([withheld(5)]);
    const detailRow = { items: JSON.stringify([...JSON.parse(whole), ...lines]) };
    const ask = await lakeOfBothLists([{ row: RESGUARDO, detail: detailRow }]);
    expect(await ask('resguardos', 1, 12, 16)).toEqual([
      ['efectuada', '5.00', null],
      ['efectuada', null, 'monto ilegible'],
      ['sufrida', '5.00', null],
      ['sufrida', null, 'monto ilegible'],
    ]);
  });

  it('as amounts past 15 digits is told, and breaks no answer', async () => {
    const ask = await lakeOfBothLists([
      { row: RESGUARDO, detail: items([withheld('900000000000000000'), withheld('900000000000000000')]) },
      {
        row: { ...RESGUARDO, moneda: 'IDR' },
        totals: { moneda: 'IDR', tipo_cambio: 12345 },
        detail: items([withheld('999999999999999.99')]),
      },
    ]);
    const rows = [
      [null, null, 'monto ilegible'],
      ['999999999999999.99', '12344999999999999876.55', null],
    ];
    expect(await ask('resguardos', 12, 13, 16)).toEqual([...rows, ...rows]);
    const position = await ask('posicion-iva', 3, 10, 15);
    expect(position.filter(([currency]) => currency !== 'todas')).toEqual([
      ['IDR', '12344999999999999876.55', '0'],
      ['UYU', null, '1'],
      ['IDR', '12344999999999999876.55', '0'],
      ['UYU', null, '1'],
    ]);
  });
});

describe('an exchange rate that is stated', () => {
  /** On a receipt and on a resguardo of each list, where another is quoted. */
  const lakeStating = async (rate: unknown) => {
    const totals = { moneda: 'USD', tipo_cambio: rate };
    const receipts = [
      { row: USD, totals: { ...totals, ...VAT } },
      { row: { ...USD, ...RESGUARDO }, totals },
    ];
    return await lakeOfBothLists(receipts, QUOTED);
  };

  it.each<unknown>(['40,50', {}, [[40]], -40, '1e-7', '5e-9', '100000000000', true])(
    'as %j is told, though the quoted one counts',
    async (rate) => {
      const ask = await lakeStating(rate);
      for (const direction of DIRECTIONS)
        expect(await ask(BOOKS[direction], 9, 28)).toEqual([['40.000000', 'tipo de cambio ilegible']]);
      expect(await ask('resguardos', 13, 16)).toEqual(Array(2).fill(['200.00', 'tipo de cambio ilegible']));
      const position = await ask('posicion-iva', 3, 13, 14, 15, 16);
      expect(position.filter(([currency]) => currency === 'USD')).toEqual(
        Array(4).fill(['USD', '0', '1', '1', 'hay que revisar']),
      );
      expect(await ask('formulario-2181', 4, 5, 9)).toEqual([[null, '2', null]]);
    },
  );

  it.each<unknown>([0, '0.000', '', null])('as %j is none, and the quoted one counts', async (rate) => {
    const totals = { moneda: 'USD', tipo_cambio: rate };
    const ask = await lakeOfBothLists([{ row: USD, totals: { ...totals, ...VAT } }], QUOTED);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 9, 28)).toEqual([['40.000000', null]]);
    expect((await ask('formulario-2181', 4)).flat()).toEqual(['502', '505']);
  });

  it('is told beside that there is no other', async () => {
    const ask = await lakeOfBothLists([{ row: USD, totals: { moneda: 'USD', tipo_cambio: '?', ...VAT } }]);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual([['sin tipo de cambio, tipo de cambio ilegible']]);
  });

  it.each<unknown>([1, '31.998', 48.002, 0.025, '4000'])(
    'as %j is told where the quoted one is 40, and counts as it is stated',
    async (rate) => {
      const ask = await lakeStating(rate);
      const doubt = ['comprobante', 'tipo de cambio dudoso'];
      for (const direction of DIRECTIONS)
        expect(await ask(BOOKS[direction], 9, 26, 28)).toEqual([[Number(rate).toFixed(6), ...doubt]]);
      expect(await ask('resguardos', 14, 16)).toEqual(Array(2).fill(doubt));
      const position = await ask('posicion-iva', 3, 14, 15, 16);
      expect(position.filter(([currency]) => currency === 'USD')).toEqual(
        Array(4).fill(['USD', '0', '1', 'hay que revisar']),
      );
      expect(await ask('formulario-2181', 4, 5, 9)).toEqual([[null, '2', null]]);
    },
  );

  it.each<[currency: string, rate: unknown, quoted: string | null]>([
    ['USD', 1, null],
    ['USD', 9999, null],
    ['USD', 0.025, null],
    ['USD', '14.998', null],
    ['USD', 150.002, null],
    ['PYG', 0.056, null],
    ['UYR', 40, null],
  ])('in %s as %j is told, too, where none counts that day and no such rate can be', async (...stated) => {
    const [moneda, rate, quoted] = stated;
    const old = { fecha: '2026-10-20', moneda, valor: String(rate), fuente: 'x' };
    const quotedRow = { ...old, fecha: '2026-11-01', valor: quoted ?? '' };
    const totals = { moneda, tipo_cambio: rate };
    const row = { ...USD, moneda };
    const ask = await lakeOfBothLists(
      [
        { row, totals: { ...totals, ...VAT } },
        { row: { ...row, ...RESGUARDO }, totals },
      ],
      quoted === null ? [old] : [old, quotedRow],
    );
    const doubt = ['comprobante', 'tipo de cambio dudoso'];
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 9, 26, 28)).toEqual([[Number(rate).toFixed(6), ...doubt]]);
    expect(await ask('resguardos', 14, 16)).toEqual(Array(2).fill(doubt));
    const position = await ask('posicion-iva', 3, 15, 16);
    expect(position.filter(([currency]) => currency === moneda)).toEqual(
      Array(4).fill([moneda, '1', 'hay que revisar']),
    );
    expect(await ask('formulario-2181', 4, 5, 9)).toEqual([[null, '2', null]]);
  });

  it.each([
    { quotes: QUOTED, of: 'the quoted one is another' },
    { quotes: [], of: 'no such rate can be' },
  ])('leaves nobody to tell on which side of its limit an e-Ticket is, where $of', async ({ quotes }) => {
    const ticket = { ...USD, tipo_comprobante: 101, receptor_ruc: '', totales_total: '12200' };
    const totals = { moneda: 'USD', tipo_cambio: 1, mnt_no_gravado: 12_200 };
    const ask = await lakeOfBothLists([{ row: ticket, totals }], quotes);
    expect(await ask('e-tickets-sin-identificar', 5, 9, 12)).toEqual([[null, '1', null]]);
  });

  it.each<[currency: string, rate: unknown, quoted: string | null]>([
    ['USD', 32, '40'],
    ['USD', '48.000', '40'],
    ['USD', 15, null],
    ['USD', '150.000', null],
    ['UYR', 1803.5, null],
    // No other is known of it.
    ['IDR', 9999, null],
    ['UYU', 40, '40'],
    ['UYU', 40, null],
    // A receipt states three decimals.
    ['IDR', 0.002, '0.0027'],
    ['IDR', 0.003, '0.0023'],
    ['PYG', 0.001, null],
  ])('in %s as %j is taken where the quoted one is %s', async (moneda, rate, quoted) => {
    const ask = await lakeOfBothLists(
      [{ row: { ...USD, moneda }, totals: { moneda, tipo_cambio: rate, ...VAT } }],
      quoted === null ? [] : [{ fecha: '2026-11-01', moneda, valor: quoted, fuente: 'x' }],
    );
    for (const direction of DIRECTIONS) expect(await ask(BOOKS[direction], 28)).toEqual([[null]]);
    expect((await ask('formulario-2181', 4)).flat()).toEqual(['502', '505']);
  });

  it('in pesos is of no account', async () => {
    const ask = await lakeOfBothLists([{ totals: { tipo_cambio: '?', ...VAT } }]);
    for (const direction of DIRECTIONS) expect(await ask(BOOKS[direction], 28)).toEqual([[null]]);
  });
});

describe('a total of the detail that is no number', () => {
  it.each<unknown>(['1.220,00', 'cien', '', true, { valor: 100 }, [100]])(
    'as %j is told as another total is, counted, and in no line of the form',
    async (total) => {
      const totals = { total, ...VAT };
      const ask = await lakeOfBothLists([{ totals }, { row: RESGUARDO, totals }]);
      for (const direction of DIRECTIONS)
        expect(await ask(BOOKS[direction], 28)).toEqual([['detalle anterior']]);
      expect(await ask('resguardos', 16)).toEqual([['detalle anterior'], ['detalle anterior']]);
      const position = await ask('posicion-iva', 3, 15);
      expect(position.filter(([currency]) => currency === 'UYU')).toEqual(Array(4).fill(['UYU', '1']));
      expect(await ask('vat-by-month', 12)).toEqual([['1'], ['1']]);
      expect(await ask('formulario-2181', 4, 5)).toEqual([[null, '2']]);
    },
  );

  it('is in no doubt where it is null, or the number of the list in another form', async () => {
    const ask = await lakeOfBothLists(
      [null, '100', '100.00', '1e2'].map((total) => ({ totals: { total, ...VAT } })),
    );
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual(Array(4).fill([null]));
  });
});

describe('a currency that nobody knows', () => {
  const ODD = ['uyu', 'usd', 'UYU ', ' USD', '858', 'Pesos', '$', 'UY', 'USDT', 'ÜYU', 'U D', 'todas'];

  it.each(ODD)('as “%s” is multiplied by no rate, and told', async (moneda) => {
    const totals = { moneda, tipo_cambio: 39, ...VAT };
    const ask = await lakeOfBothLists([
      { row: { moneda }, totals },
      { row: { ...RESGUARDO, moneda }, totals },
    ]);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 8, 9, 15, 23, 28)).toEqual([
        [null, null, '22.00', null, 'moneda desconocida'],
      ]);
    expect(await ask('resguardos', 8, 12, 13, 16)).toEqual(
      Array(2).fill([null, '5.00', null, 'moneda desconocida']),
    );
    for (const [currency, count, inPesos, note] of await ask('posicion-iva', 3, 4, 11, 16))
      expect({ isTotal: [null, 'todas'].includes(currency ?? null), count, inPesos, note }).toEqual({
        isTotal: true,
        count: expect.stringMatching(/^[12]$/),
        inPesos: null,
        note: 'falta tipo de cambio, moneda desconocida',
      });
    expect(await ask('vat-by-month', 3, 10)).toEqual(Array(2).fill([null, '22.00']));
    expect(await ask('formulario-2181', 4, 5)).toEqual([[null, '2']]);
    expect(await ask('sales-by-month', 3)).toEqual([[moneda]]);
  });

  it.each<unknown>([858, ['UYU'], { codigo: 'UYU' }, true])(
    'as %j of the list is not that of the detail',
    async (moneda) => {
      const rows = [111, 182].map((type) => {
        const { moneda: _, ...row } = received('2026-11-02', 'A1', { tipo_comprobante: type });
        return { ...row, otros: JSON.stringify({ moneda }) };
      });
      const read = { totales: JSON.stringify({ moneda: 'UYU', ...VAT }), moneda: 'UYU' };
      const ask = await askedLake({
        recibidos: rows,
        recibidos_detalle: rows.map((row) => detail(row, { ...read, ...items([withheld(5)]) })),
      });
      expect(await ask('libro-iva-compras', 8, 15, 28)).toEqual([[null, '22.00', 'moneda desconocida']]);
      expect(await ask('resguardos', 8, 16)).toEqual([[null, 'moneda desconocida']]);
      expect(await ask('formulario-2181', 4, 5)).toEqual([[null, '1']]);
    },
  );

  it('of an e-Ticket judges nothing', async () => {
    const ticket = issued('2026-11-02', 'A1', { tipo_comprobante: 101, receptor_ruc: '' });
    const totales = JSON.stringify({ moneda: 'usd', tipo_cambio: 40, mnt_no_gravado: 900_000 });
    const ask = await askedLake({ emitidos: [ticket], emitidos_detalle: [detail(ticket, { totales })] });
    expect(await ask('e-tickets-sin-identificar', 5, 9)).toEqual([[null, '1']]);
  });
});

describe('without a currency', () => {
  it.each<unknown>([undefined, {}, [['USD']], ''])('as %j, a line says so', async (moneda) => {
    const made = [issued('2026-11-02', 'A1'), issued('2026-11-02', 'A2', RESGUARDO)];
    const totals = { totales: JSON.stringify({ moneda, ...VAT }), fecha_vencimiento: '2026-12-01T00:00:00' };
    const emitidos_detalle = made.map((receipt) => detail(receipt, { ...totals, ...items([withheld(5)]) }));
    const ask = await askedLake({ emitidos: made, emitidos_detalle });
    expect(await ask('libro-iva-ventas', 15, 23, 28)).toEqual([['22.00', null, 'moneda desconocida']]);
    expect(await ask('resguardos', 12, 13, 16)).toEqual([['5.00', null, 'moneda desconocida']]);
    expect(await ask('sales-by-month', 3)).toEqual([[null]]);
    expect(await ask('receivables-by-due-date', 2)).toEqual([[null]]);
    expect(await ask('daily-report', 5)).toEqual([[null], [null]]);
  });

  it.each<[string, unknown, string | null]>([
    ['', '', null],
    ['', 'USD', 'USD'],
    ['', null, null],
    ['USD', '', 'USD'],
  ])('as "%s" of the list beside %j of the detail, a received receipt has that of %s', async (...all) => {
    const [moneda, stated, known] = all;
    const receipt = received('2026-11-02', 'A1', { moneda });
    const totales = JSON.stringify({ moneda: stated, tipo_cambio: 40, ...VAT });
    const ask = await askedLake({ recibidos: [receipt], recibidos_detalle: [detail(receipt, { totales })] });
    const note = known === null ? 'moneda desconocida' : null;
    expect(await ask('libro-iva-compras', 8, 28)).toEqual([[known, note]]);
    expect(await ask('purchases-by-month', 3)).toEqual([[moneda || null]]);
    expect(await ask('payables-by-supplier', 4)).toEqual([[moneda || null]]);
  });

  it('a resguardo without a rate says so', async () => {
    const ask = await lakeOfBothLists([{ row: { ...USD, ...RESGUARDO }, totals: { moneda: 'USD' } }]);
    expect(await ask('resguardos', 12, 13, 16)).toEqual(Array(2).fill(['5.00', null, 'sin tipo de cambio']));
  });
});

it('the sign of a receipt of an unknown type, or of none, is not known, and that is told', async () => {
  const { tipo_comprobante, ...typeless } = issued('2026-11-02', 'A1');
  const emitidos = [typeless];
  const emitidos_detalle = [detail(typeless, { totales: JSON.stringify({ moneda: 'UYU', ...VAT }) })];
  const answers = [
    await lakeOfBothLists([{ row: { tipo_comprobante: 199 }, totals: VAT }]),
    await askedLake({ emitidos, emitidos_detalle }),
  ];
  for (const ask of answers) {
    expect(await ask('libro-iva-ventas', 15, 28)).toEqual([['22.00', 'tipo desconocido']]);
    expect((await ask('posicion-iva', 2, 15, 16))[0]).toEqual(['IVA de ventas', '1', 'hay que revisar']);
    expect((await ask('vat-by-month', 12))[0]).toEqual(['1']);
  }
});

it('an e-Ticket whose detail is in doubt is not judged, whatever its amounts', async () => {
  const doubts = [
    { mnt_neto_iva_tasa_basica: { valor: 900_000 } },
    { mnt_neto_iva_tasa_basica: '900.000,00' },
    { mnt_iva_tasa_basica: 180_000 },
    { mnt_iva_tasa_basica: 1_200_000, mnt_neto_iva_tasa_basica: 1 },
    { total: 1 },
  ];
  const made = doubts.map((doubt, index) => {
    const receipt = issued('2026-11-02', `A${index}`, { tipo_comprobante: 101, estado_dgi_codigo: 'NE' });
    const { receptor_ruc, receptor_razon_social, ...anonymous } = receipt;
    const totales = JSON.stringify({ moneda: 'UYU', mnt_no_gravado: 1, ...doubt });
    return { receipt: anonymous, detail: detail(receipt, { totales }) };
  });
  const ask = await askedLake({
    emitidos: made.map(({ receipt }) => receipt),
    emitidos_detalle: made.map((one) => one.detail),
  });
  expect(await ask('e-tickets-sin-identificar', 5, 9)).toEqual([[null, '5']]);
  expect(await ask('unanswered-by-age', 4, 6)).toEqual([['5', 'sin leer el detalle']]);
});
