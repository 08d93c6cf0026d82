import { expect, it } from 'vitest';
import { noFacts } from '../../../lib/export/reading/facts.ts';
import { type PlannedRange, RangePlan } from '../../../lib/export/reading/plan.ts';
import { addDays, type Day, type DayRange, daysBetween } from '../../../lib/time/days.ts';

const DAY: Day = '2026-11-19';
const ALL = { from: addDays(DAY, -31), to: DAY };

/** A list over 32 days that was given up because it is too long: its first 8,000 rows are of these days. */
function longList(ends: DayRange): RangePlan {
  const days = daysBetween(ALL.from, ALL.to);
  const plan = new RangePlan({ direction: 'recibidos', days }, noFacts());
  const whole = taken(plan);
  plan.noteTooLong({ kind: 'tooLong', asked: { ...whole.days, isPast: false }, ends });
  plan.putBack(days);
  plan.end(whole);
  return plan;
}

function taken(plan: RangePlan): PlannedRange {
  const range = plan.take(Number.POSITIVE_INFINITY);
  if (range === undefined) throw new Error('nothing is left to read');
  return range;
}

it('quarters a list that is too long, as long as nothing is known of its days', () => {
  const plan = longList(ALL);
  const quarter = taken(plan);
  expect(quarter.needed).toHaveLength(8);
  expect(plan.take(Number.POSITIVE_INFINITY)).toBeUndefined();
});

it('goes by the days that its first rows reach over, where rows come in the order of their days', () => {
  const plan = longList({ from: ALL.from, to: addDays(ALL.from, 4) });
  expect(taken(plan)).toMatchObject({ expectedRows: 8_000, needed: { length: 4 } });
  // Nothing more needs to be found out before the next one.
  expect(taken(plan)).toMatchObject({ expectedRows: 8_000, needed: { length: 4 } });
});

it('goes by what it has read once a part of it was short enough', () => {
  const plan = longList(ALL);
  const quarter = taken(plan);
  for (const _day of quarter.needed) plan.noteRead(2_000);
  plan.end(quarter);
  expect(taken(plan)).toMatchObject({ expectedRows: 8_000, needed: { length: 4 } });
});

it('still has all other days once those of a list that is too long are put back', () => {
  const days = [addDays(DAY, -100), addDays(DAY, -1), DAY];
  const plan = new RangePlan({ direction: 'recibidos', days }, noFacts());
  const newest = taken(plan);
  plan.noteTooLong({ kind: 'tooLong', asked: { ...newest.days, isPast: false }, ends: newest.days });
  plan.putBack(newest.needed);
  plan.end(newest);
  const later: Day[] = [];
  for (const _day of days) {
    const range = taken(plan);
    later.push(...range.needed);
    plan.end(range);
  }
  expect(later.sort()).toEqual(days);
});
