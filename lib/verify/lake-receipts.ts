import { DETAIL_TABLE_OF, TABLE_OF } from '../lake/tables.ts';
import { type Narrowing, uiValues } from '../query/named-queries.ts';
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
  vat: bigint | null;
  total: bigint | null;
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
): Promise<LakeReceipt[]> {
  return (await ask(database, receiptsSql(list, ui))).rows.map(receiptOf);
}

/** Net and VAT are in the details alone, and so is the currency of issued receipts. */
export function receiptsSql({ rut, direction, days: { from, to } }: ListDays, ui: Narrowing['ui']): string {
  const ofDays = (alias: string) =>
    `${alias}.rut = '${rut}' AND ${alias}.fecha BETWEEN DATE '${from}' AND DATE '${to}'`;
  const isReceived = direction === 'recibidos';
  const inner = (name: string) => `json_extract_scalar(d.totales, '$.${name}')`;
  const sum = (names: readonly string[]) => {
    const amounts = names.map((name) => `TRY_CAST(${inner(name)} AS DECIMAL(28, 2))`);
    const known = `coalesce(${amounts.join(', ')})`;
    return `CASE WHEN ${known} IS NOT NULL THEN ${amounts.map((amount) => `coalesce(${amount}, 0)`).join(' + ')} END`;
  };
  const netNames = ['mnt_no_gravado', 'mnt_neto_iva_tasa_minima', 'mnt_neto_iva_tasa_basica'];
  const net = sum(netNames);
  const isUnreadable = (name: string) =>
    `(json_extract(d.totales, '$.${name}') <> json_parse('null') AND TRY_CAST(${inner(name)} AS DECIMAL(28, 2)) IS NULL)`;
  const lacksNet = (rate: string) =>
    `(TRY_CAST(${inner(`mnt_iva_tasa_${rate}`)} AS DECIMAL(28, 2)) <> 0 AND ${inner(`mnt_neto_iva_tasa_${rate}`)} IS NULL)`;
  const isOlder = `(d.motivo IS NOT NULL AND d.leido IS NOT NULL) OR TRY_CAST(${inner('total')} AS DECIMAL(28, 2)) <> r.totales_total`;
  const doubts = [isOlder, ...netNames.map(isUnreadable), ...['minima', 'basica'].map(lacksNet)].join(' OR ');
  const currency = isReceived ? `coalesce(r.moneda, ${inner('moneda')})` : inner('moneda');
  const limit = uiValues(ui)
    .map(([year, value]) => `WHEN ${year} THEN 5000 * ${value}`)
    .join(' ');
  const rate = `TRY_CAST(${inner('tipo_cambio')} AS DECIMAL(17, 6))`;
  const pesos = `CASE WHEN coalesce(${doubts}, false) THEN NULL WHEN ${currency} = 'UYU' THEN 1 WHEN ${rate} > 0 THEN ${rate} END
    * coalesce(${net}, r.totales_total_pagar)`;
  const ticket = isReceived
    ? 'NULL'
    : `CASE WHEN mod(r.tipo_comprobante, 100) NOT IN (1, 2, 3, 31, 32, 33) THEN NULL
    WHEN ${pesos} < CASE year(r.fecha) ${limit} END THEN 'under'
    WHEN ${pesos} IS NULL OR CASE year(r.fecha) ${limit} END IS NULL THEN 'unknown' ELSE 'over' END`;
  return `SELECT r.id, r.tipo_comprobante, r.serie, r.numero, ${isReceived ? 'r.emisor_ruc' : 'r.rut'}, r.fecha, ${currency},
  ${net}, ${sum(['mnt_iva_tasa_minima', 'mnt_iva_tasa_basica'])}, r.totales_total,
  ${isReceived ? 'r.estado_codigo' : 'r.estado_dgi_codigo'}, r.visto_por_ultima_vez IS NULL, ${ticket}
FROM ${TABLE_OF[direction].name} r
LEFT JOIN ${DETAIL_TABLE_OF[direction].name} d ON d.fecha = r.fecha AND d.rut = r.rut AND d.id = r.id AND ${ofDays('d')}
WHERE ${ofDays('r')}
ORDER BY r.fecha, r.id`;
}

function receiptOf(row: readonly (string | null)[]): LakeReceipt {
  const [id, type, series, number, issuer, day, currency, ...amountsAndStatus] = row;
  const [net, vat, total] = amountsAndStatus.slice(0, 3).map(absolute);
  const [status, listed, ticket] = amountsAndStatus.slice(3);
  // Exports, other rates and other taxes: nobody knows whether the list counts them as net.
  const isAllNetAndVat = net != null && total != null && net + (vat ?? 0n) === total;
  return {
    id: id ?? '',
    type: Number(type),
    series: (series ?? '').toUpperCase(),
    number: Number(number),
    issuer: issuer ?? '',
    day: day ?? '',
    currency: currency ?? null,
    net: isAllNetAndVat ? net : null,
    vat: vat ?? null,
    total: total ?? null,
    status: status ?? null,
    isListed: listed === 'true',
    ticket: ticket === 'under' || ticket === 'over' || ticket === 'unknown' ? ticket : null,
  };
}

/** Hundredths without sign of an amount with two decimals. */
function absolute(decimal: string | null | undefined): bigint | null {
  return decimal == null ? null : BigInt(decimal.replace(/[-.]/g, ''));
}
