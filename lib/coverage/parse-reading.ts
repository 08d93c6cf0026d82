import { DONE } from '../export/missing-units.ts';
import type { Value } from '../lake/parquet/writer.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import type { Reading } from './reading.ts';

const COUNTS = [
  'filas',
  'nuevas',
  'cambiadas',
  'desaparecidas',
  'avisos',
  'paginas',
  'solicitudes',
  'reintentos',
  'bytes',
] as const;
const OTHERS = ['corrida', 'direccion', 'fecha', 'estado', 'estable', 'error', 'inicio', 'fin'];

/** The columns that `parseReading` takes, and the two that say which unit it is. */
export const READING_COLUMNS = EXPORTACIONES.columns.filter(({ name }) =>
  [...COUNTS, ...OTHERS].includes(name),
);

export function parseReading(row: Readonly<Record<string, Value>>): Reading {
  const counts = COUNTS.map((name) => [name, numberOf(row[name])] as const);
  return {
    // Every name of COUNTS is there.
    ...(Object.fromEntries(counts) as Pick<Reading, (typeof COUNTS)[number]>),
    corrida: textOf(row.corrida) ?? '',
    estado: textOf(row.estado) ?? '',
    estable: typeof row.estable === 'boolean' ? row.estable : null,
    error: textOf(row.error),
    inicio: secondsOf(row.inicio),
    fin: secondsOf(row.fin),
  };
}

/** Whether the list was read whole and stored. */
export function isGood({ estado }: Reading): boolean {
  return DONE.has(estado);
}

/**
 * Greater than 0 when `a` is the newer. `inicio` counts whole seconds: of two within one, that which did not fail
 * holds; then the run's id, so that the order in which objects are read makes no difference.
 */
export function compareReadings(a: Reading, b: Reading): number {
  return (
    (a.inicio ?? -1) - (b.inicio ?? -1) ||
    Number(isGood(a)) - Number(isGood(b)) ||
    Number(a.corrida > b.corrida) - Number(a.corrida < b.corrida)
  );
}

function numberOf(value: Value | undefined): number | null {
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : null;
}

function textOf(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function secondsOf(value: Value | undefined): number | null {
  return typeof value === 'bigint' ? Number(value / 1_000_000n) : null;
}
