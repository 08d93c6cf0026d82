import { appendFileSync } from 'node:fs';
import type { LakeDatabase } from '../../lib/query/lake-database.ts';
import { namedQuery } from '../../lib/query/named-queries.ts';
import type { TextRow } from '../support/query/exact-sums.ts';
import { DECLARED, mutantsOf } from './sql-mutants.ts';

const { MUTANTS = '60', NOTICED = '' } = process.env;
const committed = new WeakSet<LakeDatabase['connection']>();
const left = new Map(DECLARED.map((name) => [name as string, mutantsOf(name, Number(MUTANTS))]));

/** Stands in for test/support/query/ask-named.ts: asks each mutant, too, and writes down whose answer differs. */
export async function askNamed(
  { connection }: LakeDatabase,
  name: string,
  today: string,
): Promise<TextRow[]> {
  // Else a question that fails would end the transaction in which all are asked.
  if (!committed.has(connection)) await connection.run('COMMIT');
  committed.add(connection);
  const answerOf = async (sql: string) => {
    const reader = await connection.runAndReadAll(sql.replaceAll('current_date', `DATE '${today}'`));
    return reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
  };
  const textOf = (rows: TextRow[]) => JSON.stringify(rows.map((row) => JSON.stringify(row)).toSorted());
  const answer = await answerOf(namedQuery(name).sql);
  const survivors = [];
  for (const mutant of left.get(name) ?? []) {
    const other = await answerOf(mutant.sql).then(textOf, () => 'no answer');
    if (other === textOf(answer)) survivors.push(mutant);
    else appendFileSync(NOTICED, `${mutant.title}\n`);
  }
  left.set(name, survivors);
  return answer;
}
