import { readFile } from 'node:fs/promises';
import { TABLES } from '../lake/tables.ts';
import type { PartitionRange } from '../query/lake-files.ts';
import { type NamedQuery, namedQueries, namedQuery } from '../query/named-queries.ts';
import { type Narrowing, narrowed, narrowingText } from '../query/narrow.ts';
import type { Subject } from './answer-output.ts';
import type { Terminal } from './command.ts';
import { askedPeriod, PERIOD_OPTIONS } from './options/days.ts';
import type { Option, Parsed } from './parse-words.ts';
import { checkedRut, PROGRAM, UsageError } from './usage.ts';

/** In place of a query's name: lists the queries. */
export const LIST = 'list';
/** In place of SQL: reads it from standard input. */
const STANDARD_INPUT = '-';
const BYTE_ORDER_MARK = /^\u{feff}/u;

const TABLE_NAMES = TABLES.map(({ name }) => name);

export const QUESTION_OPTIONS = {
  named: {
    kind: 'value',
    placeholder: 'NAME',
    help: `run a query that comes with the program; "${LIST}" shows them`,
    choices: () => [LIST, ...namedQueries().flatMap(({ name, alias = [] }) => [name].concat(alias))],
  },
  rut: { kind: 'values', placeholder: 'RUT', help: 'with --named: only this company; may be repeated' },
  ...PERIOD_OPTIONS,
  sql: {
    kind: 'flag',
    help: 'with --named: print its SQL, with company and days filled in, and do not run it',
  },
} as const satisfies Record<string, Option>;

export interface Question {
  sql: string;
  /** Partitions to leave out, of SQL that somebody typed; a named query says its days itself. */
  range: PartitionRange;
  subject: Subject;
}

/** What the words and options ask. Throws UsageError, and errors of the file that they name. */
export async function askedQuestion(
  options: Parsed<typeof QUESTION_OPTIONS>,
  words: readonly string[],
  terminal: Terminal,
): Promise<Question> {
  const { named, rut: ruts = [], sql: isShown } = options;
  const period = askedPeriod(options, Date.now(), terminal);
  if (named === undefined) {
    if (ruts.length > 0 || isShown === true) {
      throw new UsageError(
        `--${isShown === true ? 'sql' : 'rut'} is for --named NAME; in SQL, write WHERE rut = '…'.`,
      );
    }
    const sql = await askedSql(words, terminal);
    return { sql, range: period, subject: { sheetName: 'answer', notes: sql.split('\n') } };
  }
  if (words.length > 0) throw new UsageError('Give either SQL or --named NAME.');
  const query = namedQuery(named);
  // The option takes no other name.
  if (query === undefined) throw new TypeError(`there is no query ${named}`);
  return namedQuestion(query, { ...period, ruts: ruts.map(checkedRut) });
}

function namedQuestion({ name, summary, notes, sql }: NamedQuery, narrowing: Narrowing): Question {
  if (narrowing.to !== undefined && narrowing.from === undefined) {
    throw new UsageError('--to D takes --from D, or give --month YYYY-MM.');
  }
  const text = narrowingText(narrowing);
  return {
    sql: text === undefined ? sql : narrowed(sql, narrowing).replace(/\n(?!--)/, `\n--\n-- ${text}\n`),
    range: {},
    subject: { sheetName: name, notes: [summary, ...(text === undefined ? [] : [text]), '', ...notes] },
  };
}

async function askedSql([word, surplus]: readonly string[], { stdin }: Terminal): Promise<string> {
  if (word === undefined || word.trim() === '') {
    throw new UsageError(
      `What is the question?  ${PROGRAM} query "SELECT count(*) FROM recibidos"   (or a file: question.sql, or - for ` +
        `standard input)   Tables: ${TABLE_NAMES.join(', ')}`,
    );
  }
  if (surplus !== undefined) throw new UsageError('Put the whole SQL between quotes, as one word.');
  if (word === STANDARD_INPUT) return await readAll(stdin?.() ?? []);
  const isFile = /^\S+\.sql$/i.test(word);
  return isFile ? (await readFile(word, 'utf8')).replace(BYTE_ORDER_MARK, '') : word;
}

async function readAll(stream: AsyncIterable<Uint8Array | string> | Iterable<string>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8').replace(BYTE_ORDER_MARK, '');
}
