import { NUMBERS_EXPLAINED, tableReference } from '../lake/table-reference.ts';
import { type NamedQuery, namedQueries } from './named-queries.ts';

const COMMAND = 'npm run -s cfe-lake -- query --named';

const ABOUT = `# The lake in SQL

<!-- Rendered from lib/lake/tables.ts, lib/lake/table-reference.ts and lib/query/named/*.sql; after a change there:
     npm test -- --update test/query/athena-page.test.ts -->

The same names and columns in Athena and in \`cfe-lake query\`. Every query should name a range of the partition
column: \`WHERE fecha BETWEEN DATE '2026-11-01' AND DATE '2026-11-30'\`. Athena then reads those days alone, and \`cfe-lake
query --lake s3://BUCKET\` copies those alone to your machine, into a cache that only you can read.`;

const ABOUT_OBJECTS = `## What the tables read

One object a table and day, \`recibidos/fecha=2026-11-19/dia.parquet\`, rows by \`rut\` and \`id\`: a company's rows stand
together, and a condition on \`rut\` skips the row groups that can't have it. Columns are found by name (the SerDe's
\`parquet.column.index.access\` is \`false\`), so that in objects of before a column was, it is null. A day is
replaced as a whole and has no row twice. A query that reads a day in the moment in which it is replaced may fail: ask
again. \`cfe-lake query\` reads what was there when the question began, and says when a day lags behind what was exported.

**Who may see one company only.** In Athena by Lake Formation: register the bucket, and grant SELECT on the tables with a
data cells filter whose row filter is \`rut = '219999830019'\` (and whose columns are all); take \`IAMAllowedPrincipals\`
away from them. A principal that may read the objects in S3, as with the stack's Analyst policy, is not bound by it.
Without Athena by IAM: the units, which the days are made of, are an object a company and day,
\`unidades/recibidos/fecha=2026-11-19/219999830019.parquet\`, so \`s3:GetObject\` on
\`arn:aws:s3:::BUCKET/unidades/*/219999830019.parquet\` is just that company's receipts.`;

const ABOUT_QUERIES = `## Named queries

Questions that are kept as SQL, one file each in [lib/query/named](../lib/query/named). Athena has them in the stack's
workgroup (Saved queries, or \`aws athena list-named-queries --work-group cfe-lake\`), and the command line runs them on
a folder or a bucket:

\`\`\`
${COMMAND} sales-by-month
${COMMAND} sales-by-month --lake s3://BUCKET --format csv
\`\`\`

The same file runs in both, and each has a second name, Spanish or English, on the command line. They look back from
\`current_date\`, which is the day in Uruguay on the command line and the day by UTC in Athena. \`--rut\` and \`--month 2026-10\`
(or \`--from\` and \`--to\`) ask of one company and other days, and \`--sql\` prints the query so narrowed, to be pasted into
Athena:

\`\`\`
${COMMAND} libro-iva-ventas --rut 219999830019 --month 2026-10 --sql
\`\`\`

A month is that of the issue date; of the daily report that of the signature; and of changes-since-close the month that
was closed, with what was noticed since its last day.

As a workbook, \`--out ventas.xlsx\`, an answer has its RUTs, ids and series as text, its amounts as numbers, its dates as
dates, and nothing that a spreadsheet runs, whatever suppliers call themselves. A number of more than 15 digits, which
Excel would round, is a text in orange there, and sums leave it out. \`--out ventas.parquet\` has DuckDB's own types.

CSV is exact, from here and from Athena. A spreadsheet that opens it by a double-click takes digits and zeros away from
ids and RUTs, and may run a cell that begins with \`=\`, \`+\`, \`-\` or \`@\` as a formula: import such columns as text, or
take the workbook. \`--format csv --locale es-UY\` is for those who must: semicolons, decimal commas, a byte-order mark, and
an apostrophe before each text that begins like a formula. It is no longer exact, and ids lose digits there too.

What \`query\` shows in a terminal, and its tables and JSON anywhere, hold no control characters and nothing invisible:
they stand there as escapes, \`\\u001b\`. In JSON that says the same.`;

/** What an analyst needs, in Markdown: what the numbers say, the named queries, and every table and column. */
export function athenaPage(): string {
  const queries = namedQueries();
  return `${[ABOUT, NUMBERS_EXPLAINED, ABOUT_OBJECTS, ABOUT_QUERIES, overview(queries), ...queries.map(section), tableReference()].join('\n\n')}\n`;
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
