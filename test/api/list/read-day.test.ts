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
}

/** An API that holds so many receipts a day, and remembers which ranges it was asked for. */
class FakeDays {
  readonly asked: string[] = [];
  private readonly isUpperBoundIncluded: boolean;
  private readonly rows: Row[];

  constructor(isUpperBoundIncluded: boolean, counts: Readonly<Record<string, number>>) {
    this.isUpperBoundIncluded = isUpperBoundIncluded;
    this.rows = Object.entries(counts).flatMap(([day, count]) =>
      Array.from({ length: count }, (_, index) => ({ id: Date.parse(day) / 1000 + index, day })),
    );
  }

  readonly sourceOf = ({ from, to }: DayRange): PageSource => ({
    context: CONTEXT,
    maxInFlight: 1,
    tryPlace: () => undefined,
    read: async ({ pageNumber, pageSize, start }: PageWindow): Promise<ListPage> => {
      if (pageNumber === 1) this.asked.push(`${from}..${to}`);
      const items = this.rows
        .filter(({ day }) => day >= from && (this.isUpperBoundIncluded ? day <= to : day < to))
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
  hasRowsOfNextDay = false;
  private readonly range: DayRange;
  constructor(range: DayRange) {
    this.range = range;
  }
  get rowCount(): number {
    return this.ids.length;
  }
  add({ items }: ListPage, from: number): void {
    for (const { id, day } of items.slice(from) as readonly Row[]) {
      if (day === this.range.from) this.ids.push(id);
      else this.hasRowsOfNextDay = true;
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
  it('is known from the first day that has rows', async () => {
    const api = new FakeDays(true, { [DAY]: 3, [NEXT_DAY]: 4 });
    const habits: ListHabits = {};
    expect(await idsRead(api, habits)).toEqual(api.idsOf(DAY));
    expect([habits.upperBound, api.hasAskedForNextDay]).toEqual(['inclusive', false]);
  });

  it('is known from an empty day before one that has rows', async () => {
    const api = new FakeDays(true, { [NEXT_DAY]: 250 });
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
    const api = new FakeDays(true, { [DAY]: 3, [NEXT_DAY]: 4 });
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

describe('any days of any API', () => {
  it('are each read whole, in any order, with what one day taught about the next', async () => {
    const days = Array.from({ length: 6 }, (_, index) => addDays(DAY, index));
    const counts = fc.array(fc.constantFrom(0, 0, 1, 7, 99, 100, 101, 230), { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        counts,
        fc.shuffledSubarray(days, { minLength: 6 }),
        async (isUpperBoundIncluded, perDay, order) => {
          const held = Object.fromEntries(days.map((day, index) => [day, perDay[index] ?? 0]));
          const api = new FakeDays(isUpperBoundIncluded, held);
          const habits: ListHabits = {};
          for (const day of order) expect(await idsRead(api, habits, day)).toEqual(api.idsOf(day));
          const proved = isUpperBoundIncluded ? 'inclusive' : 'exclusive';
          expect([undefined, proved]).toContain(habits.upperBound);
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
