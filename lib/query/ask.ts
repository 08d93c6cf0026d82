import { type DuckDBConnection, DuckDBTypeId } from '@duckdb/node-api';

/** An answer, every value as the text that DuckDB gives it; numbers exact. */
export interface Answer {
  columns: readonly { name: string; isNumber: boolean; isBoolean: boolean }[];
  rows: readonly (readonly (string | null)[])[];
}

/** The SQL can't be carried out. The message is DuckDB's own, without its drawing of the place. */
export class QueryError extends Error {
  override name = 'QueryError';
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

/** Asks one question. Throws QueryError; `tableNames` are offered when a table is unknown. */
export async function ask(
  connection: DuckDBConnection,
  sql: string,
  tableNames: readonly string[],
): Promise<Answer> {
  try {
    const reader = await connection.runAndReadAll(sql);
    const types = reader.columnTypes();
    return {
      columns: reader.columnNames().map((name, index) => ({
        name,
        isNumber: types[index] !== undefined && NUMBERS.has(types[index].typeId),
        isBoolean: types[index]?.typeId === DuckDBTypeId.BOOLEAN,
      })),
      rows: reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value)))),
    };
  } catch (error) {
    throw new QueryError(explanation(error, tableNames));
  }
}

function explanation(error: unknown, tableNames: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const reason = message.split('\n\nLINE ')[0]?.replaceAll('\n', ' ').trim() ?? '';
  const isUnknownTable = /Table with name .* does not exist/.test(reason);
  return isUnknownTable ? `${reason} The lake's tables: ${tableNames.join(', ')}.` : reason;
}
