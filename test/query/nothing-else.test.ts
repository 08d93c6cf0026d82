import { execFileSync } from 'node:child_process';
import fs, {
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
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/writer.ts';
import { ObjectMissingError } from '../../lib/lake/store/store.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { holdFiles, listFolder } from '../../lib/query/lake-files.ts';
import { openLake } from '../../lib/query/open-lake.ts';
import { ask, QuestionRefusedError } from '../../lib/query/question.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { lakeForAll } from '../support/query/open-lake.ts';
import { onAnotherDisk, patchFs } from '../support/system/patched-fs.ts';

const RUT = '219999830019';
const KEY = `recibidos/fecha=2026-11-18/dia.parquet`;
const IDS = 'SELECT id FROM recibidos ORDER BY id';
const REFUSED = "query reads the lake's tables and nothing else: no file, address or extension.";

let folder: string;
let lake: string;
beforeEach(async () => {
  folder = newFolder();
  lake = join(folder, 'lake');
  await write(join(lake, KEY), 1n);
});

async function write(path: string, id: bigint): Promise<void> {
  const { columns } = RECIBIDOS;
  const rows = rowsOf(columns, [{ id, rut: RUT }]);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await buffer(writeWithHyparquet({ columns, rows, metadata: {} })));
}

async function idsIn(place: string) {
  const { code, stdout, stderr } = await runMain('query', IDS, '--lake', place, '--format', 'csv');
  return { code, ids: stdout.trim().split('\r\n').slice(1), stderr };
}

describe('query reads nothing but the lake', () => {
  const lakeOf = lakeForAll([{ fecha: '2026-11-18', id: 1, rut: RUT }]);

  it.each([
    ['a file', "SELECT * FROM read_csv('/etc/passwd')"],
    ['a file that stands for a table', "SELECT * FROM '/etc/hosts.csv'"],
    ['a file as text', "SELECT content FROM read_text('/etc/passwd')"],
    ['a file as bytes', "SELECT content FROM read_blob('/etc/passwd')"],
    ['a list of files', "SELECT * FROM glob('/etc/*')"],
    ['Parquet beside the lake', "SELECT * FROM read_parquet('FOLDER/../outside.parquet')"],
    ['another file of the lake', "SELECT * FROM read_text('FOLDER/notes.txt')"],
    ['an address', "SELECT * FROM read_parquet('https://127.0.0.1:1/x.parquet')"],
    ['a bucket', "SELECT * FROM read_parquet('s3://bucket/x.parquet')"],
    ['what stands in a text', "SELECT * FROM query('SELECT * FROM read_csv(''/etc/passwd'')')"],
    ['a copy', "COPY (SELECT 1) TO 'FOLDER/new.csv'"],
    ['a copy that is explained', "EXPLAIN ANALYZE COPY (SELECT 1) TO 'FOLDER/new.csv'"],
    ['a copy over the lake', "COPY recibidos TO 'FOLDER/recibidos/fecha=2026-11-18/dia.parquet'"],
    ['an exported database', "EXPORT DATABASE 'FOLDER/new'"],
  ])('%s is refused', async (_what, sql) => {
    const { address } = lakeOf().store;
    writeFileSync(join(address, 'notes.txt'), 'x');
    await expect(ask(lakeOf(), sql.replace('FOLDER', address))).rejects.toSatisfy(
      (error) => error instanceof QuestionRefusedError && error.message.startsWith(REFUSED),
    );
    expect(filesIn(address)).toEqual(['notes.txt', 'recibidos/fecha=2026-11-18/dia.parquet']);
  });

  it('says in one sentence that it refuses, with exit code 2', async () => {
    const { code, stdout, stderr } = await runMain('query', "FROM '/etc/hosts.csv'", '--lake', lake);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`cfe-lake: ${REFUSED}`),
    });
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    'ANALYZE /* ) SELECT 1 --*/',
    'ANALYZE -- ) SELECT 1\n',
    "FORMAT ') SELECT 1 --'",
    'FORMAT $$) SELECT 1 --$$',
    'FORMAT ") SELECT 1 --"',
  ])('nothing is copied by what options of EXPLAIN hide: (%s)', async (options) => {
    const { address } = lakeOf().store;
    const before = readFileSync(join(address, 'recibidos/fecha=2026-11-18/dia.parquet'));
    const place = "list_filter(current_setting('allowed_paths'), lambda p: p LIKE '%fecha=2026-11-18/%')[1]";
    const sql = `EXPLAIN (${options}) COPY (SELECT 1) TO (${place}) (FORMAT parquet, USE_TMP_FILE false)`;
    await expect(ask(lakeOf(), sql)).rejects.toThrow();
    expect(readFileSync(join(address, 'recibidos/fecha=2026-11-18/dia.parquet'))).toEqual(before);
  });

  const CHANGES = 'query changes nothing: give it a SELECT (or DESCRIBE, SUMMARIZE, EXPLAIN)';
  it.each([
    ["ATTACH 'new.db'", `${CHANGES}, not ATTACH.`],
    ['INSTALL httpfs', `${CHANGES}, not LOAD.`],
    ['SET enable_external_access = true', `${CHANGES}, not SET.`],
    ['SET lock_configuration = false', `${CHANGES}, not SET.`],
    ['PRAGMA enable_profiling', `${CHANGES}, not PRAGMA.`],
    ['CREATE TABLE t AS SELECT 1', `${CHANGES}, not CREATE.`],
    ['DROP VIEW recibidos', `${CHANGES}, not DROP.`],
    ['CALL pragma_version()', `${CHANGES}, not CALL.`],
    ['EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1', `${CHANGES}, not CREATE.`],
    ['DELETE FROM recibidos', `${CHANGES}.`],
    ["UPDATE recibidos SET rut = '1'", `${CHANGES}.`],
    ['INSERT INTO recibidos SELECT * FROM recibidos', `${CHANGES}.`],
    ['-- nothing', 'There is no statement in this SQL.'],
    ['/* nothing */ ;', 'There is no statement in this SQL.'],
    [
      "SELECT * FROM read_xlsx('a.xlsx')",
      "query reads the lake's tables and nothing else: it loads no extension, and this needs excel.",
    ],
  ])('%s is no question, and refused', async (sql, sentence) => {
    await expect(ask(lakeOf(), sql)).rejects.toThrow(new QuestionRefusedError(sentence));
  });

  it.each([
    ['SELECT count(*) FROM recibidos;', '1'],
    ['FROM recibidos SELECT id', '1'],
    ['VALUES (1)', '1'],
    ['SELECT 1 -- the end', '1'],
    ['DESCRIBE recibidos', undefined],
    ['SUMMARIZE recibidos', undefined],
    ['SHOW TABLES', undefined],
    ["PRAGMA table_info('recibidos')", undefined],
    ['EXPLAIN SELECT * FROM recibidos', undefined],
    ['-- why\nEXPLAIN (ANALYZE) SELECT * FROM recibidos', undefined],
    ['EXPLAIN ANALYZE SELECT * FROM recibidos', undefined],
  ])('%s: answered', async (sql, answer) => {
    const { rows } = await ask(lakeOf(), sql);
    expect(answer === undefined ? rows.length > 0 : rows).toEqual(answer === undefined || [[answer]]);
  });

  it('tells nothing of the environment, whose proxies have passwords', async () => {
    const mark = 'mark-of-the-environment';
    const names = [...Object.keys(process.env), 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy'];
    for (const name of names.filter((known) => !/^(TMPDIR|TEMP|TMP|PATH)$/.test(known)))
      vi.stubEnv(name, `http://user:${mark}@proxy.test:3128`);
    const opened = await openLake(lake, [IDS], {});
    const { rows } = await ask(opened, `SELECT name FROM duckdb_settings() WHERE value LIKE '%${mark}%'`);
    opened.close();
    expect(rows).toEqual([]);
  });

  it('has a folder of its own for what memory can’t hold, and leaves nothing of it', async () => {
    const opened = await openLake(lake, [IDS], {});
    const { rows } = await ask(opened, "SELECT current_setting('temp_directory')");
    const folder = dirname(rows[0]?.[0] ?? '');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    opened.close();
    expect(existsSync(folder)).toBe(false);
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
  it.each(['la*ke', 'l[ab]ke', '**', 'it\'s "a" lake', 'ba\\ck', 'fecha=2020-01-01'])(
    'is no pattern where it is called %j',
    async (name) => {
      for (const [index, other] of ['laXke', 'lake', 'lbke', 'lalake', 'x'].entries()) {
        await write(join(folder, 'lakes', other, KEY), BigInt(600 + index));
      }
      await write(join(folder, 'lakes', name, KEY), 7n);
      const sql = 'SELECT id, fecha FROM recibidos';
      const opened = await openLake(join(folder, 'lakes', name), [sql], {});
      expect((await ask(opened, sql)).rows).toEqual([['7', '2026-11-18']]);
      opened.close();
    },
  );

  it('is not left by a link among its files, and that is said', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await write(join(elsewhere, 'a.parquet'), 666n);
    symlinkSync(join(elsewhere, 'a.parquet'), join(lake, 'recibidos/fecha=2026-11-18/link.parquet'));
    symlinkSync(elsewhere, join(lake, 'recibidos/fecha=2026-11-19'));
    symlinkSync(elsewhere, join(lake, 'emitidos'));
    expect(await idsIn(lake)).toEqual({
      code: 0,
      ids: ['1'],
      stderr: expect.stringMatching(
        /^Not read, .*: recibidos\/fecha=2026-11-18\/link\.parquet, recibidos\/fecha=2026-11-19\. Move them out of the lake\.\n$/,
      ),
    });
    const { stderr } = await runMain('query', 'SELECT count(*) FROM emitidos', '--lake', lake);
    expect(stderr).toMatch(/^Not read, .*: emitidos\. Move it out of the lake\.\n$/m);
  });

  it('is not left by a link that takes a file’s place after it was looked at', async () => {
    const elsewhere = join(folder, 'elsewhere.parquet');
    await write(elsewhere, 666n);
    const opened = await openLake(lake, [IDS], {});
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
    writeFileSync(join(lake, 'recibidos/fecha=2026-11-18/dia.parquet'), 'no Parquet at all');
    const { code, stderr } = await idsIn(lake);
    expect(code).toBe(1);
    expect(stderr).toContain(join(lake, 'recibidos/fecha=2026-11-18/dia.parquet'));
    expect(stderr).not.toContain('cfe-lake-query-');
  });

  it('shows the columns that are defined, whatever else a file has', async () => {
    const columns = [...RECIBIDOS.columns, { name: 'unheard_of', type: 'string' as const, meaning: 'None' }];
    const rows = rowsOf(columns, [{ id: 2n, rut: '1', unheard_of: 'x' }]);
    const bytes = await buffer(writeWithHyparquet({ columns, rows, metadata: {} }));
    mkdirSync(join(lake, 'recibidos/fecha=2026-11-19'));
    writeFileSync(join(lake, 'recibidos/fecha=2026-11-19/dia.parquet'), bytes);
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

describe('what takes the place of a file between being listed and being read', () => {
  const { linkSync, openSync } = fs;
  const optionsOf = (held: string) => ({
    from: lake,
    held,
    lake: newFolder(),
    nameOf: () => '0.parquet',
    mostCopiedBytes: 2 ** 20,
  });
  const swaps: [string, (outside: string) => void][] = [
    ['a link', (outside) => symlinkSync(join(outside, 'dia.parquet'), join(lake, KEY))],
    ['a pipe', () => execFileSync('mkfifo', [join(lake, KEY)])],
    [
      'a link in place of its folder',
      (outside) => {
        rmSync(dirname(join(lake, KEY)), { recursive: true });
        symlinkSync(outside, dirname(join(lake, KEY)));
      },
    ],
  ];
  const cases = swaps.flatMap(([what, swap]) =>
    [true, false].map((isLinked) => [what, isLinked, swap] as const),
  );

  it.each(cases)(
    'is refused and not waited for: %s (a question links to its files: %s)',
    async (_what, isLinked, swap) => {
      const outside = join(folder, 'private');
      await write(join(outside, 'dia.parquet'), 2n);
      const { files } = await listFolder(lake, [RECIBIDOS]);
      rmSync(join(lake, KEY));
      swap(outside);
      const held = newFolder();
      if (!isLinked) patchFs({ linkSync: onAnotherDisk });
      await expect(holdFiles(files, optionsOf(held))).rejects.toThrow(/a link|is a link/);
      expect(readdirSync(held)).toEqual([]);
    },
  );

  it.each([
    ['a day', dirname(KEY), /^$/],
    ['a table', 'recibidos', /a link/],
  ])('is not listed, where it is a link in place of the folder of %s', async (_what, name, refusal) => {
    const outside = join(folder, 'private');
    await write(join(outside, 'fecha=2026-11-18', 'letter to my bank.pdf'), 2n);
    await write(join(outside, 'letter to my lawyer.pdf'), 2n);
    const opening: typeof openSync = (path, ...flags) => {
      if (String(path).endsWith(dirname(KEY)) && !existsSync(join(folder, 'away'))) {
        renameSync(join(lake, name), join(folder, 'away'));
        symlinkSync(outside, join(lake, name));
      }
      return openSync(path, ...flags);
    };
    patchFs({ openSync: opening });
    const listed = await listFolder(lake, [RECIBIDOS]).catch((error: unknown) => error);
    expect(existsSync(join(folder, 'away'))).toBe(true);
    expect(listed instanceof Error ? listed.message : '').toMatch(refusal);
    expect(JSON.stringify(listed)).not.toContain('letter');
  });

  it('is another lake, which is listed again', async () => {
    const other = newFolder();
    await write(join(other, 'recibidos/fecha=2026-11-17/dia.parquet'), 2n);
    await write(join(other, KEY), 2n);
    await write(join(lake, 'recibidos/fecha=2026-11-17/dia.parquet'), 1n);
    let isMoved = false;
    const opening: typeof openSync = (path, ...flags) => {
      if (!isMoved && String(path).includes('fecha=')) {
        isMoved = true;
        renameSync(lake, join(folder, 'away'));
        renameSync(other, lake);
      }
      return openSync(path, ...flags);
    };
    patchFs({ openSync: opening });
    await expect(listFolder(lake, [RECIBIDOS])).rejects.toThrow(ObjectMissingError);
    expect(await idsIn(lake)).toMatchObject({ code: 0, ids: ['2', '2'] });
  });

  it('is not held, but what was opened, where it is a newer file', async () => {
    const { files } = await listFolder(lake, [RECIBIDOS]);
    const before = readFileSync(join(lake, KEY));
    const outside = join(folder, 'private');
    await write(join(outside, 'dia.parquet'), 2n);
    patchFs({
      linkSync: (source, target) => {
        renameSync(join(outside, 'dia.parquet'), join(lake, KEY));
        linkSync(source, target);
      },
    });
    const held = newFolder();
    await holdFiles(files, optionsOf(held));
    expect(readFileSync(join(held, '0.parquet'))).toEqual(before);
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
