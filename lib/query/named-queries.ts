import { readdirSync, readFileSync } from 'node:fs';
import { ALIASES } from './named-query-aliases.ts';

/** A question that is asked often, in SQL that Athena and DuckDB both run. */
export interface NamedQuery {
  name: string;
  /** Its name in the other language, Spanish or English. */
  alias?: string;
  /** One line. */
  summary: string;
  /** What the answer says and doesn't say, paragraph by paragraph. */
  notes: readonly string[];
  sql: string;
}

const FOLDER = new URL('./named/', import.meta.url);

/** All of them, by name: the files of the folder `named`. */
export function namedQueries(): NamedQuery[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));
  return files
    .sort()
    .map((file) =>
      parseNamedQuery(file.slice(0, -'.sql'.length), readFileSync(new URL(file, FOLDER), 'utf8')),
    );
}

/** The query with this name or alias. */
export function namedQuery(name: string): NamedQuery | undefined {
  return namedQueries().find((known) => known.name === name || known.alias === name);
}

/** A query's head is the comment that it begins with: one line that says what it asks, then paragraphs. */
export function parseNamedQuery(name: string, sql: string): NamedQuery {
  const lines = sql.split('\n');
  const headLength = lines.findIndex((line) => !line.startsWith('--'));
  const head = lines.slice(0, headLength).map((line) => line.slice('--'.length).trim());
  const [summary, blank = '', ...rest] = head;
  if (summary === undefined || blank !== '') {
    throw new TypeError(`${name}.sql does not begin with one line of comment and an empty one`);
  }
  const notes = rest.join('\n').split('\n\n');
  return {
    name,
    alias: ALIASES[name],
    summary,
    notes: notes.map((paragraph) => paragraph.replaceAll('\n', ' ')),
    sql,
  };
}
