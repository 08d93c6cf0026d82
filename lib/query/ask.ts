import { type DuckDBResultReader, DuckDBTypeId } from '@duckdb/node-api';
import type { LakeDatabase } from './lake-database.ts';
import { explained, statementsOf } from './question.ts';

export interface AnswerColumn {
  name: string;
  /** DuckDB's name of it: `DECIMAL(17,2)`, `DATE`. */
  type: string;
  isNumber: boolean;
  isBoolean: boolean;
}

/** An answer, every value as the text that DuckDB gives it; numbers exact. */
export interface Answer {
  columns: readonly AnswerColumn[];
  rows: readonly (readonly (string | null)[])[];
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
