import type { Row, RowBatch, Value } from '../lake/parquet/writer.ts';
import { localTimestamp } from '../lake/rows/fields.ts';
import { unknownFieldsJson } from '../lake/rows/unknown-fields.ts';
import { type Column, EXPORTACIONES, indexOfColumn } from '../lake/tables.ts';
import { dayFromNumber, dayNumber } from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/direction.ts';
import { isTwelveDigits } from '../units/rut.ts';
import type { Unit, UnitResult } from '../units/unit.ts';
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

/** Rows as a file with these columns has them. */
export function batchOf(columns: readonly Column[], rows: readonly Row[]): RowBatch {
  return { rowCount: rows.length, columns: columns.map(({ name }) => rows.map((row) => row[name] ?? null)) };
}

/** Reads the rows of a batch of these columns. One with an unknown direction is left out. */
export function* parseRows(columns: readonly Column[], batch: RowBatch): Generator<AuditRow> {
  const valuesOf = (name: string) => batch.columns[indexOfColumn(columns, name)];
  const [ruts = [], directions = [], days = []] = ['rut', 'direccion', 'fecha'].map(valuesOf);
  const stored = FIELDS.flatMap(([field, { column, read }]) => {
    const values = valuesOf(column);
    return values === undefined ? [] : [{ field, read, values }];
  });
  for (let index = 0; index < batch.rowCount; index += 1) {
    const [rut, day] = [ruts[index], days[index]];
    const direction = DIRECTIONS.find((known) => known === directions[index]);
    if (direction === undefined || typeof rut !== 'string' || typeof day !== 'number') continue;
    const row: AuditRow = { rut, direction, dayNumber: day, ...NOTHING_READ };
    // Set in place: a copy for each field would take twice as long, and an audit may have millions of rows.
    const fields: Record<string, AuditRow[keyof AuditRow]> = row;
    for (const { field, read, values } of stored) fields[field] = read(values[index]);
    yield row;
  }
}

/** A key for maps. `day`: days since 1970-01-01. */
export function unitName(rut: string, direction: Direction, day: number): string {
  return `${rut} ${direction} ${day}`;
}

/** Undefined for the name of no unit. */
export function parseUnitName(name: string): Unit | undefined {
  const [rut, of, day = ''] = name.split(' ');
  const direction = DIRECTIONS.find((known) => known === of);
  return direction !== undefined && isTwelveDigits(rut)
    ? { rut, direction, day: dayFromNumber(Number(day)) }
    : undefined;
}

/** Counts are stored as 64-bit integers. */
function stored(value: Value | undefined): Value {
  return typeof value === 'number' ? BigInt(value) : (value ?? null);
}

function micros(localDateTime: string): bigint | undefined {
  const timestamp = localTimestamp(localDateTime);
  return timestamp && BigInt(timestamp.micros);
}
