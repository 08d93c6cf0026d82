import { type AuditRow, auditColumns, batchOf, parseRows } from '../../lib/audit/row.ts';

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
