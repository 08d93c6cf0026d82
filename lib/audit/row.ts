import { DIRECTIONS, type Direction } from '../api/directions.ts';
import type { Row, Value } from '../lake/parquet/writer.ts';
import { localTimestamp } from '../lake/rows/fields.ts';
import { unknownFieldsJson } from '../lake/rows/unknown-fields.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { dayNumber } from '../time/days.ts';
import type { UnitResult } from '../units.ts';
import { AUDIT_FIELDS, type AuditField, type AuditFields, type AuditRow } from './columns.ts';
import type { Run } from './keys.ts';
import { totalsJson } from './type-totals.ts';

const FIELDS = Object.entries(AUDIT_FIELDS);
const NOTHING_READ = Object.fromEntries(
  FIELDS.map(([field, { read }]) => [field, read(undefined)]),
) as AuditFields;

/** The columns of these fields, and those that identify the unit. */
export function auditColumns(fields: readonly AuditField[]) {
  const wanted = new Set<string>([
    'rut',
    'direccion',
    'fecha',
    ...fields.map((name) => AUDIT_FIELDS[name].column),
  ]);
  return EXPORTACIONES.columns.filter(({ name }) => wanted.has(name));
}

/** The row of a result, by column name. */
export function rowOf(run: Run, result: UnitResult): Row {
  const { rut, direction, day, startedAt, endedAt, totals, unknownFields, ...same } = result;
  const fields: Readonly<Record<string, Value | undefined>> = {
    ...same,
    runId: run.id,
    startedAtSeconds: micros(startedAt),
    endedAtSeconds: micros(endedAt),
    totals: totals && totalsJson(totals),
    unknownFields: unknownFields && unknownFieldsJson(unknownFields),
  };
  const columns = FIELDS.map(([field, { column }]) => [column, stored(fields[field])] as const);
  return { rut, direccion: direction, fecha: dayNumber(day), ...Object.fromEntries(columns) };
}

/** Reads a row, given as the value of each column. Undefined if the direction is unknown. */
export function parseRow(valueIn: (column: string) => Value | undefined): AuditRow | undefined {
  const direction = DIRECTIONS.find((known) => known === valueIn('direccion'));
  const [rut, day] = [valueIn('rut'), valueIn('fecha')];
  if (direction === undefined || typeof rut !== 'string' || typeof day !== 'number') return undefined;
  const row: AuditRow = { rut, direction, dayNumber: day, ...NOTHING_READ };
  // Set in place: a copy for each field would take twice as long, and an audit may have millions of rows.
  const fields: Record<string, AuditRow[keyof AuditRow]> = row;
  for (const [field, { column, read }] of FIELDS) fields[field] = read(valueIn(column));
  return row;
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
