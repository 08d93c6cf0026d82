import { readdirSync, readFileSync } from 'node:fs';

/** A question that is asked often, in SQL that Athena and DuckDB both run. */
export interface NamedQuery {
  name: string;
  /** One line. */
  summary: string;
  sql: string;
}

const FOLDER = new URL('./named/', import.meta.url);

/** All of them, by name: the files of the folder `named`, whose first line is a comment that says what they ask. */
export function namedQueries(): NamedQuery[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file) => {
    const sql = readFileSync(new URL(file, FOLDER), 'utf8');
    const summary = /^-- (.+)\n/.exec(sql)?.[1];
    if (summary === undefined) throw new TypeError(`${file} does not begin with a comment`);
    return { name: file.slice(0, -'.sql'.length), summary, sql };
  });
}
