import { type DuckDBResultReader, DuckDBTypeId } from '@duckdb/node-api';
import type { Answer } from './answer.ts';
import type { LakeDatabase } from './lake-database.ts';
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
