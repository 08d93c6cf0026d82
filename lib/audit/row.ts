import * as v from 'valibot';
import { valueText } from '../lake/parquet/column-values.ts';
import type { Row, RowBatch, Value } from '../lake/parquet/writer.ts';
import { localTimestamp, UnknownFieldCounter, unknownFieldsJson } from '../lake/rows/fields.ts';
import { LAST_SEEN_COLUMN, type SortedRows } from '../lake/rows/receipt-rows.ts';
import { type Column, EXPORTACIONES, indexOfColumn, type Table } from '../lake/tables.ts';
import { dayNumber } from '../time/days.ts';
import { isTwelveDigits, type Rut } from '../units/rut.ts';
import {
  DIRECTIONS,
  type Direction,
  type TypeTotal,
  type Unit,
  type UnitResult,
  type UnitSummary,
} from '../units/unit.ts';
import type { Run } from './keys.ts';

/** A stored value, as the writers of Parquet take it; undefined in a column that was not read. */
type Stored = bigint | number | boolean | string | null | undefined;

function count(value: Stored): number | null {
  return typeof value === 'bigint' ? Number(value) : null;
}

function text(value: Stored): string | null {
  return typeof value === 'string' ? value : null;
}

function requiredText(value: Stored): string {
  return text(value) ?? '';
}

function yesOrNo(value: Stored): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** Whole seconds since 1970-01-01T00:00:00, both in Uruguay's local time. */
function seconds(value: Stored): number | null {
  return typeof value === 'bigint' ? Number(value / 1_000_000n) : null;
}

/**
 * The fields of a row of `exportaciones` besides its unit: the column of each, and how it is read from it. Those of a
 * UnitResult have the same names there.
 */
const FIELDS = {
  runId: { column: 'corrida', read: requiredText },
  state: { column: 'estado', read: requiredText },
  receipts: { column: 'filas', read: count },
  appeared: { column: 'nuevas', read: count },
  changed: { column: 'cambiadas', read: count },
  vanished: { column: 'desaparecidas', read: count },
  conversionErrors: { column: 'avisos', read: count },
  isStable: { column: 'estable', read: yesOrNo },
  pages: { column: 'paginas', read: count },
  requests: { column: 'solicitudes', read: count },
  retries: { column: 'reintentos', read: count },
  bytes: { column: 'bytes', read: count },
  sha256: { column: 'sha256', read: text },
  detailState: { column: 'detalle', read: text },
  detailReason: { column: 'detalle_motivo', read: text },
  detailsStored: { column: 'detalles', read: count },
  detailsRead: { column: 'detalles_leidos', read: count },
  detailsUnread: { column: 'detalles_sin_leer', read: count },
  error: { column: 'error', read: text },
  startedAtSeconds: { column: 'inicio', read: seconds },
  endedAtSeconds: { column: 'fin', read: seconds },
  totals: { column: 'totales', read: text },
  companyName: { column: 'empresa', read: text },
  isFirstReading: { column: 'primera_lectura', read: yesOrNo },
  rejected: { column: 'rechazadas', read: count },
  unknownFields: { column: 'campos_desconocidos', read: text },
} as const;

export type AuditField = keyof typeof FIELDS;

export const AUDIT_FIELDS = Object.keys(FIELDS).filter((name): name is AuditField => name in FIELDS);

export function auditColumn(field: AuditField): string {
  return FIELDS[field].column;
}

/** A row of `exportaciones` as it is read. Counts are numbers. */
export type AuditRow = {
  rut: Rut;
  direction: Direction;
  /** Issue date, in days since 1970-01-01. */
  dayNumber: number;
} & { [Field in AuditField]: ReturnType<(typeof FIELDS)[Field]['read']> };

type Fields = Partial<Record<string, Stored>>;

/** Each row begins as a copy of it, with all its fields: one that gets them one by one takes longer. */
const NO_FIELDS: Fields = Object.fromEntries(
  AUDIT_FIELDS.map((field) => [field, FIELDS[field].read(undefined)]),
);

const ROWS_AT_ONCE = 10_000;

/** Sums the rows by type, without receipts that the API no longer lists. */
export function summarise(table: Table, rows: SortedRows, rut: string): UnitSummary {
  const unknown = new UnknownFieldCounter(table);
  let sum: (Omit<TypeTotal, 'total'> & { cents: bigint }) | undefined;
  const sums = new Map<string, NonNullable<typeof sum>>();
  let companyName: string | undefined;
  for (let start = 0; start < rows.rowCount; start += ROWS_AT_ONCE) {
    const valuesOf = (name: string) =>
      rows.values(indexOfColumn(table.columns, name), start, start + ROWS_AT_ONCE);
    const types = valuesOf('tipo_comprobante');
    const totals = valuesOf('totales_total');
    const unknownFields = valuesOf('otros');
    // emitidos lacks these three.
    const currencies = valuesOf('moneda');
    const documents = valuesOf('receptor_nro_doc');
    const names = valuesOf('receptor_denominacion');
    const lastSeen = valuesOf(LAST_SEEN_COLUMN);
    for (let row = 0; row < lastSeen.length; row += 1) {
      if (lastSeen[row] !== null) continue;
      unknown.add(unknownFields[row]);
      const code = types[row];
      const type = typeof code === 'number' ? code : null;
      const currency = text(currencies[row]);
      // Most rows have the type and currency of the one before.
      if (sum === undefined || sum.type !== type || sum.currency !== currency) {
        const place = `${type} ${currency}`;
        sum = sums.get(place) ?? { type, currency, receipts: 0, withoutTotal: 0, cents: 0n };
        sums.set(place, sum);
      }
      sum.receipts += 1;
      const total = totals[row];
      if (typeof total === 'bigint') sum.cents += total;
      else sum.withoutTotal += 1;
      if (documents[row] === rut) companyName ??= text(names[row])?.trim() || undefined;
    }
  }
  const totals = [...sums.values()]
    .sort((a, b) => (a.type ?? 0) - (b.type ?? 0) || ((a.currency ?? '') < (b.currency ?? '') ? -1 : 1))
    .map(({ cents, ...sum }) => ({ ...sum, total: valueText('decimal(17,2)', cents) ?? '' }));
  return { totals, companyName, unknownFields: unknown.found };
}

/** As summarise writes it, in more digits than any sum has: a lake that was sent may hold any text. */
const SumSchema = v.pipe(v.string(), v.regex(/^-?\d{1,36}\.\d{2}$/));
/** On a page all are as wide as the widest. */
const MOST_CURRENCY_CHARACTERS = 100;

const TotalsSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.object({
      tipo: v.nullable(v.number()),
      moneda: v.nullable(v.pipe(v.string(), v.maxLength(MOST_CURRENCY_CHARACTERS))),
      comprobantes: v.number(),
      sin_total: v.number(),
      total: SumSchema,
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

/** The columns of these fields, and those that identify the unit. */
export function auditColumns(fields: readonly AuditField[]) {
  const wanted = new Set<string>(['rut', 'direccion', 'fecha', ...fields.map(auditColumn)]);
  return EXPORTACIONES.columns.filter(({ name }) => wanted.has(name));
}

/** The row of a result, by column name. */
export function rowOf(run: Run, result: UnitResult): Row {
  const { rut, direction, day, startedAt, endedAt, totals, unknownFields, ...plainFields } = result;
  const fields: Readonly<Record<string, Value | undefined>> = {
    ...plainFields,
    runId: run.id,
    startedAtSeconds: micros(startedAt),
    endedAtSeconds: micros(endedAt),
    totals: totals && totalsJson(totals),
    unknownFields: unknownFields && unknownFieldsJson(unknownFields),
  };
  const columns = AUDIT_FIELDS.map((field) => [auditColumn(field), stored(fields[field])] as const);
  return { rut, direccion: direction, fecha: dayNumber(day), ...Object.fromEntries(columns) };
}

/** Reads the rows of a batch of these columns. One with an unknown direction, or of no company, is left out. */
export function* parseRows(columns: readonly Column[], batch: RowBatch): Generator<AuditRow> {
  const valuesOf = (name: string) => batch.columns[columns.findIndex((column) => column.name === name)] ?? [];
  const [ruts, directions, days] = [valuesOf('rut'), valuesOf('direccion'), valuesOf('fecha')];
  const asked = AUDIT_FIELDS.map((field) => ({
    ...FIELDS[field],
    field,
    values: valuesOf(auditColumn(field)),
  }));
  const inBatch = asked.filter(({ values }) => values.length > 0);
  for (let index = 0; index < batch.rowCount; index += 1) {
    const [rut, dayNumber] = [ruts[index], days[index]];
    const direction = DIRECTIONS.find((known) => known === directions[index]);
    if (direction === undefined || !isRut(rut) || typeof dayNumber !== 'number') continue;
    const row: Fields = { ...NO_FIELDS, rut, direction, dayNumber };
    for (const { field, read, values } of inBatch) row[field] = read(values[index]);
    yield row as AuditRow;
  }
}

/** It becomes a part of SQL, and of the names of files. */
export function isRut(value: Stored): value is Rut {
  return typeof value === 'string' && isTwelveDigits(value);
}

/** A key for maps. `day`: days since 1970-01-01. */
export function unitName(rut: string, direction: Direction, day: number): string {
  return `${rut} ${direction} ${day}`;
}

/** Counts are stored as 64-bit integers. */
function stored(value: Value | undefined): Value {
  return typeof value === 'number' ? BigInt(value) : (value ?? null);
}

function micros(localDateTime: string): bigint | undefined {
  const timestamp = localTimestamp(localDateTime);
  return timestamp && BigInt(timestamp.micros);
}

/** A row of `cambios` on a receipt with these values. `change`: what changed. */
export function changeRow(
  run: Run,
  unit: Unit,
  table: Table,
  noticedMicros: bigint,
  values: readonly Value[],
  change: Row,
): Row {
  return {
    corrida: run.id,
    momento: noticedMicros,
    rut: unit.rut,
    direccion: unit.direction,
    fecha: dayNumber(unit.day),
    id: columnValue(table, values, 'id'),
    emisor_ruc: unit.direction === 'emitidos' ? unit.rut : columnValue(table, values, 'emisor_ruc'),
    tipo_comprobante: columnValue(table, values, 'tipo_comprobante'),
    serie: columnValue(table, values, 'serie'),
    numero: columnValue(table, values, 'numero'),
    ...change,
  };
}

function columnValue(table: Table, values: readonly Value[], name: string): Value {
  return values[indexOfColumn(table.columns, name)] ?? null;
}
