import { describe, expect, it } from 'vitest';
import { AUDIT_FIELDS, auditColumns, changeRow, parseRows, rowOf } from '../../lib/audit/row.ts';
import type { Row } from '../../lib/lake/parquet/writer.ts';
import { type Column, EXPORTACIONES, TABLE_OF } from '../../lib/lake/tables.ts';
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
  startedAt: '1970-01-01T00:00:13.999999',
  endedAt: '1970-01-01T00:00:14',
  totals: [{ type: 111, currency: 'UYU', receipts: 730, withoutTotal: 1, total: '1234567.89' }],
  companyName: 'Ñandú SRL',
  isFirstReading: true,
  rejected: 15,
  unknownFields: new Map([['b', 16]]),
} as const satisfies Required<UnitResult>;

const RUN = { id: 'run-1', day: '2026-11-20' } as const;
const NOTHING = Object.fromEntries(AUDIT_FIELDS.map((field) => [field, null]));

const parsed = (columns: readonly Column[], result: UnitResult = RESULT) =>
  [...parseRows(columns, batchOf(columns, [rowOf(RUN, result)]))][0];

describe('the codec of a result and its row in exportaciones', () => {
  it('gives every column its value', () => {
    const row = rowOf(RUN, RESULT);
    expect(row).toEqual({
      corrida: 'run-1',
      rut: '219999830019',
      direccion: 'emitidos',
      fecha: 20_776,
      estado: 'exportado',
      filas: 1n,
      nuevas: 2n,
      cambiadas: 3n,
      desaparecidas: 4n,
      avisos: 5n,
      estable: false,
      paginas: 6n,
      solicitudes: 7n,
      reintentos: 8n,
      bytes: 9n,
      sha256: 'hash',
      detalle: 'fallido',
      detalle_motivo: 'no answer',
      detalles: 10n,
      detalles_leidos: 11n,
      detalles_sin_leer: 12n,
      error: 'why',
      inicio: 13_999_999n,
      fin: 14_000_000n,
      empresa: 'Ñandú SRL',
      totales: '[{"tipo":111,"moneda":"UYU","comprobantes":730,"sin_total":1,"total":"1234567.89"}]',
      primera_lectura: true,
      rechazadas: 15n,
      campos_desconocidos: '{"b":16}',
    });
    expect(Object.keys(row).sort()).toEqual(EXPORTACIONES.columns.map(({ name }) => name).sort());
  });

  it('reads back what it wrote', () => {
    const { day: _day, startedAt: _start, endedAt: _end, ...same } = RESULT;
    expect(parsed(EXPORTACIONES.columns)).toEqual({
      ...same,
      runId: 'run-1',
      dayNumber: 20_776,
      startedAtSeconds: 13,
      endedAtSeconds: 14,
      totals: '[{"tipo":111,"moneda":"UYU","comprobantes":730,"sin_total":1,"total":"1234567.89"}]',
      unknownFields: '{"b":16}',
    });
  });

  it('knows of each field which column it is read from', () => {
    const whole = parsed(EXPORTACIONES.columns);
    for (const field of AUDIT_FIELDS) {
      expect(parsed(auditColumns([field]))?.[field], field).toEqual(whole?.[field]);
    }
  });

  it('has nothing for what a result lacks, and reads it as nothing', () => {
    const { rut, direction, day, startedAt, endedAt } = RESULT;
    const counts = { conversionErrors: 0, pages: 0, requests: 0, retries: 0, bytes: 0 };
    const result = { rut, direction, day, state: 'fallido', ...counts, startedAt, endedAt } as const;
    expect(parsed(EXPORTACIONES.columns, result)).toEqual({
      ...NOTHING,
      rut,
      direction,
      dayNumber: 20_776,
      runId: 'run-1',
      state: 'fallido',
      ...counts,
      startedAtSeconds: 13,
      endedAtSeconds: 14,
    });
  });

  it('reads columns that an older object lacks as nothing, and leaves out rows of no unit', () => {
    const columns = auditColumns([]);
    const unit = { rut: '219999830019', direccion: 'emitidos', fecha: 20_776 };
    const rows = [unit, { ...unit, direccion: 'otra' }, { ...unit, rut: null }, { ...unit, fecha: null }];
    expect(columns.map(({ name }) => name)).toEqual(['rut', 'direccion', 'fecha']);
    expect([...parseRows(columns, batchOf(columns, rows))]).toEqual([
      {
        ...NOTHING,
        runId: '',
        state: '',
        rut: '219999830019',
        direction: 'emitidos',
        dayNumber: 20_776,
      },
    ]);
  });
});

it.each(['recibidos', 'emitidos'] as const)(
  'a row of cambios has the run, the unit and the key of the receipt: %s',
  (direction) => {
    const table = TABLE_OF[direction];
    const key = { id: 7n, tipo_comprobante: 111, serie: 'A', numero: 12n };
    const receipt: Row = { ...key, emisor_ruc: '214844360018' };
    const values = table.columns.map(({ name }) => receipt[name] ?? null);
    const unit = { rut: '219999830019', direction, day: '2026-11-19' } as const;
    expect(changeRow(RUN, unit, table, 5n, values, { cambio: 'aparecio' })).toEqual({
      corrida: 'run-1',
      momento: 5n,
      rut: unit.rut,
      direccion: direction,
      fecha: 20_776,
      ...key,
      emisor_ruc: direction === 'emitidos' ? unit.rut : '214844360018',
      cambio: 'aparecio',
    });
    const nothing = { emisor_ruc: null, tipo_comprobante: null, serie: null, numero: null };
    expect(changeRow(RUN, { ...unit, direction: 'recibidos' }, TABLE_OF.recibidos, 5n, [], {})).toMatchObject(
      nothing,
    );
  },
);
