import { DETAIL_TABLE_OF } from '../../lake/tables.ts';
import { textColumn } from '../../query/answer.ts';
import { namedQueries } from '../../query/named-queries.ts';
import { textTable } from '../../text/text-table.ts';
import { answerTo, askedOutput, OUTPUT_OPTIONS, type Output, writeAnswer } from '../answer-output.ts';
import { type Command, defineCommand, type Terminal, UsageError } from '../command.ts';
import { LAKE_OPTION, lakeToAsk } from '../options/lake.ts';
import { askedQuestion, LIST, QUESTION_OPTIONS } from '../query-question.ts';

const command = defineCommand({
  name: 'query',
  argument: '"SQL" | FILE.sql | -',
  options: { ...LAKE_OPTION, ...QUESTION_OPTIONS, ...OUTPUT_OPTIONS },
  examples: [
    'query "SELECT fecha, count(*) FROM recibidos GROUP BY ALL ORDER BY ALL"',
    `query "SELECT * FROM exportaciones WHERE estado = 'fallido'" --format csv`,
    'query "DESCRIBE recibidos"',
    'query "SELECT count(*) FROM emitidos" --lake s3://bucket --from 2026-11-01',
    'query --named sales-by-month',
    'query --named libro-iva-ventas --rut 219999830019 --month 2026-11 --out libro.xlsx',
    'query --named vat-by-month --month 2026-11 --sql',
    'query --named sales-by-month --format csv --locale es-UY --out sales.csv',
  ],
  notes: ['Named queries:', ...namedQueries().map(({ name, summary }) => `  ${name.padEnd(32)} ${summary}`)],
  run: async (options, words, terminal) => {
    const output = await askedOutput(options, terminal);
    if (options.named === LIST) {
      await writeList(output, terminal);
      return 0;
    }
    const { sql, range, subject } = await askedQuestion(options, words, terminal);
    if (options.sql === true) {
      terminal.stdout.write(sql);
      return 0;
    }
    let objects = 0;
    const lake = await lakeToAsk(options, terminal);
    const [{ openLake }, { tablesIn }] = await Promise.all([
      import('../../query/open-lake.ts'),
      import('../../query/asked-days.ts'),
    ]);
    const database = await openLake(lake, sql, range, () => {
      objects += 1;
      terminal.stderr.replaceLine(`${objects} objects`);
    });
    if (objects > 0) terminal.stderr.eraseLine();
    if (database.lagNote !== undefined) terminal.stderr.writeProse(`${database.lagNote}\n`);
    if (database.strangeCount > 0) terminal.stderr.writeProse(`${strangeNote(database.strangeCount)}\n`);
    for (const { name } of tablesIn(sql)) {
      if (database.emptyTables.includes(name)) terminal.stderr.writeProse(`${emptyTableNote(name)}\n`);
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

/** An empty answer may mean that nothing was exported yet. */
function emptyTableNote(name: string): string {
  const direction = Object.entries(DETAIL_TABLE_OF).find(([, table]) => table.name === name)?.[0];
  const remedy = direction === undefined ? '' : `: export --details ${direction} reads it`;
  return `Nothing in ${name} yet${remedy}.`;
}

/** Whoever put them there may expect them to be queried. */
function strangeNote(count: number): string {
  return `Not read: ${count} ${count === 1 ? 'file' : 'files'} among the tables that no export made (links, or other names).`;
}

async function writeList(output: Output, terminal: Terminal): Promise<void> {
  const { format } = output;
  if (format === 'parquet') throw new UsageError(`--named ${LIST} takes any --format but parquet.`);
  const queries = namedQueries();
  if (format === 'table' && output.file === undefined) {
    const rows = queries.map(({ name, alias = '', summary }) => [name, alias, summary]);
    terminal.stdout.write(
      `${textTable(['name', 'or', 'asks'], rows, [], { columns: terminal.stdout.columns })}\n`,
    );
    return;
  }
  const columns = ['name', 'or', 'asks', 'notes'].map(textColumn);
  const rows = queries.map(({ name, alias = null, summary, notes }) => [
    name,
    alias,
    summary,
    notes.join('\n\n'),
  ]);
  await writeAnswer(output, { columns, rows }, { sheetName: 'queries', notes: [] }, terminal);
}
