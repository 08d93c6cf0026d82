import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Direction } from '../../lib/units/unit.ts';
import type { SandboxBehaviour } from '../../sandbox/behaviour.ts';
import { failingDay, movingRows, refusing } from '../support/api/faults.ts';
import { oneIn } from '../support/campaign.ts';
import { HabitsWorld, IDLE_RUT, LARGE_RUT } from '../support/export/habits-world.ts';
import { HABITS, HARMFUL, MOVING_ROWS, PASSING_FAULTS } from '../support/export/service-behaviours.ts';

const DAY = '2026-11-19';

/** Receipts of the day; the longest list has five pages. */
const COUNTS: Record<string, Record<Direction, number>> = {
  [LARGE_RUT]: { emitidos: 430, recibidos: 110 },
  '214844360018': { emitidos: 30, recibidos: 20 },
  '218617380010': { emitidos: 3, recibidos: 100 },
  [IDLE_RUT]: { emitidos: 0, recibidos: 0 },
};

let world: HabitsWorld;
beforeAll(async () => {
  world = await HabitsWorld.start([DAY], {
    receiptsPerDay: (rut, direction) => COUNTS[rut]?.[direction] ?? 0,
  });
});
afterAll(() => world.close());

describe('the lake equals what the sandbox holds, with', () => {
  // The tests of lib/api try such faults on single requests.
  const faults = oneIn(6, Object.entries(PASSING_FAULTS));
  it.each([...oneIn(4, Object.entries(HABITS)), ...faults])('%s', async (_name, behaviour) => {
    const { results, store } = await world.exported(behaviour);
    for (const unit of results) await world.expectTruth(unit, store);
  });
});

describe('rows that come and go while they are read', () => {
  it.each(oneIn(2, MOVING_ROWS))('%s', async (_name, change) => {
    const { results, store } = await world.exported(movingRows(change));
    for (const unit of results) await world.expectTruth(unit, store);
  });
});

describe('the unit fails and its previous object stays, when', () => {
  it.each(oneIn(2, Object.entries(HARMFUL)))('%s', async (_name, { behaviour, error }) => {
    await world.expectNothingLost(behaviour, error);
  });
});

describe('one company’s trouble stays its own, when', () => {
  it.each([
    ['its token is refused', { intercept: refusing(LARGE_RUT) }, /refused the token/],
    ['its day is broken', { intercept: failingDay({ rut: LARGE_RUT, day: DAY }) }, /status 500/],
  ] satisfies [string, Partial<SandboxBehaviour>, RegExp][])('%s', async (_name, behaviour, error) => {
    const { results, store } = await world.exported(behaviour);
    for (const unit of results) {
      if (unit.rut === LARGE_RUT)
        expect(unit).toMatchObject({ state: 'fallido', error: expect.stringMatching(error) });
      else await world.expectTruth(unit, store);
    }
  });
});

it('does no harm when it is repeated', async () => {
  const first = await world.exported({});
  const again = await world.exported({ order: 'shuffled' }, first.store);
  expect(again.results.map(({ state }) => state).sort()).toEqual([
    ...Array.from({ length: 6 }, () => 'sin_cambios'),
    ...Array.from({ length: 2 }, () => 'vacio'),
  ]);
  expect(again.results.filter(({ rut }) => rut === IDLE_RUT).every(({ state }) => state === 'vacio')).toBe(
    true,
  );
});
