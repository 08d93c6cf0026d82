import { expect, it } from 'vitest';
import { type PlannedRange, RangePlan } from '../../../lib/export/reading/range-plan.ts';
import { addDays, daysBetween } from '../../../lib/time/days.ts';

const DAY = '2026-11-19';

/** A list over 30 days that was given up because it has 32,000 to 128,000 rows. */
function longList(): RangePlan {
  const days = daysBetween(addDays(DAY, -29), DAY);
  const list = new RangePlan({ direction: 'recibidos', days }, {});
  const whole = taken(list);
  list.noteTooLong(whole.days, { kind: 'tooLong', leastRows: 32_000, mostRows: 128_000 });
  list.putBack(days);
  list.end(whole);
  return list;
}

function taken(list: RangePlan): PlannedRange {
  const range = list.take(Number.POSITIVE_INFINITY);
  if (range === undefined) throw new Error('nothing is left to read');
  return range;
}

it('reads a long list in ranges that are short enough at its greatest possible density', () => {
  const list = longList();
  expect([taken(list), taken(list)].map(({ needed }) => needed.length)).toEqual([1, 1]);
});

it('does not take a few quiet days as typical, though their lists are the first to end', () => {
  const list = longList();
  const quiet = taken(list);
  list.noteRead(quiet.days, 100);
  expect(taken(list).needed).toHaveLength(5);
});

it('goes by what it has read once that is enough', () => {
  const list = longList();
  for (let count = 0; count < 5; count += 1) {
    const { days, needed } = taken(list);
    list.noteRead(days, 2_000 * needed.length);
  }
  expect(taken(list).needed).toHaveLength(4);
});
