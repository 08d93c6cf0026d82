import type { Direction } from '../api/directions.ts';

/** A row of `exportaciones` as it is read. Counts are numbers; a column that was not read is null. */
export interface AuditRow {
  rut: string;
  direction: Direction;
  /** Issue date, in days since 1970-01-01. */
  dayNumber: number;
  runId: string;
  state: string;
  receipts: number | null;
  appeared: number | null;
  changed: number | null;
  vanished: number | null;
  misfits: number | null;
  isStable: boolean | null;
  pages: number | null;
  requests: number | null;
  retries: number | null;
  bytes: number | null;
  sha256: string | null;
  detailState: string | null;
  detailReason: string | null;
  error: string | null;
  /** When it began and ended, in whole seconds since 1970-01-01T00:00:00, both in Uruguay's local time. */
  startedAtSeconds: number | null;
  endedAtSeconds: number | null;
  /** As `totalsJson` writes them. */
  totals: string | null;
  companyName: string | null;
}

/** The column of each field. Besides it, only `rowOf` and `parseRow` know both kinds of names. */
export const AUDIT_COLUMNS = {
  runId: 'corrida',
  rut: 'rut',
  direction: 'direccion',
  dayNumber: 'fecha',
  state: 'estado',
  receipts: 'filas',
  appeared: 'nuevas',
  changed: 'cambiadas',
  vanished: 'desaparecidas',
  misfits: 'avisos',
  isStable: 'estable',
  pages: 'paginas',
  requests: 'solicitudes',
  retries: 'reintentos',
  bytes: 'bytes',
  sha256: 'sha256',
  detailState: 'detalle',
  detailReason: 'detalle_motivo',
  error: 'error',
  startedAtSeconds: 'inicio',
  endedAtSeconds: 'fin',
  totals: 'totales',
  companyName: 'empresa',
} as const satisfies Record<keyof AuditRow, string>;
