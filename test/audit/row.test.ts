import { describe, expect, it } from 'vitest';
import { AUDIT_FIELDS, auditColumns, parseRows, rowOf } from '../../lib/audit/row.ts';
import { type Column, EXPORTACIONES } from '../../lib/lake/tables.ts';
import type { UnitResult } from '../../lib/units/unit.ts';
import { batchOf } from '../support/audit-row.ts';

/** Every field has a different value. */
const RESULT = {
  rut: '219999830019',
  direction: 'emitidos',
  day: '2026-11-19',
  state: 'exportado',
  receipts: 1,
  appeared: 2,
  changed: 3,
  vanished: 4,
  conversionErrors: 5,
  isStable: false,
  pages: 6,
  requests: 7,
  retries: 8,
  bytes: 9,
  sha256: 'hash',
  detailState: 'fallido',
  detailReason: 'no answer',
  detailsStored: 10,
  detailsRead: 11,
  detailsUnread: 12,
  error: 'why',
  startedAt: '1970-01-01T00:00:13',
  endedAt: '1970-01-01T00:00:14',
  totals: [],
  companyName: 'Ñandú SRL',
  isFirstReading: true,
  rejected: 15,
  unknownFields: new Map([['b', 16]]),
} as const satisfies Required<UnitResult>;

const ROW = rowOf({ id: 'run-1', day: '2026-11-20' }, RESULT);

const parsed = (columns: readonly Column[]) => [...parseRows(columns, batchOf(columns, [ROW]))][0];

describe('the codec of a result and its row in exportaciones', () => {
  it('gives every column a value', () => {
    expect(Object.keys(ROW).sort()).toEqual(EXPORTACIONES.columns.map(({ name }) => name).sort());
  });

  it('reads back what it wrote', () => {
    const {
      day: _day,
      startedAt: _start,
      endedAt: _end,
      totals: _totals,
      unknownFields: _fields,
      ...same
    } = RESULT;
    const numbers = { dayNumber: 20_776, startedAtSeconds: 13, endedAtSeconds: 14 };
    expect(parsed(EXPORTACIONES.columns)).toEqual({
      ...same,
      ...numbers,
      runId: 'run-1',
      totals: '[]',
      unknownFields: '{"b":16}',
    });
  });

  it('knows of each field which column it is read from', () => {
    const whole = parsed(EXPORTACIONES.columns);
    for (const field of AUDIT_FIELDS) {
      expect([field, parsed(auditColumns([field]))?.[field]]).toEqual([field, whole?.[field]]);
    }
  });

  it('asks for the columns of the fields that are wanted, and of the unit', () => {
    const names = auditColumns(['state', 'startedAtSeconds']).map(({ name }) => name);
    expect(names.sort()).toEqual(['direccion', 'estado', 'fecha', 'inicio', 'rut']);
  });
});
