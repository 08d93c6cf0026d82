import type { Direction } from '../units/unit.ts';

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
 * The fields of a row of `exportaciones` besides its unit, and the column of each. Those of a UnitResult have the same
 * names there.
 */
export const AUDIT_FIELDS = {
  runId: 'corrida',
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
  detailsStored: 'detalles',
  detailsRead: 'detalles_leidos',
  detailsUnread: 'detalles_sin_leer',
  error: 'error',
  startedAtSeconds: 'inicio',
  endedAtSeconds: 'fin',
  /** As `totalsJson` writes them. */
  totals: 'totales',
  companyName: 'empresa',
  isFirstReading: 'primera_lectura',
  rejected: 'rechazadas',
  /** As `unknownFieldsJson` writes them. */
  unknownFields: 'campos_desconocidos',
} as const;

export type AuditField = keyof typeof AUDIT_FIELDS;

/**
 * The row at this index of columns by name; one that was not read is null in it. A literal: an audit may have millions of
 * rows, and objects that get their fields one by one take three times as long.
 */
export function auditRow(
  rut: string,
  direction: Direction,
  dayNumber: number,
  columns: Readonly<Record<string, readonly Stored[]>>,
  index: number,
) {
  return {
    rut,
    direction,
    /** Issue date, in days since 1970-01-01. */
    dayNumber,
    runId: requiredText(columns.corrida?.[index]),
    state: requiredText(columns.estado?.[index]),
    receipts: count(columns.filas?.[index]),
    appeared: count(columns.nuevas?.[index]),
    changed: count(columns.cambiadas?.[index]),
    vanished: count(columns.desaparecidas?.[index]),
    misfits: count(columns.avisos?.[index]),
    isStable: yesOrNo(columns.estable?.[index]),
    pages: count(columns.paginas?.[index]),
    requests: count(columns.solicitudes?.[index]),
    retries: count(columns.reintentos?.[index]),
    bytes: count(columns.bytes?.[index]),
    sha256: text(columns.sha256?.[index]),
    detailState: text(columns.detalle?.[index]),
    detailReason: text(columns.detalle_motivo?.[index]),
    detailsStored: count(columns.detalles?.[index]),
    detailsRead: count(columns.detalles_leidos?.[index]),
    detailsUnread: count(columns.detalles_sin_leer?.[index]),
    error: text(columns.error?.[index]),
    startedAtSeconds: seconds(columns.inicio?.[index]),
    endedAtSeconds: seconds(columns.fin?.[index]),
    totals: text(columns.totales?.[index]),
    companyName: text(columns.empresa?.[index]),
    isFirstReading: yesOrNo(columns.primera_lectura?.[index]),
    rejected: count(columns.rechazadas?.[index]),
    unknownFields: text(columns.campos_desconocidos?.[index]),
  } satisfies Record<AuditField | 'rut' | 'direction' | 'dayNumber', unknown>;
}

/** A row of `exportaciones` as it is read. Counts are numbers. */
export type AuditRow = ReturnType<typeof auditRow>;
