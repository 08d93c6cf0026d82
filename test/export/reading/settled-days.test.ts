import { expect, it } from 'vitest';
import { ApiError, HttpStatusError, UnprovedDayError } from '../../../lib/api/errors.ts';
import type { ReceiptsByDay } from '../../../lib/export/reading/receipts-by-day.ts';
import { type Answer, type Question, ruleOf } from '../../../lib/export/reading/rule.ts';
import { noFacts } from '../../../lib/export/reading/service-facts.ts';
import type { Day } from '../../../lib/time/days.ts';
import { attemptOf } from '../../support/export/attempt.ts';
import { RUT } from '../../support/export/unit-world.ts';

const [FIRST, LAST] = ['2026-11-18', '2026-11-19'] as const;
const CONTEXT = { rut: RUT, direction: 'recibidos', day: LAST } as const;

/** So many rows of a day, all of them dates, with ids of their own. */
const rowsOf = (day: Day, count: number, firstId: number) =>
  Array.from({ length: count }, (_, row) => ({ id: firstId + row, fecha_emision: day }));

/** Of the last day, the list of both days has `wide` rows and its own list twelve; it can't be had with the next one. */
function lastDay(wide: number) {
  const facts = { ...noFacts(), isMidnightInclusive: true, deepestRow: 1000 };
  const company = { rowCount: 0, hasTimes: false };
  const answer = (question: Question): Answer<ReceiptsByDay> => {
    if (question.kind !== 'list') return company;
    const { asked } = question;
    if (asked.from === LAST && asked.includesNextDay) return new HttpStatusError(CONTEXT, 500, 6);
    const isWide = asked.from === FIRST && asked.to === LAST;
    const first = asked.from === FIRST ? rowsOf(FIRST, 12, 100) : [];
    const last = asked.to === LAST ? rowsOf(LAST, isWide ? wide : 12, 200) : [];
    return { attempts: [attemptOf(asked, [...first, ...last])], isStable: true };
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
