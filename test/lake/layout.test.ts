import { describe, expect, it } from 'vitest';
import { partKey, runKey } from '../../lib/audit/keys.ts';
import { dayKey, laggingFolder, stagedListsFolder, tableObject, unitKey } from '../../lib/lake/layout.ts';
import { CAMBIOS, EXPORTACIONES, RECIBIDOS } from '../../lib/lake/tables.ts';

const UNIT = { rut: '219999830019', direction: 'recibidos', day: '2026-11-18' } as const;
const RUN = { day: '2026-11-19', id: '20261119020000-nocturna' } as const;

describe('the key of an object that a table is read from', () => {
  it.each([
    [dayKey('recibidos', '2026-11-18'), RECIBIDOS, '2026-11-18'],
    ['recibidos/fecha=2026-11-18/2026-11-18.parquet', RECIBIDOS, '2026-11-18'],
    [runKey(EXPORTACIONES, RUN), EXPORTACIONES, '2026-11-19'],
    [runKey(CAMBIOS, RUN), CAMBIOS, '2026-11-19'],
    // As in lakes from before runs were closed into one object.
    [`exportaciones/fecha_corrida=2026-11-19/${RUN.id}-${UNIT.rut}-3.parquet`, EXPORTACIONES, '2026-11-19'],
  ])('%s tells its table and day', (key, table, day) => {
    expect(tableObject(key)).toEqual({ table, day });
  });

  it.each([
    `${stagedListsFolder('run', UNIT.rut, 'recibidos')}/a.parquet`,
    partKey(EXPORTACIONES, RUN, UNIT.rut, 'a'),
    unitKey('recibidos', '2026-11-18', UNIT.rut),
    `${laggingFolder('recibidos', '2026-11-19')}/a-mark`,
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
