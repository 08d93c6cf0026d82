import { NUMBERS_EXPLAINED, tableReference } from '../lake/table-reference.ts';
import { type NamedQuery, namedQueries } from './named-queries.ts';

const COMMAND = 'npm run -s cfe-lake -- query --named';

const ABOUT = `# The lake in SQL

<!-- Rendered from lib/lake/tables, lib/lake/table-reference.ts and lib/query/named/*.sql; after a change there:
     npm test -- --update test/query/athena-page.test.ts -->

Names and columns are the same in Athena and in \`cfe-lake query\`. Every query should restrict the partition column:
\`WHERE fecha BETWEEN DATE '2026-11-01' AND DATE '2026-11-30'\`. Athena then reads only those days, and \`cfe-lake query
--lake s3://BUCKET\` copies only those to your machine, into a cache that only you can read.`;

const ABOUT_OBJECTS = `## What the tables read

One object per table and day, \`recibidos/fecha=2026-11-19/dia.parquet\`, with rows sorted by \`rut\` and \`id\`. A company's
rows are together, and a condition on \`rut\` skips the row groups that cannot have it. Columns are found by name (the
SerDe's \`parquet.column.index.access\` is \`false\`), so a column that an older object lacks is null. A day is replaced as
a whole and has no row twice. A query that reads a day at the moment when it is replaced may fail: run it again.
\`cfe-lake query\` reads what was there when the query began, and says when a day lags behind what was exported.

**Giving someone access to one company only.** With Athena, use Lake Formation: register the bucket, and grant SELECT on
the tables with a data cells filter whose row filter is \`rut = '219999830019'\` (with all columns); revoke
\`IAMAllowedPrincipals\` from them. Principals that may read the objects in S3, such as with the stack's Analyst policy,
are not bound by it. Without Athena, use IAM: the units, from which the days are built, are one object per company and
day, \`unidades/recibidos/fecha=2026-11-19/219999830019.parquet\`, so \`s3:GetObject\` on
\`arn:aws:s3:::BUCKET/unidades/*/219999830019.parquet\` gives exactly that company's receipts.`;

const ABOUT_QUERIES = `## Named queries

Questions kept as SQL, one file each in [lib/query/named](../lib/query/named). Athena has them in the stack's workgroup
(Saved queries, or \`aws athena list-named-queries --work-group cfe-lake\`). The command line runs them on a folder or a
bucket:

\`\`\`
${COMMAND} sales-by-month
${COMMAND} sales-by-month --lake s3://BUCKET --format csv
\`\`\`

The same file runs in both. On the command line each has a second name, Spanish or English. They look back from
\`current_date\`, which is the day in Uruguay on the command line and the UTC day in Athena. \`--rut\` and \`--month 2026-10\`
(or \`--from\` and \`--to\`) narrow them to one company and to other days, and \`--sql\` prints the narrowed query, to be
pasted into Athena:

\`\`\`
${COMMAND} libro-iva-ventas --rut 219999830019 --month 2026-10 --sql
\`\`\`

The month is that of the issue date. For the daily report it is that of the signature, and for changes-since-close it is
the month that was closed, with what was noticed since its last day.

In a workbook, \`--out ventas.xlsx\`, RUTs, ids and series are text, amounts are numbers, dates are dates, and nothing is a
formula, whatever suppliers call themselves. A number of more than 15 digits, which Excel would round, is text in orange,
and sums leave it out. \`--out ventas.parquet\` keeps DuckDB's own types.

CSV is exact, from here and from Athena. A spreadsheet that opens it by a double-click removes digits and zeros from ids
and RUTs, and may run a cell that begins with \`=\`, \`+\`, \`-\` or \`@\` as a formula: import such columns as text, or use the
workbook. If you must open CSV directly, \`--format csv --locale es-UY\` writes semicolons, decimal commas, a byte-order
mark, and an apostrophe before each text that begins like a formula. It is no longer exact, and ids lose digits there
too.

What \`query\` shows in a terminal, and its tables and JSON anywhere, contain no control characters and nothing invisible:
these appear as escapes, \`\\u001b\`. In JSON that means the same.`;

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
