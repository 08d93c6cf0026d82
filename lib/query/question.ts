import v8 from 'node:v8';
import {
  type DuckDBConnection,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBValue,
  StatementType,
} from '@duckdb/node-api';
import { TABLES } from '../lake/tables.ts';
import {
  CfeLakeError,
  EXIT_FAILED,
  EXIT_WRONG_INPUT,
  type ExitCode,
  messageOf,
  WrongInputError,
} from '../system/errors.ts';
import { PROGRAM } from '../system/program.ts';
import { joined, type Said } from '../text/language.ts';
import { printableLine } from '../text/terminal.ts';
import type { Answer } from './answer.ts';
import { inUruguay } from './moments.ts';
import { REFUSED } from './phrases.ts';

/** An open database that answers questions. */
export interface AskedDatabase {
  connection: DuckDBConnection;
  /** A message of DuckDB with the user's paths of the lake's files. */
  readable(text: string): string;
  /** Where an answer may be written, until the database is closed. */
  scratchFile: string;
}

/** The SQL cannot be run. The message is DuckDB's; where it names a place in the SQL, that line and a caret follow. */
export class QueryError extends CfeLakeError {
  override name = 'QueryError';
  override readonly exitCode: ExitCode;
  override readonly isMultiline = true;
  override readonly advice: string =
    'Correct the SQL: DESCRIBE shows the columns of a table, and docs/athena.md what they mean.';
  constructor(message: string, said: Said = message) {
    super(said);
    this.exitCode = WRONG_SQL.test(message) ? EXIT_WRONG_INPUT : EXIT_FAILED;
  }
}

/** DuckDB's messages for SQL that it cannot parse or bind. */
const WRONG_SQL = /^(Parser|Catalog|Binder) Error/;

/** The answer takes more than half of Node's heap or, of what differs from a close, both 256 MB and a sixteenth. */
export class AnswerTooLargeError extends QueryError {
  override name = 'AnswerTooLargeError';
  override readonly advice: string =
    'Ask for less at a time, or give Node more memory: NODE_OPTIONS=--max-old-space-size=MEGABYTES.';
  constructor(rowCount: number) {
    super(`the answer was ended after ${rowCount} rows`, REFUSED.tooLarge(rowCount));
  }
}

/** The SQL is not a question to the lake: it would change something, or read something else. */
export class QuestionRefusedError extends WrongInputError {
  override name = 'QuestionRefusedError';
}

const TABLE_NAMES = TABLES.map(({ name }) => name).join(', ');
const NOTHING_ELSE = "query reads the lake's tables and nothing else";

/** DuckDB's messages for DELETE, UPDATE and INSERT: the tables are views to it. */
const WOULD_CHANGE = /^(?:Binder|Catalog) Error: (?:Can only (?:delete|update)|\w+ is not an table)/;

/** DuckDB's messages for damaged Parquet. Most do not name the file. */
const DAMAGE = /^Invalid Error: |Parquet|ZSTD|TProtocol|magic bytes|Footer length/;

/**
 * The functions that a question may call as tables: they compute, describe the database, or are confined with it. Any
 * other may act in spite of the confinement, as enable_logging does, or run SQL out of a text, as query does.
 */
const TABLE_FUNCTIONS = [
  'generate_series',
  'range',
  'repeat',
  'repeat_row',
  'unnest',
  'json_each',
  'json_tree',
  'summary',
  'histogram',
  'histogram_values',
  'glob',
  'query_table',
  'icu_calendar_names',
  'pg_timezone_names',
  'duckdb_columns',
  'duckdb_functions',
  'duckdb_keywords',
  'duckdb_settings',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'pragma_show',
  'pragma_table_info',
  'pragma_version',
];
const OTHER_FUNCTIONS =
  "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro') " +
  `AND function_name NOT IN (${TABLE_FUNCTIONS.map(quoted)})`;

/** The other functions of each connection, read once: a report asks two dozen questions. */
const REFUSED_FUNCTIONS = new WeakMap<DuckDBConnection, readonly string[]>();

async function refusedFunctions(connection: DuckDBConnection): Promise<readonly string[]> {
  const known = REFUSED_FUNCTIONS.get(connection);
  if (known !== undefined) return known;
  const names = (await connection.runAndReadAll(OTHER_FUNCTIONS)).getRows().map(([name]) => String(name));
  REFUSED_FUNCTIONS.set(connection, names);
  return names;
}

/** Throws QuestionRefusedError. By the text, because DuckDB shows no parsed PIVOT before its first part has run. */
async function assertMayCall(connection: DuckDBConnection, sql: string): Promise<void> {
  const names = calledNames(sql);
  const refused = (await refusedFunctions(connection)).find((name) => names.has(name));
  if (refused === undefined) return;
  throw new QuestionRefusedError(
    `${NOTHING_ELSE}: no file, address or extension. It does not call ${refused}.`,
  );
}

/**
 * The statements of one question. Run each before asking for the next. Most questions are one statement; DuckDB makes
 * several of one PIVOT: its own CREATE TYPE for each column, and a SELECT. Throws QueryError or QuestionRefusedError.
 */
async function* statementsOf(
  connection: DuckDBConnection,
  sql: string,
  readable?: (text: string) => string,
): AsyncGenerator<DuckDBPreparedStatement, void, undefined> {
  await assertMayCall(connection, sql);
  const statements = await connection.extractStatements(sql).catch(explained(readable, sql));
  const { count } = statements;
  if (count > 1 && !(await isOneQuery(connection, sql, count))) {
    throw new QuestionRefusedError(REFUSED.statements(count));
  }
  for (let index = 0; index < count; index += 1) {
    const statement = await statements.prepare(index).catch(explained(readable, sql));
    const { statementType } = statement;
    const inner = explainedPart(sql);
    if (statementType === StatementType.EXPLAIN && inner !== sql) await assertQuestion(connection, inner);
    else if (statementType !== (index < count - 1 ? StatementType.CREATE : StatementType.SELECT)) {
      throw new QuestionRefusedError(REFUSED.changesNothing(StatementType[statementType]));
    }
    yield statement;
  }
}

/** Whether DuckDB makes these statements of one: in parentheses it takes a query, and no CREATE and no semicolon. */
async function isOneQuery(connection: DuckDBConnection, sql: string, count: number): Promise<boolean> {
  const inParentheses = connection.extractStatements(`FROM (\n${withoutEnd(sql)}\n)`);
  return await inParentheses.then(
    (statements) => statements.count === count,
    () => false,
  );
}

/** Checks the question without running it. Throws QueryError or QuestionRefusedError. */
export async function assertQuestion(connection: DuckDBConnection, sql: string): Promise<void> {
  await statementsOf(connection, sql).next();
}

/** What DuckDB says of a text without a statement. */
const NO_STATEMENT = 'Error in native callback';
const LINE = '\n\nLINE ';

/**
 * Rethrows an error of DuckDB as one of this module's. `readable` corrects its message; `sql` is what a person typed, of
 * which it may show a line.
 */
export function explained(
  readable: (text: string) => string = (text) => text,
  sql = '',
): (error: unknown) => never {
  return (error) => {
    const message = messageOf(error);
    if (message === NO_STATEMENT) throw new QuestionRefusedError(REFUSED.noStatement());
    const [what = '', place = ''] = message.replace(/^Failed to extract statements: /, '').split(LINE);
    const reason = readable(what.replaceAll(/\s+/g, ' ').trim());
    const [, extension] = /exists in the (\w+) extension/.exec(reason) ?? [];
    if (extension !== undefined) {
      throw new QuestionRefusedError(`${NOTHING_ELSE}: it loads no extension, and this needs ${extension}.`);
    }
    if (/^(Permission|Missing Extension) Error/.test(reason)) {
      throw new QuestionRefusedError(
        `${NOTHING_ELSE}: no file, address or extension. The tables are ${TABLE_NAMES}.`,
      );
    }
    if (WOULD_CHANGE.test(reason)) throw new QuestionRefusedError(REFUSED.changesNothing());
    if (DAMAGE.test(reason)) {
      throw new QueryError(
        `An object of the lake may be damaged: ${reason.replace(/\.$/, '')}. ${PROGRAM} verify names it, and says what to do.`,
      );
    }
    const isUnknownTable = /Table with name .* does not exist/.test(reason);
    const tables = isUnknownTable ? joined([' ', REFUSED.tables(TABLE_NAMES)], '') : '';
    const lines = linesOf(place, sql).map((line) => `\n${printableLine(line)}`);
    throw new QueryError(reason, joined([REFUSED.byDuckDb(printableLine(reason)), tables, ...lines], ''));
  };
}

/** The line that DuckDB shows with its number, and the caret below. None of SQL that nobody typed: it may hold paths. */
function linesOf(place: string, sql: string): string[] {
  const [, number = '', line = '', caret = ''] = /^(\d+: )(.*)\n( *\^)/.exec(place) ?? [];
  const isTyped = line !== '' && sql.includes(line.replace(/^\.\.\.|\.\.\.$/g, ''));
  // DuckDB takes a tab for no column.
  return isTyped ? [`LINE ${number}${line.replaceAll('\t', '')}`, caret] : [];
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** How much of an answer is read. */
export interface AnswerBounds {
  rows: number;
  /** That its texts take. */
  bytes: number;
}

/**
 * Asks one question, and reads all of its answer. Throws QueryError, QuestionRefusedError, or AnswerTooLargeError where
 * its texts take more bytes than that, or than Node can hold.
 */
export async function ask(
  { connection, readable }: AskedDatabase,
  sql: string,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  let answer: Answer = { columns: [], rows: [] };
  for await (const statement of statementsOf(connection, sql, readable)) {
    const result = await statement.run().catch(explained(readable, sql));
    const { rows: mostRows, bytes } = whatNodeHolds();
    const bounds = { rows: mostRows, bytes: Math.min(bytes, mostBytes) };
    const { isCut, ...whole } = await firstRows(result, bounds);
    if (isCut) throw new AnswerTooLargeError(whole.rows.length);
    answer = whole;
  }
  return answer;
}

/** Asks one question, and makes no more of its answer than is within bounds. Throws QueryError or QuestionRefusedError. */
export async function askWithin(
  { connection, readable }: AskedDatabase,
  sql: string,
  bounds: AnswerBounds,
): Promise<Answer & { isCut: boolean }> {
  let answer: Answer & { isCut: boolean } = { columns: [], rows: [], isCut: false };
  for await (const statement of statementsOf(connection, sql, readable)) {
    const rows = statement.stream().then((result) => firstRows(result, bounds));
    answer = await rows.catch(explained(readable, sql));
    // A stream that fails, as for want of memory, just ends; but its transaction then answers no more.
    await connection.run('SELECT 1').catch(() => {
      throw new QueryError('the answer broke off', REFUSED.brokenOff());
    });
  }
  return answer;
}

/** Node ends without a word where its heap is full; what is written of an answer is as large once more. */
export function whatNodeHolds(): AnswerBounds {
  return { rows: Number.POSITIVE_INFINITY, bytes: v8.getHeapStatistics().heap_size_limit / 2 };
}

/** What Node holds for a row and for a text, besides its characters. */
const ROW_BYTES = 128;
const TEXT_BYTES = 32;

async function firstRows(
  result: DuckDBResult,
  { rows: mostRows, bytes: mostBytes }: AnswerBounds,
): Promise<Answer & { isCut: boolean }> {
  const columns = columnsOf(result.columnNames(), result.columnTypes());
  const areMoments = columns.map(({ type }) => type.includes('WITH TIME ZONE'));
  const rows: (string | null)[][] = [];
  let byteCount = 0;
  for await (const chunk of result) {
    for (let index = 0; index < chunk.rowCount; index += 1) {
      if (rows.length === mostRows || byteCount > mostBytes) return { columns, rows, isCut: true };
      const row = textsOf(chunk.getRowValues(index), areMoments);
      byteCount += row.reduce((sum, text) => sum + TEXT_BYTES + (text?.length ?? 0), ROW_BYTES);
      rows.push(row);
    }
  }
  return { columns, rows, isCut: false };
}

function columnsOf(names: readonly string[], types: readonly DuckDBType[]): Answer['columns'] {
  return names.map((name, index) => ({ name, type: String(types[index]) }));
}

function textsOf(row: readonly DuckDBValue[], areMoments: readonly boolean[]): (string | null)[] {
  return row.map((value, place) =>
    value === null ? null : String(areMoments[place] === true ? inUruguay(value) : value),
  );
}

/**
 * Asks one question and writes the answer as Parquet, with DuckDB's types, into a file that the next such question
 * replaces, and that is removed when the database is closed. Throws QueryError or QuestionRefusedError.
 */
export async function answerFile(
  database: AskedDatabase,
  sql: string,
): Promise<{ path: string; rowCount: number }> {
  const { connection, readable, scratchFile } = database;
  let rowCount = 0;
  let isFirst = true;
  for await (const statement of statementsOf(connection, sql, readable)) {
    const names = Array.from({ length: statement.columnCount }, (_, index) => statement.columnName(index));
    const isPlain = isFirst && PLAIN_QUERY.test(sql.slice(blankEnd(sql)));
    isFirst = false;
    if (statement.statementType === StatementType.CREATE)
      await statement.run().catch(explained(readable, sql));
    else if (isPlain && new Set(names).size === names.length)
      rowCount = await keepAnswer(database, ANSWER, `(\n${withoutEnd(sql)}\n)`);
    else {
      const answer = await statement.run().catch(explained(readable, sql));
      rowCount = await appended(connection, answer);
    }
  }
  await connection
    .run(`COPY ${ANSWER} TO ${quoted(scratchFile)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`)
    .catch(explained(readable));
  return { path: scratchFile, rowCount };
}

const ANSWER = 'answer';

/** What can make a table, within DuckDB's limit of memory: no DESCRIBE, SHOW or PIVOT, whose answers are small. */
const PLAIN_QUERY = /^(?:SELECT|WITH|FROM|VALUES)\b/i;

/** Makes the table of an answer in memory. */
async function appended(connection: DuckDBConnection, answer: DuckDBMaterializedResult): Promise<number> {
  const types = answer.columnTypes();
  const names = answer.deduplicatedColumnNames();
  const defined = names.map((name, index) => `"${name.replaceAll('"', '""')}" ${types[index]}`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${ANSWER} (${defined})`);
  const appender = await connection.createAppender(ANSWER);
  for (;;) {
    const chunk = await answer.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  return answer.rowCount;
}

/**
 * Asks one question of the program's own, or one that was checked, and keeps the answer as a table of the database, in its
 * order. Returns how many rows it has. Throws QueryError.
 */
export async function keepAnswer(
  { connection, readable }: AskedDatabase,
  name: string,
  sql: string,
): Promise<number> {
  const made = `CREATE OR REPLACE TEMP TABLE ${name} AS ${sql}`;
  const counted = await connection.runAndReadAll(made).catch(explained(readable));
  return Number(counted.getRows()[0]?.[0] ?? 0);
}

/** Where the blanks and comments that begin at `start` end. One pass: no pattern here can try a text twice. */
export function blankEnd(sql: string, start = 0): number {
  const blank = /\s+|--[^\n\r]*|\/\*/y;
  for (let end = start; ; ) {
    blank.lastIndex = end;
    const [found] = blank.exec(sql) ?? [];
    if (found === undefined) return end;
    end = found === '/*' ? commentEnd(sql, blank.lastIndex) : blank.lastIndex;
  }
}

/** Comments nest, as in Postgres. */
function commentEnd(sql: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  for (let depth = 1; depth > 0; ) {
    const [found] = mark.exec(sql) ?? [];
    if (found === undefined) return sql.length;
    depth += found === '/*' ? 1 : -1;
  }
  return mark.lastIndex;
}

/** Of its options, words alone: a comment or a text in them could have another end for DuckDB than here. */
const EXPLAIN = [/EXPLAIN\b/iy, /(?:ANALYZE\b)?/iy, /(?:\(\s*(?:ANALYZE|FORMAT)\b[\w\s,]*\))?/iy];

/** The statement after EXPLAIN; the whole SQL if it does not begin with EXPLAIN. */
export function explainedPart(sql: string): string {
  let end = 0;
  for (const part of EXPLAIN) {
    part.lastIndex = blankEnd(sql, end);
    if (!part.test(sql)) return sql;
    end = part.lastIndex;
  }
  return sql.slice(end);
}

/** The SQL without a semicolon at its end, which comments may follow. */
export function withoutEnd(sql: string): string {
  const end = sql.lastIndexOf(';');
  return end >= 0 && blankEnd(sql, end + 1) === sql.length ? sql.slice(0, end) : sql;
}

/** The names, in lower case, that the SQL may call: words before a parenthesis, or a comment that may hide one. */
export function calledNames(sql: string): Set<string> {
  // DuckDB takes any character beyond ASCII for a blank, or none.
  const calls = sql.slice(blankEnd(sql)).matchAll(/\b([a-z]\w*)"?[^\x21-\x7e]*(?:\(|--|\/\*)/gi);
  return new Set([...calls].map(([, name = '']) => name.toLowerCase()));
}
