import type { Direction } from '../units/direction.ts';

/** A stored value, as the writers of Parquet take it; undefined for a column that was not read. */
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
 * The fields of a row of `exportaciones` besides its unit: the column of each, and how its value is read. Those of a
 * UnitResult have the same names there.
 */
export const AUDIT_FIELDS = {
  runId: { column: 'corrida', read: requiredText },
  state: { column: 'estado', read: requiredText },
  receipts: { column: 'filas', read: count },
  appeared: { column: 'nuevas', read: count },
  changed: { column: 'cambiadas', read: count },
  vanished: { column: 'desaparecidas', read: count },
  misfits: { column: 'avisos', read: count },
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
  /** As `totalsJson` writes them. */
  totals: { column: 'totales', read: text },
  companyName: { column: 'empresa', read: text },
  isFirstReading: { column: 'primera_lectura', read: yesOrNo },
  rejected: { column: 'rechazadas', read: count },
  /** As `unknownFieldsJson` writes them. */
  unknownFields: { column: 'campos_desconocidos', read: text },
} as const;

export type AuditField = keyof typeof AUDIT_FIELDS;

export type AuditFields = { [Field in AuditField]: ReturnType<(typeof AUDIT_FIELDS)[Field]['read']> };

/** A row of `exportaciones` as it is read. Counts are numbers; a column that was not read is null. */
export type AuditRow = AuditFields & {
  rut: string;
  direction: Direction;
  /** Issue date, in days since 1970-01-01. */
  dayNumber: number;
};
