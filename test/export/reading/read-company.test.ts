import { describe, expect, it } from 'vitest';
import { UnauthorizedError } from '../../../lib/api/errors.ts';
import type { ReadingTools } from '../../../lib/export/export-tools.ts';
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

/** What is handed on of each day, in order: its rows, or why there are none. `lists`: what is asked for, in order. */
async function read(
  world: CompanyWorld,
  tools: Partial<ReadingTools> = {},
  needed = world.days,
  storedDates?: ReadingWork['storedDates'],
) {
  const lists: string[] = [];
  const { statusFor } = world.api;
  world.api.statusFor = (path, query) => {
    lists.push(
      `${query.get('FechaDesde')?.slice(8)}–${query.get('FechaHasta')?.slice(8)} ${query.get('PageNumber')}`,
    );
    return statusFor(path, query);
  };
  const units: [day: string, outcome: string | number][] = [];
  const cut: string[] = [];
  const outcomeOf = (outcome: ReadOutcome) =>
    'rows' in outcome ? outcome.rows.rowCount : String(outcome.error);
  await readCompany(
    RUT,
    [{ direction: 'recibidos', days: needed }],
    world.tools({ client: world.api.client(8), ...tools }),
    {
      onUnit: async ({ day }, outcome) => void units.push([day.slice(8), outcomeOf(outcome)]),
      onCut: (direction, days) => cut.push(direction, ...[...days].sort()),
      ...(storedDates && { storedDates }),
    },
  );
  return { lists, units, cut };
}

it.each([
  ['several', {}, {}, '19 19 18 17 16 15 14 18'],
  ['fewer where more companies are', { companiesAtOnce: 4 }, {}, '19 19 18 17 16 18'],
  ['one where very many are', { companiesAtOnce: 40 }, {}, '19 19 18 18 17 17 16'],
  ['one where days are to be read alone', { readsDaysAlone: true }, {}, '19 19 18 18 17 17 16'],
  [
    'several from the first on if its length is known',
    {},
    { rowsADay: { rut: RUT, count: 1 } },
    '19 18 17 16 15 19',
  ],
  [
    'several after the first if only that of another company is',
    {},
    { rowsADay: { rut: '1', count: 1 } },
    '19 19 18 17 16 15 14 18',
  ],
])(
  'so many lists are read at a time, once it is known how long they are: %s',
  async (_what, tools, facts, begun) => {
    const { lists, units } = await read(worldOf([1, 1, 1, 1, 1, 1, 1], facts), tools);
    expect(lists.map((list) => list.slice(0, 2)).join(' ')).toMatch(new RegExp(`^${begun}`));
    expect(units).toHaveLength(7);
  },
);

it('the days of a list are handed on, the newest first, and those alone that are needed', async () => {
  const world = worldOf([1, 2, 3], { provedWidthDays: 9 });
  expect(await read(world)).toMatchObject({
    lists: ['17–19 1', '17–19 2'],
    units: [
      ['19', 3],
      ['18', 2],
      ['17', 1],
    ],
  });
  const { units } = await read(
    world,
    {},
    world.days.filter((day) => !day.endsWith('18')),
  );
  expect(units).toEqual([
    ['19', 3],
    ['17', 1],
  ]);
  expect((await read(world, { readsDaysAlone: true })).lists[0]).toBe('19–19 1');
});

describe('a company is asked no more', () => {
  it.each([
    ['whose token is refused', new UnauthorizedError({ rut: RUT, direction: 'recibidos' }), 1],
    ['that the program cannot ask', new TypeError('any'), 1],
    ['that is denied three times', 403, 3],
    ['that fails otherwise', 500, 5],
  ])('%s', async (_what, answer, count) => {
    const world = worldOf([1, 1, 1, 1, 1]);
    world.api.statusFor = () => {
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const { lists, units } = await read(world);
    expect(lists).toHaveLength(count);
    expect(units.map(([day]) => day)).toEqual(['19', '18', '17', '16', '15']);
  });

  it('but one of which a day was read', async () => {
    const world = worldOf(Array.from({ length: 12 }, () => 1));
    world.api.statusFor = (_path, query) => (query.get('FechaDesde') === DAY ? undefined : 403);
    expect(new Set((await read(world)).lists.map((list) => list.slice(0, 2))).size).toBe(12);
  });
});

it('days are handed on that time did not cut, and none of a killed run', async () => {
  const world = worldOf([200, 200, 200], { provedWidthDays: 20 });
  const needed = world.days.filter((day) => !day.endsWith('18'));
  const late = await read(world, { isTimeUp: () => world.api.requestCount > 1 }, needed);
  expect(late).toMatchObject({ units: [], cut: ['recibidos', '2026-11-17', DAY] });
  const kill = new AbortController();
  world.api.beforeAnswer = () => kill.abort(new Error('killed'));
  expect(await read(world, { signal: kill.signal })).toMatchObject({
    lists: ['17–19 1'],
    units: [],
    cut: [],
  });
  expect(await read(world, { signal: kill.signal })).toMatchObject({ lists: [], units: [], cut: [] });
});

it('the lake is asked whether the dates of a company are all of a day, where it can be', async () => {
  const world = worldOf([3], { isEndDateInclusive: false, isMidnightInclusive: true, hasTimes: true });
  world.api.widestRange = { days: 1, over: 'status400' };
  expect((await read(world)).units).toEqual([['19', expect.stringContaining("can't be had")]]);
  const storedDates = async () => ({ rowCount: 20, hasTimes: false });
  expect((await read(world, {}, world.days, storedDates)).units).toEqual([['19', 3]]);
});

it('a unit that is read alone is believed by no width, and by no time', async () => {
  const world = worldOf([0], { provedWidthDays: 9, isEndDateInclusive: false });
  const bounds = new Set<string | null>();
  world.api.onList = (query) => bounds.add(query.get('FechaHasta'));
  const unit = { rut: RUT, direction: 'recibidos', day: DAY } as const;
  const read = await readUnitAlone(unit, world.tools({ isTimeUp: () => true }));
  expect({ bounds, read }).toMatchObject({
    bounds: new Set(['2026-11-20', DAY]),
    read: { isStable: true, rows: { rowCount: 0 } },
  });
  world.api.statusFor = () => 500;
  await expect(readUnitAlone(unit, world.tools())).rejects.toThrow('status 500');
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
