import { realpathSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type DuckDBConnection, DuckDBDateValue, DuckDBDecimalValue, DuckDBInstance } from '@duckdb/node-api';
import { DamagedObjectError } from '../lake/parquet/reader.ts';
import { readRates } from '../lake/rates.ts';
import { RECEIPT_TYPES_VIEW } from '../lake/receipt-types.ts';
import { openObject } from '../lake/store/folder-files.ts';
import { COTIZACIONES, SQL_TYPES, TABLES, type Table } from '../lake/tables.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import { WrongInputError } from '../system/errors.ts';
import { dayNumber } from '../time/days.ts';
import { type DatabaseLimits, distrustedBytes, usualLimits } from './database-limits.ts';
import { FILES_AT_ONCE, holdFiles, type LakeFile, newScratchFolder, removeScratch } from './lake-files.ts';
import { type AskedDatabase, explained, quoted } from './question.ts';

/** Functions that Athena has under other names, so that the same SQL runs in both. */
const ATHENA_FUNCTIONS = [
  // Null for an object or array. The document is parsed only once: its parsing is most of the memory of a question. A name
  // with a point is written $["a.b"] there, and $."a.b" here.
  `CREATE MACRO json_extract_scalar(document, path) AS
json_extract_string(json_value(document, regexp_replace(path, '\\["([^"]*)"\\]', '."\\1"', 'g')), '$')`,
  'CREATE MACRO json_parse(document) AS CAST(document AS JSON)',
];

/** The view that Athena has too. */
const RECEIPT_TYPES = `CREATE VIEW ${RECEIPT_TYPES_VIEW.name} AS ${RECEIPT_TYPES_VIEW.sql}`;

/** Makes current_date the day in Uruguay. */
const ZONE = "SET TimeZone = 'America/Montevideo'";

/**
 * Those of DuckDB that give wrong rows: of a LIMIT or DISTINCT ON below a join, other ones from time to time
 * (duckdb/duckdb#22924), of a LEFT JOIN with an unnest over a DISTINCT, fewer (duckdb/duckdb#25213), and of the first rows
 * by a window, fewer where what orders them is null, and one of nulls where there is none (duckdb/duckdb#24363). Two more
 * are as new as these.
 */
const WRONG_OPTIMIZERS =
  'join_filter_pushdown,join_elimination,top_n_window_elimination,common_subplan,window_self_join';

const CONFIGURATION = {
  disabled_optimizers: WRONG_OPTIMIZERS,
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
  // Else these are of the environment and of the user, and a question may ask for them.
  http_proxy: 'none',
  secret_directory: 'none',
  // The system caches files, and lets go of them when memory is short.
  enable_external_file_cache: 'false',
};

/** Characters with a meaning in DuckDB's paths: patterns, and `name=value`, which it reads as a column. */
const NOT_PLAIN = process.platform === 'win32' ? /[*?[=]/ : /[*?[=\\]/;

const STUBS = 'stubs';
/** A file with the columns of a table and no rows, in a folder per table. */
export const STUB = 'stub.parquet';
/** The one file that may be written: an answer as Parquet. */
const ANSWER = 'answer.parquet';

/** A database over a lake in a folder, with the table names that Athena has. */
export interface LakeDatabase extends AskedDatabase {
  emptyTables: readonly string[];
  close(): void;
}

/** What questions are planned with before the files are there: a folder with a stub, without rows, for each table. */
export interface Trial {
  connection: DuckDBConnection;
  stubs: string;
}

export interface DatabaseOptions {
  /** Interrupts the work of DuckDB until the database is closed. */
  signal?: AbortSignal;
  /** A scratch folder to hold this question's files in; removed with the database. */
  held?: string;
  /**
   * Views of files outside of the lake, which have plain paths; one that is named as a table stands for it. Who made
   * them is not known, so that less memory is theirs.
   */
  views?: ReadonlyMap<string, readonly string[]>;
  limits?: DatabaseLimits;
}

/**
 * Opens a database that can read these files below the folder and nothing else. Its tables have the files that `choose`
 * returns, which it may fetch first. All is one transaction, so that `current_date` is the same when choosing and
 * asking. Throws QueryError if a file is damaged, ObjectMissingError if a chosen one is no longer there.
 */
export async function openDatabase<File extends LakeFile>(
  folder: string,
  files: readonly File[],
  choose: (trial: Trial) => Promise<readonly File[]>,
  options: DatabaseOptions = {},
): Promise<LakeDatabase> {
  const { signal, views = new Map<string, readonly string[]>() } = options;
  const scratch = newScratchFolder(resolve(tmpdir()), 'cfe-lake-query-');
  const held = options.held ?? join(scratch, 'held');
  const closing = [() => [scratch, held].forEach(removeScratch)];
  const close = () => {
    for (const step of closing.splice(0).reverse()) step();
  };
  // In the scratch folder the lake has a plain path, whatever its own folder is called.
  const lake = join(scratch, 'lake');
  const names = new Map(files.map((file, index) => [file, `${index}.parquet`]));
  const nameOf = (file: File) => names.get(file) ?? '';
  const pathOf = (file: File) => `${scratch}/lake/${dirname(file.path)}/${nameOf(file)}`;
  const readable = (text: string) =>
    files.reduce((shown, file) => shown.replaceAll(pathOf(file), join(folder, file.path)), text);
  try {
    if (NOT_PLAIN.test(scratch)) {
      throw new WrongInputError(
        `DuckDB would take ${tmpdir()} for a pattern: name another temporary directory in TMPDIR.`,
      );
    }
    await mkdir(held, { recursive: true, mode: 0o700 });
    const instance = await DuckDBInstance.create(':memory:', CONFIGURATION);
    closing.push(() => instance.closeSync());
    const connection = await instance.connect();
    closing.push(() => connection.closeSync(), interruptedBy(signal, connection));
    const tables = [...new Set(files.map(({ table }) => table))];
    // DuckDB resolves links in what it opens, but not in allowed paths that do not exist yet.
    const realHeld = realpathSync(held);
    const paths = files.flatMap((file) => [pathOf(file), join(realHeld, nameOf(file))]);
    paths.push(...[...views.values()].flat());
    const usual = usualLimits(scratch);
    const ofViews = views.size === 0 ? usual : { ...usual, memoryBytes: distrustedBytes(2 ** 31) };
    await confine(connection, scratch, tables, paths, options.limits ?? ofViews);
    await connection.run('BEGIN');
    for (const table of TABLES) await connection.run(showTable(table, [], { alike: true }));
    for (const [name, seen] of views) await connection.run(showFiles(name, seen)).catch(explained(readable));
    const chosen = await choose({ connection, stubs: join(scratch, STUBS) });
    const { spillBytes: mostCopiedBytes } = options.limits ?? usual;
    await holdFiles(chosen, { from: folder, held, lake, nameOf, mostCopiedBytes }, signal);
    rmSync(join(scratch, STUBS), { recursive: true, force: true });
    for (const table of tables) {
      const shown = chosen.filter((file) => file.table === table);
      if (table === COTIZACIONES)
        await fillRates(connection, shown, (file) => openObject(pathOf(file), file.path, folder));
      else
        await connection
          .run(showTable(table, shown.map(pathOf), { alike: false }))
          .catch(explained(readable));
    }
    await connection.run('SET lock_configuration = true');
    const emptyTables = TABLES.filter((table) => !tables.includes(table)).map(({ name }) => name);
    signal?.throwIfAborted();
    return { connection, emptyTables, readable, scratchFile: join(scratch, ANSWER), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** What a rate takes besides its texts. */
const RATE_BYTES = 32;
/** Those of 180 currencies in ten years take a fourth. */
const MOST_RATES_BYTES = 2 ** 28;

/** Makes the table of rates, from an object after the other: DuckDB takes the pages of one at their word. */
async function fillRates<File extends LakeFile>(
  connection: DuckDBConnection,
  files: readonly File[],
  open: (file: File) => ReturnType<typeof openObject>,
): Promise<void> {
  const { name } = COTIZACIONES;
  await connection.run(`DROP VIEW ${name}`);
  await connection.run(`CREATE TABLE ${name} AS ${emptyTable(COTIZACIONES)}`);
  const appender = await connection.createAppender(name);
  let byteCount = 0;
  await forEachConcurrent(files, FILES_AT_ONCE, async (file) => {
    const object = await open(file);
    const rates = await readRates(object, file.day).finally(() => object.close());
    for (const { day, currency, value, source } of rates.values()) {
      byteCount += RATE_BYTES + currency.length + source.length;
      if (byteCount > MOST_RATES_BYTES)
        throw new DamagedObjectError(file.path, 'with the other days it has too many rates');
      appender.appendVarchar(currency);
      appender.appendDecimal(new DuckDBDecimalValue(value, 17, 6));
      appender.appendVarchar(source);
      appender.appendDate(new DuckDBDateValue(dayNumber(day)));
      appender.endRow();
    }
  });
  appender.closeSync();
}

const INTERRUPTED_EVERY_MS = 20;

/**
 * Interrupts the connection from the signal on, again and again: DuckDB forgets an interruption that comes just before a
 * statement begins. Returns what ends that.
 */
function interruptedBy(signal: AbortSignal | undefined, connection: DuckDBConnection): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer = setInterval(() => connection.interrupt(), INTERRUPTED_EVERY_MS);
  };
  signal?.addEventListener('abort', interrupt);
  return () => {
    signal?.removeEventListener('abort', interrupt);
    clearInterval(timer);
  };
}

/** Confines the database: it reads the files and stubs, spills to the scratch folder, and loads no extension. */
async function confine(
  connection: DuckDBConnection,
  scratch: string,
  tables: readonly Table[],
  paths: readonly string[],
  { memoryBytes, spillBytes }: DatabaseLimits,
): Promise<void> {
  for (const definition of [ZONE, ...ATHENA_FUNCTIONS, RECEIPT_TYPES]) await connection.run(definition);
  const stubs = join(scratch, STUBS);
  for (const table of tables) {
    const stub = join(stubs, table.name, STUB);
    await mkdir(dirname(stub), { recursive: true });
    await connection.run(`COPY (${emptyTable(table)}) TO ${quoted(stub)}`);
  }
  await connection.run(`SET allowed_paths = [${[join(scratch, ANSWER), ...paths].map(quoted)}]`);
  await connection.run(`SET allowed_directories = [${quoted(stubs)}]`);
  await connection.run(`SET temp_directory = ${quoted(join(scratch, 'spilled'))}`);
  await connection.run(`SET memory_limit = '${mebibytes(memoryBytes)}'`);
  await connection.run(`SET max_temp_directory_size = '${mebibytes(spillBytes)}'`);
  await connection.run('SET enable_external_access = false');
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)}MiB`;
}

/**
 * These columns, so that DuckDB tries no condition on the least and greatest value of a file: it would leave out the nulls
 * of `x IS DISTINCT FROM 1 OR x > 2`, and has no setting for it. TRY of a column is the column, and a condition on it is
 * still tried while the file is read. Not of the partition, which is never null and by which files are left out.
 */
function asRead(columns: string): string {
  return `TRY(COLUMNS(${columns}))`;
}

/**
 * The statement that makes a table of files, with exactly the columns that are defined now. In files older than a
 * column it is null. Of files that are `alike`, only the first is opened for its schema.
 */
export function showTable(table: Table, paths: readonly string[], { alike }: { alike: boolean }): string {
  const { name, partition } = table;
  const options = `hive_partitioning = true, hive_types = {'${partition}': DATE}, union_by_name = ${!alike}`;
  const columns = `${asRead(`* EXCLUDE ${partition}`)}, ${partition}`;
  const files = `UNION ALL BY NAME SELECT ${columns} FROM read_parquet([${paths.map(quoted)}], ${options})`;
  const names = [...table.columns.map((column) => column.name), partition].join(', ');
  return (
    `CREATE OR REPLACE VIEW ${name} AS ` +
    `SELECT ${names} FROM (${emptyTable(table)} ${paths.length === 0 ? '' : files})`
  );
}

/** The statement that makes a view of files, which have their days in a column. */
function showFiles(name: string, paths: readonly string[]): string {
  const files = `SELECT ${asRead('*')} FROM read_parquet([${paths.map(quoted)}], hive_partitioning = false, union_by_name = true)`;
  const table = TABLES.find((known) => known.name === name);
  const rows = table === undefined ? files : `${emptyTable(table)} UNION ALL BY NAME ${files}`;
  return `CREATE OR REPLACE VIEW ${name} AS ${rows}`;
}

/** A query for the table's columns and no rows. */
export function emptyTable({ columns, partition }: Table): string {
  const allColumns = [...columns, { name: partition, type: 'date' as const }];
  return `SELECT ${allColumns.map(({ name, type }) => `NULL::${SQL_TYPES[type]} AS ${name}`).join(', ')} WHERE false`;
}
