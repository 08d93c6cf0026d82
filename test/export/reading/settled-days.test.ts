import { expect, it } from 'vitest';
import { ApiError, HttpStatusError, UnprovedDayError } from '../../../lib/api/errors.ts';
import { ReceiptsByDay } from '../../../lib/export/reading/receipts-by-day.ts';
import { type Answer, type Question, ruleOf } from '../../../lib/export/reading/rule.ts';
import { type AskedDays, noFacts } from '../../../lib/export/reading/service-facts.ts';
import { type Day, daysBetween } from '../../../lib/time/days.ts';
import { RUT, received } from '../../support/export/unit-world.ts';

const [FIRST, LAST] = ['2026-11-18', '2026-11-19'] as const;
const CONTEXT = { rut: RUT, direction: 'recibidos', day: LAST } as const;

/** A list with so many rows of each day, all of them dates. */
function listOf(asked: AskedDays, counts: Partial<Record<Day, number>>): ReceiptsByDay {
  const list = new ReceiptsByDay(CONTEXT, asked);
  const items = daysBetween(FIRST, LAST).flatMap((day, index) =>
    Array.from({ length: counts[day] ?? 0 }, (_, row) =>
      received(100 * (index + 1) + row, { fecha_emision: `${day}T00:00:00` }),
    ),
  );
  list.add({ pageNumber: 1, items, ids: items.map(({ id }) => id) }, 0);
  return list;
}

/** Of the last day, the list of both days has `wide` rows and its own list twelve; it can't be had with the next one. */
function lastDay(wide: number) {
  const facts = { ...noFacts(), isMidnightInclusive: true, deepestRow: 1000 };
  const company = { rowCount: 0, hasTimes: false };
  const answer = (question: Question): Answer<ReceiptsByDay> => {
    if (question.kind !== 'list') return company;
    const { asked } = question;
    if (asked.from === LAST && asked.includesNextDay) return new HttpStatusError(CONTEXT, 500, 6);
    const isWide = asked.from === FIRST && asked.to === LAST;
    const first = asked.from === FIRST ? { [FIRST]: 12 } : {};
    const last = asked.to === LAST ? { [LAST]: isWide ? wide : 12 } : {};
    return { attempts: [listOf(asked, { ...first, ...last })], isStable: true };
  };
  const rule = ruleOf<ReceiptsByDay>({ from: FIRST, to: LAST }, { context: CONTEXT, facts, company });
  let step = rule.next();
  while (step.done !== true) step = rule.next(answer(step.value));
  return step.value.get(LAST);
}

it('a day that nothing proved is read once other days show that the company gives dates', () => {
  expect(lastDay(12)).toMatchObject({ kind: 'read', isStable: true });
});

it('but not where a list of several days had a row that its own list lacks: it fails by name', () => {
  const result = lastDay(13);
  expect(result?.kind).toBe('failed');
  expect(result?.kind === 'failed' && result.error).toBeInstanceOf(UnprovedDayError);
  expect(result?.kind === 'failed' && result.error).toBeInstanceOf(ApiError);
});
