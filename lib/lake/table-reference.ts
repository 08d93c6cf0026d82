import { RECEIPT_TYPES, RECEIPT_TYPES_VIEW } from './receipt-types.ts';
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
  fecha: 'issue date; restrict it, so that only those days are read',
  fecha_corrida: 'day in Uruguay on which the run began',
};

/** What sums over the tables mean, and what they don't, in Markdown. */
export const NUMBERS_EXPLAINED = `## What the numbers say, and what they don't

- **Currency.** The list of issued receipts has none. Do not sum \`emitidos\`: the sum mixes pesos with dollars. The
  currency is in \`emitidos_detalle\`. \`recibidos\` has \`moneda\`; group sums by it. Nothing is converted: if a receipt
  states an exchange rate, it is in its detail.
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
- **Times.** All are local times of Uruguay, without a zone. Date-times have six fractional digits; a seventh is in
  \`otros\`. Athena shows three, and rounds to them: there \`CAST(fecha_firma AS DATE)\` of 23:59:59.9996 is the next
  day. For the day to which a receipt belongs, use the partition, \`fecha\`.`;

/** The reference of all tables and columns, in Markdown. */
export function tableReference(): string {
  return [...TABLES.map(section), receiptTypes()].join('\n\n');
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
