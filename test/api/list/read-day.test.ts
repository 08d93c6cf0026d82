import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListHabits } from '../../../lib/api/list/habits.ts';
import type { ListPage, PageSource, PageWindow } from '../../../lib/api/list/page.ts';
import { type DayRange, type DaySink, readDay } from '../../../lib/api/list/read-day.ts';
import { addDays } from '../../../lib/time/days.ts';
import { CONTEXT, DAY } from '../../support/api-client.ts';

const NEXT_DAY = addDays(DAY, 1);

interface Row {
  id: number;
  day: string;
  isAfterMidnight: boolean;
}

/** What `FechaHasta` includes: its whole day, its first moment only, or nothing of it. */
type Bound = 'whole' | 'midnight' | 'nothing';

/** An API that holds so many receipts a day, and remembers which ranges it was asked for. */
class FakeDays {
  readonly asked: string[] = [];
  private readonly bound: Bound;
  private readonly rows: Row[];

  /** `hasTimes`: all receipts but each third are issued later than their day's first moment. */
  constructor(
    bound: Bound | boolean,
    counts: Readonly<Record<string, number>>,
    hasTimes = bound === 'midnight',
  ) {
    this.bound = bound === true ? 'whole' : bound === false ? 'nothing' : bound;
    this.rows = Object.entries(counts).flatMap(([day, count]) =>
      Array.from({ length: count }, (_, index) => ({
        id: Date.parse(day) / 1000 + index,
        day,
        isAfterMidnight: hasTimes && index % 3 !== 0,
      })),
    );
  }

  private isListed({ day, isAfterMidnight }: Row, { from, to }: DayRange): boolean {
    if (day < from || day > to) return false;
    return day < to || this.bound === 'whole' || (this.bound === 'midnight' && !isAfterMidnight);
  }

  readonly sourceOf = ({ from, to }: DayRange): PageSource => ({
    context: CONTEXT,
    maxInFlight: 1,
    tryPlace: () => undefined,
    read: async ({ pageNumber, pageSize, start }: PageWindow): Promise<ListPage> => {
      if (pageNumber === 1) this.asked.push(`${from}..${to}`);
      const items = this.rows
        .filter((row) => this.isListed(row, { from, to }))
        .slice(start, start + pageSize);
      return { pageNumber, items, ids: items.map(({ id }) => id) };
    },
  });

  idsOf(day: string): number[] {
    return this.rows.filter((row) => row.day === day).map(({ id }) => id);
  }

  /** Whether a list up to the next day was asked for. */
  get hasAskedForNextDay(): boolean {
    return this.asked.some((range) => range.endsWith(NEXT_DAY));
  }
}

class IdsOfDay implements DaySink {
  readonly ids: number[] = [];
  hasRowsOfDay = false;
  hasRowsOfNextDay = false;
  hasTimesOfDay = false;
  hasTimesOfLastDay = false;
  private readonly range: DayRange;
  constructor(range: DayRange) {
    this.range = range;
  }
  get rowCount(): number {
    return this.ids.length;
  }
  add({ items }: ListPage, from: number): void {
    for (const { id, day, isAfterMidnight } of items.slice(from) as readonly Row[]) {
      this.hasTimesOfDay ||= isAfterMidnight;
      this.hasTimesOfLastDay ||= isAfterMidnight && day === this.range.to;
      if (day !== this.range.from) this.hasRowsOfNextDay = true;
      else {
        this.hasRowsOfDay = true;
        this.ids.push(id);
      }
    }
  }
}

async function idsRead(api: FakeDays, habits: ListHabits, day = DAY): Promise<number[]> {
  const reading = await readDay(api.sourceOf, day, habits, (range) => new IdsOfDay(range));
  if (reading.kind !== 'read') throw new Error('the reading should have come to its end');
  expect(reading.sinks).toHaveLength(1);
  return [...(reading.sinks[0]?.ids ?? [])].sort((a, b) => a - b);
}

describe('an upper bound that includes its day', () => {
  it('is known from the first day that has rows issued within it', async () => {
    const api = new FakeDays('whole', { [DAY]: 3, [NEXT_DAY]: 4 }, true);
    const habits: ListHabits = {};
    expect(await idsRead(api, habits)).toEqual(api.idsOf(DAY));
    expect([habits.upperBound, api.hasAskedForNextDay]).toEqual(['inclusive', false]);
  });

  it('is known from the first day that has rows, and a look at the next, where dates have no times', async () => {
    const api = new FakeDays('whole', { [DAY]: 30, [NEXT_DAY]: 4 });
    const habits: ListHabits = {};
    expect(await idsRead(api, habits)).toEqual(api.idsOf(DAY));
    expect(habits.upperBound).toBe('inclusive');
  });

  it('is known from an empty day before one that has rows', async () => {
    const api = new FakeDays('whole', { [NEXT_DAY]: 250 }, true);
    const habits: ListHabits = {};
    expect(await idsRead(api, habits)).toEqual([]);
    expect(habits.upperBound).toBe('inclusive');
  });

  it('stays unknown while everything is empty', async () => {
    const api = new FakeDays(true, {});
    const habits: ListHabits = {};
    expect(await idsRead(api, habits)).toEqual([]);
    expect([habits.upperBound, api.hasAskedForNextDay]).toEqual([undefined, true]);
  });

  it('once known, makes an empty answer be believed', async () => {
    const api = new FakeDays(true, { [NEXT_DAY]: 4 });
    expect(await idsRead(api, { upperBound: 'inclusive' })).toEqual([]);
    expect(api.hasAskedForNextDay).toBe(false);
  });

  it('is found out where it was taken for an exclusive one', async () => {
    const api = new FakeDays('whole', { [DAY]: 3, [NEXT_DAY]: 4 }, true);
    const habits: ListHabits = { upperBound: 'exclusive' };
    expect(await idsRead(api, habits)).toEqual(api.idsOf(DAY));
    expect(habits.upperBound).toBe('inclusive');
  });
});

describe('an upper bound that excludes its day', () => {
  it('is found out from an empty answer, and the day is read all the same', async () => {
    const api = new FakeDays(false, { [DAY]: 250, [NEXT_DAY]: 4 });
    const habits: ListHabits = {};
    expect(await idsRead(api, habits)).toEqual(api.idsOf(DAY));
    expect(habits.upperBound).toBe('exclusive');
  });

  it('once known, costs no further question', async () => {
    const api = new FakeDays(false, { [DAY]: 3 });
    expect(await idsRead(api, { upperBound: 'exclusive' })).toEqual(api.idsOf(DAY));
    expect(new Set(api.asked)).toEqual(new Set([`${DAY}..${NEXT_DAY}`]));
  });
});

describe('an upper bound that includes only its day’s first moment', () => {
  it('is found out from a day that has rows, none of which is lost', async () => {
    const api = new FakeDays('midnight', { [DAY]: 250, [NEXT_DAY]: 4 });
    const habits: ListHabits = {};
    expect(await idsRead(api, habits)).toEqual(api.idsOf(DAY));
    expect(habits.upperBound).toBe('exclusive');
    expect(await idsRead(api, habits, NEXT_DAY)).toEqual(api.idsOf(NEXT_DAY));
  });
});

describe('any days of any API', () => {
  it('are each read whole, in any order, with what one day taught about the next', async () => {
    const days = Array.from({ length: 6 }, (_, index) => addDays(DAY, index));
    const counts = fc.array(fc.constantFrom(0, 0, 1, 7, 99, 100, 101, 230), { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Bound>('whole', 'midnight', 'nothing'),
        fc.boolean(),
        counts,
        fc.shuffledSubarray(days, { minLength: 6 }),
        async (bound, hasTimes, perDay, order) => {
          const held = Object.fromEntries(days.map((day, index) => [day, perDay[index] ?? 0]));
          const api = new FakeDays(bound, held, hasTimes);
          const habits: ListHabits = {};
          for (const day of order) expect(await idsRead(api, habits, day)).toEqual(api.idsOf(day));
          // A first moment is the whole day where no receipt is later.
          const isWhole = bound === 'whole' || (bound === 'midnight' && !hasTimes);
          expect([undefined, isWhole ? 'inclusive' : 'exclusive']).toContain(habits.upperBound);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('are each read whole also when several are read at a time', async () => {
    const days = Array.from({ length: 5 }, (_, index) => addDays(DAY, index));
    for (const isUpperBoundIncluded of [true, false]) {
      const held = Object.fromEntries(days.map((day, index) => [day, [0, 150, 0, 0, 3][index] ?? 0]));
      const api = new FakeDays(isUpperBoundIncluded, held);
      const habits: ListHabits = {};
      const read = await Promise.all(days.map((day) => idsRead(api, habits, day)));
      expect(read).toEqual(days.map((day) => api.idsOf(day)));
    }
  });
});
