import { describe, expect, it } from 'vitest';
import { addDays, type Day } from '../../../lib/time/days.ts';
import { LISTED_ON } from '../../support/api/fake-api.ts';
import { CompanyWorld, receiptOf } from '../../support/export/company-world.ts';
import { DAY, received } from '../../support/export/unit-world.ts';

/** Services of which the end of a day's own list tells less than it seems to. */

async function expectAllStored(world: CompanyWorld, days = world.days): Promise<void> {
  for (const day of days) expect([day, await world.stored(day)]).toEqual([day, world.held(day)]);
}

describe('a company that gives dates only on some days, where a bound includes its first moment', () => {
  /** `timedDays`: the places of days on which half of the receipts have a time. */
  function datesWorld(timedDays: readonly number[]) {
    const world = new CompanyWorld([20, 20, 30, 30, 30], false);
    const timed = world.days.filter((_, place) => timedDays.includes(place));
    for (const receipt of world.listed) {
      const day = timed.find((known) => receipt.fecha_emision.startsWith(known));
      if (day !== undefined && receipt.id % 2 === 0) receipt.fecha_emision = `${day}T10:00:00`;
    }
    // Today's rows show that the list up to today has all of yesterday.
    world.listed.push(receiptOf(addDays(DAY, 1), 900_000, false));
    world.api.upperBound = 'midnight';
    return world;
  }

  it('loses nothing of it', async () => {
    const world = datesWorld([0, 1]);
    // The days with dates only are one list, and the others the next one.
    world.facts.recibidos.widestDays = 3;
    await world.export();
    await expectAllStored(world);
  });

  it.each([[[0, 1]], [[1]]])(
    'loses nothing where another company shows first that there are times (days with some: %j)',
    async (timedDays) => {
      const world = datesWorld(timedDays);
      world.facts.recibidos.widestDays = 1;
      world.api.onList = (query) => {
        // By then, lists of this company have ended without the day after.
        if (query.get('FechaDesde') === world.days[0]) world.facts.recibidos.hasTimes = true;
      };
      await world.export();
      await expectAllStored(world);
    },
  );
});

it('tells that a day may lack its evening, where the day after is refused and days may be those of UTC', async () => {
  const world = new CompanyWorld([0]);
  const at = (time: string, id: number, listedOn = DAY) =>
    received(id, { fecha_emision: `${DAY}T${time}`, [LISTED_ON]: `${listedOn}T10:00:00` });
  const next = addDays(DAY, 1);
  world.listed = [at('10:00:00', 1), at('20:59:59', 2), at('21:00:00', 3, next)];
  // Many at midnight show nothing where others have times.
  for (let id = 11; id <= 40; id += 1) world.listed.push(at('00:00:00', id));
  world.api.brokenDays.add(next);
  const { results } = await world.export();
  expect(results).toMatchObject([{ state: 'exportado', isStable: false }]);
  // Nothing is called gone of a day that may lack rows.
  world.api.brokenDays.clear();
  await world.export();
  await expectAllStored(world);
  world.api.brokenDays.add(next);
  expect((await world.export()).results).toMatchObject([{ isStable: false, vanished: 0 }]);
  await expectAllStored(world);
});

it('finds a receipt of the evening that is listed under the next day, although bounds seemed to include their day', async () => {
  const world = new CompanyWorld([3, 3, 3, 3]);
  const [, before = DAY, listedOn = DAY] = world.days;
  world.listed.push(
    received(900_000, { fecha_emision: `${before}T23:59:00`, [LISTED_ON]: `${listedOn}T00:01:00` }),
  );
  // Two lists of two days each: the receipt is listed on the first day of the newer one.
  Object.assign(world.facts.recibidos, { isBoundWhole: true, provedWidthDays: 2, widestDays: 2 });
  await world.export();
  await expectAllStored(world);
});

it('reads a day again that nothing proved, once older lists show that bounds include their day', async () => {
  const world = new CompanyWorld([3, 3, 3], false);
  const [, middle = DAY] = world.days;
  world.listed.push(received(900_000, { fecha_emision: `${middle}T22:00:00` }));
  world.api.brokenDays.add(addDays(DAY, 1));
  world.facts.recibidos.widestDays = 1;
  await world.export();
  await expectAllStored(world);
});

describe('a service whose days are those of UTC', () => {
  it('has its days read again that were believed before a list of older ones showed that', async () => {
    const world = new CompanyWorld([3, 3, 3, 3]);
    const [oldest = DAY] = world.days;
    const eveningOf = (day: Day, id: number) =>
      received(id, { fecha_emision: `${day}T22:00:00`, [LISTED_ON]: `${addDays(day, 1)}T01:00:00` });
    world.listed.push(eveningOf(addDays(oldest, -1), 900_000), eveningOf(DAY, 900_001));
    Object.assign(world.facts.recibidos, { isBoundWhole: true, provedWidthDays: 2, widestDays: 2 });
    await world.export();
    await expectAllStored(world);
  });

  it.each(['first', 'last'] as const)(
    'loses no evening where it shows the %s days of wide lists only',
    async (over) => {
      const world = new CompanyWorld([0, 0, 0, 0, 0, 0]);
      world.listed = world.days.flatMap((day, index) => [
        received(index + 1, { fecha_emision: `${day}T10:00:00` }),
        received(index + 101, {
          fecha_emision: `${day}T22:00:00`,
          [LISTED_ON]: `${addDays(day, 1)}T01:00:00`,
        }),
      ]);
      world.api.widestRange = { days: 3, over };
      await world.export();
      await expectAllStored(world);
    },
  );
});

it('believes no list wider than proved, even if it was as wide as proved when it was asked for', async () => {
  const world = new CompanyWorld([3, 3]);
  Object.assign(world.facts.recibidos, { isBoundWhole: true, provedWidthDays: 2 });
  world.api.widestRange = { days: 1, over: 'empty' };
  world.api.onList = () => {
    // What another company's list shows meanwhile.
    world.facts.recibidos.provedWidthDays = 1;
  };
  await world.export();
  await expectAllStored(world);
});

it('keeps a receipt that only a list over several days had, and tells it', async () => {
  const world = new CompanyWorld([3, 3, 3]);
  const [first = DAY, second = DAY] = world.days;
  Object.assign(world.facts.recibidos, { isBoundWhole: true, provedWidthDays: 3 });
  // A receipt without a date, for which the list over all days is divided.
  world.listed.push(received(900_000, { fecha_emision: '', [LISTED_ON]: `${first}T10:00:00` }));
  const all = world.listed;
  const [shy] = all.filter(({ fecha_emision: issued }) => issued.startsWith(second));
  world.api.onList = (query) => {
    const isOneDay = query.get('FechaDesde') === query.get('FechaHasta');
    world.listed = isOneDay ? all.filter((receipt) => receipt !== shy) : all;
  };
  const { results } = await world.export();
  world.listed = all;
  expect(await world.stored(first)).toEqual([...world.held(first), 900_000]);
  await expectAllStored(world, world.days.slice(1));
  expect(results.find(({ day }) => day === second)).toMatchObject({ isStable: false });
});

describe('a receipt without a date', () => {
  const worldWith = (count: number, listedOn: string) => {
    const world = new CompanyWorld([count]);
    world.listed.unshift(received(900_000, { fecha_emision: '', [LISTED_ON]: `${listedOn}T10:00:00` }));
    return world;
  };

  it('is of the day whose own list has it', async () => {
    const world = worldWith(3, DAY);
    await world.export();
    expect(await world.stored(DAY)).toEqual([...world.held(DAY), 900_000]);
  });

  it('fails a day that is asked for with the next one, if its own list lacks it', async () => {
    const { results } = await worldWith(3, addDays(DAY, 1)).export();
    expect(results).toMatchObject([
      { state: 'fallido', error: expect.stringMatching(/no valid issue date/) },
    ]);
  });

  it('does not keep it from being told that the list may be cut', async () => {
    const world = worldWith(60, DAY);
    world.api.resultWindow = 50;
    expect((await world.export()).results).toMatchObject([{ state: 'exportado', isStable: false }]);
  });
});
