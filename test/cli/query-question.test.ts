import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedQueries, namedQuery } from '../../lib/query/named-queries.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { runMain, runStreamed } from '../support/program/run-main.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';

const RUT = '219999830019';
const OTHER = '214844360018';

const recibidos = [RUT, OTHER].flatMap((rut, company) =>
  ['2021-09-30', '2021-10-01', '2021-10-31'].map((fecha, index) => ({
    rut,
    fecha,
    id: company * 10 + index,
    tipo_comprobante: 111,
    moneda: 'UYU',
    totales_total: `${index + 1}.50`,
  })),
);
/** Receipts of two companies in two months, older than the queries look back by default. */
const lake = await madeLakeFolder({ recibidos }, sharedFolder());

describe('query --named, narrowed', () => {
  const named = ['query', '--named', 'compras-por-mes', '--format', 'csv'];

  it.each([
    [
      ['--month', '2021-10'],
      [`${OTHER},2021-10-01,111,UYU,2,6.00,0`, `${RUT},2021-10-01,111,UYU,2,6.00,0`],
    ],
    [['--month', '2021-10', '--rut', RUT], [`${RUT},2021-10-01,111,UYU,2,6.00,0`]],
    [['--from', '2021-09-30', '--to', '2021-09-30', '--rut', RUT], [`${RUT},2021-09-01,111,UYU,1,1.50,0`]],
    [['--from', '2021-10-31', '--rut', RUT, '--rut', RUT], [`${RUT},2021-10-01,111,UYU,1,3.50,0`]],
    [['--rut', RUT], []],
  ])('%j', async (words, rows) => {
    const { code, stdout } = await runStreamed([...named, ...words, '--lake', lake]);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\r\n').slice(1)).toEqual(rows);
  });

  it('--sql prints what it asks, which is an answer of its own', async () => {
    const words = ['--month', '2021-10', '--rut', RUT];
    const printed = await runStreamed([...named, ...words, '--sql', '--lake', 'nowhere']);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(printed.stdout).toContain(
      `\n--\n-- Narrowed to rut ${RUT}; 2021-10-01 to 2021-10-31, in place of`,
    );
    const again = await runStreamed(['query', '-', '--format', 'csv', '--lake', lake], {
      input: [printed.stdout],
    });
    expect(again.stdout).toBe((await runStreamed([...named, ...words, '--lake', lake])).stdout);
    const whole = await runStreamed(['query', '--named', 'compras-por-mes', '--sql']);
    expect(whole.stdout).toBe(namedQuery('compras-por-mes').sql);
  });
});

describe('query of SQL', () => {
  it.each(['libro-iva-ventas', 'sales-by-mont'])('says that %s is the name of a query', async (word) => {
    const { code, stderr } = await runStreamed(['query', word, '--lake', lake]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/ query --named (libro-iva-ventas|sales-by-month)$/m),
    });
  });

  it('takes it from a file, or from standard input', async () => {
    const file = join(newFolder(), 'a-question.sql');
    writeFileSync(file, '\u{feff}-- One and two.\nSELECT 1 + 1 AS dos;\n');
    const end = ['--format', 'csv', '--lake', lake];
    expect(await runStreamed(['query', file, ...end])).toMatchObject({ code: 0, stdout: 'dos\r\n2\n' });
    const input = ['\u{feff}SELECT ', '1 + 1 AS dos'];
    expect(await runStreamed(['query', '-', ...end], { input })).toMatchObject({
      code: 0,
      stdout: 'dos\r\n2\n',
    });
  });

  it('names a folder that has the name of a file', async () => {
    const folder = join(newFolder(), 'folder.sql');
    mkdirSync(folder);
    expect(await runStreamed(['query', folder, '--lake', lake])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`cfe-lake: ${folder}: it is a folder, not a file (EISDIR).`),
    });
  });

  it.skipIf(process.platform === 'win32')('is not waited for in a pipe, nor read without end', async () => {
    const [folder, end] = [newFolder(), ['--lake', lake]];
    const [pipe, endless] = [join(folder, 'pipe.sql'), join(folder, 'endless.sql')];
    execFileSync('mkfifo', [pipe]);
    symlinkSync('/dev/zero', endless);
    for (const file of [pipe, endless])
      expect(await runStreamed(['query', file, ...end])).toMatchObject({
        code: 2,
        stderr: `cfe-lake: ${file}: it is not an ordinary file.\n`,
      });
    const input = Array.from({ length: 3 }, () => 'x'.repeat(500_000));
    expect(await runStreamed(['query', '-', ...end], { input })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has more than 1048576 bytes'),
    });
  });

  it('of --month leaves out the partitions of other months', async () => {
    const sql = 'SELECT count(*) AS n FROM recibidos';
    const words = ['--month', '2021-10', '--lake', lake, '--format', 'csv'];
    const { stdout } = await runStreamed(['query', sql, ...words]);
    expect(stdout).toBe('n\r\n4\n');
  });
});

it.each([[['--named', 'list']], [['--named']]])(
  'the list of named queries as JSON has the notes too: %j',
  async (words) => {
    const { code, stdout } = await runMain('query', ...words, '--format', 'json');
    expect(code).toBe(0);
    const expected = namedQueries().map(({ name, alias, summary, notes }) => ({
      name,
      or: alias,
      asks: summary,
      notes: notes.join('\n\n'),
    }));
    expect(JSON.parse(stdout)).toEqual(expected);
  },
);

describe('a long answer', () => {
  const asked = (count: number) => ['query', `SELECT range AS n FROM range(${count})`, '--lake', newFolder()];
  const rowsIn = (shown: string) => shown.split('\n').filter((line) => /^ *\d+$/.test(line)).length;

  it('shows 100 rows in a terminal, and says how many there are', async () => {
    const { stdout } = await runStreamed(asked(1234), { isTTY: true });
    expect(rowsIn(stdout)).toBe(100);
    expect(stdout).toMatch(/\n\(the first 100 of 1,234 rows; --all shows them\)\n$/);
    const spanish = await runStreamed([...asked(1234), '--lang', 'es'], { isTTY: true });
    expect(spanish.stdout).toMatch(/\n\(las primeras 100 de 1\.234 filas; --all las muestra todas\)\n$/);
  });

  it.each([
    { what: 'with --all', words: ['--all'], isTTY: true },
    { what: 'at the end of a pipe', words: [], isTTY: false },
  ])('is whole $what', async ({ words, isTTY }) => {
    const { stdout } = await runStreamed([...asked(1234), ...words], { isTTY });
    expect(rowsIn(stdout)).toBe(1234);
    expect(stdout).toMatch(/\n\(1,234 rows\)\n$/);
  });
});
