import { describe, expect, it } from 'vitest';
import { type PlannedRange, RangePlan } from '../../../lib/export/reading/plan.ts';
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
  const excluded = { ...proved, isEndDateInclusive: false };
  const planOf = (given: Partial<ConstructorParameters<typeof RangePlan>[0]>, facts = proved) =>
    new RangePlan({ direction: 'recibidos', days: LAST_WEEKS, ...given }, facts);
  /** The days that are needed, all of its days, and its rows; a day is told by how long ago it is. */
  const textOf = ({ days, needed, expectedRows = Number.NaN }: PlannedRange) => {
    const daysAgo = (day: Day) => daysBetween(day, DAY).length - 1;
    return `${needed.map(daysAgo).join(' ')} of ${daysAgo(days.from)}–${daysAgo(days.to)}: ${expectedRows}`;
  };
  const rangesOf = (plan: RangePlan) => {
    const ranges = [];
    for (let range = plan.next(); range !== undefined; range = plan.next()) ranges.push(range);
    return ranges;
  };
  const widthsOf = (plan: RangePlan) => rangesOf(plan).map(({ needed }) => needed.length);

  it.each([
    ['as wide as proved', { ...proved, provedWidthDays: 15 }, 10, [15, 15, 10]],
    ['with the day after them', { ...excluded, provedWidthDays: 15 }, 10, [14, 14, 12]],
    [
      'so, too, where days are of UTC',
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
    const known = (rows: number) => rangesOf(planOf({ days, knownRows: rowsOf(rows) })).map(textOf);
    expect(known(100)).toEqual(['0 1 4 of 4–0: 500']);
    expect(known(101)).toEqual(['0 1 of 1–0: 202', '4 of 4–4: 101']);
    const unknown = (gap: number) => rangesOf(planOf({ days: [ago(gap + 1), ago(0)] })).map(textOf);
    expect(unknown(31)).toEqual(['0 32 of 32–0: NaN']);
    expect(unknown(32)).toEqual(['0 of 0–0: NaN', '33 of 33–33: NaN']);
  });

  it('of half as many days once a list of unknown length was too long, until one is read', () => {
    const plan = planOf({});
    const tooLong = () => {
      const range = plan.next();
      if (range !== undefined) plan.noteTooLong(daysBetween(range.days.from, range.days.to), range.needed);
      return range?.needed.length;
    };
    expect([tooLong(), tooLong()]).toEqual([40, 20]);
    expect(plan).toMatchObject({ isExploring: true });
    expect(plan.next()?.needed).toHaveLength(10);
    for (const rows of [100, 300]) plan.noteRead(rows);
    expect(plan).toMatchObject({ isExploring: false });
    expect(plan.next()).toMatchObject({ days: { from: ago(39), to: ago(10) }, expectedRows: 30 * 200 });

    const known = planOf({ knownRows: rowsOf(9) });
    expect(known).toMatchObject({ isExploring: false });
    known.noteTooLong(LAST_WEEKS, [DAY]);
    expect(known).toMatchObject({ isExploring: true });
    expect(planOf({ rowsADay: 9 })).toMatchObject({ isExploring: false });
  });

  it('planned again of those that are needed, and nothing that was known of them holds', () => {
    const again = (ranges: number, tooLong: readonly Day[], needed: readonly Day[]) => {
      const plan = planOf({ days: daysBetween(ago(5), DAY), knownRows: rowsOf(9) });
      for (let range = 0; range < ranges; range += 1) plan.next();
      plan.noteTooLong(tooLong, needed);
      return rangesOf(plan).map(textOf);
    };
    expect(again(1, daysBetween(ago(5), DAY), [ago(0), ago(2)])).toEqual(['0 2 of 2–0: NaN']);
    // The other days' length is still known, that of all is not.
    expect(again(0, daysBetween(ago(4), ago(0)), [])).toEqual([
      '0 1 of 1–0: NaN',
      '2 3 of 3–2: NaN',
      '4 5 of 5–4: NaN',
    ]);
    expect(again(0, daysBetween(ago(5), ago(1)), [])[0]).toBe('0 1 of 1–0: NaN');
  });
});

describe('a run proves, by one list if it can', () => {
  /** A pair of the lake, as a company and a number of days; one day is an earlier one. */
  const pairOf = (text: string): Witness => {
    const days = Number(text.slice(1));
    const to = days === 1 ? ago(3) : DAY;
    return { rut: text.slice(0, 1), days: { from: addDays(to, 1 - days), to } };
  };
  /** Proves eight days by companies with receipts of these dates; `isExcluded`: lists lack their last day. */
  async function proved(dates: Record<string, string[]>, pairs: string, isExcluded = false) {
    const facts = noFacts();
    const asked: string[] = [];
    await prove(facts, {
      companies: Object.keys(dates),
      neededDays: 8,
      lastDay: DAY,
      pairInLake: async (widthDays, failed) =>
        (pairs.match(/\S+/g) ?? [])
          .map(pairOf)
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
    const { isMidnightInclusive, isEndDateInclusive, areDaysShifted, hasTimes } = facts;
    const flags = {
      midnight: isMidnightInclusive,
      end: isEndDateInclusive,
      UTC: areDaysShifted,
      times: hasTimes,
    };
    const shown = Object.entries(flags).flatMap(([name, isShown]) => (isShown ? [name] : []));
    return `${asked.join(', ')} → ${[facts.provedWidthDays, ...shown].join(', ')}`;
  }
  const [FIRST, EVENING] = [ago(7), `${DAY}T21:00:00`];
  const [EVE_OF_FIRST, MIDDLE] = [`${ago(8)}T21:00:00`, ago(3)];

  it.each<[string, Record<string, string[]>, string, string]>([
    ['its width, and midnight', { A: [FIRST, DAY] }, 'A8', 'A 12–19 → 8, midnight'],
    [
      'all of the last day, by its evening',
      { A: [FIRST, EVENING] },
      'A8',
      'A 12–19 → 8, midnight, end, times',
    ],
    [
      'a day less, by a first evening',
      { A: [`${FIRST}T21:00:00`, DAY] },
      'A8',
      'A 12–19 → 7, midnight, times',
    ],
    ['no end date, in UTC', { A: [EVE_OF_FIRST, FIRST, EVENING] }, 'A8', 'A 12–19 → 8, UTC, times'],
    [
      'by another company of that width, then by half of it',
      { B: [DAY], C: [MIDDLE, DAY] },
      'A8 B8 C4',
      'A 12–19, A 12–20, B 12–19, B 12–20, C 16–19 → 4, midnight',
    ],
    [
      'by what companies show, not the lake',
      { A: [], B: [FIRST, DAY] },
      '',
      'A 12–19, B 12–19 → 8, midnight',
    ],
    ['by half of it, if less', { A: [MIDDLE, ago(1)] }, '', 'A 12–19, A 16–19, A 16–18 → 3, midnight'],
    ['by the same company', { A: [MIDDLE, DAY] }, 'A8 A4', 'A 12–19, A 12–20, A 16–19 → 4, midnight'],
    ['midnight by one day', { A: [MIDDLE] }, 'A8 A1', 'A 12–19, A 12–20, A 16–16 → 1, midnight'],
    [
      'by another company, where one shows a day alone',
      { A: [`${ago(1)}T21:00:00`, DAY], B: [ago(1), DAY] },
      '',
      'A 12–19, B 12–19, A 16–19, A 18–19, B 16–19, B 18–19 → 2, midnight, times',
    ],
    ['nothing, where there is nothing', { A: [] }, '', 'A 12–19, A 16–19, A 18–19 → 1'],
  ])('%s', async (_what, dates, pairs, course) => {
    expect(await proved(dates, pairs)).toBe(course);
  });

  it('the width by one day more, where the end date excludes its day', async () => {
    const course = await proved({ A: [FIRST, EVENING] }, 'A8', true);
    expect(course).toBe('A 12–19, A 12–20 → 8, times');
  });

  it('by the lists of a hundred companies, and of twenty over fewer days', async () => {
    const dates = Object.fromEntries(Array.from({ length: 101 }, (_, rut) => [`${rut}.`, []]));
    expect((await proved(dates, '')).split(', ')).toHaveLength(100 + 20 + 20);
  });

  it('for twelve hours', () => {
    const facts = { recibidos: noFacts(), emitidos: { ...noFacts(), provedWidthDays: 9 } };
    const message = factsMessage(facts, 1_000);
    expect(factsFrom(message, 1_000 + 12 * HOUR_MS)).toEqual(facts);
    expect(factsFrom(message, 1_001 + 12 * HOUR_MS)).toBeUndefined();
  });
});
