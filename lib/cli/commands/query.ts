import { TABLES } from '../../lake/tables.ts';
import { ask } from '../../query/ask.ts';
import { FORMATS, type Format, formatAnswer } from '../../query/format.ts';
import { openLakeDatabase } from '../../query/lake-database.ts';
import { defineCommand, PROGRAM, UsageError } from '../command.ts';
import { DEFAULT_LAKE } from '../options/lake.ts';

const TABLE_NAMES = TABLES.map(({ name }) => name);

export const queryCommand = defineCommand({
  name: 'query',
  summary: 'Ask the lake in SQL (DuckDB), with the table names that it has in Athena.',
  argument: '"SQL"',
  options: {
    lake: { kind: 'value', placeholder: 'DIR', help: `the lake (default ${DEFAULT_LAKE})` },
    format: { kind: 'value', placeholder: 'F', help: `${FORMATS.join(', ')} (default table)` },
  },
  examples: [
    'query "SELECT fecha, count(*) FROM recibidos GROUP BY ALL ORDER BY ALL"',
    `query "SELECT * FROM exportaciones WHERE estado = 'fallido'" --format csv`,
    'query "DESCRIBE recibidos"',
  ],
  run: async (options, words, terminal) => {
    const [sql, surplus] = words;
    if (sql === undefined || sql.trim() === '') {
      throw new UsageError(
        `What is the question?  ${PROGRAM} query "SELECT count(*) FROM recibidos"   Tables: ${TABLE_NAMES.join(', ')}`,
      );
    }
    if (surplus !== undefined) throw new UsageError('Put the whole SQL between quotes, as one word.');
    const format = askedFormat(options.format);
    const database = await openLakeDatabase(options.lake ?? DEFAULT_LAKE);
    try {
      const answer = await ask(database.connection, sql, TABLE_NAMES);
      terminal.stdout.write(`${formatAnswer(answer, format)}\n`);
      return 0;
    } finally {
      database.close();
    }
  },
});

function askedFormat(name = 'table'): Format {
  const format = FORMATS.find((known) => known === name);
  if (format === undefined) throw new UsageError(`--format takes ${FORMATS.join(', ')}, not "${name}".`);
  return format;
}
