import { expect, it } from 'vitest';
import type { UnitResult } from '../../lib/export/units.ts';
import { countDetails } from '../../lib/run/detail-counts.ts';

function unit(details: Pick<UnitResult, 'detalle' | 'detalles_sin_leer'>): UnitResult {
  return {
    rut: '219999830019',
    direccion: 'emitidos',
    fecha: '2026-11-19',
    estado: 'exportado',
    avisos: 0,
    bytes: 0,
    paginas: 1,
    solicitudes: 1,
    reintentos: 0,
    inicio: '2026-11-20T02:00:00',
    fin: '2026-11-20T02:00:01',
    ...details,
  };
}

it('counts a detail as not there only where the details of its unit did not fail', () => {
  const results = [
    unit({ detalle: 'completo', detalles_sin_leer: 2 }),
    unit({ detalle: 'fallido', detalles_sin_leer: 50 }),
    unit({ detalle: 'omitido' }),
    unit({}),
  ];
  expect(countDetails(results, 7)).toEqual({ read: 7, notThere: 2, unitsWithout: 2 });
  expect(countDetails([unit({})], 0)).toBeUndefined();
});
