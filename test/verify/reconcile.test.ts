import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { exportedLake } from '../support/query/exported-lake.ts';
import type { MadeRow } from '../support/query/made-lake.ts';
import { detail, GONE, issued, RUT, received, SUPPLIER } from '../support/query/made-receipts.ts';

const HEADING = [
  'Fecha',
  'Tipo',
  'Serie',
  'Número',
  'RUT Emisor',
  'Moneda',
  'Monto Neto',
  'Monto IVA',
  'Monto Total',
];

/** The row of the authority's list for a receipt of the lake. */
function officialRow({
  fecha = '',
  tipo_comprobante: type,
  serie,
  numero,
  moneda,
  totales_total: total,
}: MadeRow) {
  const [year, month, day] = String(fecha).split('-');
  const amounts = [null, null, total === undefined ? null : `-${total}`];
  return [
    `${day}/${month}/${year}`,
    type ?? 0,
    serie ?? '',
    numero ?? '',
    SUPPLIER,
    moneda ?? null,
    ...amounts,
  ];
}

function csvFile(title: string, rows: readonly (readonly unknown[])[], heading = HEADING): string {
  const file = join(newFolder(), 'lista.csv');
  const lines = [[title], ['Desde', '01/10/2026'], ['Hasta', '31/10/2026'], heading, ...rows];
  writeFileSync(file, lines.map((cells) => cells.map((cell) => cell ?? '').join(';')).join('\r\n'));
  return file;
}

async function reconciled(file: string, lake: string, ...words: string[]) {
  const asked = ['reconcile', file, '--rut', RUT, '--lake', lake, '--json'];
  const { code, stdout, stderr } = await runMain(...asked, ...words);
  expect(stderr).toBe('');
  return { code, ...JSON.parse(stdout) };
}

const recibidos = Array.from({ length: 40 }, (_, index) =>
  received('2026-10-05', `A${index + 1}`, {
    tipo_comprobante: index % 5 === 0 ? 112 : 111,
    totales_total: `${index * 7}.25`,
  }),
);

it('received receipts that were altered, added and left out are found, and no others', async () => {
  const gone = received('2026-10-06', 'Z9', GONE);
  const lake = await exportedLake({ recibidos: [...recibidos, gone] });
  const rows = recibidos.map(officialRow);
  rows[3] = [...(rows[3] ?? []).slice(0, 8), '1.000,01'];
  rows.splice(7, 1);
  rows.push(['09/10/2026', 'e-Factura', 'C', 5, '211003420017', 'UYU', null, null, 9]);
  const found = await reconciled(csvFile('CFE Recibidos', rows), lake);
  expect(found).toMatchObject({ code: 1, equal: 38 });
  const differences = found.differences.map((row: Record<string, string>) =>
    [row.Diferencia, row.Serie, row.Número, row.Detalle].join(' '),
  );
  expect(differences.sort()).toEqual([
    'distinto A 4 total: DGI 1000.01, lago 21.25',
    'solo en el lago A 8 la API lo lista, estado AE',
    'solo en el lago Z 9 la API ya no lo lista, estado AE',
    'solo en la DGI C 5 fila 44',
  ]);
});

it('a number under two ids is two receipts, on either side; one that is gone counts only alone', async () => {
  const twice = (number: string) => [received('2026-10-05', number), received('2026-10-06', number)];
  const [inLake, inList, once] = [twice('A1'), twice('B1'), received('2026-10-05', 'C1')];
  const gone = [
    received('2026-10-04', 'C1', GONE),
    ...['1', '2'].map(() => received('2026-10-04', 'D1', GONE)),
  ];
  const lake = await exportedLake({ recibidos: [...inLake, ...inList, once, ...gone] });
  const rows = [inLake[1] ?? {}, ...inList, once, once].map(officialRow);
  const found = await reconciled(csvFile('CFE Recibidos', rows), lake);
  expect(found).toMatchObject({ code: 1, equal: 4 });
  expect(
    found.differences.map((row: Record<string, string>) =>
      [row.Diferencia, row.Fecha, row.Serie, row.Detalle].join(' '),
    ),
  ).toEqual([
    'dos veces en la DGI 2026-10-05 C fila 9',
    'solo en el lago 2026-10-04 D la API ya no lo lista, estado AE',
    'solo en el lago 2026-10-05 A la API lo lista, estado AE',
  ]);
});

it('a receipt of the list that the API no longer lists is a difference, as no book has it', async () => {
  const kept = received('2026-10-05', 'A1');
  const gone = received('2026-10-06', 'A2', { ...GONE, totales_total: '50' });
  const ofNovember = received('2026-10-31', 'A3', GONE);
  const redated = received('2026-10-08', 'A4', GONE);
  const now = [received('2026-11-01', 'A3'), received('2026-10-07', 'A4')];
  const lake = await exportedLake({ recibidos: [kept, gone, ofNovember, redated, ...now] });
  const rows = [kept, { ...gone, totales_total: '51' }, ofNovember, redated].map(officialRow);
  const file = csvFile('CFE Recibidos', rows);
  const found = await reconciled(file, lake);
  expect(found).toMatchObject({ code: 1, isEqual: false, there: 4, here: 5, equal: 1 });
  expect(found.notCompared).toEqual([]);
  const differences = found.differences.map((row: Record<string, string>) =>
    [row.Diferencia, row.Fecha, row.Número, row.Detalle].join(' '),
  );
  expect(differences).toEqual([
    'ya no está en la API 2026-10-06 2 la API ya no lo lista con fecha 2026-10-06: no está en los libros de este período; total: DGI 51.00, lago 50.00',
    'ya no está en la API 2026-10-31 3 la API ya no lo lista con fecha 2026-10-31: no está en los libros de este período',
    'distinto 2026-10-08 4 fecha: DGI 2026-10-08, lago 2026-10-07',
  ]);
  const words = ['reconcile', file, '--rut', RUT, '--lake', lake, '--lang', 'en'];
  const { stdout } = await runMain(...words);
  expect(stdout).toContain('1 equal, 3 differences.');
  expect(stdout).toMatch(
    /no longer in the API .* the API no longer lists it with the date 2026-10-31: it is in no book of this period/,
  );
});

describe('a receipt that is rejected here, which no book has', () => {
  const toldOf = (found: { differences: Record<string, string>[] }) =>
    found.differences.map((row) => [row.Diferencia, row.Número, row.Detalle].join(' '));
  const REJECTED = { estado_codigo: 'BE', estado_dgi_codigo: 'BE' };

  it.each([
    ['recibidos', received, 'CFE Recibidos'],
    ['emitidos', issued, 'CFE Emitidos'],
  ] as const)('is a difference where the list of %s has it, and none where it lacks it', async (...list) => {
    const [direction, made, title] = list;
    const kept = made('2026-10-05', 'A1');
    const inBoth = made('2026-10-06', 'A2', REJECTED);
    const other = made('2026-10-06', 'A3', { ...REJECTED, totales_total: '50' });
    const here = [made('2026-10-07', 'A4', REJECTED), made('2026-10-07', 'A5', { ...REJECTED, ...GONE })];
    const lake = await exportedLake({ [direction]: [kept, inBoth, other, ...here] });
    const rows = [kept, inBoth, { ...other, totales_total: '51' }].map(officialRow);
    const own = direction === 'emitidos' ? rows.map((row) => row.with(4, RUT)) : rows;
    const file = csvFile(title, own);
    const found = await reconciled(file, lake);
    expect(found).toMatchObject({ code: 1, isEqual: false, there: 3, here: 5, equal: 1, rejectedHere: 2 });
    expect(toldOf(found)).toEqual([
      'rechazado acá 2 su estado acá es BE: los libros no lo tienen',
      'rechazado acá 3 su estado acá es BE: los libros no lo tienen; total: DGI 51.00, lago 50.00',
    ]);
    const { stdout } = await runMain('reconcile', file, '--rut', RUT, '--lake', lake, '--lang', 'en');
    expect(stdout).toMatch(/rejected here .* its status here is BE: no book has it/);
    expect(stdout).toContain('2 receipts rejected (BE), only in the lake: no difference');
    const alone = await reconciled(csvFile(title, own.slice(0, 1)), lake, '--month', '2026-10');
    expect(alone).toMatchObject({ code: 0, isEqual: true, equal: 1, differences: [], rejectedHere: 4 });
  });

  it('is not taken for one of the same number that the books have', async () => {
    const [rejected, counted] = [REJECTED, {}].map((row) => received('2026-10-05', 'A1', row));
    const lake = await exportedLake({ recibidos: [rejected ?? {}, counted ?? {}] });
    const row = officialRow(counted ?? {});
    expect(await reconciled(csvFile('CFE Recibidos', [row]), lake)).toMatchObject({ code: 0, equal: 1 });
    const twice = await reconciled(csvFile('CFE Recibidos', [row, row]), lake);
    expect(twice).toMatchObject({ code: 1, equal: 1 });
    expect(toldOf(twice)).toEqual(['rechazado acá 1 su estado acá es BE: los libros no lo tienen']);
  });

  it('is no e-Ticket whose amount matters', async () => {
    const ticket = issued('2026-10-05', 'A1', { ...REJECTED, tipo_comprobante: 101 });
    const found = await reconciled(csvFile('CFE Emitidos', []), await exportedLake({ emitidos: [ticket] }));
    expect(found).toMatchObject({ code: 0, smallTickets: 0, unknownTickets: 0, rejectedHere: 1 });
  });
});

it('net is compared where net and VAT are the total: of an export, nobody knows what the list says', async () => {
  const [plain, exported] = [
    issued('2026-10-05', 'A1'),
    issued('2026-10-05', 'A2', { tipo_comprobante: 121 }),
  ];
  const totals = (amounts: object) => ({ totales: JSON.stringify({ moneda: 'USD', ...amounts }) });
  const emitidos_detalle = [
    detail(plain, totals({ mnt_neto_iva_tasa_basica: 80, mnt_iva_tasa_basica: 20 })),
    detail(exported, totals({ mnt_exportacion_y_asimilados: 100, mnt_neto_iva_tasa_basica: 0 })),
  ];
  const lake = await exportedLake({ emitidos: [plain, exported], emitidos_detalle });
  const rowOf = (row: MadeRow, net: number, vat: number) => [...officialRow(row).slice(0, 6), net, vat, 100];
  const rows = [rowOf(plain, 81, 20), rowOf(exported, 100, 0)];
  const found = await reconciled(csvFile('CFE Emitidos', rows), lake);
  expect(found).toMatchObject({ equal: 1, differences: [{ Detalle: 'neto: DGI 81.00, lago 80.00' }] });
  expect(found.notes).toContainEqual(expect.stringMatching(/^the net amount of 1 receipt was not compared/));
  expect(found.notes).not.toContainEqual(expect.stringContaining('no detail'));
});

it.each([
  [['Monto Gravado', 'Monto No Gravado'], [100, 50], null],
  [['Monto Gravado', 'Exento'], [100, 51], 'neto: DGI 151.00, lago 150.00'],
  [['Monto Gravado'], [100], null],
  [['Monto Gravado'], [99], 'neto: DGI 99.00, lago 100.00'],
  [['Monto Gravado'], [null], 'no comparado: su neto'],
  // Their total tells what a net beside what is exempt has in it.
  [['Monto Neto', 'Exento'], [100, 50], null],
  [['Monto Neto', 'Exento'], [150, 50], null],
  [['Subtotal', 'Monto No Gravado'], [100, 51], 'neto: DGI 100.00, lago 150.00'],
  [['Neto 22%', 'Neto 10%'], [80, 20], null],
  [['Neto 22%', 'Neto 10%'], [80, 21], 'neto: DGI 101.00, lago 100.00'],
  [['Neto 22%', 'Neto 10%', 'No gravado'], [80, 20, 50], null],
  // What is exempt alone says nothing of the rest.
  [['Monto No Gravado'], [50], null],
])('net in columns %j of %j is compared with as much of the detail', async (names, amounts, told) => {
  const receipt = received('2026-10-05', 'A1', { totales_total: '169.6', totales_total_pagar: '169.6' });
  const taxed = { mnt_neto_iva_tasa_basica: 80, mnt_iva_tasa_basica: 17.6, mnt_neto_iva_tasa_minima: 20 };
  const totales = JSON.stringify({ ...taxed, mnt_iva_tasa_minima: 2, mnt_no_gravado: 50, total: 169.6 });
  const lake = await exportedLake({
    recibidos: [receipt],
    recibidos_detalle: [detail(receipt, { totales })],
  });
  const heading = [...HEADING.slice(0, 6), ...names, 'Monto IVA', 'Monto Total'];
  const row = [...officialRow(receipt).slice(0, 6), ...amounts, 19.6, 169.6];
  const found = await reconciled(csvFile('CFE Recibidos', [row], heading), lake);
  expect(
    found.differences.map(({ Detalle }: Record<string, string>) => Detalle?.replace(/ \(fila .*/, '')),
  ).toEqual(told === null ? [] : [told]);
  expect(found.notes).toEqual([]);
});

describe('a detail of a receipt of 122', () => {
  const NO_DETAIL =
    'net amount, VAT or currency of 1 receipt were not compared: no detail in the lake says them';
  const NO_NET =
    'the net amount of 1 receipt was not compared: with VAT it is not the total, as of exports and other taxes';
  const nothing = [null, []] as const;
  const [VAT_DIFFERS, UNKNOWN] = ['iva: DGI 22.00, lago 0.00', 'no comparado: su'];
  const basic = { mnt_neto_iva_tasa_basica: 100, mnt_iva_tasa_basica: 22 };

  it.each([
    // [what the detail states, the list's net, its VAT, what is told of the receipt, the notes]
    [{ ...basic, total: 122 }, 100, 22, ...nothing],
    [{ mnt_no_gravado: 122, total: 122 }, 122, 0, ...nothing],
    [{ mnt_no_gravado: 122, total: 122 }, 122, null, ...nothing],
    [{ mnt_no_gravado: 122, total: 122 }, null, 22, `${VAT_DIFFERS}; ${UNKNOWN} neto`, []],
    [{ mnt_no_gravado: 122, total: 122 }, 100, 22, `neto: DGI 100.00, lago 122.00; ${VAT_DIFFERS}`, []],
    [{ mnt_no_gravado: 100, total: 122 }, 100, 22, VAT_DIFFERS, [NO_NET]],
    [{ mnt_no_gravado: 0, total: 122 }, 100, 22, VAT_DIFFERS, [NO_NET]],
    [{ mnt_exportacion_y_asimilados: 122 }, 100, 22, VAT_DIFFERS, [NO_NET]],
    [{ mnt_exportacion_y_asimilados: 122 }, 122, 0, null, [NO_NET]],
    [{ mnt_neto_iva_tasa_minima: 0, total: 122 }, 100, 22, VAT_DIFFERS, [NO_NET]],
    // Nobody knows the VAT of a net without it, nor the net of a VAT without it; the books say so of the line.
    [{ mnt_neto_iva_tasa_basica: 100, total: 122 }, 100, 22, `${UNKNOWN} neto, IVA`, []],
    [{ ...basic, mnt_neto_iva_tasa_minima: 10, total: 122 }, 100, 22, `${UNKNOWN} neto, IVA`, []],
    [{ mnt_iva_tasa_basica: 22, total: 122 }, 100, 22, `${UNKNOWN} neto`, []],
    [{ mnt_iva_tasa_basica: 122, total: 122 }, 100, 122, `${UNKNOWN} neto`, []],
    [{ mnt_neto_iva_tasa_basica: 122, total: 122 }, 122, 0, `${UNKNOWN} IVA`, []],
    [{ mnt_neto_iva_tasa_basica: 122, total: 122 }, 122, null, `${UNKNOWN} IVA`, []],
    [{ mnt_no_gravado: 200, total: 122 }, 100, 0, `${UNKNOWN} neto`, []],
    // One that cannot be read.
    [{ ...basic, mnt_no_gravado: 'x' }, 100, 22, `${UNKNOWN} neto, IVA`, []],
    [{ mnt_iva_tasa_basica: {} }, 100, 22, `${UNKNOWN} neto, IVA`, []],
    [{ mnt_iva_tasa_basica: {} }, 0, 0, `${UNKNOWN} neto, IVA`, []],
    [{ mnt_iva_tasa_basica: {} }, null, null, `${UNKNOWN} neto, IVA`, []],
    // An older one says no more than it states.
    [{ mnt_no_gravado: 100, total: 100 }, 100, 22, `${UNKNOWN} neto, IVA`, []],
    [{ mnt_iva_tasa_basica: 22, total: 100 }, 100, 22, `${UNKNOWN} neto`, []],
    [{ ...basic, total: 100 }, 100, 22, ...nothing],
    // Without amounts by rate, none.
    [{ total: 122 }, 100, 22, null, [NO_DETAIL]],
    [undefined, 100, 22, null, [NO_DETAIL]],
    [undefined, null, null, ...nothing],
  ])('%j beside a net of %j and a VAT of %j', async (totals, net, vat, told, notes) => {
    const amounts = { totales_total: '122', totales_total_pagar: '122' };
    const receipt = received('2026-10-05', 'A1', amounts);
    const recibidos_detalle =
      totals === undefined ? [] : [detail(receipt, { totales: JSON.stringify(totals) })];
    const lake = await exportedLake({ recibidos: [receipt], recibidos_detalle });
    const row = [...officialRow(receipt).slice(0, 6), net, vat, 122];
    const found = await reconciled(csvFile('CFE Recibidos', [row]), lake);
    expect(found).toMatchObject({ isEqual: told === null, code: told === null ? 0 : 1, notes });
    const details = found.differences.map(({ Detalle }: Record<string, string>) =>
      Detalle?.replace(/ \(fila .*/, ''),
    );
    expect(details).toEqual(told === null ? [] : [told]);
  });

  it.each([
    [true, { equal: 0, notCompared: [{ fields: ['iva'] }], notes: [] }],
    [false, { equal: 1, notCompared: [], notes: [NO_DETAIL] }],
  ])('that could not be read again says what it states, else nothing: %j', async (isRead, said) => {
    const receipt = received('2026-10-05', 'A1');
    const totales = JSON.stringify({ mnt_no_gravado: 100, total: 100 });
    const { leido = '', ...unread } = detail(receipt, { totales, motivo: 'HTTP 500' });
    const recibidos_detalle = [isRead ? { ...unread, leido } : unread];
    const lake = await exportedLake({ recibidos: [receipt], recibidos_detalle });
    const row = [...officialRow(receipt).slice(0, 6), 100, 22, 100];
    expect(await reconciled(csvFile('CFE Recibidos', [row]), lake)).toMatchObject(said);
  });
});

it('VAT is compared with a list that has no column of net', async () => {
  const receipt = received('2026-10-05', 'A1');
  const totales = JSON.stringify({ mnt_no_gravado: 100, total: 100 });
  const lake = await exportedLake({
    recibidos: [receipt],
    recibidos_detalle: [detail(receipt, { totales })],
  });
  const file = csvFile('CFE Recibidos', []);
  const row = [...officialRow(receipt).slice(0, 6), 22, 100];
  writeFileSync(file, [HEADING.toSpliced(6, 1), row].map((cells) => cells.join(';')).join('\r\n'));
  const found = await reconciled(file, lake, '--direction', 'recibidos', '--month', '2026-10');
  expect(found).toMatchObject({
    code: 1,
    differences: [{ Detalle: 'iva: DGI 22.00, lago 0.00' }],
    notes: [],
  });
});

it('issuers that have no RUT are known by their digits, as the list has them', async () => {
  const foreign = received('2026-10-05', 'A1', { emisor_ruc: 'PASS-99' });
  const row = officialRow(foreign).with(4, 'PASS-99');
  const found = await reconciled(
    csvFile('CFE Recibidos', [row]),
    await exportedLake({ recibidos: [foreign] }),
  );
  expect(found).toMatchObject({ code: 0, equal: 1, differences: [] });
});

it('issued e-Tickets below the limit are no difference, and those of unknown amount are said', async () => {
  const ticket = (number: string) => issued('2026-10-05', number, { tipo_comprobante: 101 });
  const [small, large, unread] = [ticket('A1'), ticket('A2'), ticket('A3')];
  const invoice = issued('2026-10-05', 'A4');
  const totals = (net: number) => ({
    totales: JSON.stringify({ moneda: 'UYU', mnt_neto_iva_tasa_basica: net }),
  });
  const emitidos_detalle = [small, large].map((row, index) =>
    detail(row, totals([32_103, 32_104][index] ?? 0)),
  );
  const lake = await exportedLake({ emitidos: [small, large, unread, invoice], emitidos_detalle });
  const found = await reconciled(csvFile('CFE Emitidos', [officialRow(invoice)]), lake);
  expect(found).toMatchObject({
    code: 1,
    direction: 'emitidos',
    equal: 1,
    smallTickets: 1,
    unknownTickets: 1,
  });
  expect(found.differences).toMatchObject([{ Diferencia: 'solo en el lago', Número: '2' }]);
});

it.each([
  ['states no rate above 0', { moneda: 'USD', tipo_cambio: 0, mnt_no_gravado: 100 }],
  ['states a net that is no number', { moneda: 'UYU', mnt_no_gravado: 1, mnt_neto_iva_tasa_basica: {} }],
  ['states a VAT without its net', { moneda: 'UYU', mnt_no_gravado: 1, mnt_iva_tasa_basica: 180_000 }],
  ['is older than the list', { moneda: 'UYU', mnt_no_gravado: 100, total: 100 }],
])('an issued e-Ticket whose detail %s is not said to be below the limit', async (_what, totals) => {
  const ticket = issued('2026-10-05', 'A1', {
    tipo_comprobante: 101,
    totales_total: '1000000.00',
    totales_total_pagar: '1000000.00',
  });
  const lake = await exportedLake({
    emitidos: [ticket],
    emitidos_detalle: [detail(ticket, { totales: JSON.stringify(totals) })],
  });
  const found = await reconciled(csvFile('CFE Emitidos', []), lake);
  expect(found).toMatchObject({ smallTickets: 0, unknownTickets: 1 });
});

it.each([
  ['an export', 1e6, { mnt_no_gravado: 0, mnt_exportacion_y_asimilados: 1e6 }, 'over'],
  ['net at a rate that no column names', 1e6, { mnt_no_gravado: 10 }, 'over'],
  ['VAT alone above the limit', 1e6, { mnt_neto_iva_tasa_basica: 2e4, mnt_iva_tasa_basica: 98e4 }, 'under'],
  [
    'but not one with a withholding, which has no limit',
    9,
    { mnt_no_gravado: 9, mnt_total_retenido: 1 },
    'over',
  ],
])('an issued e-Ticket is measured by what is no VAT: %s', async (_what, total, totals, side) => {
  const listed = {
    totales_total: total.toFixed(2),
    totales_total_pagar: total.toFixed(2),
    receptor_ruc: '',
  };
  const ticket = issued('2026-10-05', 'A1', { ...listed, tipo_comprobante: 101, estado_dgi_codigo: 'NE' });
  const totales = JSON.stringify({ moneda: 'UYU', ...totals });
  const lake = await exportedLake({ emitidos: [ticket], emitidos_detalle: [detail(ticket, { totales })] });
  const found = await reconciled(csvFile('CFE Emitidos', []), lake);
  expect(found).toMatchObject({ smallTickets: Number(side === 'under'), unknownTickets: 0 });
  const days = ['--from', '2026-10-01', '--to', '2026-10-31', '--lake', lake, '--json'];
  const answerOf = async (name: string) =>
    JSON.parse((await runMain('query', '--named', name, ...days)).stdout);
  expect(await answerOf('e-tickets-sin-identificar')).toHaveLength(Number(side === 'over'));
  const word = side === 'over' ? 'sobre el limite' : 'bajo el limite';
  expect(await answerOf('unanswered-by-age')).toContainEqual(expect.objectContaining({ e_ticket: word }));
});

it('an e-Ticket’s limit is of the lake’s UI where the year is not built in, its amount at the lake’s rate', async () => {
  // 5,000 UI are 36,000 pesos, 900 dollars.
  const emitidos = ['899.00', '900.00'].map((total, index) => {
    const totals = { totales_total: total, totales_total_pagar: total };
    return issued('2027-10-05', `A${index + 1}`, { ...totals, tipo_comprobante: 101 });
  });
  const emitidos_detalle = emitidos.map((row) =>
    detail(row, { totales: JSON.stringify({ moneda: 'USD', mnt_no_gravado: row.totales_total }) }),
  );
  const cotizaciones = [
    { fecha: '2026-12-31', moneda: 'UYI', valor: '7.2', fuente: 'x' },
    { fecha: '2027-10-04', moneda: 'USD', valor: '40', fuente: 'x' },
  ];
  const lake = await exportedLake({ emitidos, emitidos_detalle, cotizaciones });
  const found = await reconciled(csvFile('CFE Emitidos', []), lake, '--month', '2027-10');
  expect(found).toMatchObject({ smallTickets: 1, unknownTickets: 0 });
  expect(found.differences).toMatchObject([{ Número: '2' }]);
});

it('rates that are damaged are named, and the list is compared without any, as where there are none', async () => {
  const [plain, priced] = ['A1', 'A2'].map((number) =>
    issued('2026-10-05', number, { tipo_comprobante: 101, totales_total_pagar: '10.00' }),
  );
  const rows = [plain, priced].map((row) => row ?? {});
  const emitidos_detalle = rows.map((row, index) =>
    detail(row, { totales: JSON.stringify({ moneda: ['UYU', 'USD'][index], mnt_no_gravado: 10 }) }),
  );
  const sold = issued('2026-10-06', 'B1');
  const cotizaciones = ['2026-10-03', '2026-10-04'].map((fecha) => ({
    fecha,
    moneda: 'USD',
    valor: '40',
    fuente: 'x',
  }));
  const lake = await exportedLake({ emitidos: [...rows, sold], emitidos_detalle, cotizaciones });
  const ownRow = (row: MadeRow) => officialRow(row).with(4, RUT);
  const file = csvFile('CFE Emitidos', [ownRow(sold)]);
  expect(await reconciled(file, lake)).toMatchObject({ code: 0, smallTickets: 2, unknownTickets: 0 });
  const damaged = join(lake, 'cotizaciones/fecha=2026-10-03/dia.parquet');
  writeFileSync(damaged, 'no Parquet at all');
  const words = ['reconcile', file, '--rut', RUT, '--lake', lake];
  const { code, stdout, stderr } = await runMain(...words, '--json');
  expect(stderr).toMatch(/2026-10-03.dia\.parquet in .* is damaged/);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 1,
    isEqual: false,
    equal: 1,
    differences: [],
    smallTickets: 1,
    unknownTickets: 1,
    notes: expect.arrayContaining([expect.stringContaining('rates can’t be read')]),
  });
  expect((await runMain(...words)).stdout).toContain('las cotizaciones del lago no se pueden leer');

  // Equal in all else, it is not said to be: a limit of e-Tickets may have been that of another year.
  const all = csvFile('CFE Emitidos', [...rows, sold].map(ownRow));
  const equal = await runMain('reconcile', all, '--rut', RUT, '--lake', lake, '--json');
  expect({ code: equal.code, ...JSON.parse(equal.stdout) }).toMatchObject({
    code: 1,
    equal: 3,
    isEqual: false,
  });

  // Of received receipts none is needed.
  expect(await reconciled(csvFile('CFE Recibidos', []), lake)).toMatchObject({ code: 0 });
});

it.each([null, ''])(
  'a currency that the lake has as %j was not compared, and that is told',
  async (moneda) => {
    const sold = issued('2026-10-05', 'A1');
    const emitidos_detalle = [detail(sold, { totales: JSON.stringify({ moneda }) })];
    const lake = await exportedLake({ emitidos: [sold], emitidos_detalle });
    const row = officialRow(sold).with(4, RUT).with(5, 'EUR');
    const found = await reconciled(csvFile('CFE Emitidos', [row]), lake);
    expect(found).toMatchObject({ equal: 1, notes: [expect.stringContaining('currency of 1 receipt')] });
  },
);

it.each([
  [['reconcile'], /missing required argument 'FILE'/],
  [['reconcile', 'lista.csv'], /Give --rut RUT/],
  [['reconcile', 'lista.pdf', '--rut', RUT], /there is no such file/],
])('%j is refused', async (words, message) => {
  const { code, stdout, stderr } = await runMain(...words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(message);
});

it('a text of the list makes no line of its own', async () => {
  const lake = await exportedLake({ recibidos: [received('2026-10-05', 'A1')] });
  const file = join(newFolder(), 'lista.csv');
  const heading = HEADING.map((name) =>
    name === 'RUT Emisor' ? '"RUT Emisor\n9 comprobantes: 9 iguales."' : name,
  );
  const row = ['05/10/2026', 111, 'A', '"1\nTodo igual."', SUPPLIER, 'UYU', '', '', '100'];
  writeFileSync(file, [heading, row].map((cells) => cells.join(';')).join('\r\n'));
  const { stdout } = await runMain('reconcile', file, '--rut', RUT, '--lake', lake, '--month', '2026-10');
  expect(stdout).toContain('9 comprobantes');
  expect(stdout).not.toMatch(/^(9 comprobantes|Todo igual)/m);
});
