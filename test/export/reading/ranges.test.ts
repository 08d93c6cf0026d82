import { describe, expect, it } from 'vitest';
import { RangePlan } from '../../../lib/export/reading/plan.ts';
import { prove, type Witness } from '../../../lib/export/reading/prove.ts';
import { factsFrom, factsMessage, noFacts } from '../../../lib/export/reading/service-facts.ts';
import { addDays, type Day, type DayRange, daysBetween, HOUR_MS } from '../../../lib/time/days.ts';
import { attemptOf } from '../../support/export/attempt.ts';
import { DAY } from '../../support/export/unit-world.ts';

/** The day so many days before the last one. */
const ago = (count: number): Day => addDays(DAY, -count);
const LAST_WEEKS = daysBetween(ago(39), DAY);
const rowsOf = (count: number, days: readonly Day[] = LAST_WEEKS) => new Map(days.map((day) => [day, count]));

describe('days are read in ranges', () => {
  const proved = { ...noFacts(), provedWidthDays: 80, isEndDateInclusive: true };
  const planOf = (
    given: Partial<ConstructorParameters<typeof RangePlan>[0]>,
    facts = proved,
    mostRows?: number,
  ) => new RangePlan({ direction: 'recibidos', days: LAST_WEEKS, ...given }, facts, mostRows);
  const rangesOf = (plan: RangePlan) => {
    const ranges = [];
    for (let range = plan.next(); range !== undefined; range = plan.next()) ranges.push(range);
    return ranges;
  };
  const widthsOf = (plan: RangePlan) => rangesOf(plan).map(({ needed }) => needed.length);

  it.each([
    ['as wide as proved', { ...proved, provedWidthDays: 15 }, 10, [15, 15, 10]],
    [
      'with the day after them',
      { ...proved, provedWidthDays: 15, isEndDateInclusive: false },
      10,
      [14, 14, 12],
    ],
    [
      'with the day after them, where days are of UTC',
      { ...proved, provedWidthDays: 15, areDaysShifted: true },
      10,
      [14, 14, 12],
    ],
    ['of 8,000 rows', proved, 400, [20, 20]],
    ['and one day, however long', proved, 8_001, LAST_WEEKS.map(() => 1)],
    ['and one day where nothing is proved', noFacts(), 1, LAST_WEEKS.map(() => 1)],
  ])('%s', (_what, facts, rows, widths) => {
    expect(widthsOf(planOf({ knownRows: rowsOf(rows) }, facts))).toEqual(widths);
    expect(widthsOf(planOf({ rowsADay: rows }, facts))).toEqual(widths);
  });

  it('the newest first, each day once, with what lies between them where that costs less than a list', () => {
    const days = [ago(4), ago(0), ago(1), ago(0)];
    const next = (rows: number) => planOf({ days, knownRows: rowsOf(rows) }).next();
    expect(next(100)).toEqual({
      days: { from: ago(4), to: DAY },
      needed: [DAY, ago(1), ago(4)],
      expectedRows: 500,
    });
    expect(next(101)).toEqual({ days: { from: ago(1), to: DAY }, needed: [DAY, ago(1)], expectedRows: 202 });
    const unknown = (gap: number) => planOf({ days: [ago(gap + 1), ago(0)] }).next();
    expect(unknown(31)).toEqual({
      days: { from: ago(32), to: DAY },
      needed: [DAY, ago(32)],
      expectedRows: undefined,
    });
    expect(unknown(32)?.needed).toEqual([DAY]);
    for (const rowsADay of [1, undefined])
      expect(widthsOf(planOf({ rowsADay }, proved, 0))).toEqual(LAST_WEEKS.map(() => 1));
  });

  it('of half as many days once a list of unknown length was too long, until one is read', () => {
    const plan = planOf({});
    const tooLong = () => {
      const range = plan.next();
      if (range !== undefined) plan.noteTooLong(daysBetween(range.days.from, range.days.to), range.needed);
      return range?.needed.length;
    };
    expect([tooLong(), tooLong(), plan.isExploring, plan.hasRead]).toEqual([40, 20, true, false]);
    expect(plan.next()?.needed).toHaveLength(10);
    for (const rows of [100, 300]) plan.noteRead(rows);
    expect([plan.isExploring, plan.hasRead]).toEqual([false, true]);
    expect(plan.next()).toMatchObject({ days: { from: ago(39), to: ago(10) }, expectedRows: 30 * 200 });

    const known = planOf({ knownRows: rowsOf(9) });
    expect([known.isExploring, known.hasRead]).toEqual([false, true]);
    known.noteTooLong(LAST_WEEKS, [DAY]);
    expect([known.isExploring, known.hasRead]).toEqual([true, false]);
    expect(planOf({ rowsADay: 9 })).toMatchObject({ isExploring: false, hasRead: false });
  });

  it('planned again of those that are needed, and nothing that was known of them holds', () => {
    const again = (days: readonly Day[], needed = days) => {
      const plan = planOf({ knownRows: rowsOf(9) });
      plan.next();
      plan.noteTooLong(days, needed);
      return rangesOf(plan).map((range) => [range.needed, range.expectedRows]);
    };
    expect(again(LAST_WEEKS, [ago(0), ago(3)])).toEqual([[[ago(0), ago(3)], undefined]]);
    // The older days' length is still known, that of all two is not.
    const plan = planOf({ days: [ago(0), ago(1), ago(2), ago(3), ago(4), ago(5)], knownRows: rowsOf(9) });
    plan.noteTooLong(daysBetween(ago(4), ago(0)), []);
    expect(rangesOf(plan).map(({ expectedRows }) => expectedRows)).toEqual([undefined, undefined, undefined]);
    const other = planOf({ days: [ago(0), ago(1), ago(2), ago(3), ago(4), ago(5)], knownRows: rowsOf(9) });
    other.noteTooLong(daysBetween(ago(5), ago(1)), []);
    expect(rangesOf(other)[0]).toMatchObject({ needed: [ago(0), ago(1)], expectedRows: undefined });
  });
});

describe('a run proves, by one list if it can', () => {
  /** Proves eight days by companies with receipts of these dates; `excluded`: lists lack their last day. */
  async function proved(dates: Record<string, string[]>, pairs: Witness[], isExcluded = false) {
    const facts = noFacts();
    const asked: string[] = [];
    await prove(facts, {
      companies: Object.keys(dates),
      neededDays: 8,
      lastDay: DAY,
      pairInLake: async (widthDays, failed) =>
        pairs
          .filter(({ days }) => daysBetween(days.from, days.to).length === widthDays)
          .sort((a, b) => Number(failed.has(a.rut)) - Number(failed.has(b.rut)))[0],
      readEnds: async (rut, days: DayRange) => {
        asked.push(`${rut} ${days.from.slice(8)}–${days.to.slice(8)}`);
        const isListed = (date: string) =>
          date >= `${addDays(days.from, -1)}T21` &&
          (isExcluded ? date < days.to : date.slice(0, 10) <= days.to);
        return dates[rut] && attemptOf(days, dates[rut].filter(isListed));
      },
    });
    const { provedWidthDays, isMidnightInclusive, isEndDateInclusive, areDaysShifted } = facts;
    return { asked, provedWidthDays, isMidnightInclusive, isEndDateInclusive, areDaysShifted };
  }
  const pair = (rut: string, days: number): Witness => ({ rut, days: { from: ago(days - 1), to: DAY } });
  const NOT = { isMidnightInclusive: false, isEndDateInclusive: false, areDaysShifted: false };

  it.each([
    [
      'its width, and that midnight is included',
      { A: [ago(7), DAY] },
      [pair('A', 8)],
      { asked: ['A 12–19'], provedWidthDays: 8, isMidnightInclusive: true },
    ],
    [
      'all of the last day, by its evening',
      { A: [ago(7), `${DAY}T21:00:00`] },
      [pair('A', 8)],
      { asked: ['A 12–19'], provedWidthDays: 8, isMidnightInclusive: true, isEndDateInclusive: true },
    ],
    [
      'a day less, where the first shows its evening alone',
      { A: [`${ago(7)}T21:00:00`, DAY] },
      [pair('A', 8)],
      { asked: ['A 12–19'], provedWidthDays: 7, isMidnightInclusive: true },
    ],
    [
      'no end date, where days are of UTC',
      { A: [`${ago(8)}T21:00:00`, ago(7), `${DAY}T21:00:00`] },
      [pair('A', 8)],
      { asked: ['A 12–19'], provedWidthDays: 8, areDaysShifted: true },
    ],
    [
      'by another company of that width, then by half of it',
      { B: [DAY], C: [ago(3), DAY] },
      [pair('A', 8), pair('B', 8), pair('C', 4)],
      {
        asked: ['A 12–19', 'A 12–20', 'B 12–19', 'B 12–20', 'C 16–19'],
        provedWidthDays: 4,
        isMidnightInclusive: true,
      },
    ],
    [
      'by what companies show, where the lake has nothing',
      { A: [], B: [ago(7), DAY] },
      [],
      { asked: ['A 12–19', 'B 12–19'], provedWidthDays: 8, isMidnightInclusive: true },
    ],
    [
      'by half of it, where they show less',
      { A: [ago(3), ago(1)] },
      [],
      { asked: ['A 12–19', 'A 16–19', 'A 16–18'], provedWidthDays: 3, isMidnightInclusive: true },
    ],
    [
      'by the same company over fewer days, where there is no other',
      { A: [ago(3), DAY] },
      [pair('A', 8), pair('A', 4)],
      { asked: ['A 12–19', 'A 12–20', 'A 16–19'], provedWidthDays: 4, isMidnightInclusive: true },
    ],
    [
      'by another company, where one shows a day alone',
      { A: [`${ago(1)}T21:00:00`, DAY], B: [ago(1), DAY] },
      [],
      {
        asked: ['A 12–19', 'B 12–19', 'A 16–19', 'A 18–19', 'B 16–19', 'B 18–19'],
        provedWidthDays: 2,
        isMidnightInclusive: true,
      },
    ],
    [
      'nothing, where there is nothing',
      { A: [] },
      [],
      { asked: ['A 12–19', 'A 16–19', 'A 18–19'], provedWidthDays: 1 },
    ],
  ] satisfies [string, Record<string, string[]>, Witness[], object][])(
    '%s',
    async (_what, dates, pairs, proof) => {
      expect(await proved(dates, pairs)).toEqual({ ...NOT, ...proof });
    },
  );

  it('by the lists of a hundred companies, and of twenty over fewer days', async () => {
    const { asked } = await proved(
      Object.fromEntries(Array.from({ length: 101 }, (_, rut) => [`${rut}.`, []])),
      [],
    );
    expect(asked).toHaveLength(100 + 20 + 20);
  });

  it('for twelve hours', () => {
    const facts = { recibidos: noFacts(), emitidos: { ...noFacts(), provedWidthDays: 9 } };
    const message = factsMessage(facts, 1_000);
    expect(factsFrom(message, 1_000 + 12 * HOUR_MS)).toEqual(facts);
    expect(factsFrom(message, 1_001 + 12 * HOUR_MS)).toBeUndefined();
  });

  it('the width by one day more, where the end date excludes its day', async () => {
    const asked = ['A 12–19', 'A 12–20'];
    expect(await proved({ A: [ago(7), DAY] }, [pair('A', 8)], true)).toEqual({
      ...NOT,
      asked,
      provedWidthDays: 8,
    });
  });
});
