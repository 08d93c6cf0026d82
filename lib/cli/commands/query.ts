import { DETAIL_TABLE_OF, TABLES } from '../../lake/tables.ts';
import { tablesIn } from '../../query/asked-days.ts';
import { type NamedQuery, namedQueries, namedQuery } from '../../query/named-queries.ts';
import { openLake } from '../../query/open-lake.ts';
import { textTable } from '../../text/text-table.ts';
import { type Command, defineCommand, PROGRAM, UsageError } from '../command.ts';
import { checkedDay, checkOrder } from '../options/days.ts';
import { LAKE_OPTION, lakeToAsk } from '../options/lake.ts';
import { answerTo, askedOutput, OUTPUT_OPTIONS, type Subject } from '../query-output.ts';

/** In place of a query's name: which there are. */
const LIST = 'list';

const TABLE_NAMES = TABLES.map(({ name }) => name);

const command = defineCommand({
  name: 'query',
  summary: 'Ask the lake in SQL (DuckDB), with the table names that it has in Athena.',
  argument: '"SQL"',
  options: {
    ...LAKE_OPTION,
    from: {
      kind: 'value',
      placeholder: 'D',
      help: 'leave out partitions before this day',
    },
    to: { kind: 'value', placeholder: 'D', help: 'nor after this one' },
    named: {
      kind: 'value',
      placeholder: 'NAME',
      help: `ask a question that is kept with the program; "${LIST}" shows which`,
      choices: () => [LIST, ...namedQueries().flatMap(({ name, alias = [] }) => [name].concat(alias))],
    },
    ...OUTPUT_OPTIONS,
  },
  examples: [
    'query "SELECT fecha, count(*) FROM recibidos GROUP BY ALL ORDER BY ALL"',
    `query "SELECT * FROM exportaciones WHERE estado = 'fallido'" --format csv`,
    'query "DESCRIBE recibidos"',
    'query "SELECT count(*) FROM emitidos" --lake s3://bucket --from 2026-11-01',
    'query --named sales-by-month',
    'query --named libro-iva-ventas --out libro.xlsx',
    'query --named sales-by-month --format csv --locale es-UY --out sales.csv',
  ],
  notes: ['Named queries:', ...namedQueries().map(({ name, summary }) => `  ${name.padEnd(32)} ${summary}`)],
  run: async (options, words, terminal) => {
    if (options.named === LIST) {
      terminal.stdout.write(`${listOf(namedQueries())}\n`);
      return 0;
    }
    const { sql, subject } = options.named === undefined ? askedSql(words) : namedSql(options.named, words);
    const output = await askedOutput(options, terminal);
    checkRange(options);
    let objects = 0;
    const lake = await lakeToAsk(options, terminal);
    const database = await openLake(lake, sql, options, () => {
      objects += 1;
      if (!terminal.stderr.isTTY) return;
      terminal.stderr.eraseLine();
      terminal.stderr.write(`${objects} objects`);
    });
    if (objects > 0) terminal.stderr.eraseLine();
    if (database.lagNote !== undefined) terminal.stderr.write(`${database.lagNote}\n`);
    if (database.strangeCount > 0) terminal.stderr.write(`${strangeNote(database.strangeCount)}\n`);
    for (const { name } of tablesIn(sql)) {
      if (database.emptyTables.includes(name)) terminal.stderr.write(`${emptyTableNote(name)}\n`);
    }
    try {
      await answerTo(output, database, sql, subject, terminal);
      return 0;
    } finally {
      database.close();
    }
  },
});

/** The same, and `--named` without a name lists the names. */
export const queryCommand: Command = {
  ...command,
  run: (words, terminal) => command.run(words.flatMap(withList), terminal),
};

function withList(word: string, index: number, words: readonly string[]): string[] {
  const isWithoutName = word === '--named' && (words[index + 1] ?? '--').startsWith('--');
  return isWithoutName ? [word, LIST] : [word];
}

function checkRange({ from, to }: { from?: string; to?: string }): void {
  if (from !== undefined) checkedDay('from', from);
  if (to !== undefined) checkedDay('to', to);
  if (from !== undefined && to !== undefined) checkOrder(from, to);
}

/** An empty answer may mean that nothing was exported yet. */
function emptyTableNote(name: string): string {
  const direction = Object.entries(DETAIL_TABLE_OF).find(([, table]) => table.name === name)?.[0];
  const remedy = direction === undefined ? '' : `: export --details ${direction} reads it`;
  return `Nothing in ${name} yet${remedy}.`;
}

/** Whoever put them there may think that they are asked. */
function strangeNote(count: number): string {
  return `Not read: ${count} ${count === 1 ? 'file' : 'files'} among the tables that no export made (links, or other names).`;
}

interface Question {
  sql: string;
  subject: Subject;
}

function askedSql([sql, surplus]: readonly string[]): Question {
  if (sql === undefined || sql.trim() === '') {
    throw new UsageError(
      `What is the question?  ${PROGRAM} query "SELECT count(*) FROM recibidos"   Tables: ${TABLE_NAMES.join(', ')}`,
    );
  }
  if (surplus !== undefined) throw new UsageError('Put the whole SQL between quotes, as one word.');
  return { sql, subject: { sheetName: 'answer', notes: sql.split('\n') } };
}

function namedSql(name: string, words: readonly string[]): Question {
  if (words.length > 0) throw new UsageError('Give either SQL or --named NAME.');
  const query = namedQuery(name);
  // The option takes no other name.
  if (query === undefined) throw new TypeError(`there is no query ${name}`);
  return { sql: query.sql, subject: { sheetName: query.name, notes: [query.summary, '', ...query.notes] } };
}

function listOf(queries: readonly NamedQuery[]): string {
  const rows = queries.map(({ name, alias = '', summary }) => [name, alias, summary]);
  return textTable(['name', 'or', 'asks'], rows, ['left', 'left', 'left']);
}
