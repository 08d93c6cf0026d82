import { describe, expect, it } from 'vitest';
import { auditPartKey, changesPartKey, runKey } from '../../lib/audit/keys.ts';
import { newRun } from '../../lib/export/run.ts';
import { dayKey, isWritten, markKey, tableObject, unitKey } from '../../lib/lake/layout.ts';
import { CAMBIOS, EXPORTACIONES, RECIBIDOS } from '../../lib/lake/tables.ts';

const UNIT = { rut: '219999830019', direction: 'recibidos', day: '2026-11-18' } as const;
const RUN = { day: '2026-11-19', id: '20261119020000-nocturna' } as const;

describe('the key of an object that a table is read from', () => {
  it.each([
    [dayKey('recibidos', '2026-11-18'), RECIBIDOS, '2026-11-18'],
    [runKey(EXPORTACIONES, RUN), EXPORTACIONES, '2026-11-19'],
    [runKey(CAMBIOS, RUN), CAMBIOS, '2026-11-19'],
  ])('%s tells its table and day', (key, table, day) => {
    expect(tableObject(key)).toEqual({ table, day });
  });

  it.each([
    `.staging/run/${UNIT.rut}/recibidos/a.parquet`,
    auditPartKey(RUN, 'a', UNIT.rut),
    unitKey('recibidos', '2026-11-18', UNIT.rut),
    markKey('recibidos', '2026-11-19', 'a-mark'),
    'recibidos/a.parquet',
    'recibidos/fecha=2026-11-18/a.parquet.part',
    'recibidos/fecha=2026-11-18/.parquet',
    'recibidos/fecha=2026-11-18/..parquet',
    'recibidos/fecha=2026-02-30/a.parquet',
    'recibidos/fecha=2026-11-18/a.parquet\n',
    'cambios/fecha=2026-11-18/a.parquet',
    'facturas/fecha=2026-11-18/a.parquet',
    '/recibidos/fecha=2026-11-18/a.parquet',
    '../recibidos/fecha=2026-11-18/a.parquet',
    'constructor/fecha=2026-11-18/a.parquet',
  ])('%j is none', (key) => {
    expect(tableObject(key)).toBeUndefined();
  });
});

describe('a name that the program writes', () => {
  const UUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  it.each([
    dayKey('emitidos_detalle', UNIT.day),
    unitKey('recibidos', UNIT.day, UNIT.rut),
    runKey(EXPORTACIONES, RUN),
    runKey(CAMBIOS, newRun(Date.parse('2026-11-20T05:00:00Z'))),
    auditPartKey(RUN, UUID.slice(0, 13), UNIT.rut, '219999830027'),
    changesPartKey(RUN, UNIT, UUID.replaceAll('-', '')),
    '.source/source.json',
  ])('is told from what stands beside it: %s', (key) => {
    expect(isWritten(key)).toBe(true);
    if (key.startsWith('.source/')) return;
    const [stem, extension] = [key.replace(/\.\w+$/, ''), key.slice(key.lastIndexOf('.'))];
    for (const suffix of [
      '-PC-DE-ANA',
      '-pc',
      ' (1)',
      ' 2',
      '_1',
      '.sync-conflict-20261120-1',
      ' copia',
      '-1',
      'a',
    ]) {
      expect(isWritten(`${stem}${suffix}${extension}`)).toBe(false);
      expect(isWritten(key.replace(/\/([^/]+)$/, `${suffix}/$1`))).toBe(false);
    }
    for (const other of [`${key}.part`, `${key}~`]) expect(isWritten(other)).toBe(false);
  });
});
