import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../lib/cli/mcp/tools.ts';
import { dayKey } from '../../lib/lake/layout.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { namedQueries } from '../../lib/query/named-queries.ts';
import { addDays, uruguayDateTime, uruguayDay } from '../../lib/time/days.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';
import { GONE, RUT, received } from '../support/query/made-receipts.ts';
import { sharedSandbox } from '../support/sandbox.ts';

const sandbox = await sharedSandbox({ receiptsPerDay: 60, now: uruguayDateTime(Date.now()) });

/** Exports yesterday's lists, which the named queries cover. */
async function exportTo(lake: string): Promise<void> {
  const { code, stderr } = await runMain('export', '--api', sandbox.url, '--lake', lake);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('cfe-lake:') });
}

it('query says which days and details of a period it lacks, with the command that reads them', async () => {
  const folder = join(newFolder(), 'lake');
  const to = addDays(uruguayDay(Date.now()), -1);
  const from = addDays(to, -2);
  await exportTo(folder);
  const asked = ['--rut', '219999830019', '--lake', folder, '--format', 'json'];
  const book = await runMain('query', '--named', 'libro-iva-ventas', '--from', from, '--to', to, ...asked);
  const count = JSON.parse(book.stdout).length;
  const again = `npm run -s cfe-lake -- export --lake ${folder} --api ${sandbox.url}`;
  expect(book.stderr).toMatch(
    new RegExp(
      `^2 days of emitidos in this period were never exported, and \\d+ receipts have no details. To read them:\n  ${again} --rut 219999830019 --from ${from} --to ${to} --direction emitidos --details emitidos\n$`,
    ),
  );
  expect(count).toBeGreaterThan(0);
  const early = ['--from', addDays(from, -1), '--to', addDays(from, -1)];
  const none = await runMain('query', '--named', 'libro-iva-ventas', ...early, ...asked);
  expect(none.stdout).toBe('[]\n');
  expect(none.stderr).toMatch(/^1 day of emitidos in this period was never exported\. .*\n.*\n$/);
  const whole = await runMain('query', '--named', 'purchases-by-month', '--from', to, '--to', to, ...asked);
  expect(whole.stderr).not.toContain('recibidos in this period');
});

it('a day that was exported, and whose object is gone, is told by named queries, to a person and to an assistant', async () => {
  const folder = join(newFolder(), 'lake');
  const store = new FolderStore(folder);
  const day = addDays(uruguayDay(Date.now()), -1);
  await exportTo(folder);
  const asked = ['--rut', '219999830019', '--from', day, '--to', day, '--lake', folder, '--format', 'csv'];
  const booked = () => runMain('query', '--named', 'purchases-by-month', ...asked);
  const told = `1 day of recibidos in this period was exported with receipts that are not in the tables. To read them:
  npm run -s cfe-lake -- export --lake ${folder} --api ${sandbox.url} --rut 219999830019 --from ${day} --to ${day} --direction recibidos
`;
  expect((await booked()).stderr).not.toContain('recibidos');
  await store.remove(dayKey('recibidos', day));
  expect((await booked()).stderr).toContain(told);
  const given = { name: 'received-to-check', rut: '219999830019', month: day.slice(0, 7) };
  const { notes = [] } = (await TOOLS.run_named_query?.run(store, given)) ?? {};
  expect(notes.join()).toContain('1 day of recibidos in this period was exported with receipts');

  const [, command = ''] = told.trimEnd().split(' -- ');
  expect((await runMain(...command.split(' '))).code).toBe(0);
  expect((await booked()).stderr).not.toContain('recibidos');
});

it('too many companies for the days that were asked for are not looked at one by one, which is said', async () => {
  const recibidos = Array.from({ length: 3_000 }, (_, index) =>
    received('2026-10-05', 'A1', { rut: String(219_000_000_000 + index) }),
  );
  const lake = await madeLakeFolder({ recibidos });
  const words = [
    '--named',
    'received-to-check',
    '--from',
    '2026-01-01',
    '--to',
    '2026-12-31',
    '--lake',
    lake,
  ];
  expect((await runMain('query', ...words)).stderr).toContain('too many companies and days');
});

describe('the receipts of a day of which the audit counts two', () => {
  const [first, second] = [received('2026-10-05', 'A1'), received('2026-10-05', 'A2')];
  const read = { rut: RUT, direccion: 'recibidos', fecha: '2026-10-05', estado: 'exportado', filas: 2 };
  const ofRun = { fecha_corrida: '2026-10-06', corrida: 'run', inicio: '2026-10-06T03:00:00' };
  const exportaciones = [{ ...read, ...ofRun }];
  const words = ['--named', 'libro-iva-compras', '--from', '2026-10-05', '--to', '2026-10-05'];

  it.each([
    ['both', [first, second], exportaciones, ''],
    [
      'an older object',
      [first],
      exportaciones,
      '1 day of recibidos in this period was exported with receipts that',
    ],
    [
      'one that is gone from the list',
      [first, { ...second, ...GONE }],
      exportaciones,
      'was exported with receipts',
    ],
    ['an audit that is lost', [first, second], [], '1 day of recibidos in this period was never exported'],
  ])(
    'and the tables or the lake have %s are told, of all companies too',
    async (_what, recibidos, audit, told) => {
      const lake = await madeLakeFolder({ recibidos, exportaciones: audit });
      for (const company of [[], ['--rut', RUT]]) {
        const { stderr } = await runMain('query', ...words, ...company, '--lake', lake, '--format', 'json');
        expect(stderr).toContain(told);
        if (told === '') expect(stderr).not.toContain('in this period');
      }
    },
  );
});

it('query --named lists the names, a line each', async () => {
  const { code, stdout } = await runMain('query', '--named');
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n').slice(2);
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual(
    namedQueries().map(({ name, alias, summary }) => [name, alias, summary]),
  );
});

it('a table that is not there is answered with the names of those that are', async () => {
  const { code, stderr } = await runMain('query', 'SELECT * FROM facturas', '--lake', '.');
  expect(stderr).toMatch(/facturas does not exist.*tables: recibidos, emitidos, .*\nLINE 1: SELE.*\n +\^\n$/);
  expect(code).toBe(2);
});

it('an answer with two columns of one name is no JSON: one of them would be lost', async () => {
  const { code, stdout, stderr } = await runMain('query', 'SELECT 1 AS a, 2 AS a', '--lake', '.', '--json');
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Two columns are named a'),
  });
});
