import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { exportedLake } from '../support/query/exported-lake.ts';
import { type MadeRow, madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, GONE, issued, RUT, received, SUPPLIER } from '../support/query/made-receipts.ts';

/** What happens while a close reads a list. */
const { meanwhile } = vi.hoisted(() => ({ meanwhile: { happens: async (): Promise<unknown> => undefined } }));
vi.mock('../../lib/verify/official/list-file.ts', async (original) => {
  const real = await original<typeof import('../../lib/verify/official/list-file.ts')>();
  const readListFile: typeof real.readListFile = async (...asked) => {
    await meanwhile.happens();
    return await real.readListFile(...asked);
  };
  return { ...real, readListFile };
});
beforeEach(() => {
  meanwhile.happens = async () => undefined;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
});

const MONTH = '2026-10';
const NONE_ISSUED = 'CFE Emitidos\nFecha;Tipo;Serie;Numero;Moneda;Monto Total\n';

/** A folder with the tax authority's list of these receipts, or a part of it beside those that are there. */
function listsOf(receipts: readonly MadeRow[], folder = newFolder(), said: readonly string[] = []): string {
  const rows = receipts.map(({ fecha, tipo_comprobante: type, serie, numero, totales_total: total }) =>
    [String(fecha).split('-').reverse().join('/'), type, serie, numero, SUPPLIER, 'UYU', total].join(';'),
  );
  const days = said.length === 0 ? [] : [`Desde;${said[0]}`, `Hasta;${said[1]}`];
  const heading = 'Fecha;Tipo;Serie;Numero;RUT Emisor;Moneda;Monto Total';
  const name = `${RUT}-recibidos-${readdirSync(folder).length}.csv`;
  writeFileSync(join(folder, name), ['CFE Recibidos', ...days, heading, ...rows].join('\n'));
  return folder;
}

async function closed(lake: string, lists: string) {
  const out = newFolder();
  const accepted = ['--accept', 'days,gone,details,lists'];
  const words = ['--month', MONTH, '--rut', RUT, '--out', out, '--lake', lake, '--lists', lists];
  const { code, stdout, stderr } = await runMain('close', ...words, ...accepted);
  const folder = join(out, RUT, MONTH);
  const kept = (name: string) => readFileSync(join(folder, name), 'utf8');
  const points: { name: string; text: string }[] = JSON.parse(kept('cierre.json')).accepted;
  const open = points.flatMap(({ name, text }) => (name === 'lists' ? text : []));
  return { code, stdout, stderr, folder, kept, open, list: JSON.parse(kept('conciliacion-recibidos.json')) };
}

it('a list is compared with the rows that the close keeps, whatever the lake brings meanwhile', async () => {
  const [known, late] = [received('2026-10-05', 'A1'), received('2026-10-31', 'A2')];
  const days = { from: '2026-10-01', to: '2026-10-30' } as const;
  const lake = await exportedLake({ recibidos: [known] }, { days });
  const readLate = {
    rut: RUT,
    estado: 'exportado',
    filas: 1,
    fecha_corrida: '2026-11-06',
    corrida: 'late',
    inicio: '2026-11-06T03:00:00',
    direccion: 'recibidos',
    fecha: '2026-10-31',
  };
  meanwhile.happens = () => madeLakeFolder({ recibidos: [late], exportaciones: [readLate] }, lake);
  const { code, folder, list } = await closed(lake, listsOf([known, late]));
  const rows = 'SELECT serie, numero FROM recibidos';
  const { stdout } = await runMain('query', rows, '--close', folder, '--format', 'json');
  expect({ code, rows: JSON.parse(stdout) }).toEqual({ code: 0, rows: [{ serie: 'A', numero: 1 }] });
  expect(list).toMatchObject({
    isEqual: false,
    there: 2,
    here: 1,
    equal: 1,
    differences: [{ Diferencia: 'solo en la DGI', Número: '2' }],
    unreadDays: ['2026-10-31'],
  });
});

// Other systems refuse such a name themselves.
it.runIf(process.platform === 'linux')('a list whose name is not UTF-8 is to be renamed', async () => {
  const [folder, lake] = [newFolder(), await exportedLake({ recibidos: [received('2026-10-05', 'A1')] })];
  writeFileSync(Buffer.from(join(folder, `${RUT}-compañía.csv`), 'latin1'), 'x');
  const [name = ''] = readdirSync(folder);
  const asked = ['--rut', RUT, '--lake', lake];
  const reconciled = await runMain('reconcile', join(folder, name), ...asked);
  expect(reconciled).toMatchObject({ code: 2, stderr: expect.stringContaining('rename it first') });
  const words = ['--month', MONTH, '--out', newFolder(), '--lists', folder, '--lang', 'es'];
  const { code, stdout } = await runMain('close', ...words, ...asked);
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('cámbiele antes el nombre') });
});

it('a receipt of the list that is in no book leaves the point open, and is told in the page', async () => {
  const [kept, gone] = [received('2026-10-05', 'A1'), received('2026-10-06', 'A2', GONE)];
  const {
    code,
    list,
    kept: file,
  } = await closed(await exportedLake({ recibidos: [kept, gone] }), listsOf([kept, gone]));
  expect({ code, list }).toMatchObject({ code: 0, list: { isEqual: false, equal: 1, here: 2 } });
  expect(file('conciliacion-recibidos.html')).toContain(
    'la API ya no lo lista con fecha 2026-10-06: no está en los libros',
  );
  expect(JSON.parse(file('cierre.json')).accepted).toContainEqual({
    name: 'lists',
    text: 'Lista de recibidos: 2 comprobantes en la lista de la DGI, 2 acá: 1 igual, 1 diferencia',
  });
});

it('a company with a list of one direction is told that it has none of the other', async () => {
  const receipt = received('2026-10-05', 'A1');
  const [lake, lists] = [await exportedLake({ recibidos: [receipt] }), listsOf([receipt])];
  expect((await closed(lake, lists)).stdout).toMatch(
    /: closed, .*; no list of emitidos of the tax authority$/m,
  );
  writeFileSync(join(lists, `${RUT}-emitidos.csv`), NONE_ISSUED);
  expect((await closed(lake, lists)).stdout).not.toContain('no list');
});

const FIRST_HALF = ['01/10/2026', '15/10/2026'] as const;
const SECOND_HALF = ['16/10/2026', '31/10/2026'] as const;
const OF_HALVES = 'Lista de recibidos del 2026-10-01 al 2026-10-15';

it('lists of parts of the month are compared over their days each, and are equal where all receipts are in one', async () => {
  const [first, last, second] = [
    received('2026-10-01', 'A1'),
    received('2026-10-15', 'A2'),
    received('2026-10-16', 'A3'),
  ];
  const lake = await exportedLake({ recibidos: [first, last, second] });
  const lists = listsOf([first, last], undefined, FIRST_HALF);
  writeFileSync(join(lists, `${RUT}-emitidos.csv`), NONE_ISSUED);
  const half = await closed(lake, lists);
  expect(half.list).toMatchObject({ from: '2026-10-01', to: '2026-10-15', isEqual: true, there: 2, here: 2 });
  expect(half.open).toEqual([
    `${OF_HALVES}: 2 comprobantes en la lista de la DGI, 2 acá: 2 iguales, 0 diferencias, ninguna lista de recibidos es de 2026-10-16..2026-10-31`,
  ]);
  listsOf([second], lists, SECOND_HALF);
  const { open, list, kept } = await closed(lake, lists);
  expect(open).toEqual([]);
  expect([list, JSON.parse(kept('conciliacion-recibidos-2.json'))]).toMatchObject([
    { from: '2026-10-01', to: '2026-10-15', isEqual: true, notes: [] },
    { from: '2026-10-16', to: '2026-10-31', isEqual: true, notes: [] },
  ]);
});

it('a difference of one part of the month is told alone, and a day of the lake that was not read in its part', async () => {
  const [known, missing] = [received('2026-10-05', 'A1'), received('2026-10-06', 'A2')];
  const lake = await exportedLake({ recibidos: [known] }, { days: { from: '2026-10-01', to: '2026-10-30' } });
  const lists = listsOf([known, missing], undefined, FIRST_HALF);
  listsOf([], lists, SECOND_HALF);
  expect((await closed(lake, lists)).open).toEqual([
    `${OF_HALVES}: 2 comprobantes en la lista de la DGI, 1 acá: 1 igual, 1 diferencia`,
    'Lista de recibidos del 2026-10-16 al 2026-10-31: 0 comprobantes en la lista de la DGI, 0 acá: 0 iguales, 0 diferencias, 1 día que no se leyó entero: 2026-10-31',
  ]);
});

it.each([
  [
    'a part of the month and days before it',
    ['16/09/2026', '30/10/2026'],
    '2026-10-01',
    '2026-10-30',
    '2026-10-31',
  ],
  ['the month', ['01/10/2026', '31/10/2026'], '2026-10-01', '2026-10-31', ''],
  ['more than the month', ['01/09/2026', '04/11/2026'], '2026-10-01', '2026-10-31', ''],
  ['another month', ['01/09/2026', '30/09/2026'], '2026-10-01', '2026-10-31', '2026-10-01..2026-10-31'],
  ['no days', [], '2026-10-01', '2026-10-31', ''],
] as const)(
  'a list that says %s is compared over its days of the month, else over the month',
  async (_, said, from, to, lacking) => {
    const receipt = received('2026-10-05', 'A1');
    const lake = await exportedLake({ recibidos: [receipt] });
    const { list, open } = await closed(lake, listsOf([receipt], undefined, said));
    expect(list).toMatchObject({ from, to, equal: 1 });
    expect(open).toEqual(
      lacking === '' ? [] : [expect.stringContaining(`ninguna lista de recibidos es de ${lacking}`)],
    );
  },
);

it('an empty list of another month leaves this one open', async () => {
  const { list, open } = await closed(
    await exportedLake({ recibidos: [] }),
    listsOf([], undefined, ['01/09/2026', '30/09/2026']),
  );
  expect(list).toMatchObject({ isEqual: true, there: 0, here: 0 });
  expect(open).toEqual([expect.stringContaining('ninguna lista de recibidos es de 2026-10-01..2026-10-31')]);
});

const COLUMNS = 'Fecha;Tipo;Serie;Numero;RUT Emisor;RUT Receptor;Moneda;Monto Total';
const ROW = `05/10/2026;111;A;1;${SUPPLIER};${RUT};UYU;100`;
const ONE_EQUAL = 'Lista de recibidos: 1 comprobante en la lista de la DGI, 1 acá: 1 igual, 0 diferencias';

it.each([
  [
    'a row of another month',
    `05/09/2026;111;A;2;${SUPPLIER};${RUT};UYU;100`,
    `${ONE_EQUAL.replace('1 comprobante ', '2 comprobantes ')}, 1 fila de otros días`,
  ],
  ['a row that is none', 'AJUSTE 12345678;;;;;;;1', `${ONE_EQUAL}, 1 fila o celda sin leer`],
])('a list without differences that has %s says so', async (_, row, text) => {
  const lists = newFolder();
  writeFileSync(join(lists, `${RUT}.csv`), ['CFE Recibidos', COLUMNS, row, ROW].join('\n'));
  const lake = await exportedLake({ recibidos: [received('2026-10-05', 'A1')] });
  expect((await closed(lake, lists)).open).toEqual([text]);
});

it('a list of another company says so, and does not name it', async () => {
  const lists = newFolder();
  writeFileSync(join(lists, `${RUT}.csv`), ['CFE Recibidos', COLUMNS, ROW.replace(RUT, SUPPLIER)].join('\n'));
  const lake = await exportedLake({ recibidos: [received('2026-10-05', 'A1')] });
  expect((await closed(lake, lists)).open).toEqual([`${ONE_EQUAL}, 1 fila de otra empresa`]);
});

it.each([
  [{ mnt_no_gravado: 100, total: 100 }, '0 iguales, 1 diferencia'],
  [{ mnt_neto_iva_tasa_basica: 82, total: 100 }, '0 iguales, 0 diferencias, 1 no comparado'],
])('a VAT of the list that the detail %j lacks leaves the point open', async (totals, told) => {
  const lists = newFolder();
  const lines = ['CFE Recibidos', COLUMNS.replace('Monto', 'Monto IVA;Monto'), ROW.replace(/100$/, '18;100')];
  writeFileSync(join(lists, `${RUT}.csv`), lines.join('\n'));
  const receipt = received('2026-10-05', 'A1');
  const recibidos_detalle = [detail(receipt, { totales: JSON.stringify(totals) })];
  const { list, open } = await closed(await exportedLake({ recibidos: [receipt], recibidos_detalle }), lists);
  expect(list).toMatchObject({ isEqual: false, notes: [] });
  expect(open).toEqual([`Lista de recibidos: 1 comprobante en la lista de la DGI, 1 acá: ${told}`]);
});

it('a list without e-Tickets of which nobody knows whether they are below the limit says so', async () => {
  const lists = listsOf([]);
  writeFileSync(join(lists, `${RUT}-emitidos.csv`), NONE_ISSUED);
  const ticket = issued('2026-10-05', 'A1', { tipo_comprobante: 101, totales_total: '40000' });
  expect((await closed(await exportedLake({ emitidos: [ticket] }), lists)).open).toEqual([
    'Lista de emitidos: 0 comprobantes en la lista de la DGI, 1 acá: 0 iguales, 0 diferencias, 1 e-Ticket solo acá que puede estar por debajo del límite',
  ]);
});

it('a list without differences says that a part of the audit cannot be read', async () => {
  const known = received('2026-10-05', 'A1');
  const lake = await exportedLake({ recibidos: [known] });
  const parts = join(lake, '.open-runs/2026-11-06/20261106030000-c63747a0/exportaciones');
  mkdirSync(parts, { recursive: true });
  writeFileSync(join(parts, `${RUT}-c63747a0-0000.parquet`), 'PAR1');
  expect((await closed(lake, listsOf([known]))).open).toEqual([
    `${ONE_EQUAL}, no se sabe qué días se leyeron`,
  ]);
});
