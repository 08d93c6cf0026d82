import { NUMBERS_EXPLAINED, tableReference } from '../lake/table-reference.ts';
import { type NamedQuery, namedQueries } from './named-queries.ts';

const COMMAND = 'npm run -s cfe-lake -- query --named';

const ABOUT = `# The lake in SQL

<!-- Rendered from lib/lake/tables.ts, lib/lake/table-reference.ts and lib/query/named/*.sql; after a change there:
     npm test -- --update test/query/athena-page.test.ts -->

The same names and columns in Athena and in \`cfe-lake query\`. Every query should name a range of the partition
column: \`WHERE fecha BETWEEN DATE '2026-11-01' AND DATE '2026-11-30'\`. Athena then reads those days alone, and \`cfe-lake
query --lake s3://BUCKET\` copies those alone to your machine, into a cache that only you can read.`;

const ABOUT_QUERIES = `## Named queries

Questions that are kept as SQL, one file each in [lib/query/named](../lib/query/named). Athena has them in the stack's
workgroup (Saved queries, or \`aws athena list-named-queries --work-group cfe-lake\`), and the command line runs them on
a folder or a bucket:

\`\`\`
${COMMAND} sales-by-month
${COMMAND} sales-by-month --lake s3://BUCKET --format csv
\`\`\`

The same file runs in both, and each has a second name, Spanish or English, on the command line. They look back from \`current_date\`, which is the day in Uruguay on the command line and
the day by UTC in Athena; to ask of another period, copy one and change its conditions on the dates.

CSV is exact, from here and from Athena, and suppliers choose what their names are: a spreadsheet that opens the file may
run a cell that begins with \`=\`, \`+\`, \`-\` or \`@\` as a formula. Import such columns as text instead of opening the
file, or read the JSON. An export as xlsx, where a text stays a text, is planned; there is none yet.

What \`query\` shows in a terminal, and its tables and JSON anywhere, hold no control characters and nothing invisible:
they stand there as escapes, \`\\u001b\`. In JSON that says the same.`;

/** What an analyst needs, in Markdown: what the numbers say, the named queries, and every table and column. */
export function athenaPage(): string {
  const queries = namedQueries();
  return `${[ABOUT, NUMBERS_EXPLAINED, ABOUT_QUERIES, overview(queries), ...queries.map(section), tableReference()].join('\n\n')}\n`;
}

function overview(queries: readonly NamedQuery[]): string {
  const rows = queries.map(
    ({ name, alias, summary }) => `| [\`${name}\`](#${name}) | \`${alias}\` | ${summary} |`,
  );
  return ['| Name | Or | Asks for |', '|---|---|---|', ...rows].join('\n');
}

function section({ name, summary, notes }: NamedQuery): string {
  return [`### ${name}`, summary, ...notes].join('\n\n');
}
