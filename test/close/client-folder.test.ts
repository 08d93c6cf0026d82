import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { beforeAll, expect, it, vi } from 'vitest';
import { writeClientFolder } from '../../lib/close/client-folder.ts';
import { readClose, writeClose } from '../../lib/close/close-folder.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { sharedQueriedLake, TODAY } from '../support/query/queried-lake.ts';

const RUT = '219999830019';
const OTHER = '214844360018';
const ALL = 'days,gaps,rejected,details';

const lake = await sharedQueriedLake();
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${TODAY}T12:00:00Z`) }));

async function closed(out: string, forClient: string, ...more: string[]) {
  const words = ['cerrar', '--mes', '2026-10', '--salida', out, '--para-el-cliente', forClient];
  return await runMain(...words, '--lake', lake.folder, '--lang', 'es', ...more);
}

/** The folder's files, and in place of a workbook the texts in it. */
function textsIn(folder: string): Record<string, string> {
  const textOf = (name: string) => {
    const bytes = readFileSync(join(folder, name));
    if (!name.endsWith('.xlsx')) return bytes.toString().replaceAll(/<(style|script)>.*?<\/\1>/gs, '');
    return Object.entries(unzipSync(bytes))
      .map(([part, xml]) => `${part}\n${strFromU8(xml).replaceAll(/ xmlns[^=]*="[^"]*"/g, '')}`)
      .join('\n');
  };
  return Object.fromEntries(readdirSync(folder).map((name) => [name, textOf(name)]));
}

/** Commands, options, and what only this program's user knows. Exports of goods are none of these. */
const INTERNAL =
  /cfe-lake|\bnpm\b|[ "(]--[a-z]|\blagos?\b|\blake\b|\bexport(?!aci[oó]n|s Inc)|\btokens?\b|parquet|\bunidades?\b|\bunidad de\b|auditor[ií]a|\bAPI\b|\bpublish\b|JSON/i;

it.each([
  {
    what: 'nothing open, of a company without a name',
    about: { name: null, accepted: [], read: [{ readAt: null }] },
    says: [`<title>octubre de 2026 · ${RUT}`, `<h1>RUT ${RUT}</h1>`, '20/11/2026 09:00 y', '<p>Nada.</p>'],
  },
  {
    what: 'open points, and days read at several moments',
    about: {
      name: 'Uno & Cía.',
      accepted: [{ name: 'gaps', text: '1 < 2' }],
      read: ['2026-11-19T22:00:00', '2026-11-18T21:30:00', '2026-11-19T08:00:00'].map((readAt) => ({
        readAt,
      })),
    },
    says: ['<h1>Uno &amp; Cía.</h1>', 'entre el 18/11/2026 21:30 y el 19/11/2026 22:00', '<li>1 &lt; 2</li>'],
  },
])('hands over what the close has, and no more: $what', async ({ about, says }) => {
  const [out, clients] = [newFolder(), newFolder()];
  async function* files() {
    yield ['informe.html', 'x'] as const;
    yield ['recibidos.parquet', 'x'] as const;
  }
  const rest = { sentence: '', lists: [], ui: {}, form2181: { notAccepted: 0 } };
  const index = {
    version: '1',
    month: '2026-10',
    rut: RUT,
    madeAt: '2026-11-20T09:00:00',
    state: 'complete',
  };
  const close = await readClose(
    await writeClose(out, RUT, '2026-10', files(), () => ({ ...index, ...rest, ...about })),
  );
  const folder = await writeClientFolder(clients, close, 'Otro nombre');
  writeFileSync(join(folder, 'carta.txt'), 'of a person');
  await writeClientFolder(clients, close, null);
  expect(readdirSync(folder)).toEqual(['carta.txt', 'informe.html', 'portada.html']);
  expect(readFileSync(join(folder, 'informe.html'), 'utf8')).toBe('x');
  const cover = readFileSync(join(folder, 'portada.html'), 'utf8');
  for (const text of says) expect(cover).toContain(text);
  if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700);

  await expect(writeClientFolder(out, close, null)).rejects.toThrow('is a close: name another folder');
  expect(readdirSync(close.folder)).not.toContain('portada.html');
});

it('never writes over a file that a person changed, nor removes one that this close has not', async () => {
  const [out, clients] = [newFolder(), newFolder()];
  await closed(out, clients, '--rut', RUT, '--accept', ALL);
  const folder = join(clients, RUT, '2026-10');
  const book = join(folder, 'libro-iva-ventas.xlsx');
  const annotated = Buffer.concat([readFileSync(book), Buffer.from('A note')]);
  writeFileSync(book, annotated);
  const texts = textsIn(folder);
  const again = await closed(out, clients, '--rut', RUT, '--rut', OTHER, '--accept', ALL);
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(
    new RegExp(
      `${RUT}.*: falló\\. .*libro-iva-ventas\\.xlsx cambió desde que se entregó.*cámbiele el nombre`,
    ),
  );
  expect(textsIn(folder)).toEqual(texts);
  // Another company's is written all the same.
  expect(existsSync(join(clients, OTHER, '2026-10', 'portada.html'))).toBe(true);

  renameSync(book, join(folder, 'mis notas.xlsx'));
  const moved = await closed(out, clients, '--rut', RUT, '--accept', ALL);
  expect(moved.code).toBe(0);
  expect(readFileSync(join(folder, 'mis notas.xlsx')).equals(annotated)).toBe(true);
  expect(readFileSync(book).equals(readFileSync(join(out, RUT, '2026-10', 'libro-iva-ventas.xlsx')))).toBe(
    true,
  );

  const close = await readClose(join(out, RUT, '2026-10'));
  const { 'formulario-2181.txt': _form, ...files } = close.index.files;
  const without = { ...close, index: { ...close.index, files } };
  await expect(writeClientFolder(clients, without, null)).rejects.toThrow(/formulario-2181\.txt was changed/);
  expect(existsSync(join(folder, 'formulario-2181.txt'))).toBe(true);
});

it.each([
  { what: 'a person wrote into', change: (cover: string) => cover.replace('</main>', '<p>Llamar</p>$&') },
  { what: 'has a line before it', change: (cover: string) => `\n${cover}` },
  {
    what: 'does not say of which hash it is',
    change: (cover: string) => cover.replace(/<meta name="c.*\n/, ''),
  },
  { what: 'is nothing', change: () => '' },
  { what: 'is a page of a person', change: () => '<p>Llamar</p>\n' },
])('never writes over a cover that $what', async ({ change }) => {
  const [out, clients] = [newFolder(), newFolder()];
  await closed(out, clients, '--rut', RUT, '--accept', ALL);
  const cover = join(clients, RUT, '2026-10', 'portada.html');
  const changed = change(readFileSync(cover, 'utf8'));
  writeFileSync(cover, changed);
  const { code, stderr } = await closed(out, clients, '--rut', RUT, '--accept', ALL);
  expect({ code, cover: readFileSync(cover, 'utf8') }).toEqual({ code: 1, cover: changed });
  expect(stderr).toMatch(/portada\.html cambió desde que se entregó.*cámbiele el nombre/);
});

it('hands over page, books, position and form under a cover, without a command, a path or an internal word', async () => {
  const [out, clients] = [newFolder(), newFolder()];
  const { code, stdout, stderr } = await closed(out, clients, '--rut', RUT, '--accept', ALL);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining(`\nPara el cliente: una carpeta, en ${clients}\n`),
  });
  expect(stderr).not.toContain('sin cerrar');
  const folder = join(clients, RUT, '2026-10');
  const texts = textsIn(folder);
  expect(Object.keys(texts).sort()).toEqual([
    'formulario-2181.txt',
    'informe.html',
    'libro-iva-compras.xlsx',
    'libro-iva-ventas.xlsx',
    'portada.html',
    'posicion-iva.xlsx',
    'resguardos.xlsx',
  ]);
  for (const [name, text] of Object.entries(texts)) {
    expect(INTERNAL.exec(text)?.[0], name).toBeUndefined();
    for (const path of [lake.folder, out, clients, tmpdir(), process.cwd()])
      expect(text.includes(path), name).toBe(false);
  }
  expect(texts['libro-iva-ventas.xlsx']).toContain('sin desglose');
  const cover = texts['portada.html'] ?? '';
  expect(cover).toContain(`RUT ${RUT} · <b>octubre de 2026</b>`);
  expect(cover).toMatch(
    /se leyó por última vez entre el .*2026.* y el .*, y el mes se cerró el 20\/11\/2026/,
  );
  expect(cover).toMatch(
    /<li>Faltan días, .*<\/li><li>\d+ saltos de numeración<\/li><li>\d+ comprobantes rech/,
  );
  for (const name of Object.keys(texts))
    expect(cover.includes(`href="${name}"`)).toBe(name !== 'portada.html');
  const names = Object.keys(texts).filter((name) => name !== 'portada.html');
  for (const name of names)
    expect(readFileSync(join(folder, name)).equals(readFileSync(join(out, RUT, '2026-10', name)))).toBe(true);
});

it('hands over a month that was closed before, makes no other close, and says of whom there is nothing', async () => {
  const [out, clients] = [newFolder(), newFolder()];
  const first = await closed(out, clients, '--rut', RUT, '--rut', OTHER);
  expect({ code: first.code, files: readdirSync(clients) }).toEqual({ code: 1, files: [] });
  expect(first.stdout).toMatch(
    new RegExp(`Sin carpeta para el cliente, porque no se cerró: ${OTHER}.*; ${RUT}`),
  );
  await runMain(
    ...['close', '--month', '2026-10', '--out', out, '--lake', lake.folder, '--rut', RUT, '--accept', ALL],
  );
  const second = await closed(out, clients, '--accept', ALL);
  expect(second.stdout).toMatch(/219999830019.*: igual al último cierre/);
  expect(readdirSync(join(out, RUT)).filter((name) => /^\d/.test(name))).toEqual(['2026-10']);
  expect(readdirSync(join(clients, RUT))).toEqual(['2026-10']);

  const page = join(out, OTHER, '2026-10', 'informe.html');
  chmodSync(page, 0o600);
  writeFileSync(page, 'other');
  const again = newFolder();
  const third = await closed(out, again);
  expect({ code: third.code, isHandedOver: existsSync(join(again, RUT, '2026-10', 'portada.html')) }).toEqual(
    { code: 1, isHandedOver: true },
  );
  expect(third.stderr).toMatch(new RegExp(`${OTHER}.*: falló. .*informe.html no está como lo escribió`, 's'));
});

it('names the company as the companies file does now, on the page and on the cover of a month closed before', async () => {
  const [out, clients, place] = [newFolder(), newFolder(), newFolder()];
  await closed(out, clients, '--rut', RUT, '--accept', ALL);
  const [file, page] = [join(place, 'companies.json'), join(place, 'mes.html')];
  const companies = [{ rut: RUT, token: 'x'.repeat(20), name: 'Almacén Nuevo S.A.' }];
  writeFileSync(file, JSON.stringify({ companies }), { mode: 0o600 });
  const named = ['--rut', RUT, '--companies', file];
  const { stdout } = await closed(out, clients, ...named, '--accept', ALL);
  expect(stdout).toContain(`${RUT} Almacén Nuevo S.A.: igual al último cierre`);
  await runMain('report', '--month', '2026-10', ...named, '--html', page, '--lake', lake.folder);
  for (const path of [page, join(clients, RUT, '2026-10', 'portada.html')])
    expect(readFileSync(path, 'utf8')).toContain('<h1>Almacén Nuevo S.A.</h1>');
});
