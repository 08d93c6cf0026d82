import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import v8 from 'node:v8';
import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it, vi } from 'vitest';
import { spanishNotes } from '../../lib/query/spanish-notes.ts';
import { queryFile } from '../lake/parquet/duckdb.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { runLine, runMain, runStreamed } from '../support/program/run-main.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';
import { readWorkbook } from '../support/query/workbook.ts';

const RUT = '018307280015';
const SQL = `SELECT '${RUT}' AS rut, 4613173657676546048 AS id, 1234.50 AS total, DATE '2026-11-19' AS fecha, '=1+1' AS nombre`;

/** The words of a query on a folder without tables. */
function asked(...words: string[]): string[] {
  return ['query', ...words, '--lake', newFolder()];
}

function cellsOf(bytes: Uint8Array): string[][] {
  return readWorkbook(bytes).map(({ cells }) => [...cells.values()].map(({ value }) => value));
}

function recordsOf(bytes: Uint8Array): Promise<Record<string, unknown>[]> {
  const file = Uint8Array.from(bytes).buffer;
  return parquetReadObjects({ file, compressors: { ZSTD: (input) => zstdDecompressSync(input) } });
}

describe('query --out', () => {
  it('refuses an answer that does not fit into memory, before it ends the program, and writes it as Parquet', async () => {
    const ofNode = v8.getHeapStatistics();
    vi.spyOn(v8, 'getHeapStatistics').mockReturnValue({ ...ofNode, heap_size_limit: 8 * 2 ** 20 });
    const sql = 'SELECT * FROM range(1000000)';
    for (const format of ['csv', 'json', 'xlsx', 'table']) {
      const { code, stderr } = await runMain(
        ...asked(sql, '--format', format, '--out', join(newFolder(), 'x')),
      );
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/after [\d,]+ rows.*--format parquet/s),
      });
    }
    const file = join(newFolder(), 'x.parquet');
    expect((await runMain(...asked(sql, '--out', file))).stdout).toContain('1,000,000 rows');
  });

  it.each([
    ['csv', 'answer.csv', 'rut,id,'],
    ['json', 'answer.json', '[{"rut"'],
    ['xlsx', 'answer.xlsx', 'PK'],
    ['parquet', 'answer.parquet', 'PAR1'],
    ['table', 'answer', 'rut '],
  ])('writes %s to a file that only its user can read, by its name %s', async (format, name, beginning) => {
    const file = join(newFolder(), name);
    writeFileSync(file, 'older');
    const raw = format === 'csv' ? ['--raw'] : [];
    const { code, stdout, stderr } = await runMain(...asked(SQL, '--out', file, ...raw));
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `Wrote ${file}: 1 row.\n`, stderr: '' });
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    const piped = await runStreamed(asked(SQL, '--format', format));
    const bytes = readFileSync(file);
    expect(bytes.subarray(0, beginning.length).toString()).toBe(beginning);
    // A workbook contains the time at which it was made.
    if (format === 'xlsx') expect(cellsOf(bytes)).toEqual(cellsOf(piped.bytes));
    else expect(bytes.equals(piped.bytes)).toBe(true);
  });

  it.each(['csv', 'json', 'table'])('writes %s in pieces: no string holds a large answer', async (format) => {
    const write = vi.spyOn(PassThrough.prototype, 'write');
    const sql = "SELECT range AS id, repeat('ñ', 200) AS texto FROM range(2000)";
    const { code } = await runStreamed(asked(sql, '--format', format));
    const lengths = write.mock.calls.map(([piece]) => String(piece).length);
    expect(code).toBe(0);
    expect(lengths.length).toBeGreaterThan(4);
    expect(Math.max(...lengths)).toBeLessThan(2 ** 17);
  });

  it('puts an apostrophe before what a spreadsheet would run, says so, and --raw is of CSV alone', async () => {
    const file = join(newFolder(), 'answer.csv');
    const { stderr } = await runMain(...asked(SQL, '--out', file));
    expect(stderr).toMatch(/^Texts that begin like a formula: 1\. .* --raw leaves them/);
    expect(readFileSync(file, 'utf8')).toContain(",'=1+1");
    const { code, stderr: wrong } = await runMain(...asked(SQL, '--raw', '--json'));
    expect({ code, wrong }).toEqual({ code: 2, wrong: expect.stringContaining('--raw') });
  });

  it('leaves the file as it was when the question fails', async () => {
    const folder = newFolder();
    const file = join(folder, 'answer.parquet');
    writeFileSync(file, 'older');
    const { code } = await runMain(
      ...asked("SELECT CAST(x AS INTEGER) FROM (VALUES ('1'), ('x')) AS t (x)", '--out', file),
    );
    expect(code).toBe(1);
    expect(filesIn(folder)).toEqual(['answer.parquet']);
    expect(readFileSync(file, 'utf8')).toBe('older');
  });
});

describe('query --format xlsx', () => {
  it('has the answer to a named query on a sheet of its name, and its notes on another', async () => {
    const receipt = { rut: RUT, id: '4613173657676546048', tipo_comprobante: 111, serie: 'A', numero: 7 };
    const amounts = { moneda: 'UYU', totales_total: '123456789012345.67' };
    const fecha = new Date().toISOString().slice(0, 10);
    const lake = await madeLakeFolder({ recibidos: [{ ...receipt, ...amounts, fecha }] });
    const file = join(lake, 'compras.xlsx');
    const { code, stderr } = await runLine(`query --named compras-por-mes --lake ${lake} --out ${file}`);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/Orange: 1 number of more than 15 digits, as text\./),
    });
    const [sheet, notes] = readWorkbook(readFileSync(file));
    expect(sheet?.name).toBe('compras-por-mes');
    const cells = ['A', 'C', 'D', 'E', 'F'].map((column) => sheet?.cells.get(`${column}2`));
    expect(cells.map((cell) => [cell?.type, cell?.value])).toEqual([
      ['s', RUT],
      ['n', '111'],
      ['s', 'UYU'],
      ['n', '1'],
      ['s', '123456789012345.67'],
    ]);
    const { summary, notes: paragraphs } = spanishNotes('purchases-by-month');
    const said = [...(notes?.cells.values() ?? [])].map(({ value }) => value);
    expect(said.slice(0, 2 + paragraphs.length)).toEqual([summary, '', ...paragraphs]);
  });

  it.each(['xlsx', 'parquet'])('--format %s is not poured into a terminal', async (format) => {
    const { code, stdout, stderr } = await runStreamed(asked(SQL, '--format', format), { isTTY: true });
    expect({ code, printed: stdout.length }).toEqual({ code: 2, printed: 0 });
    expect(stderr).toContain(`name a file, --out answer.${format}`);
  });
});

describe('query --format parquet', () => {
  it('keeps types and digits', async () => {
    const sql = `${SQL}, 123456789012345.67::DECIMAL(17,2) AS largo, TIMESTAMP '2026-11-19 10:20:30.123456' AS firma, true AS si, NULL::INTEGER AS nada;`;
    const { bytes: stdout } = await runStreamed(asked(sql, '--format', 'parquet'));
    const [record] = await recordsOf(stdout);
    expect(record).toMatchObject({
      rut: RUT,
      id: 4613173657676546048n,
      total: 1234.5,
      fecha: new Date('2026-11-19'),
      nombre: '=1+1',
      si: true,
    });
    const rest = await queryFile(
      stdout,
      'SELECT typeof(total) AS tipo, largo::VARCHAR AS largo, firma::VARCHAR AS firma, nada FROM FILE',
    );
    expect(rest).toEqual([
      { tipo: 'DECIMAL(6,2)', largo: '123456789012345.67', firma: '2026-11-19 10:20:30.123456', nada: null },
    ]);
  });

  it('of an answer that DuckDB makes in several steps, and of one without rows', async () => {
    const pivot = "PIVOT (VALUES ('a', 1), ('b', 2)) AS t (k, v) ON k USING sum(v)";
    const pivoted = await runStreamed(asked(pivot, '--format', 'parquet'));
    expect(await recordsOf(pivoted.bytes)).toEqual([{ a: expect.anything(), b: expect.anything() }]);
    const empty = await runStreamed(asked('SELECT 1 AS a, 2 AS a WHERE false', '--format', 'parquet'));
    expect({ code: empty.code, records: await recordsOf(empty.bytes) }).toEqual({ code: 0, records: [] });
  });
});

it('query --locale es-UY writes for a spreadsheet that opens the file by itself', async () => {
  const { code, stdout, stderr } = await runMain(...asked(SQL, '--format', 'csv', '--locale', 'es-UY'));
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `\u{feff}rut;id;total;fecha;nombre\r\n${RUT};4613173657676546048;1234,50;2026-11-19;'=1+1\n`,
  });
  expect(stderr).toMatch(/^Texts that begin like a formula: 1\. Each got an apostrophe/);
});
