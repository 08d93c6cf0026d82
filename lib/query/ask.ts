import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import { type DuckDBResultReader, DuckDBTypeId } from '@duckdb/node-api';
import type { Answer } from './answer.ts';
import type { LakeDatabase } from './lake-database.ts';
import { quoted } from './lake-database.ts';
import { explained, statementsOf } from './question.ts';

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
export async function ask({ connection, readable }: LakeDatabase, sql: string): Promise<Answer> {
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

/** An answer as a Parquet file, which is removed when the database is closed. */
export interface AnswerFile {
  path: string;
  rowCount: number;
}

/** Asks one question and writes the answer as Parquet, with DuckDB's types. Throws QueryError or QuestionRefusedError. */
export async function answerFile(database: LakeDatabase, sql: string): Promise<AnswerFile> {
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
