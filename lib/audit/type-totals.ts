import * as v from 'valibot';
import { valueText } from '../lake/parquet/column-values.ts';
import { LAST_SEEN_COLUMN, type SortedRows } from '../lake/rows/receipt-rows.ts';
import { UnknownFieldCounter } from '../lake/rows/unknown-fields.ts';
import { indexOfColumn, type Table } from '../lake/tables.ts';
import type { TypeTotal, UnitSummary } from '../units/unit.ts';

const ROWS_AT_ONCE = 10_000;
/** The columns, in the order of reading. emitidos lacks the last three. */
const COLUMN_NAMES = [
  'tipo_comprobante',
  'totales_total',
  LAST_SEEN_COLUMN,
  'otros',
  'moneda',
  'receptor_nro_doc',
  'receptor_denominacion',
];

/** Sums the rows by type, without receipts that the API no longer lists. */
export function summarise(table: Table, rows: SortedRows, rut: string): UnitSummary {
  const places = COLUMN_NAMES.map((name) => indexOfColumn(table.columns, name));
  const unknown = new UnknownFieldCounter(table);
  const sums = new Map<string, Omit<TypeTotal, 'total'> & { cents: bigint }>();
  let companyName: string | undefined;
  for (let start = 0; start < rows.rowCount; start += ROWS_AT_ONCE) {
    const end = Math.min(start + ROWS_AT_ONCE, rows.rowCount);
    const values = places.map((place) => (place === -1 ? [] : rows.values(place, start, end)));
    const [types = [], totals = [], lastSeen = [], others = [], ...ofReceived] = values;
    const [currencies = [], documents = [], names = []] = ofReceived;
    for (let row = 0; row < end - start; row += 1) {
      if ((lastSeen[row] ?? null) !== null) continue;
      unknown.add(others[row]);
      const [code, total, unit, name] = [types[row], totals[row], currencies[row], names[row]];
      const type = typeof code === 'number' ? code : null;
      const currency = typeof unit === 'string' ? unit : null;
      const place = `${type} ${currency}`;
      const sum = sums.get(place) ?? { type, currency, receipts: 0, withoutTotal: 0, cents: 0n };
      sums.set(place, sum);
      sum.receipts += 1;
      if (typeof total === 'bigint') sum.cents += total;
      else sum.withoutTotal += 1;
      if (companyName === undefined && documents[row] === rut && typeof name === 'string') {
        companyName = name.trim() || undefined;
      }
    }
  }
  const totals = [...sums.values()]
    .sort((a, b) => (a.type ?? 0) - (b.type ?? 0) || ((a.currency ?? '') < (b.currency ?? '') ? -1 : 1))
    .map(({ cents, ...sum }) => ({ ...sum, total: valueText('decimal(17,2)', cents) ?? '' }));
  return { totals, companyName, unknownFields: unknown.found };
}

const TotalsSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.object({
      tipo: v.nullable(v.number()),
      moneda: v.nullable(v.string()),
      comprobantes: v.number(),
      sin_total: v.number(),
      total: v.string(),
    }),
  ),
);

/** The totals as `exportaciones` stores them. Amounts are strings, so that no reader makes floats of them. */
export function totalsJson(totals: readonly TypeTotal[]): string {
  return JSON.stringify(
    totals.map(({ type, currency, receipts, withoutTotal, total }) => ({
      tipo: type,
      moneda: currency,
      comprobantes: receipts,
      sin_total: withoutTotal,
      total,
    })),
  );
}

/** Undefined if the audit has none, or they cannot be parsed. */
export function parseTotals(json: string | null): TypeTotal[] | undefined {
  const parsed = v.safeParse(TotalsSchema, json);
  if (!parsed.success) return undefined;
  return parsed.output.map(({ tipo, moneda, comprobantes, sin_total, total }) => ({
    type: tipo,
    currency: moneda,
    receipts: comprobantes,
    withoutTotal: sin_total,
    total,
  }));
}
