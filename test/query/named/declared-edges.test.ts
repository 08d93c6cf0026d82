import { describe, expect, it } from 'vitest';
import { isValidRut, rutCheckDigit } from '../../../lib/units/rut.ts';
import { DIRECTIONS } from '../../../lib/units/unit.ts';
import { lakeOfBothLists as lakeOf, TODAY } from '../../support/query/lake-of-both-lists.ts';
import { madeLake } from '../../support/query/made-lake.ts';
import { detail, received } from '../../support/query/made-receipts.ts';

const BOOKS = { emitidos: 'libro-iva-ventas', recibidos: 'libro-iva-compras' } as const;

const VAT = { mnt_neto_iva_tasa_basica: 78, mnt_iva_tasa_basica: 22 };
const RESGUARDO = { tipo_comprobante: 182 };

it('each declared table begins with the first day of the twelfth month before, and has its details', async () => {
  const days = ['2025-10-31', '2025-11-01'];
  const ask = await lakeOf(
    days.flatMap((day) => [
      { day, totals: VAT },
      { day, row: RESGUARDO },
    ]),
  );
  for (const direction of DIRECTIONS)
    expect(await ask(BOOKS[direction], 1, 15)).toEqual([['2025-11-01', '22.00']]);
  expect(await ask('resguardos', 1, 2, 12)).toEqual([
    ['efectuada', '2025-11-01', '5.00'],
    ['sufrida', '2025-11-01', '5.00'],
  ]);
  expect(await ask('formulario-2181', 1, 4, 6)).toEqual([
    ['2025-11-01', '502', '22.00'],
    ['2025-11-01', '505', '22.00'],
  ]);
  const position = (await ask('posicion-iva', 1, 2, 3, 6, 7)).filter((row) => row[2] === 'UYU');
  expect(position).toEqual([
    ['2025-11-01', 'IVA de ventas', 'UYU', '22.00', null],
    ['2025-11-01', 'IVA de e-Facturas recibidas', 'UYU', '22.00', null],
    ['2025-11-01', 'Retenciones efectuadas', 'UYU', null, '5.00'],
    ['2025-11-01', 'Retenciones sufridas', 'UYU', null, '5.00'],
  ]);
});

it('in dollars, the form has the pesos of the books, rounded receipt by receipt', async () => {
  const totals = { moneda: 'USD', tipo_cambio: 40.123, ...VAT };
  const row = { moneda: 'USD' };
  const credit = { row: { ...row, tipo_comprobante: 112 }, totals };
  const ask = await lakeOf([{ row, totals }, { row, totals }, { row, totals }, credit]);
  // 22 · 40.123 = 882.706.
  for (const direction of DIRECTIONS)
    expect((await ask(BOOKS[direction], 23)).flat()).toEqual(['882.71', '882.71', '882.71', '-882.71']);
  const vat = [['1765.42'], ['1765.42']];
  expect(await ask('formulario-2181', 6)).toEqual(vat);
  expect((await ask('posicion-iva', 9)).slice(0, 2)).toEqual(vat);
});

it('in dollars, the first day takes the rate of the day before, each amount by itself', async () => {
  const usd = { day: '2025-11-01', row: { moneda: 'USD', totales_total: '21' } };
  const totals = {
    moneda: 'USD',
    mnt_no_gravado: 1,
    mnt_exportacion_y_asimilados: 2,
    mnt_neto_iva_tasa_minima: 3,
    mnt_iva_tasa_minima: 4,
    mnt_neto_iva_tasa_basica: 5,
    mnt_iva_tasa_basica: 6,
  };
  const ask = await lakeOf(
    [
      { ...usd, totals },
      { ...usd, row: { ...usd.row, ...RESGUARDO }, totals: { moneda: 'USD' } },
    ],
    [{ fecha: '2025-10-31', moneda: 'USD', valor: '40', fuente: 'x' }],
  );
  for (const direction of DIRECTIONS)
    expect(await ask(BOOKS[direction], 18, 19, 20, 21, 22, 23, 24, 25)).toEqual([
      ['40.00', '80.00', '120.00', '160.00', '200.00', '240.00', '0.00', '840.00'],
    ]);
  expect(await ask('resguardos', 13)).toEqual([['200.00'], ['200.00']]);
  const position = (await ask('posicion-iva', 3, 8, 9, 10)).filter(([currency]) => currency === 'USD');
  expect(position).toEqual([
    ...Array(2).fill(['USD', '160.00', '240.00', null]),
    ...Array(2).fill(['USD', null, null, '200.00']),
  ]);
});

describe('of the amounts of a line, any one', () => {
  const AMOUNTS = [
    'mnt_no_gravado',
    'mnt_exportacion_y_asimilados',
    'mnt_neto_iva_tasa_minima',
    'mnt_iva_tasa_minima',
    'mnt_neto_iva_tasa_basica',
    'mnt_iva_tasa_basica',
  ];
  const OTHERS = Object.fromEntries(AMOUNTS.map((name) => [name, name.includes('neto') ? 1 : 0]));

  it.each<[unknown, string]>([
    ['1,5', 'monto ilegible'],
    [{ valor: 22 }, 'monto ilegible'],
    [[22], 'monto ilegible'],
    [true, 'monto ilegible'],
    ['999999999999999999.999', 'monto ilegible'],
    [0.005, 'mas de dos decimales'],
  ])('that is %j is noted in the books, and counted in the position if it is VAT', async (value, note) => {
    const ask = await lakeOf(AMOUNTS.map((name) => ({ totals: { ...OTHERS, [name]: value } })));
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 28)).toEqual(AMOUNTS.map(() => [note]));
    const position = await ask('posicion-iva', 3, 15);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual(Array(2).fill(['UYU', '2']));
    expect(await ask('vat-by-month', 12)).toEqual([['6'], ['6']]);
  });

  it('that is null is not there, and noted nowhere', async () => {
    const ask = await lakeOf(AMOUNTS.map((name) => ({ totals: { mnt_no_gravado: 1, [name]: null } })));
    const notes = AMOUNTS.map((_, index) => [index === 0 ? 'sin desglose' : null]);
    for (const direction of DIRECTIONS) expect(await ask(BOOKS[direction], 28)).toEqual(notes);
    expect(await ask('vat-by-month', 12)).toEqual([['0'], ['0']]);
  });
});

it('a detail older than its list is one that could not be read again, or whose total is another', async () => {
  const read = { leido: '2026-11-19T03:00:00' };
  const receipts = [
    { totals: { ...VAT, total: 100 } },
    { totals: { ...VAT, total: 99 } },
    { totals: VAT, detail: { ...read, motivo: 'x' } },
  ];
  const ask = await lakeOf([...receipts, ...receipts.map((receipt) => ({ ...receipt, row: RESGUARDO }))]);
  const notes = [[null], ['detalle anterior'], ['detalle anterior']];
  for (const direction of DIRECTIONS) expect(await ask(BOOKS[direction], 28)).toEqual(notes);
  expect(await ask('resguardos', 16)).toEqual([...notes, ...notes]);
  expect(await ask('formulario-2181', 4, 5)).toEqual([
    ['502', '1'],
    ['505', '1'],
    [null, '4'],
  ]);
  const position = await ask('posicion-iva', 3, 15);
  expect(position.filter(([currency]) => currency === 'UYU')).toEqual(Array(4).fill(['UYU', '2']));
});

it('a type that is not in the table is a line of the sales, too', async () => {
  const ask = await lakeOf([{ row: { tipo_comprobante: 199 }, totals: VAT }]);
  expect(await ask('libro-iva-ventas', 2, 15)).toEqual([['199', '22.00']]);
  expect((await ask('posicion-iva', 2, 6))[0]).toEqual(['IVA de ventas', '22.00']);
});

it('the form has lines of counterparts that are RUTs, and tells of others', async () => {
  const beginnings = [
    '21484436001',
    '00100342001',
    '23100342001',
    '21000000001',
    '21484436002',
    '2148443600A',
  ];
  const documents = beginnings.flatMap((first) => {
    const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => `${first}${digit}`);
    // Where the program knows no check digit, that of the sum is among these.
    return rutCheckDigit(first) === undefined ? digits : [...digits, `${first}${rutCheckDigit(first)}0`];
  });
  const recibidos = documents.map((emisor_ruc, index) =>
    received('2026-11-02', `A${index}`, { emisor_ruc, emisor_razon_social: 'x' }),
  );
  const recibidos_detalle = recibidos.map((row) => detail(row, { totales: JSON.stringify(VAT) }));
  const answer = await (await madeLake({ recibidos, recibidos_detalle }))('formulario-2181', TODAY);
  const [told, inLines] = [true, false].map((isTold) =>
    answer.filter((row) => (row[9] === 'documento ilegible') === isTold).map((row) => row[2]),
  );
  expect(inLines).toEqual(documents.filter(isValidRut));
  expect(told).toEqual(documents.filter((document) => !isValidRut(document)).sort());
});
