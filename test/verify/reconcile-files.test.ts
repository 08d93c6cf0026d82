import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain, runUntil } from '../support/program/run-main.ts';
import { exportedLake } from '../support/query/exported-lake.ts';
import type { MadeRow } from '../support/query/made-lake.ts';
import { RUT, received, SUPPLIER } from '../support/query/made-receipts.ts';
import { madeWorkbook } from '../support/verify/made-workbook.ts';

const TITLE = ['CFE Recibidos', 'Desde;01/10/2026;Hasta;31/10/2026'];
const HEADING = 'Fecha;Tipo CFE;Serie;Número;RUT Emisor;Moneda;Monto Total';

function receipt(number: number, total: string, rest: MadeRow = {}): MadeRow {
  return received('2026-10-15', `A${number}`, { totales_total: total, ...rest });
}

function rowOf(number: number, total = '1.234,56', changes: Record<number, string> = {}): string {
  const cells = ['15/10/2026', '111', 'A', String(number), SUPPLIER, 'UYU', total];
  return cells.map((cell, place) => changes[place] ?? cell).join(';');
}

function listFile(lines: readonly string[], name = 'lista.csv'): string {
  const file = join(newFolder(), name);
  writeFileSync(file, lines.join('\r\n'));
  return file;
}

const WORDS = ['--rut', RUT, '--direction', 'recibidos', '--month', '2026-10'];

async function compared(lines: readonly string[], recibidos: readonly MadeRow[], ...words: string[]) {
  const lake = await exportedLake({ recibidos });
  const asked = ['reconcile', listFile(lines), ...WORDS, '--lake', lake, '--json'];
  const { code, stdout, stderr } = await runMain(...asked, ...words);
  expect(stderr).toBe('');
  return { code, ...JSON.parse(stdout) };
}

const kindsOf = (differences: readonly Record<string, string>[]) =>
  differences.map(({ Diferencia, Número }) => `${Número} ${Diferencia}`).sort();

describe('a cell that can’t be read makes its receipt not compared, and it is found by its key', () => {
  it('a total among others that are equal', async () => {
    const forms = ['1.234,56', '(1.234,56)', '1.234,56-', '$U 1.234,56', '1234.5600', '1.234,5x', '-'];
    const recibidos = forms.map((_, index) => receipt(index + 1, index === 6 ? '0' : '1234.56'));
    const found = await compared(
      [...TITLE, HEADING, ...forms.map((form, index) => rowOf(index + 1, form))],
      recibidos,
    );
    expect(found).toMatchObject({ code: 1, isEqual: false, equal: 6 });
    expect(kindsOf(found.differences)).toEqual(['6 no comparado']);
    expect(found.notCompared).toEqual([
      { row: 9, id: expect.any(String), fields: ['total'], reason: 'not compared: its total' },
    ]);
    expect(found.unread).toEqual([{ row: 9, reason: 'row 9: its total was not read: "1.234,5x"' }]);
  });

  it.each([
    [{ 5: '???' }, 'moneda', 'its currency'],
    [{ 0: '' }, 'fecha', 'its date'],
    [{ 3: '' }, 'numero', 'its number'],
    [{ 4: '2,14844E+11' }, 'emisor', 'its issuer'],
  ])('%j', async (changes, field, words) => {
    const found = await compared(
      [...TITLE, HEADING, rowOf(1), rowOf(2, '50,00', changes)],
      [receipt(1, '1234.56'), receipt(2, '50')],
    );
    expect(found).toMatchObject({ code: 1, equal: 1 });
    expect(kindsOf(found.differences)).toEqual(['2 no comparado']);
    expect(found.notCompared).toMatchObject([
      { row: 5, id: expect.any(String), fields: [field], reason: `not compared: ${words}` },
    ]);
  });

  it('and a currency whose name has another’s in it differs', async () => {
    const found = await compared(
      [...TITLE, HEADING, rowOf(1, '1.234,56', { 5: 'DOLAR CANADIENSE' }), rowOf(2, '500,00')],
      [receipt(1, '1234.56', { moneda: 'USD' }), receipt(2, '500')],
    );
    expect(found).toMatchObject({ code: 1, equal: 1 });
    expect(found.differences).toMatchObject([{ Número: '1' }]);
    expect(JSON.stringify(found.differences)).toMatch(/CAD.*USD/);
  });

  it('a row whose key is of no receipt of the lake leaves both untold', async () => {
    const found = await compared(
      [...TITLE, HEADING, rowOf(1), rowOf(0, '7,00', { 3: '', 0: '16/10/2026' })],
      [receipt(1, '1234.56'), receipt(2, '50', { emisor_ruc: '211003420017' })],
    );
    expect(found).toMatchObject({ code: 1, equal: 1, notCompared: [{ row: 5, id: null }] });
    expect(kindsOf(found.differences)).toEqual(['2 solo en el lago', 'null no comparado']);
  });
});

describe('all is equal only if', () => {
  const lines = [...TITLE, HEADING, rowOf(1)];

  it('every row was read, every receipt compared, and every day exported', async () => {
    const found = await compared(lines, [receipt(1, '1234.56')]);
    expect(found).toMatchObject({
      code: 0,
      isEqual: true,
      equal: 1,
      differences: [],
      unread: [],
      unreadDays: [],
      notes: [],
    });
  });

  it.each([
    ['a row that is no receipt', [...lines, '¿1234567?;x'], { unread: [{ row: 5 }] }],
    ['a receipt of another day', [...lines, rowOf(2, '5,00', { 0: '01/11/2026' })], { outside: 1 }],
    ['a receipt twice', [...lines, rowOf(1)], { there: 2 }],
  ])('there is not %s', async (_, all, expected) => {
    expect(await compared(all, [receipt(1, '1234.56')])).toMatchObject({
      code: 1,
      isEqual: false,
      equal: 1,
      ...expected,
    });
  });

  it('there are no cells that could not be read, of which the first 1,000 are told', async () => {
    const unread = Array.from({ length: 1003 }, (_, index) => rowOf(index + 2, '1x'));
    const found = await compared([...lines, ...unread], [receipt(1, '1234.56')]);
    expect(found).toMatchObject({ code: 1, isEqual: false, there: 1004, equal: 1, unreadCount: 1003 });
    expect(found.unread).toHaveLength(1000);
    expect(found.unread[0].row).toBe(5);
    expect(found.notes.at(-1)).toBe('983 more rows were not read');
  });

  it('the days of the period are exported, also of an empty list', async () => {
    const lake = await exportedLake({}, { days: { from: '2026-10-01', to: '2026-10-19' } });
    const run = (...words: string[]) =>
      runMain('reconcile', listFile([...TITLE, HEADING]), ...WORDS, '--lake', lake, ...words);
    const { code, stdout } = await run('--json');
    expect({ code, notes: JSON.parse(stdout).notes }).toEqual({
      code: 1,
      notes: ['the lake has not read 12 days of it whole: 2026-10-20..2026-10-31'],
    });
    const spanish = await run();
    expect(spanish.stdout).toContain(
      'el lago no leyó 12 días enteros de este período: 2026-10-20..2026-10-31.',
    );
    expect(spanish.stdout).toMatch(/--from 2026-10-20 --to 2026-10-31/);
  });

  it('the whole period of its title is in the lake', async () => {
    const late = received('2026-10-31', 'A9');
    const file = listFile(['CFE Recibidos', 'Período: 01/10/26 al 31/10/26', HEADING, rowOf(1)]);
    const lake = await exportedLake({ recibidos: [receipt(1, '1234.56'), late] });
    const { code, stdout } = await runMain('reconcile', file, '--rut', RUT, '--lake', lake, '--json');
    expect({ code, kinds: kindsOf(JSON.parse(stdout).differences) }).toEqual({
      code: 1,
      kinds: ['9 solo en el lago'],
    });
  });
});

describe('a list of something else is told in one line', () => {
  it.each([
    [
      'another RUT',
      { 4: '211003420017' },
      'nothing matches: is this the list of another RUT or of emitidos?',
    ],
    [
      'another month',
      { 0: '15/09/2026', 3: '9' },
      'nothing matches: the list is of 2026-09-15 to 2026-09-15, not of these days',
    ],
  ])('of %s', async (_, changes, line) => {
    const found = await compared(
      ['CFE Recibidos', HEADING, rowOf(1, '1,00', changes)],
      [receipt(1, '1234.56')],
    );
    expect(found.code).toBe(1);
    expect(found.notes).toContain(line);
  });

  it('whose recipients are another company, or whose title says another direction', async () => {
    const heading = `${HEADING};RUT Receptor`;
    const found = await compared(
      ['CFE Emitidos', heading, `${rowOf(1)};218617380010`],
      [receipt(1, '1234.56')],
    );
    expect(found).toMatchObject({ code: 1, equal: 1 });
    expect(found.notes).toEqual([
      '1 row of another company, such as 218617380010: is this the list of another RUT?',
      'the list says that it is of emitidos',
    ]);
  });

  it('the terminal has its first twenty rows, and JSON all', async () => {
    const lake = await exportedLake({ recibidos: [receipt(1, '5')] });
    const rows = Array.from({ length: 300 }, (_, index) => rowOf(index + 1000));
    const file = listFile([...TITLE, HEADING, ...rows]);
    const { code, stdout } = await runMain('reconcile', file, ...WORDS, '--lake', lake);
    expect({
      code,
      differences: stdout.split('\n').filter((line) => /solo en (la DGI|el lago)/.test(line)).length,
    }).toEqual({ code: 1, differences: 20 });
    expect(stdout).toContain('… y 281 más');
    expect(stdout).toContain('nada coincide: ¿es la lista de otro RUT, o de emitidos?');
    expect(
      (await compared([...TITLE, HEADING, rowOf(2), rowOf(3)], [receipt(1, '5')])).differences,
    ).toHaveLength(3);
  });
});

it('the answer is Spanish throughout, or English', async () => {
  const lake = await exportedLake({ recibidos: [receipt(1, '1234.56'), receipt(2, '7')] });
  const lines = [...TITLE, HEADING, rowOf(1), rowOf(2, 'siete'), rowOf(3), 'x1234567;y;z'];
  const run = (...words: string[]) =>
    runMain('reconcile', listFile(lines), ...WORDS, '--lake', lake, ...words);
  const spanish = await run();
  expect(spanish).toMatchObject({ code: 1, stderr: '' });
  expect(spanish.stdout).toContain(
    '3 comprobantes en la lista de la DGI, 2 acá: 1 igual, 1 diferencia, 1 no comparado.',
  );
  expect(spanish.stdout).toContain('no comparado: su total (fila 5: "siete")');
  expect(spanish.stdout).not.toMatch(/\b(the|row|receipts?|lake|equal|columns|not)\b/i);
  const english = await run('--lang', 'en');
  expect(english.stdout).toContain(
    '3 receipts in the list, 2 in the lake: 1 equal, 1 difference, 1 not compared.',
  );
  expect(english.stdout).toContain('not compared: its total (row 5: "siete")');
  expect(english.stdout).not.toMatch(/\b(el|la|fila|lago|comprobantes?|igual)\b/i);
});

describe('a file from outside', () => {
  it.each<[string, string, (file: string) => unknown, string]>([
    ['a link to a device', 'l.csv', (file) => symlinkSync('/dev/zero', file), 'it is a device, a pipe'],
    ['a socket', 'l.csv', (file) => listening(file), 'it is a device, a pipe or a socket'],
    ['a folder', 'l.csv', (file) => mkdirSync(file), 'it is a folder'],
    ['empty', 'l.csv', (file) => writeFileSync(file, ''), 'it is empty'],
    ['too large', 'l.csv', (file) => largeFile(file), 'it has more than 50 MB'],
    ['of another kind', 'l.doc', (file) => writeFileSync(file, 'x'), 'its name ends with none of'],
  ])('that is %s is refused', async (_, name, make, message) => {
    const file = join(newFolder(), name);
    await make(file);
    const { code, stdout, stderr } = await runMain('reconcile', file, ...WORDS);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('is not replaced by what differs from it, under whatever name', async () => {
    const folder = newFolder();
    const list = join(folder, 'lista.xlsx');
    const content = madeWorkbook([{ name: 'Lista', rows: [HEADING, rowOf(1)].map((row) => row.split(';')) }]);
    writeFileSync(list, content);
    const lake = await exportedLake({ recibidos: [receipt(1, '5')] });
    symlinkSync(list, join(folder, 'otra.xlsx'));
    symlinkSync(folder, join(folder, 'ella'));
    for (const [read, written] of [
      ['lista.xlsx', 'lista.xlsx'],
      ['otra.xlsx', 'lista.xlsx'],
      ['lista.xlsx', 'ella/lista.xlsx'],
    ] as const) {
      const words = [
        'reconcile',
        join(folder, read),
        ...WORDS,
        '--lake',
        lake,
        '--xlsx',
        join(folder, written),
      ];
      const { code, stdout, stderr } = await runMain(...words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('--xlsx: this is the list itself. Name another file.');
    }
    expect(readFileSync(list).equals(content)).toBe(true);
  });

  it('is read in a thread that ends at once when the command is interrupted', async () => {
    const interruption = new AbortController();
    // Each row is parsed for long: of all that a file may hold.
    const rows = Array.from({ length: 200_000 }, (_, index) => rowOf(index + 1));
    const file = listFile([...TITLE, HEADING, ...rows]);
    const ended = runUntil(interruption.signal, 'reconcile', file, ...WORDS);
    setImmediate(() => interruption.abort(new Error('interrupted')));
    const { code, stdout } = await ended;
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
  });
});

/** A socket at this path, until the test ends. */
async function listening(path: string): Promise<void> {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

/** Larger than what is read, and of no room on the disk. */
function largeFile(file: string): void {
  writeFileSync(file, '');
  truncateSync(file, 50 * 2 ** 20 + 1);
}
