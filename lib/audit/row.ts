import { DIRECTIONS, type Direction } from '../api/directions.ts';
import type { UnitResult } from '../export/units.ts';
import type { Row, Value } from '../lake/parquet/writer.ts';
import { localTimestamp } from '../lake/rows/fields.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { dayNumber } from '../time/days.ts';
import { AUDIT_COLUMNS, type AuditRow } from './columns.ts';
import type { Run } from './keys.ts';
import { totalsJson } from './type-totals.ts';

const UNIT_NAMES = ['rut', 'direction', 'dayNumber'] as const;

/** The columns of these names, and those that identify the unit. */
export function auditColumns(names: readonly (keyof AuditRow)[]) {
  const wanted = new Set<string>(([...UNIT_NAMES, ...names] as const).map((name) => AUDIT_COLUMNS[name]));
  return EXPORTACIONES.columns.filter(({ name }) => wanted.has(name));
}

/** The row of a result, by column name. */
export function rowOf(run: Run, result: UnitResult): Row {
  return {
    corrida: run.id,
    rut: result.rut,
    direccion: result.direction,
    fecha: dayNumber(result.day),
    estado: result.state,
    filas: count(result.receipts),
    nuevas: count(result.appeared),
    cambiadas: count(result.changed),
    desaparecidas: count(result.vanished),
    avisos: count(result.misfits),
    estable: result.isStable ?? null,
    paginas: count(result.pages),
    solicitudes: count(result.requests),
    reintentos: count(result.retries),
    bytes: count(result.bytes),
    sha256: result.sha256 ?? null,
    detalle: result.detailState ?? null,
    detalle_motivo: result.detailReason ?? null,
    detalles: count(result.detailsStored),
    detalles_leidos: count(result.detailsRead),
    detalles_sin_leer: count(result.detailsUnread),
    error: result.error ?? null,
    inicio: moment(result.startedAt),
    fin: moment(result.endedAt),
    totales: result.totals === undefined ? null : totalsJson(result.totals),
    empresa: result.companyName ?? null,
  };
}

/** Reads a row given by column name. Undefined if the direction is unknown. */
export function parseRow(row: Readonly<Record<string, Value>>): AuditRow | undefined {
  const direction = DIRECTIONS.find((known) => known === row.direccion);
  if (direction === undefined || typeof row.fecha !== 'number') return undefined;
  return {
    rut: text(row.rut) ?? '',
    direction,
    dayNumber: row.fecha,
    runId: text(row.corrida) ?? '',
    state: text(row.estado) ?? '',
    receipts: number(row.filas),
    appeared: number(row.nuevas),
    changed: number(row.cambiadas),
    vanished: number(row.desaparecidas),
    misfits: number(row.avisos),
    isStable: typeof row.estable === 'boolean' ? row.estable : null,
    pages: number(row.paginas),
    requests: number(row.solicitudes),
    retries: number(row.reintentos),
    bytes: number(row.bytes),
    sha256: text(row.sha256),
    detailState: text(row.detalle),
    detailReason: text(row.detalle_motivo),
    error: text(row.error),
    startedAtSeconds: seconds(row.inicio),
    endedAtSeconds: seconds(row.fin),
    totals: text(row.totales),
    companyName: text(row.empresa),
  };
}

/** A key for maps. `day`: days since 1970-01-01. */
export function unitName(rut: string, direction: Direction, day: number): string {
  return `${rut} ${direction} ${day}`;
}

function count(value: number | undefined): Value {
  return value === undefined ? null : BigInt(value);
}

function moment(localDateTime: string): Value {
  const timestamp = localTimestamp(localDateTime);
  return timestamp === undefined ? null : BigInt(timestamp.micros);
}

function number(value: Value | undefined): number | null {
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : null;
}

function text(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function seconds(value: Value | undefined): number | null {
  return typeof value === 'bigint' ? Number(value / 1_000_000n) : null;
}
