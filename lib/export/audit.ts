import { auditKey } from '../lake/layout.ts';
import { type Row, rowsOf } from '../lake/parquet/records.ts';
import type { ParquetWriter, Value } from '../lake/parquet/writer.ts';
import { localTimestamp } from '../lake/rows/timestamp.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { dayNumber } from '../time/days.ts';
import type { UnitResult } from './unit-result.ts';

/** A run: the units of one invocation, under one id. */
export interface Run {
  id: string;
  /** The day in Uruguay on which it began. */
  day: string;
}

/** Writes what one company's worker did: one row a unit. `part` counts the invocations that the run took. */
export async function writeAudit(
  store: LakeStore,
  writer: ParquetWriter,
  run: Run,
  rut: string,
  part: number,
  results: readonly UnitResult[],
): Promise<void> {
  if (results.length === 0) return;
  const { columns } = EXPORTACIONES;
  const rows = rowsOf(
    columns,
    results.map((result) => auditRow(run, result)),
  );
  const key = auditKey(EXPORTACIONES.name, run.day, run.id, rut, part);
  const expected = await store.find(key);
  await store.replace(key, writer({ columns, rows, metadata: {} }), { metadata: {}, expected });
}

function auditRow(run: Run, result: UnitResult): Row {
  return {
    corrida: run.id,
    rut: result.rut,
    direccion: result.direccion,
    fecha: dayNumber(result.fecha),
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
  };
}

function count(value: number | undefined): Value {
  return value === undefined ? null : BigInt(value);
}

function moment(localDateTime: string): Value {
  const timestamp = localTimestamp(localDateTime);
  return timestamp === undefined ? null : BigInt(timestamp.micros);
}
