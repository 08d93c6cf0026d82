import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LISTED_ON, type WidestRange } from '../../support/api/fake-api.ts';
import { campaign, oneIn } from '../../support/campaign.ts';
import { CompanyWorld, receiptOf, requestsOf } from '../../support/export/company-world.ts';
import { DAY, received } from '../../support/export/unit-world.ts';

/** Expects that only the days in `except` fail, and that the lake has the API's receipts of all others. */
async function expectTruth(world: CompanyWorld, except: readonly string[] = []): Promise<void> {
  const { results, remaining } = await world.export();
  expect(remaining).toEqual([]);
  expect(results).toHaveLength(world.days.length);
  expect(requestsOf(results)).toBe(world.api.requestCount);
  const failed = results.filter(({ state }) => state === 'fallido').map(({ day }) => day);
  expect(failed.sort()).toEqual([...except].sort());
  for (const day of world.days) {
    if (!except.includes(day)) expect([day, await world.stored(day)]).toEqual([day, world.held(day)]);
  }
}

describe('any days of any service', () => {
  const OVER = ['status400', 'status500', 'empty', 'last', 'first'] as const;
  const widest = fc.record({ days: fc.integer({ min: 1, max: 12 }), over: fc.constantFrom(...OVER) });
  const count = fc.constantFrom(0, 0, 0, 1, 3, 7, 50, 99, 100, 101, 230);

  it('are each read whole, whatever its bound, its widest range and its largest page are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(count, { minLength: 1, maxLength: 14 }),
        fc.boolean(),
        fc.constantFrom('whole', 'midnight', 'nothing'),
        fc.option(widest, { nil: undefined }),
        fc.constantFrom(7, 50, 100),
        async (counts, hasTimes, upperBound, limit, pageCap) => {
          const world = new CompanyWorld(counts, hasTimes);
          // Where the bound excludes the last day, a single day is asked for up to the next one.
          world.api.widestRange = limit && { ...limit, days: limit.days + Number(upperBound !== 'whole') };
          Object.assign(world.api, { upperBound, pageCap });
          await expectTruth(world);
          await expectTruth(world);
        },
      ),
      { numRuns: campaign({ quick: 4, long: 600 }) },
    );
  });

  it('are read whole or fail, even if no list can show whether its last day is whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(count, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        fc.constantFrom('whole', 'midnight', 'nothing'),
        fc.record({ days: fc.integer({ min: 1, max: 3 }), over: fc.constantFrom(...OVER) }),
        fc.array(fc.nat({ max: 7 }), { maxLength: 2 }),
        async (counts, hasTimes, upperBound, { days, over }, broken) => {
          const world = new CompanyWorld(counts, hasTimes);
          // Where the bound excludes the last day, a single day is asked for up to the next one.
          const widestRange = { days: days + Number(upperBound !== 'whole'), over };
          Object.assign(world.api, { upperBound, widestRange });
          for (const index of broken) world.api.brokenDays.add(world.days[index] ?? '');
          for (const _export of ['first', 'second']) {
            const { results } = await world.export();
            for (const { day, state } of results) {
              if (state !== 'fallido') expect([day, await world.stored(day)]).toEqual([day, world.held(day)]);
            }
          }
        },
      ),
      { numRuns: campaign({ quick: 8, long: 1_000 }) },
    );
  });

  it('are each read whole by a process that knows the service from another company', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(count, { minLength: 8, maxLength: 14 }),
        fc.array(fc.constantFrom(0, 0, 0, 0, 1), { minLength: 14, maxLength: 14 }),
        widest,
        async (busyCounts, idleCounts, limit) => {
          const busy = new CompanyWorld(busyCounts);
          busy.api.widestRange = limit;
          await expectTruth(busy);
          const idle = new CompanyWorld(idleCounts);
          idle.api.widestRange = limit;
          idle.habits = busy.habits;
          await expectTruth(idle);
        },
      ),
      { numRuns: campaign({ quick: 3, long: 400 }) },
    );
  });
});

it('does not believe the days before a last one that could not be checked, where the list may have been cut', async () => {
  const world = new CompanyWorld([0, 0, 0, 0, 101, 100, 0], false);
  world.api.widestRange = { days: 1, over: 'last' };
  const lastDays = world.days.slice(-2);
  world.api.brokenDays.add(lastDays[1] ?? '');
  await expectTruth(world, lastDays);
});

it('does not take receipts of the first moment of a day for all, though the list has no others', async () => {
  for (const counts of [
    [0, 50, 1, 99, 230],
    [0, 1, 99, 230],
  ]) {
    const world = new CompanyWorld(counts);
    world.api.widestRange = { days: 2, over: 'first' };
    Object.assign(world.api, { upperBound: 'midnight', pageCap: 7 });
    await expectTruth(world);
  }
});

it.each([
  ['before', 1],
  ['after', 0],
])(
  'does not take the first moment for all because another company issues at midnight, and is read %s it',
  async (_when, first) => {
    const companies = [new CompanyWorld([12, 12, 12]), new CompanyWorld([12, 12, 12], false)];
    const habits = { recibidos: {}, emitidos: {} };
    for (const world of first === 1 ? companies.toReversed() : companies) {
      world.habits = habits;
      world.api.upperBound = 'midnight';
      await expectTruth(world);
    }
  },
);

it.each([
  ['emptyPage', [500, 230, 0], false],
  ['emptyPage', [500, 230, 0], true],
  ['shortPage', [500, 230, 0], false],
  ['shortPage', [3, 0, 0], false],
] as const)(
  'believes no single wrong page about the end of a list: %s, %j, page sizes ignored: %s',
  async (kind, counts, isPageSizeIgnored) => {
    // `npm test` lets some of the requests go wrong.
    const stride = campaign({ quick: 47, long: 1 });
    for (let atRequest = 1, hasGoneWrong = true; hasGoneWrong; atRequest += stride) {
      const world = new CompanyWorld(counts);
      const [first = DAY] = world.days;
      world.listed.reverse();
      Object.assign(world.api, { upperBound: 'midnight', pageCap: 50, isPageSizeIgnored });
      world.habits.recibidos = { longestPage: 50 };
      world.api.faults.set(atRequest, kind);
      // Only the first day: nothing else tells of the bound.
      const { results } = await world.export({}, {}, [first]);
      hasGoneWrong = world.api.requestCount >= atRequest;
      if (results[0]?.state === 'fallido') continue;
      expect([atRequest, await world.stored(first)]).toEqual([atRequest, world.held(first)]);
    }
  },
);

it.each([
  [[0], true],
  [[0], false],
  [[0, 2], false],
])(
  'does not take a receipt that is issued meanwhile for one that a bound excludes: %j, with times: %s',
  async (counts, hasTimes) => {
    for (let atRequest = 1, isIssued = true; isIssued; atRequest += 1) {
      const world = new CompanyWorld(counts, hasTimes);
      const [first = DAY] = world.days;
      isIssued = false;
      world.api.beforeAnswer = (request) => {
        if (request !== atRequest) return;
        isIssued = true;
        world.listed = [...world.listed, receiptOf(first, 900_001, hasTimes)];
      };
      await world.export();
      expect([atRequest, world.habits.recibidos.upperBound]).not.toEqual([atRequest, 'exclusive']);
    }
  },
);

it('ends where the list of a day comes empty twice of three times', async () => {
  const world = new CompanyWorld([1]);
  const { listed } = world;
  let lists = 0;
  world.api.onList = (query) => {
    const isOfOneDay = query.get('FechaDesde') === query.get('FechaHasta');
    lists += Number(isOfOneDay);
    if (lists > 100) throw new Error('it is asked for again and again');
    world.listed = isOfOneDay && lists % 3 !== 0 ? [] : listed;
  };
  await expectTruth(world);
});

it('counts a day less for a list that was under way when another one showed that bounds exclude their day', async () => {
  const world = new CompanyWorld([0, 7, 0, 100, 230, 99, 3]);
  world.api.widestRange = { days: 2, over: 'empty' };
  Object.assign(world.api, { upperBound: 'midnight', pageCap: 7 });
  await expectTruth(world);
  expect(world.habits.recibidos.provedWidthDays).toBe(1);
  await expectTruth(world);
});

it('does not take a list with the day after it, wider than any that was proved, for an empty one', async () => {
  const world = new CompanyWorld([0, 0, 99, 1, 7, 230, 0, 50], false);
  world.api.widestRange = { days: 2, over: 'empty' };
  world.api.pageCap = 7;
  await expectTruth(world);
  await expectTruth(world);
});

describe('a service that limits ranges', () => {
  const WIDEST: WidestRange[] = (['status400', 'status500', 'empty', 'last', 'first'] as const).map(
    (over) => ({
      days: 10,
      over,
    }),
  );

  it.each(WIDEST)('$over over $days days: three receipts in 65 days are found', async (widest) => {
    const all = [[0, 30, 64], [1, 2, 3], [20, 21, 63], [5]];
    for (const places of campaign({ quick: all.slice(0, 1), long: all })) {
      const world = new CompanyWorld(Array.from({ length: 65 }, (_, day) => Number(places.includes(day))));
      world.api.widestRange = widest;
      await expectTruth(world);
    }
  });

  it.each(oneIn(2, WIDEST))('$over over $days days: hundreds a day are found', async (widest) => {
    const counts = campaign({ quick: Array(12).fill(150), long: Array(30).fill(400) });
    const world = new CompanyWorld(counts);
    world.api.widestRange = widest;
    await expectTruth(world);
    expect(world.habits.recibidos.provedWidthDays ?? 1).toBeLessThanOrEqual(10);
  });

  it('that refuses a list is not asked for it again', async () => {
    const world = new CompanyWorld(Array.from({ length: campaign({ quick: 25, long: 65 }) }, () => 2));
    world.api.widestRange = { days: 10, over: 'status400' };
    await expectTruth(world);
    expect(world.habits.recibidos.refusedWidthDays).toBeGreaterThan(10);
    const first = world.api.requestCount;
    await expectTruth(world);
    expect(world.api.requestCount).toBeLessThan(first);
  });
});

it('a day that had receipts and lists only those of another company fails once', async () => {
  const world = new CompanyWorld([2, 2, 2]);
  await expectTruth(world);
  const [, second] = world.days;
  world.listed = world.listed.map((receipt) =>
    receipt.fecha_emision.startsWith(second ?? DAY)
      ? { ...receipt, receptor: { nro_doc: '214844360018' } }
      : receipt,
  );
  const { results } = await world.export();
  expect(results.map(({ state }) => state).sort()).toEqual(['fallido', 'sin_cambios', 'sin_cambios']);
});

it('a bound that includes its day no longer is recognised by a day whose receipts are all gone', async () => {
  const world = new CompanyWorld([2, 2, 2]);
  await expectTruth(world);
  world.api.upperBound = 'nothing';
  const { results } = await world.export({}, {}, [DAY]);
  expect(results).toMatchObject([{ state: 'sin_cambios', receipts: 2 }]);
  await expectTruth(world);
});

describe('an empty list', () => {
  const IDLE = Array.from({ length: 65 }, () => 0);

  it('takes two requests once a list as wide was answered, and nothing is stored', async () => {
    const world = new CompanyWorld(IDLE);
    world.habits.recibidos = { upperBound: 'inclusive', provedWidthDays: 65 };
    await expectTruth(world);
    expect([world.api.requestCount, world.store.objects.size]).toEqual([2, 0]);
  });

  it('is asked for day by day where nothing is known', async () => {
    const world = new CompanyWorld(IDLE);
    await expectTruth(world);
    // Each day alone and together with the next: both the bound and the widest range are unknown.
    expect(world.api.requestCount).toBeLessThanOrEqual(2 + 4 * 65);
  });

  it('is left until another company has shown that lists as wide are answered', async () => {
    const world = new CompanyWorld(IDLE);
    const first = await world.export({}, { emptyListsLeft: 'unproved' });
    expect([first.results, first.remaining.length, first.emptyLists.length]).toEqual([[], 65, 1]);
    world.habits.recibidos = { provedWidthDays: 65, upperBound: 'inclusive' };
    const { emptyLists, leftover } = first;
    const second = await world.export({}, { emptyLists, leftover });
    expect(new Set(second.results.map(({ state }) => state))).toEqual(new Set(['vacio']));
    expect([second.results.length, world.api.requestCount]).toEqual([65, 0]);
    expect(second.results.reduce((sum, { requests }) => sum + requests, 0)).toBe(2);
  });

  it('counts the day after it, if that was asked for too, among the days that must be answered', async () => {
    const world = new CompanyWorld([1, 0, 0, 1, 1]);
    const last = world.days.at(-1) ?? DAY;
    world.listed = world.listed.map((receipt) =>
      receipt.fecha_emision.startsWith(last) ? { ...receipt, fecha_emision: last } : receipt,
    );
    world.api.widestRange = { days: 3, over: 'last' };
    const { emptyLists } = await world.export({}, { emptyListsLeft: 'unproved' });
    expect(emptyLists).toHaveLength(1);
    // Another company shows that three days are answered. The empty list was over four.
    world.habits.recibidos.provedWidthDays = 3;
    await world.export({}, { emptyLists });
    for (const day of world.days) expect([day, await world.stored(day)]).toEqual([day, world.held(day)]);
  });

  it('is none if it has receipts of another company: their day fails', async () => {
    const world = new CompanyWorld([0, 1, 0, 3, 7, 0]);
    const [, day = DAY] = world.days;
    const spoilt = world.listed.find(({ fecha_emision: issued }) => issued.startsWith(day));
    Object.assign(spoilt ?? {}, { receptor: { nro_doc: '211003420017' } });
    const { emptyLists, results } = await world.export({}, { emptyListsLeft: 'unproved' });
    world.habits.recibidos.provedWidthDays = 4;
    const later = await world.export({}, { emptyLists });
    const states = [...results, ...later.results]
      .filter((unit) => unit.day === day)
      .map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['fallido']));
  });

  it('that was left is older than what another run has stored since, and says nothing about that', async () => {
    const world = new CompanyWorld([0, 1, 0]);
    const receipts = world.listed;
    world.listed = [];
    world.habits.recibidos = { upperBound: 'inclusive', provedWidthDays: 65 };
    const { emptyLists } = await world.export({}, { emptyListsLeft: 'unshown' });
    expect(emptyLists).toHaveLength(1);
    world.listed = receipts;
    const [, day = DAY] = world.days;
    await world.export({}, {}, [day]);
    await world.export({}, { emptyLists });
    // Compared with the newer object, the day would be read again, and the proof withdrawn.
    expect([world.api.requestCount, world.habits.recibidos.provedWidthDays]).toEqual([0, 65]);
    expect(await world.stored(day)).toEqual(world.held(day));
  });

  it('is asked again where a bound turns out to exclude its day meanwhile, and its last day is found', async () => {
    const world = new CompanyWorld([...IDLE.slice(1), 1]);
    world.api.upperBound = 'nothing';
    const { emptyLists } = await world.export({}, { emptyListsLeft: 'unproved' });
    expect(emptyLists).toHaveLength(1);
    world.habits.recibidos = { provedWidthDays: 65, upperBound: 'exclusive' };
    const { results } = await world.export({}, { emptyLists });
    expect(results.filter(({ state }) => state === 'exportado')).toHaveLength(1);
  });
});

function oneTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

describe('a service that shows only the first rows of a list', () => {
  const LONGEST = campaign({ quick: [777], long: [500, 777, 1_000, 2_048] });
  it.each([
    [100, [60, 180, 0, 130, 20, 100]],
    [200, [60, 380, 0, 200, 20, 200]],
    [250, [60, 80, 130, 300, 20, 250]],
    [300, [300, 300, 300, 500, 20, 590]],
    ...LONGEST.map((rows): [number, number[]] => [rows, [300, 900, 0, 650, 20, 777]]),
  ])('%d: every receipt is found', async (resultWindow, counts) => {
    const world = new CompanyWorld(counts);
    world.api.resultWindow = resultWindow;
    await expectTruth(world);
  });

  const CUT: [number, boolean, number][] = [
    [7, false, 500],
    [15, false, 500],
    [19, false, 777],
    [100, true, 500],
    [50, true, 777],
  ];
  it.each(oneIn(2, CUT))(
    'in pages that can’t overlap (%d rows, size ignored: %s), %d: every receipt is found',
    async (...service) => {
      const world = new CompanyWorld([20, 900, 0, 650]);
      const [pageCap, isPageSizeIgnored, resultWindow] = service;
      Object.assign(world.api, { pageCap, isPageSizeIgnored, resultWindow });
      await expectTruth(world);
    },
  );

  it('is recognised also by a list that was asked for with the day after it, as nothing is known of bounds', async () => {
    const world = new CompanyWorld([0, 0, 150, 0], false);
    Object.assign(world.api, {
      upperBound: 'nothing',
      resultWindow: 100,
      widestRange: { days: 2, over: 'empty' },
    });
    await expectTruth(world);
  });

  it('is recognised also where another list has as many rows', async () => {
    // The list of all days lacks two receipts of the first; that of the first two lacks the second's two.
    const world = new CompanyWorld([500, 2, 500, 0], false);
    world.listed.reverse();
    Object.assign(world.api, { upperBound: 'nothing', resultWindow: 1_000 });
    await expectTruth(world);
  });

  it('is recognised also where only the first of two days is left to believe', async () => {
    const world = new CompanyWorld([0, 0, 0, 500, 2, 0]);
    world.listed.reverse();
    Object.assign(world.api, { upperBound: 'midnight', resultWindow: 500 });
    await expectTruth(world);
  });

  /** The answers that show where a part of the list ends; at full length, every answer. */
  const WRONG = campaign({
    quick: { 100: [11, 12, 13, 14], 10: [114, 115, 116, 117] },
    long: { 100: oneTo(40), 10: oneTo(140) },
  });
  it.each([
    ['emptyPage', 100],
    ['emptyPage', 10],
    ['shortPage', 100],
    ['shortPage', 10],
  ] as const)(
    'is recognised also where any one answer is wrong (%s, pages of %d)',
    async (wrong, pageCap) => {
      for (const request of WRONG[pageCap]) {
        const world = new CompanyWorld([501]);
        Object.assign(world.api, { pageCap, resultWindow: 500 });
        world.api.faults.set(request, wrong);
        await expectTruth(world);
      }
    },
  );

  it.each([
    [50, 400, 'exportado'],
    [500, 400, 'exportado'],
    [50, 500, 'exportado'],
    [500, 500, 'fallido'],
  ] as const)(
    'may be so where a day has %d and its types can’t be listed (%d): %s',
    async (rows, status, state) => {
      const world = new CompanyWorld([rows]);
      world.api.typesRefused = status;
      const { results } = await world.export();
      expect(results).toMatchObject([{ state }]);
    },
  );

  it('is not blamed for a day that has more, when lists of its types fail for another reason', async () => {
    const world = new CompanyWorld([501]);
    world.habits.recibidos.resultWindow = 500;
    world.api.resultWindow = 500;
    world.api.beforeAnswer = () => {
      // The check of the whole list is answered; the lists of each type are not.
      if (world.api.requestCount > 16) world.api.typesRefused = 500;
    };
    const { results } = await world.export();
    expect(results).toMatchObject([{ state: 'fallido', error: expect.stringContaining('status 500') }]);
  });

  it('fails a day of one type that has more, and says so', async () => {
    const world = new CompanyWorld([10, 700]);
    world.listed = world.listed.map((receipt) => ({ ...receipt, tipo_comprobante: 101 }));
    world.api.resultWindow = 500;
    const { results } = await world.export();
    const [last, first] = results.sort((a, b) => (a.day < b.day ? 1 : -1));
    expect(first).toMatchObject({ state: 'exportado', receipts: 10 });
    expect(last).toMatchObject({ state: 'fallido' });
    expect(last?.error).toContain('shows only the first 500 receipts of a list');
  });
});

describe('trouble stays a day’s own', () => {
  const { DAYS, EACH_DAY } = campaign({
    quick: { DAYS: 32, EACH_DAY: [20] },
    long: { DAYS: 64, EACH_DAY: [0, 1, 5, 13, 31, 40, 62, 63] },
  });
  /** The most lists that may be asked for besides the list of all days. */
  const MOST_LISTS = 2 * Math.log2(DAYS);

  async function expectOneFailed(spoil: (world: CompanyWorld, day: string) => void): Promise<void> {
    for (const index of EACH_DAY) {
      const world = new CompanyWorld(Array.from({ length: DAYS }, () => 3));
      // The habits are known, so that all further lists are due to the fault.
      world.habits.recibidos = {
        upperBound: 'inclusive',
        provedWidthDays: DAYS,
        isAnyPageSizeHonoured: true,
      };
      const day = world.days[index] ?? '';
      spoil(world, day);
      const lists = new Set<string>();
      world.api.onList = (query) => lists.add(`${query.get('FechaDesde')}..${query.get('FechaHasta')}`);
      const { results } = await world.export();
      const failed = results.filter(({ state }) => state === 'fallido');
      expect(failed.map((unit) => unit.day)).toEqual([day]);
      expect(failed[0]?.error).toContain(day);
      for (const other of world.days.filter((each) => each !== day)) {
        expect(await world.stored(other)).toEqual(world.held(other));
      }
      expect(lists.size - 1).toBeLessThan(MOST_LISTS);
    }
  }

  it('when lists with it are refused', () => expectOneFailed((world, day) => world.api.brokenDays.add(day)));

  it('when one of its receipts has no id', () =>
    expectOneFailed((world, day) => {
      const spoilt = world.listed.find(({ fecha_emision: issued }) => issued.startsWith(day));
      Object.assign(spoilt ?? {}, { id: null });
    }));

  it('when one of its receipts is another company’s', () =>
    expectOneFailed((world, day) => {
      const spoilt = world.listed.find(({ fecha_emision: issued }) => issued.startsWith(day));
      Object.assign(spoilt ?? {}, { receptor: { nro_doc: '211003420017' } });
    }));

  it('when its list has a receipt of a day that was not asked for', () =>
    expectOneFailed((world, day) => {
      world.listed.push({ ...receiptOf('2025-01-01', 999_999), [LISTED_ON]: `${day}T10:00:00` });
    }));

  it('but a receipt that says no day that exists is that of the day whose list has it', async () => {
    for (const index of EACH_DAY) {
      const world = new CompanyWorld(Array.from({ length: DAYS }, () => 1));
      const day = world.days[index] ?? DAY;
      const odd = {
        ...received(999_999, { fecha_emision: '2026-02-30T00:00:00' }),
        [LISTED_ON]: `${day}T10:00:00`,
      };
      world.listed.push(odd);
      const { results } = await world.export();
      expect(results.filter(({ state }) => state === 'fallido')).toEqual([]);
      expect(await world.stored(day)).toEqual([...world.held(day), 999_999]);
    }
  });

  it('and is not that of an empty day before it, whose list was asked for with the day after it', async () => {
    const world = new CompanyWorld([0, 0, 1]);
    const [first = DAY, day = DAY] = world.days;
    const odd = received(999_999, { fecha_emision: '2026-02-30T00:00:00' });
    world.listed.push({ ...odd, [LISTED_ON]: `${day}T10:00:00` });
    await world.export();
    expect([await world.stored(first), await world.stored(day)]).toEqual([[], [999_999]]);
  });

  it('also when another receipt of the day at fault says no day that exists', async () => {
    const world = new CompanyWorld([3, 3, 3, 3, 3, 3]);
    const [, , day = DAY] = world.days;
    const odd = received(999_999, { fecha_emision: '2026-02-30T00:00:00' });
    world.listed.push({ ...odd, [LISTED_ON]: `${day}T10:00:00` });
    const spoilt = world.listed.find(({ fecha_emision: issued }) => issued.startsWith(day));
    Object.assign(spoilt ?? {}, { receptor: { nro_doc: '211003420017' } });
    await expectTruth(world, [day]);
  });

  it('and a day whose list came empty, although a wider one had its receipts, is read once more', async () => {
    const world = new CompanyWorld([1, 0, 7, 1, 1, 0, 0, 2, 0, 0, 3]);
    const { days } = world;
    world.listed.push({ ...receiptOf('2025-01-01', 999_999), [LISTED_ON]: `${days[9]}T10:00:00` });
    Object.assign(world.api, {
      upperBound: 'nothing',
      pageCap: 7,
      widestRange: { days: 8, over: 'status500' },
    });
    await expectTruth(world, [days[9] ?? DAY]);
  });

  it('and a receipt of a day whose own list lacks it fails that day', async () => {
    const world = new CompanyWorld([2, 2, 2]);
    const [first = DAY, second = DAY] = world.days;
    // Listed under the first day, but dated on the second.
    world.listed.push({ ...receiptOf(second, 999_999), [LISTED_ON]: `${first}T10:00:00` });
    world.listed.push({ ...receiptOf('2025-01-01', 999_998), [LISTED_ON]: `${DAY}T10:00:00` });
    const { results } = await world.export();
    const failed = results.filter(({ state }) => state === 'fallido').map(({ day }) => day);
    expect(failed.sort()).toEqual([first, second, DAY]);
  });
});

it('a receipt whose date changes while its list is read is stored once', async () => {
  for (let at = 1; at <= 6; at += 1) {
    const world = new CompanyWorld([120, 120, 120]);
    const [first = DAY, , last = DAY] = world.days;
    world.api.beforeAnswer = (request) => {
      if (request !== at) return;
      const moved = world.listed.find(({ id }) => id === 5);
      if (moved === undefined) throw new Error('there is a receipt 5');
      // The list is in order of days, so the receipt moves from its start to its end.
      world.listed = [
        ...world.listed.filter(({ id }) => id !== 5),
        { ...moved, fecha_emision: `${last}T10:00:00` },
      ];
    };
    await world.export();
    const found = [...(await world.stored(first)), ...(await world.stored(last))].filter((id) => id === 5);
    expect(found).toHaveLength(1);
  }
});

it('the same where the list is divided meanwhile: it is kept under its old day only if no other list shows it', async () => {
  for (let at = 1; at <= 30; at += campaign({ quick: 3, long: 1 })) {
    const world = new CompanyWorld([0, 150, 0]);
    const habits = { provedWidthDays: 65, longestPage: 100, isAnyPageSizeHonoured: true };
    world.habits.recibidos = { ...habits, upperBound: 'inclusive' };
    const [moved] = world.listed;
    world.api.beforeAnswer = (request) => {
      if (request === at) Object.assign(moved ?? {}, { fecha_emision: `${DAY}T11:00:00` });
    };
    await world.export();
    const stored = await Promise.all(world.days.map((day) => world.stored(day)));
    expect(stored.flat().filter((id) => id === moved?.id)).toHaveLength(1);
  }
});
