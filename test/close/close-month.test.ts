import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { writeClientFolder } from '../../lib/close/client-folder.ts';
import { readClose } from '../../lib/close/close-folder.ts';
import { type AskedClose, closeMonth, type ReconciledList } from '../../lib/close/close-month.ts';
import type { PointName } from '../../lib/close/points.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import type { LakeDatabase } from '../../lib/query/lake-database.ts';
import { ask } from '../../lib/query/question.ts';
import type { Report } from '../../lib/report/read-report.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, issued, RUT, received } from '../support/query/made-receipts.ts';
import { readWorkbook } from '../support/query/workbook.ts';

const [EMPTY, UNREAD] = ['214844360018', '219999830019'];
const sold = issued('2026-10-05', 'A1', { totales_total: '122.00' });
const ofUnread = { ...issued('2026-10-06', 'A2'), rut: UNREAD };
/** Each day of both lists was read, and has nothing. */
const readEmpty = Array.from({ length: 62 }, (_, at) => ({
  rut: EMPTY,
  estado: 'vacio',
  filas: 0,
  fecha_corrida: '2026-11-10',
  corrida: 'night',
  inicio: '2026-11-10T02:00:00',
  fin: '2026-11-10T02:00:00',
  direccion: at < 31 ? 'emitidos' : 'recibidos',
  fecha: `2026-10-${String((at % 31) + 1).padStart(2, '0')}`,
}));
const late = received('2026-10-31', 'A9', { totales_total: '500.00' });
const LAKE = {
  emitidos: [sold, ofUnread],
  emitidos_detalle: [
    detail(sold, { totales: '{"moneda":"UYU","mnt_neto_iva_tasa_basica":100,"mnt_iva_tasa_basica":22}' }),
  ],
  exportaciones: readEmpty,
};
const lists: ReconciledList[] = ['emitidos', 'recibidos'].map((direction) => ({
  name: `conciliacion-${direction}.json`,
  isEqual: direction === 'recibidos',
  text: `Lista de ${direction}, x.csv: 1 diferencia.`,
  json: '[0',
  html: direction,
}));
const listsOf = async ({ rut }: { rut: string }) => ({ [RUT]: lists, [UNREAD]: lists.slice(1) })[rut] ?? [];

/** Closes October in a folder, from a lake's. */
async function closed(lake: string, out: string, more: Partial<AskedClose> = {}) {
  const asked: AskedClose = {
    from: '2026-10-01',
    to: '2026-10-31',
    today: '2026-11-20',
    out,
    isAgain: false,
    version: '1',
    accepted: new Set(['days', 'details', 'lists']),
    alsoRuts: [RUT, EMPTY, UNREAD],
    names: new Map([[RUT, 'Uno S.A.']]),
    ui: new Map([
      [2026, '6.5'],
      [2027, '7'],
    ]),
    madeAt: '2026-11-20T09:00:00',
    reconcile: listsOf,
    signal: new AbortController().signal,
    ...more,
  };
  const companies = [];
  for await (const company of closeMonth(new FolderStore(lake), asked)) companies.push(company.closed);
  return companies;
}

it('a month of which a receipt has another day, too, is not closed before that is read again', async () => {
  // October has its new day, September its old one.
  const moved = ['2026-09-30', '2026-10-01'].map((day) => issued(day, 'A7'));
  const [first] = moved;
  const emitidos = [...LAKE.emitidos, ...moved.map((row) => ({ ...row, id: first?.id ?? 0 }))];
  const lake = await madeLakeFolder({ ...LAKE, emitidos });
  const accepted = new Set<PointName>(['details', 'lists', 'gaps']);
  const [company] = await closed(lake, newFolder(), { accepted, alsoRuts: [RUT] });
  const text = expect.stringContaining(
    `RUT ${RUT}: 1 comprobante está en dos días: su fecha cambió, y hay que volver a leerlos (del 30/09/2026 al 01/10/2026).`,
  );
  expect(company).toMatchObject({ rut: RUT, state: 'refused' });
  expect(company).toHaveProperty('points', expect.arrayContaining([{ name: 'days', text }]));
});

it('a rejection that the detail contradicts is open beside a receipt without a rate, and told to the client', async () => {
  const rejected = issued('2026-10-08', 'A8', { estado_dgi_codigo: 'BE' });
  const inDollars = issued('2026-10-09', 'A9');
  const amounts = { mnt_neto_iva_tasa_basica: 78, mnt_iva_tasa_basica: 22 };
  const totales = (moneda: string) => JSON.stringify({ moneda, ...amounts });
  const emitidos_detalle = [
    ...LAKE.emitidos_detalle,
    detail(rejected, { totales: totales('UYU'), estado_dgi: '{"codigo":"AE"}' }),
    detail(inDollars, { totales: totales('USD') }),
  ];
  const lake = await madeLakeFolder({ emitidos: [sold, rejected, inDollars], emitidos_detalle });
  const accepted: PointName[] = ['days', 'lists', 'rates', 'rejected', 'gaps'];
  const text =
    '1 fila del formulario 2181 sin línea: comprobantes que no se declaran (estado contradictorio)';
  const [refused] = await closed(lake, newFolder(), { accepted: new Set(accepted), alsoRuts: [RUT] });
  expect(refused).toMatchObject({ state: 'refused', points: [{ name: 'details', text }] });
  const [out, clients] = [newFolder(), newFolder()];
  await closed(lake, out, { accepted: new Set([...accepted, 'details']), alsoRuts: [RUT] });
  const client = await writeClientFolder(clients, await readClose(join(out, RUT, '2026-10')), null);
  expect(String(readFileSync(join(client, 'portada.html')))).toContain(`<li>${text}</li>`);
});

it('what the tax authority did not accept is in no form, which is told beside it, and opens no point', async () => {
  const rows = ['CE', 'NE', ''].map((estado_dgi_codigo, at) =>
    issued('2026-10-08', `A${at + 2}`, { rut: EMPTY, estado_dgi_codigo }),
  );
  const totales = '{"moneda":"UYU","mnt_neto_iva_tasa_basica":78,"mnt_iva_tasa_basica":22}';
  const emitidos_detalle = rows.map((row) => ({ ...detail(row, { totales }), rut: EMPTY }));
  const exportaciones = readEmpty.map((day) => ({
    ...day,
    ...(day.direccion === 'emitidos' && day.fecha === '2026-10-08' && { estado: 'exportado', filas: 3 }),
  }));
  const lakeOf = async (emitidos: typeof rows) =>
    await madeLakeFolder({ emitidos, emitidos_detalle, exportaciones });
  const [out, clients] = [newFolder(), newFolder()];
  const asked = { accepted: new Set<PointName>(), alsoRuts: [EMPTY], reconcile: async () => [] };
  const [done] = await closed(await lakeOf(rows), out, asked);
  expect(done).toMatchObject({ state: 'closed', accepted: [], leftOut: null, notAccepted: 3 });
  const close = await readClose(join(out, EMPTY, '2026-10'));
  expect(readFileSync(join(close.folder, 'formulario-2181.txt'), 'utf8')).toBe('');
  expect(JSON.parse(readFileSync(join(close.folder, 'cierre.json'), 'utf8'))).toMatchObject({
    form2181: { lineCount: 0, leftOut: null, notAccepted: 3 },
  });
  const client = await writeClientFolder(clients, close, null);
  expect(String(readFileSync(join(client, 'portada.html')))).toContain(
    '<p>El 2181 no lleva 3 comprobantes emitidos que la DGI no aceptó (observados o sin respuesta).</p>',
  );

  // One that is accepted later is a line, and of another nobody knows the status: each row is told by itself.
  const [first = {}, second = {}, third = {}] = rows;
  const later = [{ ...first, estado_dgi_codigo: 'AE' }, { ...second, estado_dgi_codigo: 'be' }, third];
  const [left] = await closed(await lakeOf(later), out, asked);
  const { columns, rows: cells } = left?.changes?.differences ?? { columns: [], rows: [] };
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  const counts = cells.filter(
    (row) => row[at('tabla')] === 'formulario-2181' && row[at('campo')] === 'comprobantes',
  );
  expect(
    counts.map((row) => ['cambio', 'concepto', 'linea', 'declarado', 'actual'].map((name) => row[at(name)])),
  ).toEqual([
    ['cambio', 'sin aceptar', null, '3', '1'],
    ['aparecio', null, '502', null, '1'],
    ['aparecio', null, null, null, '1'],
  ]);
});

it('a company that was never read, or not whole, has no empty form, which would say that there is nothing to declare', async () => {
  const lake = await madeLakeFolder({ exportaciones: readEmpty.slice(1) });
  const out = newFolder();
  const companies = await closed(lake, out, { reconcile: async () => [] });
  expect(companies.map(({ rut, state }) => [rut, state])).toEqual([
    [RUT, 'closed'],
    [EMPTY, 'closed'],
    [UNREAD, 'closed'],
  ]);
  for (const rut of [RUT, EMPTY, UNREAD])
    expect(readdirSync(join(out, rut, '2026-10'))).not.toContain('formulario-2181.txt');
});

it('a month that lists a receipt under two ids, which its sums count twice, is closed only if that is accepted', async () => {
  const bought = ['A7', 'A7', 'A8'].map((number) => received('2026-10-07', number));
  const lake = await madeLakeFolder({ ...LAKE, recibidos: bought });
  const [out, accepted] = [newFolder(), ['days', 'details', 'lists'] as const];
  const alsoRuts = [RUT];
  const text = '2 filas de comprobantes que figuran más de una vez';
  const [refused] = await closed(lake, out, { accepted: new Set(accepted), alsoRuts });
  expect(refused).toMatchObject({ state: 'refused', points: [{ name: 'twice', text }] });
  const [done] = await closed(lake, out, { accepted: new Set([...accepted, 'twice']), alsoRuts });
  expect(done).toMatchObject({
    state: 'closed',
    accepted: expect.arrayContaining([{ name: 'twice', text }]),
  });
  const page = String(readFileSync(join(out, RUT, '2026-10', 'informe.html')));
  expect(page).toMatch(new RegExp(`Se aceptó al cerrar:.*${text}`));
});

it('a month whose closing is interrupted has no company that failed', async () => {
  const [lake, out] = [await madeLakeFolder(LAKE), newFolder()];
  const early = AbortSignal.abort(new Error('at once'));
  await expect(closed(lake, out, { signal: early })).rejects.toThrow('at once');
  const stop = new AbortController();
  const reconcile = async () => {
    stop.abort(new Error('later'));
    throw new Error('no list');
  };
  await expect(closed(lake, out, { signal: stop.signal, reconcile })).rejects.toThrow('later');
  expect(readdirSync(out)).toEqual([]);
});

it('a company is reconciled in a database of its own after one whose question failed, and so is the next', async () => {
  const [lake, out] = [await madeLakeFolder(LAKE), newFolder()];
  const asked: LakeDatabase[] = [];
  const reconcile = async ({ rut }: Report, database: LakeDatabase) => {
    asked.push(database);
    await ask(database, rut === RUT ? "SELECT error('of this company')" : 'SELECT * FROM emitidos');
    return [];
  };
  expect(await closed(lake, out, { reconcile })).toMatchObject([
    { rut: RUT, state: 'failed', error: { message: expect.stringContaining('of this company') } },
    { rut: EMPTY, state: 'closed' },
    { rut: UNREAD, state: 'closed' },
  ]);
  expect(new Set(asked).size).toBe(3);
});

it('a month is closed company by company, each with what it has, and again where something differs', async () => {
  const [lake, place] = [newFolder(), newFolder()];
  const out = join(place, 'closes');
  vi.stubEnv('TMPDIR', newFolder());
  const inClose = (rut: string, name: string) => readFileSync(join(out, rut, '2026-10', name));
  const indexOf = (rut: string) => JSON.parse(String(inClose(rut, 'cierre.json')));

  await madeLakeFolder(LAKE, lake);
  // All are of the moment at which it began, whatever becomes of the lake meanwhile.
  const reconcile = async (report: Report) => {
    rmSync(lake, { recursive: true, force: true });
    return await listsOf(report);
  };
  expect(await closed(lake, out, { reconcile })).toMatchObject([
    { rut: RUT, name: 'Uno S.A.', state: 'closed', lists: lists.map(({ name }) => name), leftOut: null },
    { rut: EMPTY, state: 'closed', leftOut: null, isEmpty: true },
    { rut: UNREAD, name: null, state: 'closed', leftOut: expect.any(Function), isEmpty: false },
  ]);
  expect(indexOf(RUT)).toMatchObject({
    name: 'Uno S.A.',
    accepted: [{ name: 'days' }, { name: 'lists', text: lists[0]?.text }],
    concerns: expect.arrayContaining([expect.stringMatching(/^62 días .* no se leyeron/)]),
    form2181: { lineCount: 1, leftOut: null, notAccepted: 0 },
  });
  expect(indexOf(EMPTY)).toMatchObject({ state: 'open', accepted: [] });
  expect(indexOf(RUT).ui).toEqual({ 2026: '6.5' });
  expect(String(inClose(RUT, 'informe.html'))).toContain('; Lista de emitidos, x.csv: 1 diferencia.</p>');
  expect(String(inClose(RUT, 'conciliacion-recibidos.html'))).toBe('recibidos');
  const bookOf = (rut: string) => {
    const [book] = readWorkbook(inClose(rut, 'libro-iva-ventas.xlsx'));
    return [...(book?.cells.values() ?? [])].map(({ value }) => String(value)).join();
  };
  expect(bookOf(RUT)).toContain('Uno S.A.');
  expect(bookOf(UNREAD)).not.toContain('undefined');
  // An empty file says that there is nothing to declare.
  expect(readdirSync(join(out, UNREAD, '2026-10'))).not.toContain('formulario-2181.txt');
  expect(String(inClose(EMPTY, 'formulario-2181.txt'))).toBe('');

  await madeLakeFolder(
    {
      ...LAKE,
      recibidos: [late],
      recibidos_detalle: [detail(late, { totales: '{"moneda":"UYU","mnt_no_gravado":500}' })],
    },
    lake,
  );
  const index = join(out, EMPTY, '2026-10', 'cierre.json');
  chmodSync(index, 0o600);
  writeFileSync(index, '');
  const folder = join(out, RUT, '2026-10');
  const [left, failed, same] = await closed(lake, out);
  expect(left).toMatchObject({ state: 'left', folder, changes: { since: folder, others: [] } });
  expect(left?.changes?.differences.rows.length).toBeGreaterThan(0);
  expect(same).toMatchObject({ state: 'same', folder: join(out, UNREAD, '2026-10') });
  expect(failed).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('is no close') },
  });

  // One list of the two is another, the other company has none any more, and the month is not over.
  const again = await closed(lake, out, {
    isAgain: true,
    today: '2026-10-31',
    ui: new Map(),
    ruts: [RUT, UNREAD],
    alsoRuts: undefined,
    reconcile: async ({ rut }) => (rut === RUT ? lists.map((list, at) => ({ ...list, json: `[${at}` })) : []),
  });
  const ui = { name: 'ui' };
  const verdict = { name: 'verdict', now: expect.stringContaining('no terminó') };
  expect(again).toMatchObject([
    { state: 'closed', changes: { others: [{ name: 'points' }, { name: 'lists' }, verdict, ui] } },
    {
      state: 'closed',
      changes: { differences: { rows: [] }, others: [{ name: 'points' }, { name: 'lists' }, verdict, ui] },
    },
  ]);
  expect(basename(again[0]?.state === 'closed' ? again[0].folder : '')).toBe('2026-10-2');
  expect(readdirSync(process.env.TMPDIR ?? '')).toEqual([]);
});
