import { TABLES, type Table } from './tables.ts';

/** Athena's names of the types, as an analyst meets them in a query. */
const ATHENA_TYPES: Readonly<Record<Table['columns'][number]['type'], string>> = {
  int32: 'integer',
  int64: 'bigint',
  'decimal(17,2)': 'decimal(17,2)',
  timestamp: 'timestamp',
  date: 'date',
  boolean: 'boolean',
  string: 'varchar',
  json: 'varchar (JSON)',
};

const PARTITIONS: Readonly<Record<Table['partition'], string>> = {
  fecha: 'issue date; restrict it, and only those days are read',
  fecha_corrida: 'day in Uruguay on which the run began',
};

const INTRODUCTION = `# The tables

<!-- Rendered from lib/lake/tables.ts; after a change there: npm test -- --update test/lake/table-reference.test.ts -->

The same names and columns in Athena and in \`cfe-lake query\`. Every query should name a range of the partition
column: \`WHERE fecha BETWEEN DATE '2026-11-01' AND DATE '2026-11-30'\`.

## What the numbers say, and what they don't

- **Currency.** The list of issued receipts has none: \`emitidos\` can't be summed by currency, and a sum over all
  its rows mixes pesos with dollars. \`emitidos_detalle\` has it. \`recibidos\` has \`moneda\`; sum by it.
- **Sign.** \`totales_total\` is not negative on credit notes: the sign comes from the type. Credit notes are the
  types 102, 112, 122, 132, 142 and 152, and the same plus 100 (contingency):
  \`CASE WHEN tipo_comprobante % 100 IN (2, 12, 22, 32, 42, 52) THEN -totales_total ELSE totales_total END\`.
- **Payments.** Payment receipts are issued as 101, 111, 131 or 141 with a total of 0 and the money in
  \`totales_total_pagar\`: a sum of that column as sales overcounts.
- **No amounts.** 181 (e-Remito) has none, and 182 (e-Resguardo) only withheld ones: their totals may be null.
- **Statuses change.** A rejection can become an acceptance up to 60 days after reception, the recipient answers
  within 20 days, and received receipts may arrive days late. A day is read again every night while it is recent
  and weekly for 65 days; \`cambios\` tells what changed. A day that has aged is not final, only no longer read.
- **Gone from the list.** A receipt that the API no longer lists is kept, with \`visto_por_ultima_vez\` set: add
  \`AND visto_por_ultima_vez IS NULL\` to totals.
- **Odd values.** What did not fit its column is null there and stands in \`otros\`, as it came, under its path:
  \`json_extract_scalar(otros, '$["totales.total"]')\`. Date-times hold six fractional digits; a seventh is in \`otros\`.
`;

/** The reference of all tables and columns, in Markdown. */
export function tableReference(): string {
  return `${[INTRODUCTION.trimEnd(), ...TABLES.map(section)].join('\n\n')}\n`;
}

function section({ name, meaning, partition, columns }: Table): string {
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
