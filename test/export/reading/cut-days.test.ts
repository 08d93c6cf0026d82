import { describe, expect, it } from 'vitest';
import { newFacts } from '../../../lib/export/reading/facts.ts';
import { addDays } from '../../../lib/time/days.ts';
import { LISTED_ON } from '../../support/api/fake-api.ts';
import { CompanyWorld, receiptOf } from '../../support/export/company-world.ts';
import { DAY, received } from '../../support/export/unit-world.ts';

/** A service that shows the first 50 rows of any list, and days that have more. */
function worldOf(counts: readonly number[], isBoundWhole = true): CompanyWorld {
  const world = new CompanyWorld(counts);
  world.facts.recibidos.isBoundWhole = isBoundWhole;
  world.api.resultWindow = 50;
  return world;
}

const NEXT = addDays(DAY, 1);

/** Rows of the day, one of them in the evening: a list that has all of these has the whole day. */
function dayOf(count: number) {
  const evening = { fecha_emision: `${DAY}T22:00:00` };
  return Array.from({ length: count }, (_, row) =>
    row === 0 ? received(1, evening) : receiptOf(DAY, row + 1),
  );
}

it('divides a day of as many rows as may be shown, where no list over more days is answered', async () => {
  const world = worldOf([60]);
  world.api.widestRange = { days: 1, over: 'status500' };
  const { results } = await world.export();
  expect(await world.stored(DAY)).toEqual(world.held(DAY));
  expect(results).toMatchObject([{ isStable: true }]);
});

it('divides a day without the next one, whose rows nothing divides', async () => {
  const world = worldOf([0], false);
  const ofNext = Array.from({ length: 60 }, (_, row) => ({
    ...receiptOf(NEXT, 1_000 + row),
    tipo_comprobante: 101,
    numero: 1_000,
  }));
  world.listed = [...dayOf(60), ...ofNext];
  const { results } = await world.export();
  expect(await world.stored(DAY)).toEqual(world.held(DAY));
  expect(results).toMatchObject([{ isStable: true }]);
});

describe('where filters are refused', () => {
  it('keeps what the own list of a day shows more than the one with the next day, and tells it', async () => {
    const world = worldOf([0], false);
    world.api.typesRefused = 400;
    const own = dayOf(60);
    // The newest first, as some services list them.
    world.listed = [...Array.from({ length: 40 }, (_, row) => receiptOf(NEXT, 1_000 + row)), ...own];
    const { results } = await world.export();
    expect(await world.stored(DAY)).toEqual(own.slice(0, 50).map(({ id }) => id));
    expect(results).toMatchObject([{ isStable: false }]);
  });

  it('calls nothing gone that the list does not show any more', async () => {
    const world = worldOf([60]);
    world.api.resultWindow = Number.POSITIVE_INFINITY;
    await world.export();
    // What a run saw of the service is forgotten at its end.
    world.facts = newFacts();
    world.api.resultWindow = 50;
    world.api.typesRefused = 400;
    expect((await world.export()).results).toMatchObject([{ isStable: false, vanished: 0 }]);
    expect(await world.stored(DAY)).toEqual(world.held(DAY));
  });
});

it('calls no receipt without a number gone, since numbers do not divide them', async () => {
  const world = worldOf([120]);
  for (const receipt of world.listed) receipt.tipo_comprobante = 101;
  for (const receipt of world.listed) if (receipt.id % 4 === 0) receipt.numero = undefined;
  world.api.resultWindow = Number.POSITIVE_INFINITY;
  await world.export();
  world.facts = newFacts();
  world.api.resultWindow = 50;
  expect((await world.export()).results).toMatchObject([{ isStable: false, vanished: 0 }]);
  expect(await world.stored(DAY)).toEqual(world.held(DAY));
});

it('tells that rows may be lacking, where a part has a receipt without a date, perhaps of the next day', async () => {
  const world = worldOf([60], false);
  Object.assign(world.listed[54] ?? {}, { fecha_emision: '', [LISTED_ON]: `${DAY}T10:00:00` });
  const { results } = await world.export();
  expect(results).toMatchObject([{ isStable: false }]);
});

it('keeps a receipt that the list of a day has, and none of its parts, and tells it', async () => {
  const world = worldOf([60]);
  const all = world.listed;
  const [shy] = all;
  world.api.onList = (query) => {
    world.listed = query.has('TipoComprobante') ? all.filter((receipt) => receipt !== shy) : all;
  };
  const { results } = await world.export();
  world.listed = all;
  expect(await world.stored(DAY)).toEqual(world.held(DAY));
  expect(results).toMatchObject([{ isStable: false }]);
});

it('asks only once for the page past so many rows', async () => {
  const world = worldOf([50, 50]);
  world.api.resultWindow = Number.POSITIVE_INFINITY;
  await world.export({}, {}, [DAY]);
  const { requestCount } = world.api;
  await world.export({}, {}, [DAY]);
  expect(world.api.requestCount).toBeLessThan(requestCount);
});

it('fails the days that a receipt without a date may be of, which only a list over several days has', async () => {
  const world = new CompanyWorld([3, 3]);
  Object.assign(world.facts.recibidos, { isBoundWhole: true, provedWidthDays: 2 });
  const dated = world.listed;
  const undated = received(900_000, { fecha_emision: '', [LISTED_ON]: `${DAY}T10:00:00` });
  world.api.onList = (query) => {
    const isOneDay = query.get('FechaDesde') === query.get('FechaHasta');
    world.listed = isOneDay ? dated : [...dated, undated];
  };
  const { results } = await world.export();
  expect(results.map(({ state, error }) => ({ state, error }))).toEqual(
    Array(2).fill({ state: 'fallido', error: expect.stringMatching(/900000 .*no valid issue date/) }),
  );
});
