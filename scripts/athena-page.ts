import { RECEIPT_TYPES, RECEIPT_TYPES_VIEW } from '../lib/lake/receipt-types.ts';
import { TABLES, type Table } from '../lib/lake/tables.ts';
import { type NamedQuery, namedQueries } from '../lib/query/named-queries.ts';

const COMMAND = 'npm run -s cfe-lake -- query --named';

const ABOUT = `# The lake in SQL

<!-- Rendered by scripts/athena-page.ts from lib/lake/tables.ts and lib/query/named/*.sql; after a change there:
     npx vitest run test/scripts/athena-page.test.ts --update -->

Names and columns are the same in Athena and in \`cfe-lake query\`. Every query should restrict the partition column:
\`WHERE fecha BETWEEN DATE '2026-11-01' AND DATE '2026-11-30'\`. Athena then reads only those days, and \`cfe-lake query
--lake s3://BUCKET\` copies only those to your machine, into a cache that only you can read.

Athena finds a day's object by listing its folder. Without a condition on \`fecha\` it lists every day from the setting
\`firstDay\` (2012-01-01) to 90 days ahead, receipts or not: some 5,500 listings for each table in the query, some 0.03
USD each time, which is more than reading the data of a small lake costs, and slower. If you have nothing from so long
ago, set \`firstDay\` to your first day. \`cfe-lake query\` lists a thousand objects at a time, whatever the question
names; without a first day it copies them all, once.`;

const NUMBERS_EXPLAINED = `## What the numbers say, and what they don't

- **Currency.** The list of issued receipts has none. Do not sum \`emitidos\`: the sum mixes pesos with dollars. The
  currency is in \`emitidos_detalle\`. \`recibidos\` has \`moneda\`; group sums by it. Sums by currency convert
  nothing. The VAT books, \`posicion-iva\`, \`resguardos\` and form 2181 have pesos too: at the exchange rate that the
  receipt states, else at that of the table \`cotizaciones\` that counts on its day (\`rates\` fills it).
- **Sign.** \`totales_total\` is not negative on credit notes; the sign comes from the type. Credit notes are the types
  102, 112, 122, 132, 142 and 152, and the same plus 100 (contingency). The view \`tipos_comprobante\` has the sign:
  \`sum(t.signo * r.totales_total) … FROM recibidos r JOIN tipos_comprobante t USING (tipo_comprobante)\`.
  Only 124 (export remito) may have a total below 0; \`totales_total_pagar\` may be negative on any type.
- **Payments.** Payment receipts are issued as 101, 111, 131 or 141 with a total of 0 and the money in
  \`totales_total_pagar\`. Summed as sales, that column overcounts.
- **No amounts.** 181 (e-Remito) has none, and 182 (e-Resguardo) only withheld ones: their totals may be null.
- **Who sells.** A boleta de entrada (151, 152, 153) is issued by the buyer: in \`emitidos\` it is a purchase of the
  company, in \`recibidos\` a sale. Remitos (124, 181) and resguardos (182) are neither.
- **Statuses change.** A rejection can become an acceptance up to 60 days after reception, an acceptance can be
  annulled, the recipient answers within 20 days or never, and received receipts may arrive days late. A day is read
  again every night while it is recent, and weekly for 65 days; \`cambios\` has what changed. After that a day is not
  final; it is only no longer read.
- **Whose status.** \`estado_dgi_codigo\` is the tax authority's: AE accepted, BE rejected, CE observed, NE not yet
  answered; others may come. The contract does not say whether \`recibidos.estado_codigo\` is the tax authority's
  verdict or the recipient's answer.
- **Rejected receipts are rows too.** Where only valid receipts count, leave out \`estado_dgi_codigo = 'BE'\`
  (\`estado_codigo = 'BE'\` for received ones). A status may be null, so write
  \`coalesce(estado_dgi_codigo, '') <> 'BE'\`.
- **Gone from the list.** A receipt that the API no longer lists is kept, with \`visto_por_ultima_vez\` set: add
  \`AND visto_por_ultima_vez IS NULL\` to totals. Otherwise a receipt that moved to another issue date counts twice.
- **What is not there.** A company-day that was never exported, or failed, has no rows and gives no error:
  \`cfe-lake missing\` and \`exportaciones\` list such days. Details are there only where they were asked for; join them
  with LEFT JOIN, on \`fecha\`, \`rut\` and \`id\`.
- **Names inside JSON.** The contract does not name the fields of \`totales\`, \`items\` and the other JSON columns.
  Queries use the names that the sandbox has: check them with the real service.
- **Odd values.** A value that did not fit its column is null there, and is in \`otros\` as it came, under its path:
  \`json_extract_scalar(otros, '$["totales.total"]')\`. Sums leave it out: \`count(*) - count(totales_total)\` counts
  such rows.
- **Times.** All are local times of Uruguay, without a zone. Date-times have six fractional digits; more are in
  \`otros\`. Athena shows three, and rounds to them: there \`CAST(fecha_firma AS DATE)\` of 23:59:59.9996 is the next
  day. For the day to which a receipt belongs, use the partition, \`fecha\`.`;

const ABOUT_OBJECTS = `## What the tables read

One object per table and day, \`recibidos/fecha=2026-11-19/dia.parquet\`, with rows sorted by \`rut\` and \`id\`. A company's
rows are together, and a condition on \`rut\` skips the row groups that cannot have it. Columns are found by name (the
SerDe's \`parquet.column.index.access\` is \`false\`), so a column that an older object lacks is null. A day is replaced as
a whole and has no row twice.

Athena reads every object of a day's folder, whatever its name. Only the stack's functions write there; don't put another
object there by hand, because its receipts would count twice. \`cfe-lake\` ignores such objects, in a bucket or a folder, and
names them.

**While days are published.** Athena and other engines read an object in several requests. A query that reads a day at the
moment when it is replaced may fail: ask again. In rare cases, during a publication, its answer has old and new columns
of one day. (Days of more than some 64 KB have their columns at another place in each version, so that the query fails
instead.) A question about a month sees some days as they were before a publication and others as they are after it.
Publications follow exports: to keep them out of office hours, schedule exports, and begin \`backfill\`, outside them.
\`cfe-lake query\` reads what was there when the query began, and says when a day lags behind what was exported.

**Giving someone access to one company only.** With Athena, use Lake Formation: register the bucket, and grant SELECT on
the tables with a data cells filter whose row filter is \`rut = '219999830019'\` (with all columns); revoke
\`IAMAllowedPrincipals\` from them. Principals that may read the objects in S3, such as with the stack's Analyst policy,
are not bound by it. Without Athena, use IAM: the units, from which the days are built, are one object per company and
day, \`unidades/recibidos/fecha=2026-11-19/219999830019.parquet\`, so \`s3:GetObject\` on
\`arn:aws:s3:::BUCKET/unidades/*/219999830019.parquet\` gives exactly that company's receipts.

**With other tools.** A column that a new version adds is missing in older objects until their day is exported again.
There Athena and \`cfe-lake query\` show null. Others take the columns of the first file. If that is an old one, pyarrow
leaves the new column out and says nothing, and so does DuckDB; if it is a new one, DuckDB refuses. polars refuses both.
Tell them the columns. In Python, with DuckDB 2.0, polars 2.1 and pyarrow 26, where \`whole\` is a day exported by the new
version, and \`days\` are the names that the program writes. A folder that is synchronised may hold copies beside them, such
as \`dia-PC-DE-ANA.parquet\` or \`fecha=2026-11-19 (1)/dia.parquet\`, whose receipts would count twice.

\`\`\`python
import duckdb, glob, polars, pyarrow, pyarrow.parquet

duckdb.sql("SELECT * FROM read_parquet('lake/recibidos/fecha=????-??-??/dia.parquet', union_by_name = true)")

days = 'lake/recibidos/fecha=????-??-??/dia.parquet'
whole = 'lake/recibidos/fecha=2026-11-19/dia.parquet'
polars.scan_parquet(
    days, schema=polars.read_parquet_schema(whole), missing_columns='insert', hive_partitioning=True
).collect()

columns = pyarrow.parquet.read_schema(whole).append(pyarrow.field('fecha', pyarrow.date32()))
pyarrow.parquet.read_table(sorted(glob.glob(days)), schema=columns)
\`\`\``;

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

In a workbook, \`--out ventas.xlsx\`, RUTs, ids and series are text, amounts are numbers, dates are dates, times
have whole seconds, and nothing is a formula, whatever suppliers call themselves. A number of more than 15 digits, which
Excel would round, is text in orange, and sums leave it out. \`--out ventas.parquet\` keeps DuckDB's own types.

CSV is exact, from here and from Athena. A spreadsheet that opens it by a double-click removes digits and zeros from ids
and RUTs, and may run a cell that begins with \`=\`, \`+\`, \`-\` or \`@\` as a formula: import such columns as text, or use the
workbook. If you must open CSV directly, \`--format csv --locale es-UY\` writes semicolons, decimal commas, a byte-order
mark, and an apostrophe before each text that begins like a formula. It is no longer exact, and ids lose digits there
too.

Where a terminal has no room for all columns, \`query\` shows row by row, one value a line. What it shows in a terminal,
and its tables and JSON anywhere, contain no control characters and nothing invisible:
these appear as escapes, \`\\u001b\`. In JSON that means the same.`;

/** Text of docs/athena.md: the meaning of the numbers, the named queries, and every table and column. */
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

/** Athena's names of the types. */
const ATHENA_TYPES: Readonly<Record<Table['columns'][number]['type'], string>> = {
  int32: 'integer',
  int64: 'bigint',
  'decimal(17,2)': 'decimal(17,2)',
  'decimal(17,6)': 'decimal(17,6)',
  timestamp: 'timestamp',
  date: 'date',
  boolean: 'boolean',
  string: 'varchar',
  json: 'varchar (JSON)',
};

const PARTITIONS: Readonly<Record<Table['partition'], string>> = {
  fecha: 'issue date, or day of the rate; restrict it, so that only those days are read',
  fecha_corrida: 'day in Uruguay on which the run began',
};

/** The reference of all tables and columns, in Markdown. */
function tableReference(): string {
  return [...TABLES.map(tableSection), receiptTypes()].join('\n\n');
}

function receiptTypes(): string {
  const { name, meaning, columns } = RECEIPT_TYPES_VIEW;
  return [
    `## ${name}`,
    '',
    `${meaning}.`,
    '',
    '| Column | Type | Meaning |',
    '|---|---|---|',
    ...columns.map((column) => `| \`${column.name}\` | ${column.type} | ${column.meaning} |`),
    '',
    `| ${columns.map((column) => column.name).join(' | ')} |`,
    '|---|---|---|---|',
    ...RECEIPT_TYPES.map(({ code, name: type, sign, kind }) => `| ${code} | ${type} | ${sign} | ${kind} |`),
  ].join('\n');
}

function tableSection({ name, meaning, partition, columns }: Table): string {
  const rows = columns.map(
    (column) => `| \`${column.name}\` | ${ATHENA_TYPES[column.type]} | ${column.meaning} |`,
  );
  return [
    `## ${name}`,
    '',
    `${meaning}.`,
    '',
    '| Column | Type | Meaning |',
    '|---|---|---|',
    ...rows,
    `| \`${partition}\` | date | Partition: ${PARTITIONS[partition]} |`,
  ].join('\n');
}
