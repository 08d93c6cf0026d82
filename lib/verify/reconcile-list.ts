import { valueText } from '../lake/parquet/column-values.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF } from '../lake/tables.ts';
import { type Answer, amountColumn, countColumn, dateColumn, textColumn } from '../query/answer.ts';
import { type Narrowing, namedQuery, uiValuesOf } from '../query/named-queries.ts';
import { openTables } from '../query/open-lake.ts';
import { ask } from '../query/question.ts';
import type { DayRange } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import { digitsOf, type OfficialList, type OfficialReceipt } from './official-list.ts';

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
  /** Of issued e-Tickets: on which side of 5,000 UI it is; null for all others. */
  ticket: 'under' | 'over' | 'unknown' | null;
}

/** Where the two lists differ. */
export type Difference =
  | { kind: 'only there'; official: OfficialReceipt }
  | { kind: 'twice there'; official: OfficialReceipt }
  | { kind: 'only here'; receipt: LakeReceipt }
  | {
      kind: 'different';
      official: OfficialReceipt;
      receipt: LakeReceipt;
      fields: readonly { field: string; there: string; here: string }[];
    };

export interface Reconciliation {
  /** Receipts that are in both and agree in all that both say. */
  equal: number;
  differences: readonly Difference[];
  /** Issued e-Tickets below the limit, which the authority gets in the daily summary alone: no difference. */
  smallTickets: number;
  /** Issued e-Tickets that only the lake has, of which it is not known whether they are below the limit. */
  unknownTickets: number;
}

/** Compares by issuer, type, series and number; then dates and amounts, to the cent, as far as both state them. */
export function reconcileLists(
  { receipts: official }: Pick<OfficialList, 'receipts'>,
  lake: readonly LakeReceipt[],
  direction: Direction,
): Reconciliation {
  const keyOf = (
    issuer: string | null,
    { type, series, number }: { type: number; series: string; number: number },
  ) => [direction === 'emitidos' ? '' : digitsOf(issuer), type, series, number].join(' ');
  const waiting = Map.groupBy(lake, (receipt) => keyOf(receipt.issuer, receipt));
  const seen = new Set<string>();
  const differences: Difference[] = [];
  let equal = 0;
  for (const one of official) {
    const key = keyOf(one.issuer, one);
    const left = standing(waiting.get(key) ?? [], seen.has(key));
    const receipt = left.find((each) => fieldsThatDiffer(one, each).length === 0) ?? left[0];
    if (receipt === undefined) {
      differences.push({ kind: seen.has(key) ? 'twice there' : 'only there', official: one });
    } else {
      const fields = fieldsThatDiffer(one, receipt);
      if (fields.length === 0) equal += 1;
      else differences.push({ kind: 'different', official: one, receipt, fields });
    }
    seen.add(key);
    waiting.set(
      key,
      left.filter((each) => each !== receipt),
    );
  }
  let smallTickets = 0;
  let unknownTickets = 0;
  for (const [key, receipts] of waiting) {
    for (const receipt of standing(receipts, seen.has(key))) {
      if (receipt.ticket === 'under') smallTickets += 1;
      else if (receipt.ticket === 'unknown') unknownTickets += 1;
      else differences.push({ kind: 'only here', receipt });
    }
  }
  return { equal, differences, smallTickets, unknownTickets };
}

/** Of those with one number, the ones that the API still lists; without any, and if none was found yet, one that is gone. */
function standing(receipts: readonly LakeReceipt[], isFound: boolean): readonly LakeReceipt[] {
  const listed = receipts.filter(({ isListed }) => isListed);
  return listed.length > 0 || isFound ? listed : receipts.slice(0, 1);
}

function fieldsThatDiffer(official: OfficialReceipt, receipt: LakeReceipt) {
  const pairs = [
    ['fecha', official.day, receipt.day],
    ['moneda', official.currency, receipt.currency],
    ['neto', decimalOf(official.net), decimalOf(receipt.net)],
    ['iva', decimalOf(official.vat), decimalOf(receipt.vat)],
    ['total', decimalOf(official.total), decimalOf(receipt.total)],
  ] as const;
  return pairs.flatMap(([field, there, here]) =>
    there === null || here === null || there === here ? [] : [{ field, there, here }],
  );
}

function decimalOf(cents: bigint | null): string | null {
  return valueText('decimal(17,2)', cents);
}

/** The receipts that the lake has of a company and these days, those that are gone included. */
export async function lakeReceipts(
  store: LakeStore,
  { rut, direction, days }: { rut: string; direction: Direction; days: DayRange },
  ui: Narrowing['ui'],
  signal?: AbortSignal,
): Promise<LakeReceipt[]> {
  const sql = receiptsSql(rut, direction, days, ui);
  const database = await openTables(store, [sql], days, { signal });
  try {
    return (await ask(database, sql)).rows.map(receiptOf);
  } finally {
    database.close();
  }
}

/** Net and VAT are in the details alone, and so is the currency of issued receipts. */
function receiptsSql(rut: string, direction: Direction, { from, to }: DayRange, ui: Narrowing['ui']): string {
  const ofDays = (alias: string) =>
    `${alias}.rut = '${rut}' AND ${alias}.fecha BETWEEN DATE '${from}' AND DATE '${to}'`;
  const isReceived = direction === 'recibidos';
  const inner = (name: string) => `json_extract_scalar(d.totales, '$.${name}')`;
  const sum = (names: readonly string[]) => {
    const amounts = names.map((name) => `TRY_CAST(${inner(name)} AS DECIMAL(28, 2))`);
    const known = `coalesce(${amounts.join(', ')})`;
    return `CASE WHEN ${known} IS NOT NULL THEN ${amounts.map((amount) => `coalesce(${amount}, 0)`).join(' + ')} END`;
  };
  const net = sum(['mnt_no_gravado', 'mnt_neto_iva_tasa_minima', 'mnt_neto_iva_tasa_basica']);
  const currency = isReceived ? `coalesce(r.moneda, ${inner('moneda')})` : inner('moneda');
  const limit = uiValuesOf(namedQuery('e-tickets-sin-identificar').sql, ui)
    .map(([year, value]) => `WHEN ${year} THEN 5000 * ${value}`)
    .join(' ');
  const pesos = `CASE WHEN ${currency} = 'UYU' THEN 1 ELSE TRY_CAST(${inner('tipo_cambio')} AS DECIMAL(17, 6)) END
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
  const [id, type, series, number, issuer, day, currency, ...rest] = row;
  const [net, vat, total] = rest.slice(0, 3).map(absolute);
  const [status, listed, ticket] = rest.slice(3);
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

/** In Spanish, as the list that it was compared with. */
const KINDS: Readonly<Record<Difference['kind'], string>> = {
  'only there': 'solo en la DGI',
  'twice there': 'dos veces en la DGI',
  'only here': 'solo en el lago',
  different: 'distinto',
};

/** The differences as a table. */
export function differencesAnswer(differences: readonly Difference[]): Answer {
  return {
    columns: [
      textColumn('Diferencia'),
      dateColumn('Fecha'),
      textColumn('Emisor'),
      ...[countColumn('Tipo'), textColumn('Serie'), countColumn('Número'), textColumn('Moneda')],
      ...[amountColumn('Total'), textColumn('Detalle'), textColumn('id')],
    ],
    rows: differences.map((difference) => {
      const receipt = 'receipt' in difference ? difference.receipt : undefined;
      const { day, issuer, type, series, number, currency, total } =
        difference.kind === 'only here' ? difference.receipt : difference.official;
      return [
        ...[KINDS[difference.kind], day, issuer, String(type), series, String(number), currency],
        ...[decimalOf(total), noteOf(difference), receipt?.id ?? null],
      ];
    }),
  };
}

function noteOf(difference: Difference): string {
  if (difference.kind === 'different') {
    const texts = difference.fields.map(({ field, there, here }) => `${field}: DGI ${there}, lago ${here}`);
    return texts.join('; ');
  }
  if (difference.kind !== 'only here') return `fila ${difference.official.row}`;
  const { status, isListed } = difference.receipt;
  return `${isListed ? 'la API lo lista' : 'la API ya no lo lista'}${status === null ? '' : `, estado ${status}`}`;
}
