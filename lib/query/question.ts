import {
  type DuckDBConnection,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  type DuckDBResultReader,
  DuckDBTypeId,
  StatementType,
} from '@duckdb/node-api';
import {
  CfeLakeError,
  EXIT_FAILED,
  EXIT_WRONG_INPUT,
  type ExitCode,
  messageOf,
  WrongInputError,
} from '../errors.ts';
import { TABLES } from '../lake/tables.ts';
import type { Answer } from './answer.ts';

/** An open database that answers questions. */
export interface AskedDatabase {
  connection: DuckDBConnection;
  /** A message of DuckDB with the user's paths of the lake's files. */
  readable(text: string): string;
  /** Where an answer may be written. Removed when the database is closed. */
  scratchFile: string;
}

/** The SQL cannot be run. The message is DuckDB's, without its drawing of the position. */
export class QueryError extends CfeLakeError {
  override name = 'QueryError';
  override readonly exitCode: ExitCode;
  constructor(message: string) {
    super(message);
    this.exitCode = WRONG_SQL.test(message) ? EXIT_WRONG_INPUT : EXIT_FAILED;
  }
}

/** DuckDB's messages for SQL that it cannot parse or bind. */
const WRONG_SQL = /^(Parser|Catalog|Binder) Error/;

/** The SQL is not a question to the lake: it would change something, or read something else. */
export class QuestionRefusedError extends WrongInputError {
  override name = 'QuestionRefusedError';
}

const TABLE_NAMES = TABLES.map(({ name }) => name).join(', ');
const NOTHING_ELSE = "query reads the lake's tables and nothing else";
const CHANGES_NOTHING = 'query changes nothing: give it a SELECT (or DESCRIBE, SUMMARIZE, EXPLAIN)';

/** DuckDB's messages for DELETE, UPDATE and INSERT: the tables are views to it. */
const WOULD_CHANGE = /^(?:Binder|Catalog) Error: (?:Can only (?:delete|update)|\w+ is not an table)/;

/** DuckDB's messages for damaged Parquet. Most do not name the file. */
const DAMAGE = /^Invalid Error: |Parquet|ZSTD|TProtocol|magic bytes|Footer length/;

const BLANK = /(?:\s|--.*(?:\n|$)|\/\*[\s\S]*?\*\/)/;
const ONLY_BLANK = new RegExp(`^(?:${BLANK.source}|;)*$`);
const EXPLAIN = new RegExp(`^${BLANK.source}*EXPLAIN\\s+(?:ANALYZE\\s+)?(?:\\([^()]*\\)\\s*)?`, 'i');

/** The statement after EXPLAIN; the whole SQL if it does not begin with EXPLAIN. */
export function explainedPart(sql: string): string {
  return sql.replace(EXPLAIN, '');
}

/**
 * The statements of one question. Run each before asking for the next. Most questions are one statement; PIVOT becomes
 * several. Throws QueryError or QuestionRefusedError.
 */
async function* statementsOf(
  connection: DuckDBConnection,
  sql: string,
  readable?: (text: string) => string,
): AsyncGenerator<DuckDBPreparedStatement, void, undefined> {
  if (ONLY_BLANK.test(sql)) throw new QuestionRefusedError('There is no statement in this SQL.');
  const statements = await connection.extractStatements(sql).catch(explained(readable));
  const { count } = statements;
  const isPivot = /\bpivot/i.test(sql);
  if (count > 1 && !isPivot) {
    throw new QuestionRefusedError(`These are ${count} statements; run one at a time.`);
  }
  for (let index = 0; index < count; index += 1) {
    const statement = await statements.prepare(index).catch(explained(readable));
    const { statementType } = statement;
    const isExplained = statementType === StatementType.EXPLAIN && explainedPart(sql) !== sql;
    if (isExplained) await assertQuestion(connection, explainedPart(sql));
    else if (statementType !== (index < count - 1 ? StatementType.CREATE : StatementType.SELECT)) {
      throw new QuestionRefusedError(`${CHANGES_NOTHING}, not ${StatementType[statementType]}.`);
    }
    yield statement;
  }
}

/** Checks the question without running it. Throws QueryError or QuestionRefusedError. */
export async function assertQuestion(connection: DuckDBConnection, sql: string): Promise<void> {
  await statementsOf(connection, sql).next();
}

/** Rethrows an error of DuckDB as one of this module's. `readable` corrects its message. */
export function explained(readable: (text: string) => string = (text) => text): (error: unknown) => never {
  return (error) => {
    const message = messageOf(error);
    const [what = ''] = message.replace(/^Failed to extract statements: /, '').split('\n\nLINE ');
    const reason = readable(what.replaceAll('\n', ' ').trim());
    const [, extension] = /exists in the (\w+) extension/.exec(reason) ?? [];
    if (extension !== undefined) {
      throw new QuestionRefusedError(`${NOTHING_ELSE}: it loads no extension, and this needs ${extension}.`);
    }
    if (/^(Permission|Missing Extension) Error/.test(reason)) {
      throw new QuestionRefusedError(
        `${NOTHING_ELSE}: no file, address or extension. The tables are ${TABLE_NAMES}.`,
      );
    }
    if (WOULD_CHANGE.test(reason)) throw new QuestionRefusedError(`${CHANGES_NOTHING}.`);
    if (DAMAGE.test(reason)) {
      throw new QueryError(
        `An object of the lake may be damaged: ${reason.replace(/\.$/, '')}. cfe-lake verify names it, and says what to do.`,
      );
    }
    const isUnknownTable = /Table with name .* does not exist/.test(reason);
    throw new QueryError(isUnknownTable ? `${reason} The lake's tables: ${TABLE_NAMES}.` : reason);
  };
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const NUMBERS: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
]);

/** Asks one question. Throws QueryError or QuestionRefusedError. */
export async function ask({ connection, readable }: AskedDatabase, sql: string): Promise<Answer> {
  let answer: Answer = { columns: [], rows: [] };
  for await (const statement of statementsOf(connection, sql, readable)) {
    answer = answerOf(await statement.runAndReadAll().catch(explained(readable)));
  }
  return answer;
}

function answerOf(reader: DuckDBResultReader): Answer {
  const types = reader.columnTypes();
  return {
    columns: reader.columnNames().map((name, index) => ({
      name,
      type: String(types[index]),
      isNumber: types[index] !== undefined && NUMBERS.has(types[index].typeId),
      isBoolean: types[index]?.typeId === DuckDBTypeId.BOOLEAN,
    })),
    rows: reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value)))),
  };
}

/**
 * Asks one question and writes the answer as Parquet, with DuckDB's types, into a file that is removed when the database
 * is closed. Throws QueryError or QuestionRefusedError.
 */
export async function answerFile(
  database: AskedDatabase,
  sql: string,
): Promise<{ path: string; rowCount: number }> {
  const { connection, readable, scratchFile } = database;
  let answer: DuckDBMaterializedResult | undefined;
  for await (const statement of statementsOf(connection, sql, readable)) {
    answer = await statement.run().catch(explained(readable));
  }
  // The question's text is not part of the COPY statement, so it cannot alter it.
  const types = answer?.columnTypes() ?? [];
  const names = answer?.deduplicatedColumnNames() ?? [];
  const columns = names.map((name, index) => `"${name.replaceAll('"', '""')}" ${types[index]}`);
  await connection.run(`CREATE TEMP TABLE answer (${columns})`);
  const appender = await connection.createAppender('answer');
  for (;;) {
    const chunk = await answer?.fetchChunk();
    if (chunk === undefined || chunk === null || chunk.rowCount === 0) break;
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  await connection
    .run(`COPY answer TO ${quoted(scratchFile)} (FORMAT parquet, COMPRESSION zstd)`)
    .catch(explained(readable));
  return { path: scratchFile, rowCount: answer?.rowCount ?? 0 };
}
