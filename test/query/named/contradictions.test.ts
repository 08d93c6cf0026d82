import { describe, expect, it } from 'vitest';
import { DIRECTIONS } from '../../../lib/units/unit.ts';
import { askedLake, lakeOfBothLists } from '../../support/query/lake-of-both-lists.ts';
import type { MadeRow } from '../../support/query/made-lake.ts';
import { detail, issued, received } from '../../support/query/made-receipts.ts';

/** What a receipt states in two ways that cannot both be is counted, and told. */

const BOOKS = { emitidos: 'libro-iva-ventas', recibidos: 'libro-iva-compras' } as const;
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
    ['UYU', ['USD']],
    ['USD', { codigo: 'UYU' }],
    ['UYU', false],
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
    ['', 'USD'],
  ])('is none as “%s” beside %j', async (moneda, stated) => {
    const ask = await askedOf(moneda, stated);
    expect(await ask('libro-iva-compras', 28)).toEqual([[null]]);
    expect(await ask('resguardos', 16)).toEqual([[null]]);
    expect(await ask('vat-by-month', 12)).toEqual([['0']]);
    expect(await ask('formulario-2181', 4)).toEqual([['505']]);
  });
});

describe('a currency that a detail has twice, beside its totals too', () => {
  const askedOf = async (list: string, beside: MadeRow, ofTotals: unknown) => {
    const recibidos = [111, 182].map((type, index) =>
      received('2026-11-02', `A${index}`, { moneda: list, tipo_comprobante: type }),
    );
    const totales = JSON.stringify({ moneda: ofTotals, tipo_cambio: 40, ...VAT });
    const recibidos_detalle = recibidos.map((row) => detail(row, { totales, items: WITHHELD, ...beside }));
    return await askedLake({ recibidos, recibidos_detalle });
  };

  it.each<[string, MadeRow, unknown]>([
    ['UYU', { moneda: 'USD' }, undefined],
    ['UYU', { moneda: 'USD' }, 'UYU'],
    ['UYU', { moneda: 'UYU' }, 'USD'],
    ['UYU', { otros: '{"moneda":840}' }, 'UYU'],
    ['UYU', { otros: '{"moneda":{"codigo":"UYU"}}' }, 'UYU'],
    ['UYU', { otros: '{"moneda":["UYU"]}' }, undefined],
    ['', { otros: '{"moneda":["USD"]}' }, 'UYU'],
    ['USD', { moneda: 'UYU' }, 'USD'],
    ['', { moneda: 'USD' }, 'UYU'],
    ['', { moneda: 'UYU' }, 'USD'],
  ])('as “%s” of the list beside %j and %j is told', async (list, beside, ofTotals) => {
    const ask = await askedOf(list, beside, ofTotals);
    expect(await ask('libro-iva-compras', 28)).toEqual([['moneda contradictoria']]);
    expect(await ask('resguardos', 16)).toEqual([['moneda contradictoria']]);
    expect(await ask('vat-by-month', 12)).toEqual([['1']]);
    for (const [currency, count] of await ask('posicion-iva', 3, 15))
      if (currency !== 'todas') expect(count).toBe('1');
    expect(await ask('formulario-2181', 4, 5)).toEqual([[null, '1']]);
  });

  it.each<[string, MadeRow, unknown, string]>([
    ['USD', { moneda: 'USD' }, 'USD', 'USD'],
    ['USD', { moneda: '' }, null, 'USD'],
    ['USD', { otros: '{"moneda":null}' }, 'USD', 'USD'],
    ['', { moneda: 'USD' }, undefined, 'USD'],
    ['', { moneda: 'USD' }, 'USD', 'USD'],
    ['', { moneda: '' }, 'USD', 'USD'],
  ])('is none as “%s” beside %j and %j', async (list, beside, ofTotals, currency) => {
    const ask = await askedOf(list, beside, ofTotals);
    expect(await ask('libro-iva-compras', 8, 9, 28)).toEqual([[currency, '40.000000', null]]);
    expect(await ask('resguardos', 8, 16)).toEqual([[currency, null]]);
    expect(await ask('formulario-2181', 4)).toEqual([['505']]);
  });

  it('is told of an issued receipt, too, whose contract has but one', async () => {
    const rows = ['A1', 'A2', 'A3', 'A4'].map((number) => issued('2026-11-02', number));
    const totales = JSON.stringify({ moneda: 'UYU', ...VAT });
    const beside = ['{"moneda":"USD"}', '{"moneda":"UYU"}', '{"moneda":""}', '{"moneda":["UYU"]}'];
    const ask = await askedLake({
      emitidos: rows,
      emitidos_detalle: rows.map((row, index) => detail(row, { totales, otros: beside[index] ?? '' })),
    });
    const told = ['moneda contradictoria'];
    expect(await ask('libro-iva-ventas', 28)).toEqual([told, [null], [null], told]);
  });
});

describe('a currency that a list has where its contract has none', () => {
  const askedOf = async (other: object) => {
    const row = { otros: JSON.stringify(other) };
    const [emitidos, recibidos] = [[issued('2026-11-02', 'A1', row)], [received('2026-11-02', 'A1', row)]];
    const totales = JSON.stringify({ moneda: 'UYU', ...VAT });
    const read = (rows: MadeRow[]) => rows.map((one) => detail(one, { totales }));
    const details = { emitidos_detalle: read(emitidos), recibidos_detalle: read(recibidos) };
    return await askedLake({ emitidos, recibidos, ...details });
  };

  it.each<object>([
    { 'totales.moneda': 'USD' },
    { 'totales.moneda': 840 },
    { 'totales.moneda': ['UYU'] },
    { a: 1, 'totales.moneda': { codigo: 'UYU' } },
  ])('is told where it is not that of the detail: %j', async (other) => {
    const ask = await askedOf(other);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual([['moneda contradictoria']]);
    expect(await ask('formulario-2181', 4, 5)).toEqual([[null, '2']]);
  });

  it.each<object>([{ moneda: 'USD' }, { moneda: 840 }, { moneda: ['UYU'] }])(
    'is told of an issued receipt, beside the totals too: %j',
    async (other) => {
      const ask = await askedOf(other);
      expect(await ask('libro-iva-ventas', 28)).toEqual([['moneda contradictoria']]);
    },
  );

  it.each<object>([
    {},
    { 'totales.moneda': 'UYU' },
    { 'totales.moneda': '' },
    { 'totales.moneda': null },
    { moneda: 'UYU', 'totales.moneda': 'UYU' },
    { moneda: null },
    { moneda: '' },
    { otro: '"totales.moneda":"USD"' },
  ])('is none as of %j', async (other) => {
    const ask = await askedOf(other);
    for (const direction of DIRECTIONS) expect(await ask(BOOKS[direction], 28)).toEqual([[null]]);
  });
});

/** What a detail has that names this counterpart, and this issue day. */
const naming = (document: unknown, day = '2026-11-02') => ({
  emisor: JSON.stringify({ ruc: document }),
  receptor: JSON.stringify({ nro_doc: document }),
  fecha_emision: `${day}T00:00:00`,
});

/** What a detail has that does not say so where it should, or not as it should. */
const unnamed = (other: object, party: object = {}) => ({
  ...naming('214844360018'),
  otros: JSON.stringify(other),
  emisor: JSON.stringify(party),
  receptor: JSON.stringify(party),
});
const party = (value: unknown) => unnamed({ emisor: value, receptor: value });
const undated = (value: unknown) => {
  const { fecha_emision: _, ...rest } = naming('214844360018');
  return { ...rest, otros: JSON.stringify({ fecha_emision: value }) };
};

const BOTH_NAMES = JSON.stringify({ ruc: '214844360018', nro_doc: 0 });
const RIGHT_AND_ZERO = { ...naming(null), emisor: BOTH_NAMES, receptor: BOTH_NAMES };

describe('a counterpart or an issue day of the detail that is not that of the list', () => {
  const askedOf = async (stated: MadeRow, list: MadeRow = {}) => {
    const rows = (made: typeof issued) =>
      [111, 182].map((type, index) => made('2026-11-02', `A${index}`, { tipo_comprobante: type, ...list }));
    const [emitidos, recibidos] = [rows(issued), rows(received)];
    const details = (members: typeof emitidos) =>
      members.map((row) =>
        detail(row, { totales: JSON.stringify({ moneda: 'UYU', ...VAT }), items: WITHHELD, ...stated }),
      );
    const emitidos_detalle = details(emitidos);
    return await askedLake({ emitidos, emitidos_detalle, recibidos, recibidos_detalle: details(recibidos) });
  };

  it.each<[string, MadeRow]>([
    ['contraparte contradictoria', party('218617380010')],
    ['contraparte contradictoria', party([{ ruc: '214844360018' }])],
    ['contraparte contradictoria', unnamed({}, { ruc: { ruc: '214844360018' } })],
    ['contraparte contradictoria', unnamed({}, { ruc: '214844360018', nro_doc: ['214844360018'] })],
    ['fecha contradictoria', undated('15/09/2026')],
    ['fecha contradictoria', undated({ dia: 2 })],
    ['contraparte contradictoria', naming('218617380010')],
    ['contraparte contradictoria', naming(214844360019)],
    ['fecha contradictoria', naming('214844360018', '2026-11-01')],
    ['contraparte contradictoria, fecha contradictoria', naming('UY214844360018', '2025-11-02')],
  ])('is told: %s', async (note, stated) => {
    const ask = await askedOf(stated);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 15, 28)).toEqual([['22.00', note]]);
    expect(await ask('resguardos', 16)).toEqual([[note], [note]]);
    const position = await ask('posicion-iva', 3, 15);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual(Array(4).fill(['UYU', '1']));
    expect(await ask('vat-by-month', 12)).toEqual([['1'], ['1']]);
    expect(await ask('formulario-2181', 4, 5)).toEqual([[null, '2']]);
  });

  it.each([
    ['nro_doc', { nro_doc: '218617380010' }],
    ['ruc', { ruc: '218617380010' }],
    ['one of both', { ruc: '214844360018', nro_doc: '218617380010' }],
    ['the other of both', { ruc: '218617380010', nro_doc: '214844360018' }],
    ['one beside what is none', { ruc: 218617380010, nro_doc: '-' }],
  ])('is told under each name that a detail may have it by: %s', async (_name, named) => {
    const party = JSON.stringify(named);
    const ask = await askedOf({ ...naming('214844360018'), emisor: party, receptor: party });
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual([['contraparte contradictoria']]);
    expect(await ask('formulario-2181', 4, 5)).toEqual([[null, '2']]);
  });

  it.each<[string, MadeRow, MadeRow]>([
    ['in a party that is empty', party(''), {}],
    ['in a party that is null', party(null), {}],
    ['in a party without any member', party([]), {}],
    ['in what is no party, beside none of the list', party('x'), { emisor_ruc: '', receptor_ruc: '' }],
    ['on no day', undated(null), {}],
    ['on a day without a text', undated(''), {}],
    ['on a day that the list writes so, too', undated('2.11.26'), { otros: '{"fecha_emision":"2.11.26"}' }],
    ['written with dots and blanks', naming(' 21.484436.001-8'), {}],
    ['a number', naming(214844360018), {}],
    ['not stated', naming(null), {}],
    ['no more than a dash', naming('-'), {}],
    ['at another time of that day', { ...naming('214844360018'), fecha_emision: '2026-11-02T23:59:59' }, {}],
    ['with the letters of the list', naming('ab-12'), { emisor_ruc: 'AB12', receptor_ruc: 'AB12' }],
    ['of zeros', naming(0), {}],
    ['of zeros, with a dash', naming('0000-0'), {}],
    ['beside zeros of the list', naming('41234567'), { emisor_ruc: '0', receptor_ruc: '0' }],
    ['of fewer zeros than the list', naming('0'), { emisor_ruc: '00000000', receptor_ruc: '00000000' }],
    ['under one name of two, with zeros under the other', RIGHT_AND_ZERO, {}],
    ['beside none of the list', naming('218617380010'), { emisor_ruc: '', receptor_ruc: '' }],
  ])('is none where it is %s', async (_what, stated, list) => {
    const ask = await askedOf(stated, list);
    const notes = await ask('resguardos', 16);
    for (const direction of DIRECTIONS) notes.push(...(await ask(BOOKS[direction], 28)));
    for (const [note] of notes) expect(note ?? '').not.toContain('contradictoria');
    expect(await ask('vat-by-month', 12)).toEqual([['0'], ['0']]);
  });
});

const MINIMA = { mnt_neto_iva_tasa_minima: 10, mnt_iva_tasa_minima: 1 };
/** A receipt of 100 with these amounts by rate, and the rest of what the list says of it. */
const stating = (totals: object, row = {}) => ({ totals, row });
const CREDIT = { tipo_comprobante: 112 };

describe('amounts of one receipt that cannot all be', () => {
  const CASES: [string, string, ReturnType<typeof stating>[]][] = [
    [
      'VAT without its net',
      'falta neto',
      [
        stating({ mnt_iva_tasa_basica: 22 }),
        stating({ mnt_iva_tasa_minima: 0.01, ...VAT }),
        stating({ ...MINIMA, mnt_neto_iva_tasa_basica: 0, mnt_iva_tasa_basica: 22 }),
        stating({ ...VAT, mnt_neto_iva_tasa_minima: '0.00', mnt_iva_tasa_minima: 1 }),
      ],
    ],
    [
      'more than the total, by more than a unit',
      'no cierra',
      [
        stating({ ...VAT, mnt_no_gravado: 1.01 }),
        stating({ ...VAT, mnt_exportacion_y_asimilados: 1.01 }),
        stating({ ...VAT, ...MINIMA }),
        stating({ mnt_neto_iva_tasa_basica: 78, mnt_iva_tasa_basica: 99_999 }, CREDIT),
        stating({ ...VAT, total: 0 }, { totales_total: '0' }),
      ],
    ],
    [
      'below zero',
      'importe negativo',
      [
        stating({ mnt_neto_iva_tasa_basica: -78, mnt_iva_tasa_basica: -22 }, CREDIT),
        stating({ ...VAT, mnt_no_gravado: -0.01 }),
        stating({ ...VAT, mnt_exportacion_y_asimilados: -1 }),
        stating({ ...VAT, mnt_neto_iva_tasa_minima: -10, mnt_iva_tasa_minima: 0 }),
        stating({ ...VAT, mnt_neto_iva_tasa_minima: 10, mnt_iva_tasa_minima: -1 }),
        stating({ mnt_neto_iva_tasa_basica: -78, mnt_iva_tasa_basica: 0 }),
        stating({ ...VAT, mnt_no_gravado: 0 }, { ...CREDIT, totales_total: '-100' }),
      ],
    ],
  ];

  it.each(CASES)('as %s are noted, counted, and in no line of the form', async (_what, note, receipts) => {
    const count = String(receipts.length);
    const ask = await lakeOfBothLists(receipts.map(({ row, totals }) => ({ row, totals })));
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual(receipts.map(() => [note]));
    const position = await ask('posicion-iva', 3, 15, 16);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual(
      Array(2).fill(['UYU', count, 'hay que revisar']),
    );
    expect(await ask('vat-by-month', 12)).toEqual([[count], [count]]);
    expect(await ask('formulario-2181', 4, 5)).toEqual([[null, String(2 * receipts.length)]]);
  });

  it('are whole where the total is rounded by a unit, or has more than they are, or is not known', async () => {
    const whole = [
      stating({ ...VAT, mnt_no_gravado: 1 }),
      stating({ ...MINIMA, mnt_iva_tasa_basica: 0 }),
      stating({ ...VAT, ...MINIMA }, { totales_total: '121' }),
      stating({ ...VAT, mnt_iva_tasa_minima: '5.684341886080802e-14' }),
    ];
    const ask = await lakeOfBothLists(whole);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual(whole.map(() => [null]));
    expect(await ask('vat-by-month', 12)).toEqual([['0'], ['0']]);
    expect(await ask('formulario-2181', 4)).toEqual([['502'], ['503'], ['504'], ['505'], ['506']]);
  });

  it('below zero are added as they are: their sign is not guessed', async () => {
    const totals = { mnt_neto_iva_tasa_basica: -78, mnt_iva_tasa_basica: -22 };
    const ask = await lakeOfBothLists([stating(totals, CREDIT)]);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 14, 15)).toEqual([['78.00', '22.00']]);
    expect(await ask('vat-by-month', 10)).toEqual([['22.00'], ['22.00']]);
  });
});

describe('what a resguardo states to withhold in all', () => {
  const line = (value: number, code = 'x') => ({
    retenciones_percepciones: [{ codigo: code, tasa: 7, monto_sujeto: 9, valor: value }],
  });
  type Case = readonly [sum: unknown, lines: readonly object[]];
  const askedOf = (cases: readonly Case[]) =>
    lakeOfBothLists(
      cases.map(([sum, lines]) => ({
        row: { tipo_comprobante: 182 },
        totals: { mnt_total_retenido: sum },
        detail: { items: JSON.stringify(lines) },
      })),
    );

  it('is noted where its lines have another sum, and counted', async () => {
    const cases: Case[] = [
      [12, [line(5), { monto: 7 }]],
      [12, [line(5), { retenciones_percepciones: null }]],
      [5.01, [line(5)]],
      [4.99, [line(5)]],
      [-5, [line(5)]],
      [0, [line(5)]],
      ['5,00', [line(5)]],
      [{ valor: 5 }, [line(5)]],
    ];
    const ask = await askedOf(cases);
    expect(await ask('resguardos', 12, 16)).toEqual(Array(2 * cases.length).fill(['5.00', 'no cierra']));
    const position = await ask('posicion-iva', 3, 7, 15, 16);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual(
      Array(2).fill(['UYU', '40.00', '8', 'hay que revisar']),
    );
  });

  it('is noted in each row of its receipt, and of no other', async () => {
    const ask = await askedOf([
      [13, [line(5), line(7, 'y')]],
      [5, [line(5)]],
    ]);
    const rows = [
      ['x', 'no cierra'],
      ['y', 'no cierra'],
      ['x', null],
    ];
    expect(await ask('resguardos', 9, 16)).toEqual([...rows, ...rows]);
  });

  it('is whole where it is their sum, or not stated', async () => {
    const cases: Case[] = [
      [12, [line(5), line(7), { monto: 1 }]],
      ['12.00', [line(5), line(7)]],
      [-2, [line(5), line(-7)]],
      [null, [line(5)]],
      [undefined, [line(5)]],
    ];
    const ask = await askedOf(cases);
    expect(await ask('resguardos', 16)).toEqual(Array(2 * cases.length).fill([null]));
    expect(await ask('posicion-iva', 15)).toEqual(Array(4).fill(['0']));
  });

  it('has no tax credits, which have rows of their own in the position', async () => {
    const [withheld, credit] = [line(5), line(7, '2181410')];
    const whole: Case[] = [
      [5, [withheld, credit]],
      [0, [credit]],
      [undefined, [credit]],
    ];
    const ask = await askedOf(whole);
    const rows = [
      ['2181410', '7.00', null],
      ['x', '5.00', null],
      ['2181410', '7.00', null],
      ['2181410', '7.00', null],
    ];
    expect(await ask('resguardos', 9, 12, 16)).toEqual([...rows, ...rows]);
    expect(await ask('posicion-iva', 2, 3, 4, 7, 11, 15, 16)).toEqual(
      ['UYU', 'todas'].flatMap((currency) => {
        const sums = (sum: string) => (currency === 'UYU' ? [sum, sum] : [null, sum]);
        return [
          ['Creditos fiscales de resguardos emitidos', currency, '3', ...sums('21.00'), '0', null],
          ['Creditos fiscales de resguardos recibidos', currency, '3', ...sums('21.00'), '0', null],
          ['Retenciones efectuadas', currency, '1', ...sums('5.00'), '0', null],
          ['Retenciones sufridas', currency, '1', ...sums('5.00'), '0', null],
        ];
      }),
    );
    const other = await askedOf([
      [12, [withheld, credit]],
      [7, [credit]],
    ]);
    expect(await other('resguardos', 16)).toEqual(Array(6).fill(['no cierra']));
    expect(await other('posicion-iva', 2, 4, 15).then((all) => all.slice(0, 4))).toEqual([
      ['Creditos fiscales de resguardos emitidos', '2', '2'],
      ['Creditos fiscales de resguardos recibidos', '2', '2'],
      ['Retenciones efectuadas', '1', '1'],
      ['Retenciones sufridas', '1', '1'],
    ]);
  });

  it('is less by what its items annul of another resguardo, and may be below zero', async () => {
    const annulled = (value: number, code = 'x', indicator: unknown = 9) => ({
      ...line(value, code),
      indicador_facturacion: indicator,
    });
    const made: [total: number, lines: object[]][] = [
      [-5, [annulled(5)]],
      [2, [line(7), annulled(5, 'x', '9')]],
      [-7, [annulled(7), annulled(3, '2181410')]],
      [5, [annulled(5, 'x', 1), { ...line(4), retenciones_percepciones: null, indicador_facturacion: 9 }]],
    ];
    const ask = await lakeOfBothLists(
      made.map(([total, lines]) => ({
        row: { tipo_comprobante: 182, totales_total: String(total) },
        totals: { mnt_total_retenido: total, total },
        detail: { items: JSON.stringify(lines) },
      })),
    );
    const rows = [
      ['x', '-9.00', '-5.00', null],
      ['x', '0.00', '2.00', null],
      ['2181410', '-9.00', '-3.00', null],
      ['x', '-9.00', '-7.00', null],
      ['x', '9.00', '5.00', null],
    ];
    expect(await ask('resguardos', 9, 11, 12, 16)).toEqual([...rows, ...rows]);
    expect((await ask('posicion-iva', 2, 7, 11, 15, 16)).slice(0, 4)).toEqual([
      ['Creditos fiscales de resguardos emitidos', '-3.00', '-3.00', '0', null],
      ['Creditos fiscales de resguardos recibidos', '-3.00', '-3.00', '0', null],
      ['Retenciones efectuadas', '-5.00', '-5.00', '0', null],
      ['Retenciones sufridas', '-5.00', '-5.00', '0', null],
    ]);
  });
});
