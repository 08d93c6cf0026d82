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
  totals: [{ type: 111, currency: 'UYU', receipts: 730, withoutTotal: 1, total: '1234567.89' }],
  companyName: 'Ñandú SRL',
  isFirstReading: true,
  rejected: 15,
  unknownFields: new Map([['b', 16]]),
} as const satisfies Required<UnitResult>;

const ROW = rowOf({ id: 'run-1', day: '2026-11-20' }, RESULT);

const parsed = (columns: readonly Column[]) => [...parseRows(columns, batchOf(columns, [ROW]))][0];

describe('the codec of a result and its row in exportaciones', () => {
  it('gives every column its value', () => {
    expect(ROW).toEqual({
      ...{ corrida: 'run-1', rut: '219999830019', direccion: 'emitidos', fecha: 20_776 },
      ...{ estado: 'exportado', filas: 1n, nuevas: 2n, cambiadas: 3n, desaparecidas: 4n, avisos: 5n },
      ...{ estable: false, paginas: 6n, solicitudes: 7n, reintentos: 8n, bytes: 9n, sha256: 'hash' },
      ...{ detalle: 'fallido', detalle_motivo: 'no answer' },
      ...{ detalles: 10n, detalles_leidos: 11n, detalles_sin_leer: 12n },
      ...{ error: 'why', inicio: 13_000_000n, fin: 14_000_000n, empresa: 'Ñandú SRL' },
      ...{ totales: '[{"tipo":111,"moneda":"UYU","comprobantes":730,"sin_total":1,"total":"1234567.89"}]' },
      ...{ primera_lectura: true, rechazadas: 15n, campos_desconocidos: '{"b":16}' },
    });
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
      totals: ROW.totales,
      unknownFields: '{"b":16}',
    });
  });

  it('knows of each field which column it is read from', () => {
    const whole = parsed(EXPORTACIONES.columns);
    for (const field of AUDIT_FIELDS) {
      expect([field, parsed(auditColumns([field]))?.[field]]).toEqual([field, whole?.[field]]);
    }
  });
});
