import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { readWorkbook } from '../support/query/workbook.ts';

const RUT = '219999830019';
const MONTH = ['--rut', RUT, '--month', '2026-11'];
const TABLES = ['libro-iva-ventas', 'libro-iva-compras', 'posicion-iva', 'resguardos', 'formulario-2181'];
const UNREAD = /emitidos del 10\/11\/2026 al 16\/11\/2026 \(sin leer\)/;
const COMMAND = new RegExp(`export --lake \\S+ .*--rut ${RUT} --from 2026-11-10 --to 2026-11-16`);

let whole: string;
/** The same without a week. */
let partly: string;
let files: string;
beforeAll(async () => {
  files = sharedFolder();
  [whole, partly] = [join(sharedFolder(), 'lake'), join(sharedFolder(), 'lake')];
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-03T12:00:00-03:00') });
  const sandbox = await startSandbox({ now: '2026-12-03T12:00:00', receiptsPerDay: 2 });
  const api = ['--api', sandbox.url, '--rut', RUT, '--details', 'emitidos', '--details', 'recibidos'];
  const parts = [
    ['2026-11-01', '2026-11-09'],
    ['2026-11-17', '2026-11-30'],
  ];
  for (const [from = '', to = ''] of parts)
    await runMain('export', ...api, '--lake', partly, '--from', from, '--to', to);
  await runMain('export', ...api, '--lake', whole, '--from', '2026-11-01', '--to', '2026-11-30');
  await sandbox.close();
});

function copyOf(lake: string): string {
  const folder = join(newFolder(), 'lake');
  cpSync(lake, folder, { recursive: true });
  return folder;
}

async function query(lake: string, name: string, ...words: string[]) {
  const out = join(files, name.endsWith('.txt') ? name : `${name}.xlsx`);
  rmSync(out, { force: true });
  const named = name.endsWith('.txt') ? 'formulario-2181' : name;
  const ended = await runMain('query', '--named', named, '--lake', lake, '--out', out, ...words);
  return { ...ended, bytes: existsSync(out) ? readFileSync(out) : undefined };
}

/** The first line of each sheet, and whether any is red. */
function firstLines(bytes: Buffer | undefined): { lines: (string | undefined)[]; isRed: boolean } {
  if (bytes === undefined) throw new Error('there is no file');
  const lines = readWorkbook(bytes).map(({ cells }) => cells.get('A1')?.value);
  return {
    lines,
    isRed: strFromU8(unzipSync(bytes)['xl/styles.xml'] ?? new Uint8Array()).includes('C00000'),
  };
}

describe('a declared file of a month of which a week was not read', () => {
  it.each(TABLES)(
    'is refused as a workbook of %s, with the days and the command, unless it is accepted',
    async (table) => {
      const refused = await query(partly, table, ...MONTH);
      expect({ code: refused.code, bytes: refused.bytes }).toEqual({ code: 1, bytes: undefined });
      expect(refused.stderr).toMatch(/No se escribió .*\. Faltan días/);
      expect(refused.stderr).toMatch(UNREAD);
      expect(refused.stderr).toMatch(COMMAND);
      const accepted = await query(partly, table, ...MONTH, '--accept', 'days');
      expect(accepted).toMatchObject({ code: 0, stderr: expect.stringMatching(UNREAD) });
      const { lines, isRed } = firstLines(accepted.bytes);
      // A book has two sheets; the notes are one.
      expect({ isRed, lines: lines.length }).toEqual({
        isRed: true,
        lines: table.startsWith('libro') ? 3 : 2,
      });
      for (const line of lines) expect(line).toMatch(UNREAD);
      expect(
        readWorkbook(accepted.bytes ?? Buffer.alloc(0))
          .at(-1)
          ?.cells.values()
          .some(({ value }) => value.includes('no falta')),
      ).toBe(false);
    },
  );

  it('is refused as the text of form 2181, and as the workbook of a report, whose page is written', async () => {
    const form = ['--format', 'dgi-2181', '--force'];
    const refused = await query(partly, '2181.txt', ...MONTH, ...form);
    expect({ code: refused.code, bytes: refused.bytes, stderr: refused.stderr }).toEqual({
      code: 1,
      bytes: undefined,
      stderr: expect.stringMatching(UNREAD),
    });
    const accepted = await query(partly, '2181.txt', ...MONTH, ...form, '--accept', 'days');
    expect({ code: accepted.code, isWritten: accepted.bytes !== undefined }).toEqual({
      code: 0,
      isWritten: true,
    });
    const [xlsx, html] = [join(files, 'report.xlsx'), join(files, 'pages')];
    const words = ['report', '--month', '2026-11', '--lake', partly, '--html', html, '--xlsx', xlsx];
    const office = await runMain(...words);
    expect({
      code: office.code,
      hasPage: existsSync(join(html, 'index.html')),
      hasWorkbook: existsSync(xlsx),
    }).toEqual({ code: 1, hasPage: true, hasWorkbook: false });
    expect(office.stderr).toMatch(COMMAND);
    const wordsOfOne = [...words.slice(0, 5), '--rut', RUT, '--xlsx', xlsx];
    expect({ code: (await runMain(...wordsOfOne)).code, hasWorkbook: existsSync(xlsx) }).toEqual({
      code: 1,
      hasWorkbook: false,
    });
    const written = await runMain(...wordsOfOne, '--accept', 'days');
    expect({ code: written.code, isRed: firstLines(readFileSync(xlsx)).isRed }).toEqual({
      code: 1,
      isRed: true,
    });
    expect(firstLines(readFileSync(xlsx)).lines[0]).toMatch(UNREAD);
  });

  it('of a close that accepted it says so, too, whenever it is asked', async () => {
    const out = join(files, 'cierres');
    const accepted = ['--out', out, '--accept', 'days,gaps,rejected,details,rates'];
    expect((await runMain('close', ...MONTH, '--lake', partly, ...accepted)).code).toBe(0);
    const bytesOfClose = readFileSync(join(out, RUT, '2026-11', 'resguardos.xlsx'));
    const asked = await query(partly, 'resguardos', ...MONTH, '--close', out);
    for (const bytes of [bytesOfClose, asked.bytes]) {
      expect(firstLines(bytes).lines[0]).toMatch(UNREAD);
      expect(firstLines(bytes).isRed).toBe(true);
    }
  });

  it('is written of any other period, and says in red what it lacks', async () => {
    const salesFrom = (from: string) =>
      query(partly, 'libro-iva-ventas', ...MONTH.slice(0, 2), '--from', from, '--to', '2026-11-30');
    const part = await salesFrom('2026-11-15');
    expect({ code: part.code, isRed: firstLines(part.bytes).isRed }).toEqual({ code: 0, isRed: true });
    expect(firstLines(part.bytes).lines[0]).toMatch(/emitidos del 15\/11\/2026 al 16\/11\/2026 \(sin leer\)/);
    const year = await query(partly, 'posicion-iva');
    expect(year.code).toBe(0);
    expect(firstLines(year.bytes).lines[0]).toMatch(
      /El período no terminó: va hasta el 03\/12\/2026\. Faltan días.* del 01\/12\/2025 al/,
    );
    const read = await salesFrom('2026-11-17');
    expect({ code: read.code, isRed: firstLines(read.bytes).isRed }).toEqual({ code: 0, isRed: false });
  });

  it('is written, and says in red that nothing is known, where the audit cannot be read', async () => {
    const list = FolderStore.prototype.list;
    vi.spyOn(FolderStore.prototype, 'list').mockImplementation(async function* (this: FolderStore, ...asked) {
      if (asked[0]?.includes('exportaciones') === true) throw new Error('access denied');
      yield* list.apply(this, asked);
    });
    const lake = whole;
    const book = await query(lake, 'libro-iva-compras', ...MONTH);
    expect({ code: book.code, isRed: firstLines(book.bytes).isRed }).toEqual({ code: 0, isRed: true });
    expect(firstLines(book.bytes).lines[0]).toBe(
      'No se pudo leer la auditoría: no se sabe qué días se leyeron.',
    );
    const form = await query(lake, '2181.txt', ...MONTH, '--format', 'dgi-2181', '--force');
    expect({ code: form.code, bytes: form.bytes, stderr: form.stderr }).toEqual({
      code: 1,
      bytes: undefined,
      stderr: expect.stringContaining('no se sabe qué días'),
    });
  });
});

describe('a declared file of a month that was read', () => {
  it('is written, without a red line', async () => {
    const { code, bytes, stderr } = await query(whole, 'posicion-iva', ...MONTH);
    expect({ code, isRed: firstLines(bytes).isRed, stderr }).toEqual({ code: 0, isRed: false, stderr: '' });
    const form = await query(whole, '2181.txt', ...MONTH, '--format', 'dgi-2181', '--force');
    expect({ code: form.code, isWritten: form.bytes !== undefined }).toEqual({ code: 0, isWritten: true });
    const xlsx = join(files, 'whole.xlsx');
    expect((await runMain('report', ...MONTH, '--lake', whole, '--xlsx', xlsx)).code).toBe(0);
    expect(firstLines(readFileSync(xlsx)).isRed).toBe(false);
  });

  it('is not written where the tables have lost a day', async () => {
    const lake = copyOf(whole);
    rmSync(join(lake, 'emitidos', 'fecha=2026-11-12'), { recursive: true });
    const { code, stderr } = await query(lake, 'libro-iva-ventas', ...MONTH);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/emitidos 12\/11\/2026 \(sin leer\)/),
    });
  });

  it('--accept is for such files alone', async () => {
    for (const words of [
      ['query', '--named', 'libro-iva-ventas', '--accept', 'days'],
      ['query', '--named', 'ventas-por-mes', '--out', join(files, 'x.xlsx'), '--accept', 'days'],
      ['report', '--month', '2026-11', '--accept', 'days'],
    ])
      expect((await runMain(...words, '--lake', whole)).code).toBe(2);
  });
});
