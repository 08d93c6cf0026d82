import { COTIZACIONES } from '../lake/tables.ts';
import { emptyTable } from '../query/lake-database.ts';
import { type Narrowing, narrowed, queryPart } from '../query/named-queries.ts';
import { type AskedDatabase, ask } from '../query/question.ts';
import type { DayRange } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';

/** A receipt of the lake, as far as it is compared. Amounts are in hundredths, without sign. */
export interface LakeReceipt {
  id: string;
  type: number;
  series: string;
  number: number;
  issuer: string;
  day: string;
  currency: string | null;
  net: bigint | null;
  /** What of the net is taxed. */
  taxedNet: bigint | null;
  vat: bigint | null;
  total: bigint | null;
  /** Amounts by rate of its detail: none, as where it was not read, doubtful (as the books note), or whole. */
  breakdown: 'none' | 'doubtful' | 'whole';
  status: string | null;
  /** Whether the API still lists it. */
  isListed: boolean;
  /** On which side of 5,000 UI an issued e-Ticket is; null for all others. */
  ticket: 'under' | 'over' | 'unknown' | null;
}

/** A company's list of these days. */
export interface ListDays {
  rut: string;
  direction: Direction;
  days: DayRange;
}

/** The receipts that a database of these days has, those that are gone included. */
export async function lakeReceipts(
  database: AskedDatabase,
  list: ListDays,
  ui: Narrowing['ui'],
  hasRates = true,
): Promise<LakeReceipt[]> {
  return (await ask(database, receiptsSql(list, ui, hasRates))).rows.map(receiptOf);
}

/**
 * Net and VAT are in the details alone, and so is the currency of issued receipts. Without `hasRates` no object of rates is
 * read, as if there were none.
 */
export function receiptsSql(list: ListDays, ui: Narrowing['ui'], hasRates = true): string {
  const { rut, direction, days } = list;
  const isReceived = direction === 'recibidos';
  const stated = 'coalesce(no_gravado, exportacion, neto_minima, iva_minima, neto_basica, iva_basica)';
  const breakdown = `CASE WHEN NOT es_ilegible AND ${stated} IS NULL THEN 'none'
    WHEN es_ilegible OR es_anterior OR contradiccion IS NOT NULL OR totales_total IS NULL THEN 'doubtful'
    ELSE 'whole' END`;
  // What a detail with amounts leaves out is 0, unless it is older, or the books miss it, too.
  const sum = (names: readonly string[], missing: string) => {
    const amounts = names.map((name) => `coalesce(${name}, 0)`).join(' + ');
    return `CASE WHEN NOT es_ilegible AND coalesce(contradiccion, '') <> '${missing}'
    AND coalesce(${names}, CASE WHEN NOT es_anterior THEN ${stated} END) IS NOT NULL
    THEN CAST(${amounts} AS DECIMAL(28, 2)) END`;
  };
  const ticket = isReceived
    ? 'NULL'
    : `CASE WHEN mod(tipo_comprobante, 100) NOT IN (1, 2, 3, 31, 32, 33) THEN NULL
    WHEN importe < limite THEN 'under' WHEN importe IS NULL OR limite IS NULL THEN 'unknown' ELSE 'over' END`;
  // Rates are read for e-Tickets alone.
  const parts = (isReceived ? ['montos'] : ['montos', 'vigente', 'cambio', 'importe']).map(queryPart);
  const noRates = hasRates ? '' : `${COTIZACIONES.name} AS (${emptyTable(COTIZACIONES)}),\n`;
  // Those that are gone are compared, too.
  const receipts = queryPart(direction).replace(/\n +AND \w\.visto_por_ultima_vez IS NULL/, '');
  const sql = `WITH ${noRates}comprobantes AS (
${receipts}),
${parts.join('').replace(/,\n$/, '\n')}SELECT id, tipo_comprobante, serie, numero,
  ${isReceived ? 'documento' : 'rut'}, fecha, moneda_dicha,
  ${sum(['no_gravado', 'neto_minima', 'neto_basica'], 'falta neto')},
  ${sum(['neto_minima', 'neto_basica'], 'falta neto')},
  ${sum(['iva_minima', 'iva_basica'], 'falta IVA')},
  totales_total, estado, visto_por_ultima_vez IS NULL, ${ticket}, ${breakdown}
FROM ${isReceived ? 'montos' : 'importes'}
ORDER BY fecha, id`;
  return narrowed(sql, { ruts: [rut], ...days, ui });
}

function receiptOf(row: readonly (string | null)[]): LakeReceipt {
  const [id, type, series, number, issuer, day, currency, ...amountsAndStatus] = row;
  const [net, taxedNet, vat, total] = amountsAndStatus.slice(0, 4).map(absolute);
  const [status, listed, ticket, breakdown] = amountsAndStatus.slice(4);
  // Exports, other rates and other taxes: nobody knows whether the list counts them as net.
  const isAllNetAndVat = net != null && total != null && net + (vat ?? 0n) === total;
  return {
    id: id ?? '',
    type: Number(type),
    series: (series ?? '').trim().toUpperCase(),
    number: Number(number),
    issuer: issuer ?? '',
    day: day ?? '',
    currency: currency ?? null,
    net: isAllNetAndVat ? net : null,
    taxedNet: isAllNetAndVat ? (taxedNet ?? null) : null,
    vat: vat ?? null,
    total: total ?? null,
    breakdown: breakdown === 'whole' || breakdown === 'doubtful' ? breakdown : 'none',
    status: status ?? null,
    isListed: listed === 'true',
    ticket: ticket === 'under' || ticket === 'over' || ticket === 'unknown' ? ticket : null,
  };
}

/** Hundredths without sign of an amount with two decimals. */
function absolute(decimal: string | null | undefined): bigint | null {
  return decimal == null ? null : BigInt(decimal.replace(/[-.]/g, ''));
}
