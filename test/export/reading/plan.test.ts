import { expect, it } from 'vitest';
import { noFacts } from '../../../lib/export/reading/facts.ts';
import { type PlannedRange, RangePlan } from '../../../lib/export/reading/plan.ts';
import { addDays, daysBetween } from '../../../lib/time/days.ts';

const DAY = '2026-11-19';

/** A list over 32 days that was given up because it is too long. */
function longList(): RangePlan {
  const days = daysBetween(addDays(DAY, -31), DAY);
  const plan = new RangePlan({ direction: 'recibidos', days }, noFacts());
  const whole = taken(plan);
  plan.noteTooLong(whole.days);
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
  const plan = longList();
  const quarter = taken(plan);
  expect(quarter.needed).toHaveLength(8);
  expect(plan.take(Number.POSITIVE_INFINITY)).toBeUndefined();
});

it('goes by what it has read once a part of it was short enough', () => {
  const plan = longList();
  const quarter = taken(plan);
  for (const _day of quarter.needed) plan.noteRead(2_000);
  plan.end(quarter);
  expect(taken(plan)).toMatchObject({ expectedRows: 8_000, needed: { length: 4 } });
});
