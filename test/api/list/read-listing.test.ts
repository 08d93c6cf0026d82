import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PagingFaultError } from '../../../lib/api/errors.ts';
import type { PageFacts, PageSource } from '../../../lib/api/list/page.ts';
import { type ReadListingOptions, readListing } from '../../../lib/api/list/read-listing.ts';
import { campaign } from '../../support/campaign.ts';
import { type FakeBehaviour, type FakeEvent, FakeList, IdSink, unionOf } from './fake-list.ts';

async function read(list: FakeList, facts: PageFacts = {}) {
  const reading = await readListing(list, facts, () => new IdSink());
  if (reading === undefined) throw new Error('nobody stopped it');
  return reading;
}

function sorted(ids: Iterable<number | bigint>) {
  return [...ids].sort((a, b) => Number(a) - Number(b));
}

function divisible(list: FakeList): FakeList {
  list.isDivisible = true;
  return list;
}

describe('a list that stays as it is', () => {
  it('costs three requests when it is one page in the one size that is honoured, five where that is not known', async () => {
    const facts: PageFacts = { longestPage: 50, isAnyPageSizeHonoured: false };
    for (const [isAnyPageSizeHonoured, requests] of [[false, 3] as const, [undefined, 5] as const]) {
      const list = new FakeList(37, { pageCap: 50, isSizeIgnored: true });
      Object.assign(facts, { isAnyPageSizeHonoured });
      expect((await read(list, facts)).attempts[0]?.ids).toHaveLength(37);
      expect({ ...facts, requests: list.asked.length }).toMatchObject({ isAnyPageSizeHonoured, requests });
    }
  });

  it('that is empty costs two requests, and so does one page once another has shown what the API honours', async () => {
    const facts: PageFacts = {};
    const requests: number[] = [];
    for (const length of [0, 60, 37, 1, 37]) {
      const list = new FakeList(length);
      expect((await read(list, facts)).attempts[0]?.ids).toHaveLength(length);
      requests.push(list.asked.length);
    }
    expect(requests).toEqual([2, 3, 2, 2, 2]);
  });

  it('costs at most 15 % more requests than pages when it is long', async () => {
    const list = new FakeList(100_000);
    const facts: PageFacts = {};
    const { attempts, isStable } = await read(list, facts);
    expect({ isStable, facts }).toMatchObject({ isStable: true, facts: { isAnyPageSizeHonoured: true } });
    expect(attempts[0]?.ids).toHaveLength(100_000);
    expect(list.asked.length).toBeLessThanOrEqual(1150);
  });

  it('is not asked for the same page twice, wherever it ends', async () => {
    for (let length = 101; length <= 300; length += 1) {
      const list = new FakeList(length, { maxInFlight: 0 });
      await read(list);
      const pages = new Set(list.asked.map(({ pageNumber, pageSize }) => `${pageNumber}×${pageSize}`));
      expect({ length, pages: pages.size }).toEqual({ length, pages: list.asked.length });
    }
  });

  it.each([
    [100, 15, 1],
    [20, 1, 1],
    [19, 1, 4],
  ])(
    'with pages of at most %i rows and at least %i is asked %i times for its first one',
    async (pageCap, leastPageSize, times) => {
      const list = new FakeList(250, { pageCap, leastPageSize });
      expect(await read(list, { pageCap })).toMatchObject({ isStable: true });
      expect(list.asked.filter(({ pageNumber }) => pageNumber === 1)).toHaveLength(times);
    },
  );

  it('is read whole, whatever its length, cap, page sizes and parallelism', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 130 }),
        // Ends beside a full page are the ones that are easily missed.
        fc.oneof(
          fc.record({ pages: fc.constant(0), rows: fc.nat(1200) }),
          fc.record({ pages: fc.nat(4), rows: fc.integer({ min: -2, max: 2 }) }),
        ),
        fc.boolean(),
        fc.integer({ min: 1, max: 8 }),
        // Another company's list may have had longer pages.
        fc.constantFrom({}, { longestPage: 100 }, { longestPage: 100, isAnyPageSizeHonoured: false }),
        async (pageCap, { pages, rows }, isSizeIgnored, maxInFlight, facts) => {
          const length = Math.max(0, pages * pageCap + rows);
          const list = new FakeList(length, { pageCap, isSizeIgnored, maxInFlight });
          const { attempts, isStable } = await read(list, { ...facts });
          expect(isStable).toBe(true);
          expect(attempts).toHaveLength(1);
          expect(sorted(attempts[0]?.ids ?? [])).toEqual(list.states[0]);
        },
      ),
      { numRuns: campaign({ quick: 100, long: 1000 }) },
    );
  });

  it('shows how long its pages may be, unless its first one was cut short', async () => {
    const facts: PageFacts = {};
    await read(new FakeList(120, { pageCap: 50 }), facts);
    expect(facts).toMatchObject({ pageCap: 50 });
    const cut: PageFacts = {};
    await read(new FakeList(120, { pageCap: 50 }, [{ atRequest: 1, kind: 'shortPage', at: 0.5 }]), cut);
    expect(cut.pageCap).toBeUndefined();
    const whole: PageFacts = { longestPage: 100, isAnyPageSizeHonoured: true };
    await read(new FakeList(37, {}, [{ atRequest: 2, kind: 'emptyPage', at: 0 }]), whole);
    expect(whole.pageCap).toBeUndefined();
    await read(new FakeList(250), facts);
    expect(facts).toMatchObject({ pageCap: undefined, longestPage: 100 });
  });

  it('is an error at once where a page cannot be had', async () => {
    const list = new FakeList(500);
    const source: PageSource = {
      ...list,
      read: async (window) => {
        const page = await list.read(window);
        if (list.asked.length === 3) throw new Error('status 500');
        return page;
      },
    };
    await expect(readListing(source, {}, () => new IdSink())).rejects.toThrow('status 500');
    expect(list.asked).toHaveLength(3);
  });

  it('is an error when the page parameter is ignored, and the reading ends', async () => {
    const list = new FakeList(2000, { isPageNumberIgnored: true });
    await expect(read(list)).rejects.toThrow(PagingFaultError);
    expect(list.asked.length).toBeLessThan(60);
    // Six times: the first two in pages that overlap.
    const uniform = list.asked.filter(({ start, pageSize }) => start === pageSize && pageSize === 100);
    expect(uniform).toHaveLength(4);
  });

  it('is an error when the last page repeats past the end, and the reading ends', async () => {
    for (const length of [37, 100, 250, 2000]) {
      const list = new FakeList(length, { pastEnd: 'repeat' });
      await expect(read(list)).rejects.toThrow('brought only rows that an earlier page had brought');
    }
  });
});

it.each([1, 15])(
  'a service that leaves out the last page of a list if that is not full never has fewer rows taken for all of them, where pages have %i rows or more',
  async (least) => {
    for (const pageCap of [7, 20, 50, 100])
      for (let length = 1; length <= 250; length += campaign({ quick: 7, long: 1 })) {
        const list = new FakeList(length, { pageCap, areOnlyWholePagesShown: true, leastPageSize: least });
        const reading = await read(list).catch((error: unknown) => {
          if (!(error instanceof PagingFaultError)) throw error;
        });
        // Where a page of one row is refused, nothing tells that a list goes on of which no page has shown more.
        const shown = least === 1 ? length : list.shown.size;
        if (reading?.isStable === true)
          expect(unionOf(reading.attempts).size, `of ${length} rows`).toBe(shown);
        else if (reading !== undefined) expect(unionOf(reading.attempts)).toEqual(list.shown);
      }
  },
);

describe('a list that changes or answers wrongly while it is read', () => {
  it('keeps its only row when that goes meanwhile, also when it only seems so once', async () => {
    const gone = new FakeList(1, {}, [{ atRequest: 2, kind: 'remove', at: 0 }]);
    const { attempts, isStable } = await read(gone);
    expect({ rows: unionOf(attempts), isStable }).toEqual({ rows: new Set([1]), isStable: false });

    const hidden = [4, 5, 6].map((atRequest): FakeEvent => ({ atRequest, kind: 'emptyPage', at: 0 }));
    expect((await read(new FakeList(1, {}, hidden))).attempts[0]?.ids).toEqual([1]);
  });

  it('is not believed to be empty because all pages after the first ones are', async () => {
    const empty = Array.from({ length: 60 }, (_, index): FakeEvent => {
      return { atRequest: 3 + index, kind: 'emptyPage', at: 0 };
    });
    const { attempts, isStable } = await read(new FakeList(60, { pageCap: 50 }, empty));
    expect({ rows: unionOf(attempts).size, isStable }).toEqual({ rows: 60, isStable: false });
  });

  it.each([0, 37])(
    'of %i rows whose last page says that it goes on is read until that says so no more',
    async (length) => {
      const readSaying = (requests: number) => {
        const list = new FakeList(length);
        const envelope = { goesOn: ['more'], totals: [], unknown: [] };
        const source: PageSource = {
          ...list,
          read: async (window) => {
            const page = await list.read(window);
            return list.asked.length > requests ? page : { ...page, envelope };
          },
        };
        return readListing(source, {}, () => new IdSink());
      };
      const reading = await readSaying(2);
      expect(reading).toMatchObject({ isStable: true });
      expect(reading?.attempts[0].ids).toHaveLength(length);
      await expect(readSaying(1_000)).rejects.toThrow('its last page says that it goes on');
    },
  );

  const behaviours: fc.Arbitrary<Partial<FakeBehaviour>> = fc.record({
    pageCap: fc.constantFrom(100, 50, 20),
    isSizeIgnored: fc.boolean(),
    maxInFlight: fc.integer({ min: 1, max: 4 }),
  });

  it('is not believed to be whole when replicas sort it in different ways, and rows are hidden', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 21, max: 60 }),
        fc.tuple(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 1_000 })),
        fc.array(fc.nat(1), { minLength: 60, maxLength: 60 }),
        async (length, orders, turns) => {
          const pageCap = 20;
          const replicas = turns.map((turn) => orders[turn] ?? 1);
          const list = new FakeList(length, { pageCap, replicas });
          const facts: PageFacts = { isAnyPageSizeHonoured: true, longestPage: pageCap, pageCap };
          const reading = await read(list, facts).catch((error: unknown) => {
            if (!(error instanceof PagingFaultError)) throw error;
          });
          if (reading?.isStable === true) expect(sorted(unionOf(reading.attempts))).toEqual(list.states[0]);
        },
      ),
      { numRuns: campaign({ quick: 300, long: 10_000 }) },
    );
  });

  it.each([37, 250])(
    'with a receipt that is listed twice in a row has all %i, and is whole',
    async (length) => {
      const list = new FakeList(0);
      list.listTwice(length, 13);
      expect(await read(list)).toMatchObject({ isStable: true });
      const newRows = () => Object.assign(new IdSink(), { differingId: () => 13 });
      await expect(readListing(list, {}, newRows)).rejects.toMatchObject({
        reason: 'the list has receipt 13 twice, with different contents',
        anonymousReason: 'the list has a receipt twice, with different contents',
      });
      // Where no receipt comes twice, contents are not compared.
      const once = await readListing(divisible(new FakeList(length)), {}, newRows);
      expect(once).toMatchObject({ isStable: true });
    },
  );

  it('is read on, though its first page came empty by mistake', async () => {
    const list = new FakeList(37, {}, [{ atRequest: 1, kind: 'emptyPage', at: 0 }]);
    const reading = await readListing(divisible(list), {}, () => new IdSink());
    expect(unionOf(reading?.attempts ?? []).size).toBe(37);
  });

  it('is not read again where two pages in a row were empty by mistake', async () => {
    const hidden = [3, 4].map((atRequest): FakeEvent => ({ atRequest, kind: 'emptyPage', at: 0 }));
    const list = new FakeList(450, { maxInFlight: 0 }, hidden);
    expect((await read(list)).attempts[0]?.ids).toHaveLength(450);
    expect(list.asked.filter(({ pageSize }) => pageSize === 100)).toHaveLength(1);
  });

  it('fails where each reading hides rows and says so: more rows came than there are receipts', async () => {
    const list = new FakeList(59, { pageCap: 20, isSortedByPage: true });
    await expect(read(list)).rejects.toThrow('in place of others');
  });

  it('shows nothing about page sizes when it was torn because rows came', async () => {
    for (const isAnyPageSizeHonoured of [true, undefined]) {
      const facts: PageFacts = { longestPage: 100, isAnyPageSizeHonoured };
      const came = [3, 4, 5, 6, 7, 8, 9, 10].map(
        (atRequest) => ({ atRequest, kind: 'insert', at: 0 }) as const,
      );
      expect(await read(new FakeList(450, {}, came), facts)).toMatchObject({ isStable: true });
      const quiet = new FakeList(450);
      await read(quiet, facts);
      expect(quiet.asked).toHaveLength(7);
    }
  });

  it('shows that only one page size is honoured also where its last page is short', async () => {
    const facts: PageFacts = { longestPage: 100 };
    await read(new FakeList(105, { isSizeIgnored: true }), facts);
    expect(facts.isAnyPageSizeHonoured).toBe(false);
  });

  it('never lacks a row that was there throughout, when rows come and go and a page lies', async () => {
    const changes = fc.array(
      fc.record({
        atRequest: fc.integer({ min: 1, max: 80 }),
        kind: fc.constantFrom('insert' as const, 'remove' as const),
        at: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 12 },
    );
    const lie = fc.record({
      atRequest: fc.integer({ min: 1, max: 80 }),
      kind: fc.constantFrom('emptyPage' as const, 'shortPage' as const),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const anything = fc.tuple(changes, lie).map(([events, event]) => [...events, event]);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 101, max: 1200 }),
        behaviours,
        anything,
        async (length, behaviour, events) => {
          const list = new FakeList(length, behaviour, events);
          const reading = await read(list).catch((error: unknown) => {
            expect(error).toBeInstanceOf(PagingFaultError);
          });
          if (reading === undefined) return;
          const found = unionOf(reading.attempts);
          const throughout = (list.states[0] ?? []).filter((id) =>
            list.states.every((ids) => ids.includes(id)),
          );
          const lost = throughout.filter((id) => !found.has(id));
          expect(lost, reading.isStable ? 'of a stable reading' : 'of a union').toEqual([]);
        },
      ),
      { numRuns: campaign({ quick: 60, long: 1000 }) },
    );
  });
});

describe('a list of a service that honours one page size', () => {
  /** Pages of 100 rows, whatever size is asked for, and how often the first one was. */
  function pagesOf(rowsOf: (pageNumber: number, readings: number) => readonly number[]) {
    const asked = { firstPages: 0 };
    const source: PageSource = {
      context: { rut: '219999830019', direction: 'recibidos' },
      maxInFlight: 1,
      read: async ({ pageNumber }) => {
        // Each reading begins and ends with the first page.
        asked.firstPages += Number(pageNumber === 1);
        const ids = rowsOf(pageNumber, Math.ceil(asked.firstPages / 2));
        return { pageNumber, ids, items: ids.map((id) => ({ id })) };
      },
    };
    const facts = { isAnyPageSizeHonoured: false };
    const read = (options?: ReadListingOptions<IdSink>) =>
      readListing(source, facts, () => new IdSink(), options);
    return { asked, read, source };
  }
  const rowsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);

  it.each([
    ['is cut', 'shortPage', 2, [1, 2, 2, 3, 3, 4, 1, 251, 1, 2, 3, 3, 4, 1, 251]],
    ['is cut when it is asked for again', 'shortPage', 4, [1, 2, 3, 3, 4, 1, 251, 1, 2, 3, 3, 4, 1, 251]],
    ['is empty', 'emptyPage', 2, [1, 2, 2, 1, 2, 3, 3, 4, 1, 251, 1, 2, 3, 3, 4, 1, 251]],
  ] as const)(
    'is read twice, each page that is not full, too, where one %s by mistake',
    async (_, kind, atRequest, pages) => {
      const event = { atRequest, kind, at: 0.5 };
      const list = new FakeList(250, { isSizeIgnored: true, maxInFlight: 0 }, [event]);
      const reading = await readListing(list, { isAnyPageSizeHonoured: false }, () => new IdSink());
      expect(reading).toMatchObject({ isStable: true });
      expect(list.asked.map(({ pageNumber }) => pageNumber)).toEqual(pages);
    },
  );

  it('is an error where it honours others after all, and leaves out a last page that is not full', async () => {
    const list = new FakeList(150, { areOnlyWholePagesShown: true });
    await expect(read(list, { isAnyPageSizeHonoured: false })).rejects.toThrow('has rows past the last one');
  });

  it('does not end at a page that is always empty', async () => {
    const { read } = pagesOf((page) => [rowsFrom(1, 100), [], rowsFrom(101, 50)][page - 1] ?? []);
    await expect(read()).rejects.toThrow(PagingFaultError);
  });

  it('is an error when a single row comes twice in every reading, in place of another', async () => {
    const { read } = pagesOf((page) => [rowsFrom(1, 100), [7, ...rowsFrom(101, 49)]][page - 1] ?? []);
    await expect(read()).rejects.toThrow('rows come twice in every reading');
  });

  it.each([
    ['changed meanwhile', 50, 2 * 6],
    ['is longer than the first', 101, 2 * 5 + 1],
  ])(
    'is an error where each of six readings ends with another first page than it began with: the last one %s',
    async (reason, length, firstPages) => {
      const { asked, read } = pagesOf((page, reading) => {
        if (page === 1) return rowsFrom(asked.firstPages % 2, 100);
        return page === 2 ? rowsFrom(101, reading === 6 ? length : 50) : [];
      });
      await expect(read()).rejects.toThrow(reason);
      expect(asked.firstPages).toBe(firstPages);
    },
  );

  it('is read in uniform pages, also where narrower lists could be asked for', async () => {
    const list = new FakeList(250, { isSizeIgnored: true });
    const reading = await readListing(divisible(list), {}, () => new IdSink());
    expect(unionOf(reading?.attempts ?? []).size).toBe(250);
  });

  it('is read until two readings are the same, also where the second has all rows of the first', async () => {
    const { asked, read } = pagesOf(
      (page, reading) => [rowsFrom(1, 100), rowsFrom(101, reading === 1 ? 50 : 51)][page - 1] ?? [],
    );
    const reading = await read();
    expect(reading).toMatchObject({ isStable: true });
    expect(asked.firstPages).toBe(3 * 2);
  });

  it('is an error where two readings differ, if narrower lists can be asked for', async () => {
    const { asked, read, source } = pagesOf(
      (page, reading) => [rowsFrom(1, 100), rowsFrom(101, 49 + reading)][page - 1] ?? [],
    );
    source.isDivisible = true;
    await expect(read()).rejects.toThrow('two readings differ');
    expect(asked.firstPages).toBe(2 * 2);
  });
});

it('a list that is stopped between two pages gives nothing, and asks for no more', async () => {
  const list = new FakeList(5000);
  let pagesLeft = 10;
  const isStopped = async () => pagesLeft-- === 0;
  expect(await readListing(list, {}, () => new IdSink(), { isStopped })).toBeUndefined();
  expect(list.asked.length).toBeLessThanOrEqual(11 + 2 * list.maxInFlight);
});

it('a list of one page is read whole where it would be stopped between two', async () => {
  const isStopped = async () => true;
  const reading = await readListing(new FakeList(60), {}, () => new IdSink(), { isStopped });
  expect(reading).toMatchObject({ isStable: true });
});
