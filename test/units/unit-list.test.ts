import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../lib/time/days.ts';
import {
  DIRECTIONS,
  listUnits,
  planUnits,
  type Unit,
  UnitListSchema,
  unitsOf,
} from '../../lib/units/unit.ts';

const RUT = '219999830019';

const unit = fc.record({
  rut: fc.constant(RUT),
  direction: fc.constantFrom(...DIRECTIONS),
  // Around a leap day and the turn of a year.
  day: fc.integer({ min: 0, max: 420 }).map((day) => addDays('2027-12-20', day)),
});

const inOrder = (units: readonly Unit[]) => units.map(({ day, direction }) => `${day} ${direction}`).sort();

describe('a list of units', () => {
  it('returns exactly the units that it was made of, each once, in the order of the plan', () => {
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 300 }), (units) => {
        const list = listUnits(units);
        if (list === null) throw new Error('there are units');
        const given = unitsOf(RUT, list);
        expect(inOrder(given)).toEqual([...new Set(inOrder(units))]);
        const planned = planUnits(RUT, DIRECTIONS, [...new Set(units.map(({ day }) => day))]);
        expect(given).toEqual(planned.filter((unit) => given.some((other) => isSame(unit, other))));
        expect(v.parse(UnitListSchema, JSON.parse(JSON.stringify(list)))).toEqual(list);
        expect(listUnits(given)).toEqual(list);
      }),
    );
  });

  it('is null for no units', () => {
    expect(listUnits([])).toBeNull();
  });

  it.each([
    { recibidos: ['2026-02-30'] },
    { recibidos: ['2026-02-02..2026-02-01'] },
    { recibidos: ['2026-02-01..2026-02-02..2026-02-03'] },
    { recibidos: [''] },
    { otros: ['2026-02-01'] },
  ])('is not %j', (list) => {
    expect(v.safeParse(UnitListSchema, list).success).toBe(false);
    if (!('otros' in list)) expect(() => unitsOf(RUT, list)).toThrow(TypeError);
  });
});

function isSame(a: Unit, b: Unit): boolean {
  return a.direction === b.direction && a.day === b.day;
}
