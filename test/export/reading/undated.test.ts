import { expect, it } from 'vitest';
import { noFacts } from '../../../lib/export/reading/service-facts.ts';
import { LISTED_ON } from '../../support/api/fake-api.ts';
import { CompanyWorld } from '../../support/export/company-world.ts';
import { DAY, received } from '../../support/export/unit-world.ts';

const UNDATED = 990_000;

/** Three days of five receipts, the last one with a receipt more that has no valid day. */
function worldOf(provedWidthDays: number, isEndDateInclusive: boolean): CompanyWorld {
  const world = new CompanyWorld([5, 5, 5]);
  const known = { longestPage: 100, isAnyPageSizeHonoured: true, deepestRow: 1_000 };
  world.facts.recibidos = { ...noFacts(), ...known, provedWidthDays, isEndDateInclusive };
  world.listed.push(received(UNDATED, { fecha_emision: '2026-02-30', [LISTED_ON]: `${DAY}T00:00:00` }));
  return world;
}

it('a receipt without a valid day fails its day by name, alone, where no list of that day shows it', async () => {
  const world = worldOf(4, false);
  world.api.upperBound = 'nothing';
  const { results } = await world.export();
  const failed = results.filter(({ state }) => state === 'fallido');
  expect(failed).toMatchObject([{ day: DAY, error: expect.stringContaining('no valid issue date') }]);
});

it('a receipt that the list of several days had, and narrower ones lack, is kept, and the day is said to have changed', async () => {
  const world = worldOf(4, true);
  const [first = DAY] = world.days;
  const held = world.held(first);
  // The list of three days takes two requests.
  world.api.beforeAnswer = (request) => {
    if (request === 3) world.listed = world.listed.filter(({ id }) => id !== held[0]);
  };
  const { results } = await world.export();
  expect(results.find(({ day }) => day === first)).toMatchObject({ state: 'exportado', isStable: false });
  expect(await world.stored(first)).toEqual(held);
});
