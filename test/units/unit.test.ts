import { expect, it } from 'vitest';
import { planUnits } from '../../lib/units/unit.ts';
import { RUT } from '../support/api/api-client.ts';

it('the plan of a company has a unit for each day and direction, the newest day first', () => {
  const days = ['2026-01-31', '2026-02-01', '2025-12-31'] as const;
  const units = planUnits(RUT, ['recibidos', 'emitidos'], days);
  expect(units.map(({ day, direction }) => `${day} ${direction}`)).toEqual([
    '2026-02-01 recibidos',
    '2026-02-01 emitidos',
    '2026-01-31 recibidos',
    '2026-01-31 emitidos',
    '2025-12-31 recibidos',
    '2025-12-31 emitidos',
  ]);
  expect(units.every(({ rut }) => rut === RUT)).toBe(true);
  expect(days).toEqual(['2026-01-31', '2026-02-01', '2025-12-31']);
});
