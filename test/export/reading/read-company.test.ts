import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../../lib/api/client.ts';
import { UnauthorizedError } from '../../../lib/api/errors.ts';
import type { ReadingTools } from '../../../lib/export/export-tools.ts';
import type { DaysToRead } from '../../../lib/export/reading/plan.ts';
import {
  daysToReadOf,
  type ReadingWork,
  type ReadOutcome,
  readCompany,
  readUnitAlone,
  union,
} from '../../../lib/export/reading/read-company.ts';
import { idsOf } from '../../../lib/export/reading/receipts-by-day.ts';
import { noFacts, type ServiceFacts } from '../../../lib/export/reading/service-facts.ts';
import { attemptOf } from '../../support/export/attempt.ts';
import { CompanyWorld } from '../../support/export/company-world.ts';
import { DAY, RUT } from '../../support/export/unit-world.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** The world of a service whose end date is known to be whole. */
function worldOf(counts: readonly number[], facts: Partial<ServiceFacts> = {}): CompanyWorld {
  const world = new CompanyWorld(counts);
  world.facts.recibidos = {
    ...noFacts(),
    isEndDateInclusive: true,
    deepestRow: 1e6,
    longestPage: 100,
    isAnyPageSizeHonoured: true,
    ...facts,
  };
  return world;
}

const rowsADayOf = (rut: string) => ({ rowsADay: { rut, count: 1 } });

/** What is handed on of each day, in order: its rows, or why there are none. `lists`: what is asked for, in order. */
async function read(
  world: CompanyWorld,
  tools: Partial<ReadingTools> = {},
  needed = world.days,
  { storedDates, knownRows }: Pick<ReadingWork, 'storedDates'> & Pick<DaysToRead, 'knownRows'> = {},
) {
  const [lists, units, cut]: [string[], string[], string[]] = [[], [], []];
  const { statusFor } = world.api;
  world.api.statusFor = (path, query) => {
    const days = ['FechaDesde', 'FechaHasta'].map((name) => query.get(name)?.slice(8)).join('–');
    lists.push(`${days} ${query.get('PageNumber')}`);
    return statusFor(path, query);
  };
  const outcomeOf = (outcome: ReadOutcome) => ('rows' in outcome ? outcome.rows.rowCount : outcome.error);
  const work: ReadingWork = {
    onUnit: async ({ day }, outcome) => void units.push(`${day.slice(8)} ${outcomeOf(outcome)}`),
    onCut: (direction, days) => cut.push(direction, ...[...days].sort()),
    ...(storedDates && { storedDates }),
  };
  const listsOfCompany = [{ direction: 'recibidos' as const, days: needed, ...(knownRows && { knownRows }) }];
  await readCompany(RUT, listsOfCompany, world.tools({ client: world.api.client(8), ...tools }), work);
  return { lists, units, cut };
}

it.each([
  ['fewer where more companies are', { companiesAtOnce: 4 }, {}, '19 19 18 17 16 18'],
  ['several from the first on if its length is known', {}, rowsADayOf(RUT), '19 18 17 16 15 19'],
  ['several after the first if only that of another is', {}, rowsADayOf('1'), '19 19 18 17 16 15 14 18'],
])(
  'so many lists are read at a time, as it is known how long they are: %s',
  async (_, tools, facts, begun) => {
    const { lists, units } = await read(worldOf([1, 1, 1, 1, 1, 1, 1], facts), tools);
    expect(lists.map((day) => day.slice(0, 2)).join(' ')).toMatch(new RegExp(`^${begun}`));
    expect(units).toHaveLength(7);
  },
);

it('the days of a list are handed on, the newest first, and those alone that are needed', async () => {
  const world = worldOf([1, 2, 3], { provedWidthDays: 9 });
  const needed = world.days.filter((day) => !day.endsWith('18'));
  expect(await read(world, {}, needed)).toEqual({
    lists: ['17–19 1', '17–19 2'],
    units: ['19 3', '17 1'],
    cut: [],
  });
  expect((await read(world, { readsDaysAlone: true })).lists[0]).toBe('19–19 1');
});

describe('a company is asked no more', () => {
  it.each([
    ['whose token is refused', new UnauthorizedError({ rut: RUT, direction: 'recibidos' }), 1],
    ['that the program cannot ask', new TypeError('any'), 1],
    ['that is denied three times', 403, 3],
    ['that is asked to wait three times', 429, 3],
    ['that fails otherwise', 500, 5],
  ])('%s', async (_what, answer, count) => {
    const world = worldOf([1, 1, 1, 1, 1]);
    world.api.statusFor = () => {
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const { lists, units } = await read(world);
    expect(lists).toHaveLength(count);
    expect(units.join(' ').match(/\b\d\d \w+Error/g)).toHaveLength(5);
    expect(units.map((unit) => unit.slice(0, 2))).toEqual(['19', '18', '17', '16', '15']);
  });

  it('whatever the lake has of it', async () => {
    const world = worldOf([1, 1, 1, 1, 1]);
    world.api.statusFor = () => 403;
    const knownRows = new Map(world.days.map((day) => [day, 1]));
    expect((await read(world, { companiesAtOnce: 12 }, world.days, { knownRows })).lists).toHaveLength(3);
  });

  it('but one of which a day was read', async () => {
    const world = worldOf(Array.from({ length: 12 }, () => 1));
    world.api.statusFor = (_path, query) => (query.get('FechaDesde') === DAY ? undefined : 403);
    expect(new Set((await read(world)).lists.map((day) => day.slice(0, 2))).size).toBe(12);
  });
});

describe('a company that refuses by turns', () => {
  const MINUTE_MS = 60_000;
  /** What 64 days cost, if those that are refused, by their number as they are asked for, take so many minutes. */
  async function costOf(
    isRefused: (day: number) => boolean,
    minutes: number,
    { status = 429, ...facts }: Partial<ServiceFacts> & { status?: number } = {},
  ) {
    const world = worldOf(
      Array.from({ length: 64 }, () => 1),
      facts,
    );
    const clock = new FakeClock();
    const firstDays = new Set<string | null>();
    world.api.statusFor = async (_path, query) => {
      firstDays.add(query.get('FechaDesde'));
      if (!isRefused(firstDays.size)) return undefined;
      await clock.advance(minutes * MINUTE_MS);
      return firstDays.size % 3 === 0 && status === 429 ? 403 : status;
    };
    const startedAtMs = clock.now();
    const { units } = await read(world, { clock, companiesAtOnce: 12 });
    expect(units).toHaveLength(64);
    const shown = units.filter((unit) => /^\d\d 1$/.test(unit)).length;
    return { shown, minutes: (clock.now() - startedAtMs) / MINUTE_MS };
  }

  it('costs twenty minutes, and two for each day that it shows', async () => {
    expect(await costOf((day) => day % 2 === 0, 4)).toEqual({ shown: 11, minutes: 44 });
    expect(await costOf((day) => day > 1, 10)).toEqual({ shown: 1, minutes: 30 });
    // The list of all days, and those of its last day and of its halves.
    expect(await costOf(() => true, 10, { provedWidthDays: 64 })).toEqual({ shown: 0, minutes: 30 });
  });

  it('is read to its end if it takes no longer', async () => {
    expect(await costOf((day) => day % 2 === 0, 2)).toEqual({ shown: 32, minutes: 64 });
    expect(await costOf((day) => day % 8 === 0, 15)).toEqual({ shown: 56, minutes: 8 * 15 });
    // What may be wrong with a day alone is no refusal of the company.
    expect(await costOf(() => true, 15, { status: 500 })).toEqual({ shown: 0, minutes: 64 * 15 });
  });

  it('costs once what several of its lists wait for at once', async () => {
    const world = worldOf(Array.from({ length: 12 }, () => 1));
    const clock = new FakeClock();
    const waiting: PromiseWithResolvers<number>[] = [];
    world.api.statusFor = async () => {
      if (world.api.requestCount < 3) return undefined;
      if (world.api.requestCount > 7) return undefined;
      const wait = Promise.withResolvers<number>();
      if (waiting.push(wait) === 5) {
        await clock.advance(15 * MINUTE_MS);
        for (const { resolve } of waiting) resolve(429);
      }
      return await wait.promise;
    };
    const { units } = await read(world, { clock });
    expect(units.filter((unit) => / 1$/.test(unit))).toHaveLength(12 - 5);
  });
});

it('days are handed on that time did not cut, and none of a killed run', async () => {
  const world = worldOf([200, 200, 200], { provedWidthDays: 20 });
  const needed = world.days.filter((day) => !day.endsWith('18'));
  const isTimeUp = () => world.api.requestCount > 1;
  const late = await read(world, { isTimeUp }, needed);
  expect(late).toMatchObject({ units: [], cut: ['recibidos', '2026-11-17', DAY] });
  world.api.requestCount = 0;
  // Those of a list that was not begun are not cut.
  expect(await read(world, { isTimeUp, readsDaysAlone: true })).toMatchObject({
    units: [],
    cut: ['recibidos', DAY],
  });
  const kill = new AbortController();
  world.api.beforeAnswer = () => kill.abort(new Error('killed'));
  expect(await read(world, { signal: kill.signal })).toMatchObject({
    lists: ['17–19 1'],
    units: [],
    cut: [],
  });
  expect(await read(world, { signal: kill.signal })).toMatchObject({ lists: [], units: [], cut: [] });
});

it('what takes a unit may fail while the next list is read: that is the end', async () => {
  const world = worldOf([1, 1, 1]);
  const failed = Promise.withResolvers<void>();
  world.api.statusFor = async (_path, query) => {
    if (query.get('FechaDesde') !== DAY) await failed.promise;
    return query.get('FechaDesde') === DAY ? 500 : undefined;
  };
  const onUnit = async () => {
    setImmediate(() => setImmediate(failed.resolve));
    throw new Error('the disk is full');
  };
  const reading = readCompany(RUT, [{ direction: 'recibidos', days: world.days }], world.tools(), { onUnit });
  await expect(reading).rejects.toThrow('the disk is full');
});

it('the lake is asked whether the dates of a company are all of a day, where it can be', async () => {
  const world = worldOf([3], { isEndDateInclusive: false, isMidnightInclusive: true, hasTimes: true });
  world.api.widestRange = { days: 1, over: 'status400' };
  expect((await read(world)).units).toEqual([expect.stringMatching("^19 .*can't be had")]);
  const dates = worldOf([20], world.facts.recibidos);
  dates.api.widestRange = world.api.widestRange;
  expect((await read(dates)).units).toEqual(['19 20']);
  const storedDates = async () => ({ rowCount: 20, hasTimes: false });
  expect((await read(world, {}, world.days, { storedDates })).units).toEqual(['19 3']);
});

it('a unit that is read alone is believed by no width, and by no time', async () => {
  const unit = { rut: RUT, direction: 'recibidos', day: DAY } as const;
  for (const isEndDateInclusive of [false, true]) {
    const world = worldOf([0], { provedWidthDays: 9, isEndDateInclusive });
    const bounds = new Set<string | null>();
    const answer = world.api.answer.bind(world.api);
    world.api.answer = async (path, query) => {
      bounds.add(query.get('FechaHasta'));
      const { status, body } = await answer(path, query);
      return { status, body: { ...Object(body), nuevo: 1 } };
    };
    const read = await readUnitAlone(unit, world.tools({ isTimeUp: () => true }));
    expect(bounds).toEqual(new Set(isEndDateInclusive ? [DAY] : ['2026-11-20', DAY]));
    expect(read).toMatchObject({ isStable: true, rows: { rowCount: 0 }, unknownMembers: ['nuevo'] });
    world.api.statusFor = () => 500;
    await expect(readUnitAlone(unit, world.tools())).rejects.toThrow('status 500');
  }
});

it('a list with more bytes than it may have is read in fewer days, and a day alone fails by name', async () => {
  const world = worldOf([1, 1, 3], { provedWidthDays: 3 });
  world.api.maxBytesPerList = 10_000;
  for (const receipt of world.listed) receipt.nota = 'x'.repeat(3_500);
  const failed = expect.stringContaining('more than 0 MB of rows');
  expect((await read(world)).units).toEqual([failed, '18 1', '17 1']);
});

it('lists that grow large are read one after the other', async () => {
  const world = worldOf([1, 1], rowsADayOf(RUT));
  const client = world.api.client(8);
  const get = client.get.bind(client);
  client.get = <T>(request: ApiRequest<T>) =>
    get<T>({ ...request, decode: (body) => request.decode(body, 21 * 2 ** 20) });
  expect((await read(world, { client })).units).toEqual(['19 1', '18 1']);
});

it('of a receipt in several lists, the row of the first one counts', () => {
  const days = { from: DAY, to: DAY } as const;
  const rowsOf = (...ids: number[]) =>
    attemptOf(
      days,
      ids.map((id) => ({ id })),
    ).rowsOf(DAY);
  const rows = union([rowsOf(1, 2), rowsOf(2, 1), rowsOf(2, 3), rowsOf(3)]);
  expect([...idsOf(rows)]).toEqual([1n, 2n, 2n, 3n]);
});

it('the lists of units are one for each direction that has any', () => {
  const unit = { rut: RUT, direction: 'emitidos', day: DAY } as const;
  expect(daysToReadOf([unit])).toEqual([{ direction: 'emitidos', days: [DAY] }]);
});
