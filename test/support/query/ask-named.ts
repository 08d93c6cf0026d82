import type { LakeDatabase } from '../../../lib/query/lake-database.ts';
import { namedQueries } from '../../../lib/query/named-queries.ts';
import type { TextRow } from './exact-sums.ts';

/** The answer to a named query as texts, asked on `today`. */
export async function askNamed(
  { connection }: LakeDatabase,
  name: string,
  today: string,
): Promise<TextRow[]> {
  const query = namedQueries().find((candidate) => candidate.name === name);
  if (query === undefined) throw new Error(`there is no query ${name}`);
  const sql = query.sql.replaceAll('current_date', `DATE '${today}'`);
  if (sql === query.sql) throw new Error(`${name} does not ask for a time`);
  const reader = await connection.runAndReadAll(sql);
  return reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
}
