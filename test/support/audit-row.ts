import { type AuditRow, auditColumns, parseRows } from '../../lib/audit/row.ts';
import type { Row, RowBatch } from '../../lib/lake/parquet/writer.ts';
import type { Column } from '../../lib/lake/tables.ts';

const UNIT: Readonly<Record<string, string | number>> = {
  rut: '219999830019',
  direccion: 'recibidos',
  fecha: 20_000,
};

/** A row of the audit with these fields; all others are empty. */
export function auditRow(changes: Partial<AuditRow>): AuditRow {
  const columns = auditColumns([]);
  const [row] = parseRows(columns, batchOf(columns, [UNIT]));
  if (row === undefined) throw new TypeError('a row of no unit');
  return { ...row, ...changes };
}

/** Rows as a file with these columns has them. */
export function batchOf(columns: readonly Column[], rows: readonly Row[]): RowBatch {
  return { rowCount: rows.length, columns: columns.map(({ name }) => rows.map((row) => row[name] ?? null)) };
}
