import { expect, it } from 'vitest';
import type { ExportTools } from '../../lib/export/export-tools.ts';
import { noFacts } from '../../lib/export/reading/facts.ts';
import { unitKey } from '../../lib/lake/layout.ts';
import type { UnitResult } from '../../lib/units/unit.ts';
import { CompanyWorld, requestsOf } from '../support/export/company-world.ts';
import { RUT } from '../support/export/unit-world.ts';

/**
 * A company whose oldest day is stored, and a service that was shown to answer wide lists whole, and leaves them empty
 * by now. Only the stored day shows that, when it is asked for alone.
 */
async function silencedWorld() {
  const world = new CompanyWorld([3, 5, 4]);
  await world.export({}, {}, world.days.slice(0, 1));
  world.facts.recibidos = { ...noFacts(), isBoundWhole: true, longestPage: 100, provedWidthDays: 9 };
  world.api.widestRange = { days: 2, over: 'empty' };
  const told: string[] = [];
  const exported = (changes: Partial<ExportTools> = {}) =>
    world.export(changes, { onUnitEnd: ({ day }) => told.push(day) });
  return { world, told, exported };
}

it('all days of a list that lacked a stored receipt are read again, told once, and all requests counted', async () => {
  const { world, told, exported } = await silencedWorld();
  const { results, remaining } = await exported();
  expect([remaining, results.map(({ receipts }) => receipts).sort()]).toEqual([[], [3, 4, 5]]);
  for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
  expect(told.sort()).toEqual(world.days);
  expect(requestsOf(results)).toBe(world.api.requestCount);
});

it('a day that ends twice began with its first reading: what another run found since is later', async () => {
  const { world } = await silencedWorld();
  const first = new Map<string, string>();
  const onUnitEnd = ({ day, startedAt }: UnitResult) => void first.set(day, startedAt);
  world.api.onList = () => void world.clock.advance(5_000);
  const { results } = await world.export({}, { onUnitEnd });
  expect(new Map(results.map(({ day, startedAt }) => [day, startedAt]))).toEqual(first);
});

it('none of them has ended where there was no time for that', async () => {
  const { world, exported } = await silencedWorld();
  const { results, remaining, uncounted } = await exported({
    isTimeUp: () => world.facts.recibidos.provedWidthDays === 1,
  });
  const ended = [...results, ...remaining].map(({ day }) => day);
  expect(ended.sort()).toEqual(world.days);
  for (const { day } of results) expect(await world.stored(day)).toEqual(world.held(day));
  expect(requestsOf(results) + uncounted.requests).toBe(world.api.requestCount);
});

it('a day whose object cannot be looked up then does not end the others', async () => {
  const { world, exported } = await silencedWorld();
  const key = unitKey('recibidos', world.days.at(-1) ?? '2026-11-19', RUT);
  let lookups = 0;
  const find = world.store.find.bind(world.store);
  world.store.find = async (found) => {
    if (found === key) lookups += 1;
    if (found === key && lookups === 2) throw new Error('the store is busy');
    return await find(found);
  };
  const { results } = await exported();
  expect(results.map(({ receipts }) => receipts).sort()).toEqual([3, 4, 5]);
  for (const day of world.days) expect(await world.stored(day)).toEqual(world.held(day));
});

it('a day that its own list alone shows ends the belief in any width, though another list proves one meanwhile', async () => {
  const world = new CompanyWorld([3]);
  world.api.widestRange = { days: 1, over: 'empty' };
  world.api.onList = (query) => {
    if (query.get('FechaDesde') === query.get('FechaHasta')) world.facts.recibidos.provedWidthDays = 5;
  };
  const { results } = await world.export();
  expect(results.map(({ receipts }) => receipts)).toEqual([3]);
  expect(world.facts.recibidos.provedWidthDays).toBe(1);
});
