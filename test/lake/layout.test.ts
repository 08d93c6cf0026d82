import { describe, expect, it } from 'vitest';
import { auditKey, changesKey, stagedListsFolder, tableObject, unitKey } from '../../lib/lake/layout.ts';
import { CAMBIOS, EXPORTACIONES, RECIBIDOS } from '../../lib/lake/tables.ts';

const UNIT = { rut: '219999830019', direccion: 'recibidos', fecha: '2026-11-18' };

describe('the key of an object that a table is read from', () => {
  it.each([
    [unitKey('recibidos', '2026-11-18', UNIT.rut), RECIBIDOS, '2026-11-18'],
    ['recibidos/fecha=2026-11-18/2026-11-18.parquet', RECIBIDOS, '2026-11-18'],
    [
      auditKey('exportaciones', '2026-11-19', '20261119020000-nocturna', UNIT.rut, 3),
      EXPORTACIONES,
      '2026-11-19',
    ],
    [changesKey('cambios', '2026-11-19', '20261119020000-0a1b2c3d', UNIT, 'vacio'), CAMBIOS, '2026-11-19'],
  ])('%s tells its table and day', (key, table, day) => {
    expect(tableObject(key)).toEqual({ table, day });
  });

  it.each([
    `${stagedListsFolder('run', UNIT.rut, UNIT.direccion)}/2026-11-18..2026-11-18.parquet`,
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
