import { expect, it } from 'vitest';
import { ApiError, HttpStatusError, UnprovedDayError } from '../../../lib/api/errors.ts';
import type { ReceiptsByDay } from '../../../lib/export/reading/receipts-by-day.ts';
import { type Answer, type Question, ruleOf } from '../../../lib/export/reading/rule.ts';
import { type AskedDays, noFacts } from '../../../lib/export/reading/service-facts.ts';
import type { Day, DayRange } from '../../../lib/time/days.ts';
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

/** What the rule says of the days, and the lists that it asks for; none of them is known to be cut. */
function played(range: DayRange, changes: object, receiptsOf: (asked: AskedDays) => (string | object)[]) {
  const facts = { ...noFacts(), deepestRow: 1000, ...changes };
  const company = { rowCount: 0, hasTimes: false };
  const rule = ruleOf<ReceiptsByDay>(range, { context: CONTEXT, facts, company });
  const lists: string[] = [];
  let step = rule.next();
  while (step.done !== true) {
    if (step.value.kind !== 'list') throw new Error(`a ${step.value.kind} was asked for`);
    const { asked } = step.value;
    lists.push(`${asked.from.slice(8)}–${asked.to.slice(8)}${asked.includesNextDay ? '+' : ''}`);
    const receipts = receiptsOf(asked).map((receipt) =>
      typeof receipt === 'string' ? receipt : { ...receipt },
    );
    step = rule.next({ attempts: [attemptOf(asked, receipts)], isStable: true });
  }
  return { lists, verdicts: step.value };
}

const NEXT = '2026-11-20';
const UTC = { areDaysShifted: true };

it.each([
  ['with a row before 21:00', {}, [LAST], 1, false],
  ['with its evening alone', {}, [`${LAST}T21:00:00`], 2, true],
  ['of UTC with an afternoon', UTC, [`${LAST}T10:00:00`], 2, true],
  ['of UTC with an evening', UTC, [`${LAST}T10:00:00`, `${LAST}T21:00:00`], 1, false],
  ['of UTC with a row of the next', UTC, [`${LAST}T10:00:00`, `${NEXT}T10:00:00`], 1, false],
  ['without rows', {}, [], 2, false],
  ['of UTC without rows', UTC, [], 2, true],
])('a day %s, where nothing is proved', (_what, facts, receipts, listCount, isPartial) => {
  const alone = (asked: AskedDays) => (asked.includesNextDay === true ? receipts : []);
  const { lists, verdicts } = played({ from: LAST, to: LAST }, facts, alone);
  expect(lists).toEqual(['19–19+', '19–19'].slice(0, listCount));
  expect(verdicts.get(LAST)).toMatchObject({ kind: 'read', isPartial, isStable: !isPartial });
});

it('days whose rows cannot be dealt are asked for in halves, the newer first', () => {
  const proved = { provedWidthDays: 9, isEndDateInclusive: true };
  const { lists, verdicts } = played({ from: '2026-11-17', to: LAST }, proved, ({ from, to }) =>
    [from, to].map((day) => ({ id: 1, fecha_emision: day })),
  );
  expect(lists).toEqual(['17–19', '19–19', '17–18', '18–18', '17–17']);
  expect([...verdicts.values()].map(({ kind }) => kind)).toEqual(['read', 'read', 'read']);
});
