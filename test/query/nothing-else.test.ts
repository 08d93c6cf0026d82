import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/writer.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { openLake } from '../../lib/query/open-lake.ts';
import { ask } from '../../lib/query/question.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';

const KEY = 'recibidos/fecha=2026-11-18/219999830019.parquet';
const IDS = 'SELECT id FROM recibidos ORDER BY id';
const REFUSED = "cfe-lake: query reads the lake's tables and nothing else: no file, address or extension.";

let folder: string;
let lake: string;
beforeEach(async () => {
  folder = newFolder();
  lake = join(folder, 'lake');
  await write(join(lake, KEY), 1n);
});

afterEach(() => vi.unstubAllEnvs());

async function write(path: string, id: bigint): Promise<void> {
  const { columns } = RECIBIDOS;
  const chunks: Uint8Array[] = [];
  const rows = rowsOf(columns, [{ id, rut: '219999830019' }]);
  for await (const chunk of writeWithHyparquet({ columns, rows, metadata: {} })) chunks.push(chunk);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, Buffer.concat(chunks));
}

async function idsIn(place: string) {
  const { code, stdout, stderr } = await runMain('query', IDS, '--lake', place, '--format', 'csv');
  return { code, ids: stdout.trim().split('\r\n').slice(1), stderr };
}

describe('query reads nothing but the lake', () => {
  it.each([
    ['a file', "SELECT * FROM read_csv('/etc/passwd')"],
    ['a file that stands for a table', "SELECT * FROM '/etc/hosts.csv'"],
    ['a file as text', "SELECT content FROM read_text('/etc/passwd')"],
    ['a file as bytes', "SELECT content FROM read_blob('/etc/passwd')"],
    ['JSON', "SELECT * FROM read_json('/etc/passwd')"],
    ['a list of files', "SELECT * FROM glob('/etc/*')"],
    ['Parquet beside the lake', "SELECT * FROM read_parquet('FOLDER/outside.parquet')"],
    ['its metadata', "SELECT * FROM parquet_metadata('FOLDER/outside.parquet')"],
    ['the way out of the lake', "SELECT * FROM read_parquet('FOLDER/lake/../outside.parquet')"],
    ['another file of the lake', "SELECT * FROM read_text('FOLDER/lake/notes.txt')"],
    ['an address', "SELECT * FROM read_parquet('https://127.0.0.1:1/x.parquet')"],
    ['a bucket', "SELECT * FROM read_parquet('s3://bucket/x.parquet')"],
    ['what stands in a text', "SELECT * FROM query('SELECT * FROM read_csv(''/etc/passwd'')')"],
    ['a copy', "COPY (SELECT 1) TO 'FOLDER/new.csv'"],
    ['a copy that is explained', "EXPLAIN ANALYZE COPY (SELECT 1) TO 'FOLDER/new.csv'"],
    ['an exported database', "EXPORT DATABASE 'FOLDER/new'"],
  ])('%s is refused, with a sentence and exit code 2', async (_what, sql) => {
    await write(join(folder, 'outside.parquet'), 666n);
    writeFileSync(join(lake, 'notes.txt'), 'x');
    const { code, stdout, stderr } = await runMain('query', sql.replace('FOLDER', folder), '--lake', lake);
    expect({ code, stdout, said: stderr.slice(0, REFUSED.length) }).toEqual({
      code: 2,
      stdout: '',
      said: REFUSED,
    });
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(filesIn(folder)).toEqual(['lake/notes.txt', `lake/${KEY}`, 'outside.parquet']);
  });

  it.each([
    ["ATTACH 'FOLDER/new.db'", 'ATTACH'],
    ["ATTACH ':memory:' AS other", 'ATTACH'],
    ['INSTALL httpfs', 'LOAD'],
    ['LOAD httpfs', 'LOAD'],
    ['SET enable_external_access = true', 'SET'],
    ['SET lock_configuration = false', 'SET'],
    ['PRAGMA enable_profiling', 'PRAGMA'],
    ['CREATE TABLE t AS SELECT 1', 'CREATE'],
    ['DROP VIEW recibidos', 'DROP'],
    ['CALL pragma_version()', 'CALL'],
    ['EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1', 'CREATE'],
  ])('%s: no question, and refused', async (sql, kind) => {
    const asked = sql.replace('FOLDER', folder);
    const { code, stdout, stderr } = await runMain('query', asked, '--lake', lake);
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      `cfe-lake: query changes nothing: give it a SELECT (or DESCRIBE, SUMMARIZE, EXPLAIN), not ${kind}.\n`,
    ]);
    expect(filesIn(folder)).toEqual([`lake/${KEY}`]);
  });

  it.each([
    'DELETE FROM recibidos',
    "UPDATE recibidos SET rut = '1'",
    'INSERT INTO recibidos SELECT * FROM recibidos',
  ])('%s would change a table, and is refused', async (sql) => {
    const { code, stdout, stderr } = await runMain('query', sql, '--lake', lake);
    const refusal = 'query changes nothing: give it a SELECT (or DESCRIBE, SUMMARIZE, EXPLAIN)';
    expect([code, stdout, stderr]).toEqual([2, '', `cfe-lake: ${refusal}.\n`]);
  });

  it.each([
    ['SELECT 1; SELECT 2', 'These are 2 statements; run one at a time.'],
    ['SELECT 1; DROP VIEW recibidos;', 'These are 2 statements; run one at a time.'],
    ['-- nothing', 'There is no statement in this SQL.'],
    ['/* nothing */ ;', 'There is no statement in this SQL.'],
    [
      "SELECT * FROM read_xlsx('a.xlsx')",
      "query reads the lake's tables and nothing else: it loads no extension, and this needs excel.",
    ],
  ])('%s: refused', async (sql, sentence) => {
    expect(await runMain('query', sql, '--lake', lake)).toEqual({
      code: 2,
      stdout: '',
      stderr: `cfe-lake: ${sentence}\n`,
    });
  });

  it.each([
    ['SELECT count(*) FROM recibidos;', '1'],
    ['FROM recibidos SELECT id', '1'],
    ['VALUES (1)', '1'],
    ['PIVOT (SELECT id, rut FROM recibidos) ON rut USING count(*)', '1,1'],
    ['SELECT 1 -- the end', '1'],
  ])('%s: answered', async (sql, last) => {
    const { code, stdout } = await runMain('query', sql, '--lake', lake, '--format', 'csv');
    expect([code, stdout.trim().split('\r\n').at(-1)]).toEqual([0, last]);
  });

  it.each([
    'DESCRIBE recibidos',
    'SUMMARIZE recibidos',
    'SHOW TABLES',
    "PRAGMA table_info('recibidos')",
    'EXPLAIN SELECT * FROM recibidos',
    '-- why\nEXPLAIN (ANALYZE) SELECT * FROM recibidos',
    'EXPLAIN ANALYZE SELECT * FROM recibidos',
  ])('%s: answered', async (sql) => {
    expect((await runMain('query', sql, '--lake', lake)).code).toBe(0);
  });

  it('has a folder of its own for what memory can’t hold, and leaves nothing of it', async () => {
    const opened = await openLake(lake, IDS, {});
    const { rows } = await ask(opened, "SELECT current_setting('temp_directory')");
    const own = dirname(rows[0]?.[0] ?? '');
    expect(statSync(own).mode & 0o777).toBe(0o700);
    opened.close();
    expect(existsSync(own)).toBe(false);
  });
});

it('refuses a temporary directory that DuckDB would take for a pattern', async () => {
  const pattern = join(folder, 'tmp[1]');
  mkdirSync(pattern);
  vi.stubEnv('TMPDIR', pattern);
  expect(await idsIn(lake)).toEqual({
    code: 2,
    ids: [],
    stderr: `cfe-lake: DuckDB would take ${pattern} for a pattern: name another temporary directory in TMPDIR.\n`,
  });
  expect(readdirSync(pattern)).toEqual([]);
});

describe('a lake in a folder', () => {
  it.each([
    'la*ke',
    'la?ke',
    'l[ab]ke',
    'l{a,b}ke',
    '**',
    'it\'s "a" lake',
    'ba\\ck',
    'rut=5',
    'fecha=2020-01-01',
    ' ',
  ])('is no pattern where it is called %j', async (name) => {
    for (const [index, other] of ['laXke', 'lake', 'lbke', 'lalake', 'x'].entries()) {
      await write(join(folder, 'lakes', other, KEY), BigInt(600 + index));
    }
    await write(join(folder, 'lakes', name, KEY), 7n);
    const asked = await runMain(
      ...[
        'query',
        'SELECT id, rut, fecha FROM recibidos',
        '--lake',
        join(folder, 'lakes', name),
        '--format',
        'csv',
      ],
    );
    expect(asked).toEqual({ code: 0, stdout: 'id,rut,fecha\r\n7,219999830019,2026-11-18\n', stderr: '' });
  });

  it('is not left by a link among its files, and that is said', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await write(join(elsewhere, 'a.parquet'), 666n);
    symlinkSync(join(elsewhere, 'a.parquet'), join(lake, 'recibidos/fecha=2026-11-18/link.parquet'));
    symlinkSync(elsewhere, join(lake, 'recibidos/fecha=2026-11-19'));
    symlinkSync(elsewhere, join(lake, 'emitidos'));
    expect(await idsIn(lake)).toEqual({
      code: 0,
      ids: ['1'],
      stderr: 'Skipped 2 files among the tables that no export wrote (links, or other names).\n',
    });
    const { stderr } = await runMain('query', 'SELECT count(*) FROM emitidos', '--lake', lake);
    expect(stderr).toContain('Skipped 1 file among the tables');
  });

  it('is not written to', async () => {
    const sql = `COPY recibidos TO '${join(lake, KEY)}' (FORMAT parquet, USE_TMP_FILE false)`;
    const { code, stdout, stderr } = await runMain('query', sql, '--lake', lake);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(REFUSED);
    expect((await idsIn(lake)).ids).toEqual(['1']);
  });

  it('is not left by a link that takes a file’s place after it was looked at', async () => {
    const elsewhere = join(folder, 'elsewhere.parquet');
    await write(elsewhere, 666n);
    const opened = await openLake(lake, IDS, {});
    rmSync(join(lake, KEY));
    symlinkSync(elsewhere, join(lake, KEY));
    // The files that existed when the question began.
    expect((await ask(opened, IDS)).rows).toEqual([['1']]);
    opened.close();
    expect((await idsIn(lake)).ids).toEqual([]);
  });

  it('may itself be reached by a link', async () => {
    renameSync(lake, join(folder, 'other-disk'));
    symlinkSync(join(folder, 'other-disk'), lake);
    expect((await idsIn(lake)).ids).toEqual(['1']);
  });

  it('names a damaged file as it is called', async () => {
    writeFileSync(join(lake, 'recibidos/fecha=2026-11-18/a.parquet'), 'no Parquet at all');
    const { code, stderr } = await idsIn(lake);
    expect(code).toBe(1);
    expect(stderr).toContain(join(lake, 'recibidos/fecha=2026-11-18/a.parquet'));
    expect(stderr).not.toContain('cfe-lake-query-');
  });

  it('shows the columns that are defined, whatever else a file has', async () => {
    const columns = [...RECIBIDOS.columns, { name: 'unheard_of', type: 'string' as const, meaning: 'None' }];
    const chunks: Uint8Array[] = [];
    const rows = rowsOf(columns, [{ id: 2n, rut: '1', unheard_of: 'x' }]);
    for await (const chunk of writeWithHyparquet({ columns, rows, metadata: {} })) chunks.push(chunk);
    writeFileSync(join(lake, 'recibidos/fecha=2026-11-18/2.parquet'), Buffer.concat(chunks));
    const { stdout } = await runMain('query', 'DESCRIBE recibidos', '--lake', lake, '--format', 'csv');
    const names = stdout.trim().split('\r\n').slice(1);
    expect(names.map((line) => line.split(',')[0])).toEqual([
      ...RECIBIDOS.columns.map(({ name }) => name),
      'fecha',
    ]);
    copyFileSync(join(lake, KEY), join(lake, 'recibidos/fecha=2026-11-18/_hidden.parquet'));
    expect(await idsIn(lake)).toEqual({ code: 0, ids: ['1', '2'], stderr: '' });
  });
});

it.each([
  ['pages of zeros', (bytes: Buffer) => bytes.fill(0, 4, Math.trunc(bytes.length / 3))],
  ['pages of ones', (bytes: Buffer) => bytes.fill(0xff, 4, Math.trunc(bytes.length / 3))],
  ['an end only', (bytes: Buffer) => bytes.subarray(-8)],
  ['a beginning only', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['another length', (bytes: Buffer) => bytes.fill(0x7f, bytes.length - 6, bytes.length - 4)],
])('a damaged object is reported in a sentence: %s', async (_what, damage) => {
  writeFileSync(join(lake, KEY), damage(readFileSync(join(lake, KEY))));
  const sql = 'SELECT sum(hash(r)) FROM recibidos r';
  const { code, stderr } = await runMain('query', sql, '--lake', lake);
  expect(stderr).toMatch(
    /^cfe-lake: An object of the lake may be damaged: .*\. npm run -s cfe-lake -- verify names it, and says what to do\.\n$/,
  );
  expect(code).toBe(1);
});
