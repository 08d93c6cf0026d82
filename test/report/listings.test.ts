import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { type Report, readReports } from '../../lib/report/read-report.ts';
import { reportHtml } from '../../lib/report/report-page.ts';
import { verdictOf } from '../../lib/report/verdict.ts';
import { daysBetween } from '../../lib/time/days.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { type MadeRow, madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, GONE, issued, received } from '../support/query/made-receipts.ts';
import { readWorkbook } from '../support/query/workbook.ts';

const TODAY = '2027-02-20';
const OCTOBER = { from: '2026-10-01', to: '2026-10-31', today: TODAY } as const;
const NOVEMBER = { from: '2026-11-01', to: '2026-11-30', today: TODAY } as const;

const [SOUND, MOVED_OUT, MOVED_IN, READ_AGAIN, LOST] = [
  '214844360018',
  '218617380010',
  '214198620015',
  '210475730011',
  '217832560011',
];

/** The same receipt on two days of the list. */
function onBoth(row: MadeRow, day: string, ofFirst: MadeRow = {}): MadeRow[] {
  return [
    { ...row, ...ofFirst },
    { ...row, fecha: day },
  ];
}

const sale = issued('2026-10-31', 'A7');
const purchase = received('2026-10-31', 'A7');
const ISSUED: Readonly<Record<string, readonly MadeRow[]>> = {
  [SOUND]: [issued('2026-10-05', 'A1')],
  [MOVED_OUT]: onBoth(sale, '2026-11-01'),
  [MOVED_IN]: [issued('2026-11-05', 'A1')],
  // Its old day was read again since.
  [READ_AGAIN]: onBoth(sale, '2026-11-01', GONE),
  [LOST]: [issued('2026-10-05', 'A1'), issued('2026-10-06', 'A2', GONE)],
};
const RECEIVED: Readonly<Record<string, readonly MadeRow[]>> = {
  [MOVED_IN]: onBoth(purchase, '2026-11-01'),
  [LOST]: [received('2026-10-09', 'A2', GONE)],
};

let lake: string;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${TODAY}T12:00:00Z`) });
  const rowsOf = (made: Readonly<Record<string, readonly MadeRow[]>>) =>
    Object.entries(made).flatMap(([rut, rows]) => rows.map((row): MadeRow => ({ ...row, rut })));
  const details = (rows: readonly MadeRow[]) =>
    rows.map((row) => ({
      ...detail(row, { totales: '{"moneda":"UYU","mnt_no_gravado":100}' }),
      rut: row.rut ?? '',
    }));
  const exportaciones = Object.keys(ISSUED).flatMap((rut) =>
    daysBetween('2026-10-01', '2026-11-30').flatMap((fecha) =>
      ['emitidos', 'recibidos'].map((direccion) => ({
        rut,
        direccion,
        fecha,
        fecha_corrida: '2027-02-10',
        corrida: 'night',
        estado: 'sin_cambios',
        inicio: '2027-02-10T02:00:00',
        fin: '2027-02-10T02:00:00',
        filas: 0,
      })),
    ),
  );
  const [emitidos, recibidos] = [rowsOf(ISSUED), rowsOf(RECEIVED)];
  lake = await madeLakeFolder(
    {
      emitidos,
      recibidos,
      emitidos_detalle: details(emitidos),
      recibidos_detalle: details(recibidos),
      exportaciones,
    },
    sharedFolder(),
  );
});

async function reportOf(rut: string, month: typeof OCTOBER | typeof NOVEMBER): Promise<Report> {
  for await (const { report } of readReports(new FolderStore(lake), { ...month, ruts: [rut] })) {
    if ('error' in report) throw report.error;
    return report;
  }
  throw new Error(`there is no report of ${rut}`);
}

async function file(named: string, rut: string, month: string, ...more: string[]) {
  const path = join(newFolder(), more.includes('dgi-2181') ? 'file.txt' : 'file.xlsx');
  const words = ['--named', named, '--rut', rut, '--month', month, '--lake', lake, '--out', path];
  const { code, stderr } = await runMain('query', ...words, ...more);
  const first =
    existsSync(path) && path.endsWith('xlsx')
      ? readWorkbook(readFileSync(path))[0]?.cells.get('A1')?.value
      : undefined;
  return { code, stderr, isWritten: existsSync(path), first };
}

const FORM = ['--format', 'dgi-2181', '--force'];
const MOVED =
  /1 comprobante está en dos días: su fecha cambió, y hay que volver a leerlos \(del 31\/10\/2026 al 01\/11\/2026\)/;
const LOST_TEXT =
  /2 comprobantes ya no están en la lista de ningún día: las sumas no los cuentan \(del 06\/10\/2026 al 09\/10\/2026\)/;

describe.each([
  ['issued', MOVED_OUT, 'libro-iva-ventas'],
  ['received', MOVED_IN, 'libro-iva-compras'],
])('a receipt that was %s and is in October and in November', (_direction, rut, book) => {
  it.each([OCTOBER, NOVEMBER])('leaves the month from $from open', async (month) => {
    const report = await reportOf(rut, month);
    const { state, sentence, concerns } = verdictOf(report);
    expect({ state, sentence }).toEqual({
      state: 'incomplete',
      sentence: 'El mes no está completo: hay días que faltan o que hay que volver a leer.',
    });
    expect(concerns).toContainEqual({ text: expect.stringMatching(MOVED), anchor: 'dias' });
    expect(report.bring).toMatch(/ --from 2026-10-31 --to 2026-11-01 /);
    const refused = await runMain(
      'close',
      '--month',
      month.from.slice(0, 7),
      '--rut',
      rut,
      '--lake',
      lake,
      '--out',
      newFolder(),
      '--json',
    );
    const [company] = JSON.parse(refused.stdout).companies;
    expect(company.points).toContainEqual({ name: 'days', text: expect.stringMatching(MOVED) });
  });

  it('is in no declared file of either month, unless that is accepted', async () => {
    for (const month of ['2026-10', '2026-11']) {
      for (const words of [[book], ['formulario-2181', ...FORM]]) {
        const [named = '', ...more] = words;
        const refused = await file(named, rut, month, ...more);
        expect(refused).toMatchObject({ code: 1, isWritten: false, stderr: expect.stringMatching(MOVED) });
        expect(refused.stderr).toMatch(
          new RegExp(`export .* --rut ${rut} --from 2026-10-31 --to 2026-11-01 --details`),
        );
        const accepted = await file(named, rut, month, ...more, '--accept', 'days');
        expect(accepted).toMatchObject({ code: 0, isWritten: true, stderr: expect.stringMatching(MOVED) });
        if (more.length === 0) expect(accepted.first).toMatch(MOVED);
      }
    }
  });
});

describe('receipts that no day lists any more', () => {
  it('are told by the report, and by a declared file, which is written', async () => {
    const report = await reportOf(LOST, OCTOBER);
    const { state, concerns } = verdictOf(report);
    expect(state).toBe('complete');
    expect(concerns).toContainEqual({ text: expect.stringMatching(LOST_TEXT), anchor: 'dias' });
    const book = await file('libro-iva-ventas', LOST, '2026-10');
    expect(book).toMatchObject({ code: 0, first: expect.stringMatching(LOST_TEXT) });
    const form = await file('formulario-2181', LOST, '2026-10', ...FORM);
    expect(form).toMatchObject({ code: 0, isWritten: true, stderr: expect.stringMatching(LOST_TEXT) });
  });

  it('are not closed, unless that is accepted, and stay said', async () => {
    const out = newFolder();
    const words = ['close', '--month', '2026-10', '--rut', LOST, '--lake', lake, '--out', out, '--json'];
    const refused = await runMain(...words, '--accept', 'gaps');
    expect(JSON.parse(refused.stdout).companies[0]).toMatchObject({
      state: 'refused',
      points: [{ name: 'gone', text: expect.stringMatching(LOST_TEXT) }],
    });
    expect((await runMain(...words, '--accept', 'gaps,gone')).code).toBe(0);
    expect(readFileSync(join(out, LOST, '2026-10', 'informe.html'), 'utf8')).toMatch(
      new RegExp(`Se aceptó al cerrar:</b> [^<]*${LOST_TEXT.source}`),
    );
    const asked = await file('libro-iva-ventas', LOST, '2026-10', '--close', out);
    expect(asked.first).toMatch(LOST_TEXT);
  });
});

it('a receipt of another day is neither, once its old day was read again', async () => {
  for (const month of [OCTOBER, NOVEMBER])
    expect((await reportOf(READ_AGAIN, month)).listings).toEqual({ moved: undefined, gone: undefined });
  expect(await file('libro-iva-ventas', READ_AGAIN, '2026-11')).toMatchObject({
    code: 0,
    stderr: '',
    isWritten: true,
  });
});

it('a page says that nothing else is to be looked into of what it looked into itself', async () => {
  const report = await reportOf(SOUND, OCTOBER);
  const onPage = reportHtml(report, '2027-02-20T09:00:00');
  expect(onPage).toContain(
    'En esta página no hay nada más que mirar. Al cerrar se miran también los libros, el formulario 2181 y las listas de la DGI.',
  );
  const said = (accepted: readonly string[]) => reportHtml(report, '2027-02-20T09:00:00', accepted);
  expect(said([])).toContain('<p>No hay nada más que mirar.</p>');
  expect(said(['1 línea con una nota'])).not.toContain('nada más que mirar');
});
