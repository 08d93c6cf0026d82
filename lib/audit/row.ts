import { DIRECTIONS, type Direction } from '../api/directions.ts';
import type { UnitResult } from '../export/units.ts';
import type { Row, Value } from '../lake/parquet/writer.ts';
import { localTimestamp } from '../lake/rows/fields.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { dayNumber } from '../time/days.ts';
import type { Run } from './keys.ts';
import { totalsJson } from './type-totals.ts';

/** A row of `exportaciones`, by column name. Counts are numbers; a column that was not read is null. */
export interface AuditRow extends Record<AuditCount, number | null>, Record<AuditText, string | null> {
  rut: string;
  direccion: Direction;
  /** Issue date, in days since 1970-01-01. */
  fecha: number;
  corrida: string;
  estado: string;
  estable: boolean | null;
  /** When it began and ended, in whole seconds since 1970-01-01T00:00:00 of Uruguay's clock. */
  inicio: number | null;
  fin: number | null;
}

type AuditCount =
  | 'filas'
  | 'nuevas'
  | 'cambiadas'
  | 'desaparecidas'
  | 'avisos'
  | 'paginas'
  | 'solicitudes'
  | 'reintentos'
  | 'bytes';
type AuditText = 'sha256' | 'detalle' | 'detalle_motivo' | 'error' | 'totales' | 'empresa';

/** The columns of these names, and those that identify the unit. */
export function auditColumns(names: readonly (keyof AuditRow)[]) {
  const wanted: readonly string[] = ['rut', 'direccion', 'fecha', ...names];
  return EXPORTACIONES.columns.filter(({ name }) => wanted.includes(name));
}

export function rowOf(run: Run, result: UnitResult): Row {
  return {
    corrida: run.id,
    rut: result.rut,
    direccion: result.direction,
    fecha: dayNumber(result.day),
    estado: result.estado,
    filas: count(result.filas),
    nuevas: count(result.nuevas),
    cambiadas: count(result.cambiadas),
    desaparecidas: count(result.desaparecidas),
    avisos: count(result.avisos),
    estable: result.estable ?? null,
    paginas: count(result.paginas),
    solicitudes: count(result.solicitudes),
    reintentos: count(result.reintentos),
    bytes: count(result.bytes),
    sha256: result.sha256 ?? null,
    detalle: result.detalle ?? null,
    detalle_motivo: result.detalle_motivo ?? null,
    detalles: count(result.detalles),
    detalles_leidos: count(result.detalles_leidos),
    detalles_sin_leer: count(result.detalles_sin_leer),
    error: result.error ?? null,
    inicio: moment(result.inicio),
    fin: moment(result.fin),
    totales: result.totales === undefined ? null : totalsJson(result.totales),
    empresa: result.empresa ?? null,
  };
}

/** Undefined if the direction is unknown. */
export function parseRow(row: Readonly<Record<string, Value>>): AuditRow | undefined {
  const direccion = DIRECTIONS.find((known) => known === row.direccion);
  if (direccion === undefined || typeof row.fecha !== 'number') return undefined;
  return {
    rut: text(row.rut) ?? '',
    direccion,
    fecha: row.fecha,
    corrida: text(row.corrida) ?? '',
    estado: text(row.estado) ?? '',
    filas: number(row.filas),
    nuevas: number(row.nuevas),
    cambiadas: number(row.cambiadas),
    desaparecidas: number(row.desaparecidas),
    avisos: number(row.avisos),
    estable: typeof row.estable === 'boolean' ? row.estable : null,
    paginas: number(row.paginas),
    solicitudes: number(row.solicitudes),
    reintentos: number(row.reintentos),
    bytes: number(row.bytes),
    sha256: text(row.sha256),
    detalle: text(row.detalle),
    detalle_motivo: text(row.detalle_motivo),
    error: text(row.error),
    inicio: seconds(row.inicio),
    fin: seconds(row.fin),
    totales: text(row.totales),
    empresa: text(row.empresa),
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
