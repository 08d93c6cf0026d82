import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readAudit } from '../../lib/audit/read.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { addDays, uruguayDay } from '../../lib/time/days.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';
import { issued } from '../support/query/made-receipts.ts';

/** What synchronisers and people put beside a file of a lake, by the path of that file. */
const COPIES: readonly (readonly [string, (path: string) => string])[] = [
  ['a conflict name with the computer', (path) => path.replace(/\.parquet$/, '-PC-DE-ANA.parquet')],
  ['a number', (path) => path.replace(/\.parquet$/, ' (1).parquet')],
  ['a conflicted copy', (path) => path.replace(/\.parquet$/, " (ana's conflicted copy 2026-11-20).parquet")],
  ['capitals', (path) => path.replace(/\.parquet$/, '.PARQUET')],
  ['a lock', (path) => join(dirname(path), `.~lock.${path.split('/').at(-1)}`)],
  ['a folder within', (path) => join(dirname(path), 'dia', path.split('/').at(-1) ?? '')],
];

const YESTERDAY = addDays(uruguayDay(Date.now()), -1);
const DAYS = ['--from', YESTERDAY, '--to', YESTERDAY];
let clean: string;
beforeAll(async () => {
  clean = join(sharedFolder(), 'lake');
  const { code } = await runMain('export', '--sandbox', '--lake', clean, ...DAYS, '--details', 'emitidos');
  expect(code).toBe(0);
});

/** A file of each kind that lists find: days, run objects and units. */
function originals(): string[] {
  return ['recibidos', 'emitidos', 'emitidos_detalle', 'exportaciones', 'cambios', 'unidades/recibidos']
    .map((folder) => join(clean, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .slice(0, 1)
        .map((entry) => relative(clean, join(entry.parentPath, entry.name))),
    );
}

/** The same lake with these copies beside its files. */
function lakeWith(nameOf: (path: string) => string): string {
  const lake = join(newFolder(), 'lake');
  cpSync(clean, lake, { recursive: true });
  for (const path of originals()) {
    const copy = join(lake, nameOf(path));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(lake, path), copy);
  }
  return lake;
}

const READERS: readonly (readonly string[])[] = [
  [
    'query',
    'SELECT count(*) AS n, sum(totales_total) AS total FROM recibidos UNION ALL SELECT count(*), 0 FROM emitidos ' +
      'UNION ALL SELECT count(*), 0 FROM emitidos_detalle UNION ALL SELECT count(*), 0 FROM exportaciones ' +
      'UNION ALL SELECT count(*), 0 FROM cambios',
    '--format',
    'json',
  ],
  ['query', '--named', 'libro-iva-ventas', ...DAYS, '--format', 'json'],
  ['missing', '--sandbox', ...DAYS, '--json'],
  ['publish', ...DAYS],
  ['verify', '--sandbox', ...DAYS],
  ['coverage', ...DAYS],
];

async function answers(lake: string) {
  const found: { code: number; stdout: string; stderr: string }[] = [];
  for (const words of READERS) {
    const { code, stdout, stderr } = await runMain(...words, '--lake', lake);
    found.push({ code, stdout: stdout.replaceAll(lake, 'LAKE').replace(/ in [\d.]+ s/g, ''), stderr });
  }
  return found;
}

describe('a lake in a folder that is synchronised', () => {
  let expected: Awaited<ReturnType<typeof answers>>;
  beforeAll(async () => {
    expected = await answers(clean);
    expect(expected.map(({ code }) => code)).toEqual(READERS.map(() => 0));
  });

  it('is answered from without a note', () => {
    for (const { stderr } of expected) expect(stderr).not.toContain('Not read');
  });

  it.each(COPIES)('is read as without the copies: %s', async (_, nameOf) => {
    const isHidden = nameOf('x/dia.parquet').includes('/.');
    const found = await answers(lakeWith(nameOf));
    expect(found.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
      expected.map(({ code, stdout }) => ({ code, stdout })),
    );
    // Who asks for some days sees no other folder than theirs.
    for (const { stderr } of found) expect(stderr.match(/Not read/g)?.length ?? 0).toBeLessThanOrEqual(1);
    const [query] = found;
    expect(query?.stderr.includes('Not read')).toBe(!isHidden);
    const [first = ''] = originals();
    if (!isHidden) expect(query?.stderr.replaceAll('\n', ' ')).toContain(nameOf(first).split('/').at(-1));
  });
});

describe('a link in place of a file of a lake', () => {
  const list = (folder: string, currency: string) => {
    const file = join(folder, `${currency}.csv`);
    writeFileSync(file, `fecha;moneda;valor\n2026-10-01;${currency};40,5\n`);
    return file;
  };

  it('to rates of another lake is not read, and nothing is taken from there', async () => {
    const folder = newFolder();
    const [lake, other] = [join(folder, 'lake'), join(folder, 'other')];
    mkdirSync(other);
    expect(await runMain('rates', list(folder, 'USD'), '--lake', other)).toMatchObject({ code: 0 });
    const key = 'cotizaciones/fecha=2026-10-01/dia.parquet';
    mkdirSync(dirname(join(lake, key)), { recursive: true });
    symlinkSync(join(other, key), join(lake, key));
    const { code, stderr } = await runMain('rates', list(folder, 'EUR'), '--lake', lake);
    expect(code).toBe(1);
    expect(stderr).toContain(`${key} in ${lake} is damaged, or not a Parquet file: it is a link,`);
    expect(lstatSync(join(lake, key)).isSymbolicLink()).toBe(true);
  });

  it('to a day of another lake is not read: publish names no company that is there', async () => {
    const lake = join(newFolder(), 'lake');
    cpSync(clean, lake, { recursive: true });
    const key = `recibidos/fecha=${YESTERDAY}/dia.parquet`;
    rmSync(join(lake, key));
    symlinkSync(join(clean, key), join(lake, key));
    rmSync(join(lake, 'unidades'), { recursive: true });
    const { code, stdout, stderr } = await runMain('publish', ...DAYS, '--lake', lake);
    expect(code).toBe(1);
    expect(stderr).toContain(`${key} in ${lake} is damaged, or not a Parquet file: it is a link,`);
    const said = (stdout + stderr).split('\n').filter((line) => line.includes('recibidos, day'));
    expect(said.join()).not.toMatch(/\b\d{12}\b/);
  });
});

it.each(['../../victim/page', "x' OR rut <> '1"])(
  'a lake’s audit names no company by %s: nothing of it is asked, or written',
  async (rut) => {
    const folder = newFolder();
    const lake = join(folder, 'a', 'lake');
    const exported = {
      corrida: '20261120020000-nocturna',
      fecha_corrida: '2026-11-20',
      direccion: 'emitidos',
    };
    await madeLakeFolder(
      {
        exportaciones: [{ ...exported, rut, fecha: '2026-10-05', estado: 'exportado', filas: 1 }],
        emitidos: [issued('2026-10-05', 'A1')],
      },
      lake,
    );
    const out = join(folder, 'a', 'out');
    const month = ['--month', '2026-10', '--lake', lake];
    const report = await runMain('report', ...month, '--html', out);
    const close = await runMain('close', ...month, '--out', out, '--accept', 'days,details');
    expect([report.code, close.code]).not.toContain(0);
    const { damaged } = await readAudit(new FolderStore(lake), { columns: [] }, () => expect.fail());
    expect(damaged).toMatchObject([expect.stringContaining('one of its rows is of no company')]);
    expect(readdirSync(folder)).toEqual(['a']);
    expect(
      existsSync(out)
        ? readdirSync(out, { recursive: true }).filter((name) => /victim|x'/.test(String(name)))
        : [],
    ).toEqual([]);
  },
);
