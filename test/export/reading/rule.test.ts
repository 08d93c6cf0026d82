import { describe, expect, it } from 'vitest';
import { HttpStatusError, NoAnswerError, UnauthorizedError } from '../../../lib/api/errors.ts';
import type { ReceiptsByDay } from '../../../lib/export/reading/receipts-by-day.ts';
import { type Answer, type Question, ruleOf, type SeenCompany } from '../../../lib/export/reading/rule.ts';
import { boundsOf, noFacts, type ServiceFacts } from '../../../lib/export/reading/service-facts.ts';
import { attemptOf } from '../../support/export/attempt.ts';
import { RUT } from '../../support/export/unit-world.ts';

type Row = Readonly<{ fecha_emision: string } & Record<string, unknown>>;

/** A service, and the days of November that the rule is asked about. None of its lists is known to be cut. */
interface Played {
  /** Default: the 19th. */
  days?: string;
  facts?: Partial<ServiceFacts>;
  company?: Partial<SeenCompany>;
  /** Each is listed with its day. */
  rows?: readonly Row[];
  /** Rows that a list has besides, or its answer in their place. */
  lists?: Readonly<Record<string, readonly Row[] | 'no time' | 'too long' | Error>>;
  /** Lists that are answered 500, that have a row without a valid day, that were not proved. */
  refused?: string;
  undated?: string;
  unstable?: string;
  stored?: SeenCompany;
  /** Other questions are answered with false. */
  answers?: Readonly<Record<string, true | Error>>;
}

const CONTEXT = { rut: RUT, direction: 'recibidos' } as const;
const shortDay = (day: string) => day.slice(8);

function textOf(question: Question): string {
  if (question.kind === 'stored dates') return question.kind;
  if (question.kind === 'day') return `day ${shortDay(question.day)}`;
  const { from, to } = question.kind === 'list' ? question.asked : question.days;
  const days = from === to ? shortDay(to) : `${shortDay(from)}–${shortDay(to)}`;
  if (question.kind === 'list') return `${days}${question.asked.includesNextDay ? '+' : ''}`;
  if (question.kind === 'row') return `row ${question.position} of ${days}`;
  const { NumeroDesde = '', NumeroHasta = '' } = question.filters;
  return `${question.rowCount} rows of ${days} in ${NumeroDesde}..${NumeroHasta}`;
}

const REASONS =
  /status \d+|first \d+|no valid issue date|can't be had|another company|token|no answer|^Error/i;

/** What the rule asks, and how many rows it has of each day, or why none. */
function played({ days = '19', rows = [], lists = {}, answers = {}, ...given }: Played): string {
  const facts = { ...noFacts(), deepestRow: 1000, ...given.facts };
  const company = { rowCount: 0, hasTimes: false, ...given.company };
  const rowsWithIds = rows.map((row, index) => ({ id: 1000 + index, ...row }));
  const answer = (question: Question): Answer<ReceiptsByDay> => {
    const text = textOf(question);
    const isAmong = (texts = '') => texts.split(', ').includes(text);
    if (question.kind === 'stored dates') return given.stored ?? { rowCount: 0, hasTimes: false };
    if (question.kind !== 'list') return answers[text] ?? false;
    if (isAmong(given.refused)) return status(500);
    const more = isAmong(given.undated) ? [UNDATED] : (lists[text] ?? []);
    if (typeof more === 'string' || more instanceof Error) return more;
    const { from, to } = boundsOf(question.asked);
    const isListed = ({ fecha_emision: issued }: Row) => from <= issued && issued.slice(0, 10) <= to;
    const attempt = attemptOf(question.asked, [...rowsWithIds.filter(isListed), ...more]);
    return { attempts: [attempt], isStable: !isAmong(given.unstable) };
  };
  const [from = '2026-11-19', to = from] = days.split('–').map((day) => `2026-11-${Number(day)}` as const);
  const rule = ruleOf<ReceiptsByDay>({ from, to }, { context: CONTEXT, facts, company });
  const asked: string[] = [];
  let step = rule.next();
  while (step.done !== true) {
    asked.push(textOf(step.value));
    step = rule.next(answer(step.value));
  }
  const verdicts = [...step.value].sort().map(([day, verdict]) => {
    if (verdict.kind === 'failed') return `${shortDay(day)}: ${String(verdict.error).match(REASONS)?.[0]}`;
    if (verdict.kind !== 'read') return `${shortDay(day)}: ${verdict.kind}`;
    const ids = new Set(verdict.attempts.flatMap((list) => [...list.idsOn(day)]));
    const { isStable, isPartial } = verdict;
    const doubt = isPartial ? ` partial${isStable ? ', stable' : ''}` : isStable ? '' : ' changed';
    return `${shortDay(day)}: ${ids.size}${doubt}`;
  });
  return `${asked.join(', ')} → ${verdicts.join(', ')}`;
}

function itAsks(cases: Readonly<Record<string, [Played, string]>>): void {
  it.each(Object.entries(cases))('%s', (_what, [given, course]) => {
    expect(played(given)).toBe(course);
  });
}

const status = (code: number) => new HttpStatusError(CONTEXT, code, 1);
const rowAt = (issued: string, more: object = {}): Row => ({ fecha_emision: `2026-11-${issued}`, ...more });
/** So many dates of a day. */
const dates = (day: number, count: number) => Array.from({ length: count }, () => rowAt(`${day}`));
const UNDATED = { id: 9, fecha_emision: '2026-02-30' };
const [MORNING, EVENING] = [rowAt('19T10:00:00'), rowAt('19T21:00:00')];
const UTC = { areDaysShifted: true };
/** Lists of so many days are believed, and their last day is whole. */
const proved = (days: number) => ({ provedWidthDays: days, isEndDateInclusive: true });

describe('days are read in one list', () => {
  itAsks({
    'as wide as proved, and believed for its empty days too': [
      { days: '17–19', facts: proved(3), rows: dates(19, 2) },
      '17–19 → 17: 0, 18: 0, 19: 2',
    ],
    'with the day past their last, unless the end date includes its day': [
      { days: '17–19', facts: { provedWidthDays: 4 }, rows: dates(20, 2) },
      '17–19+ → 17: 0, 18: 0, 19: 0',
    ],
    'if it is wider than proved in halves, the newer and smaller one first': [
      { days: '17–19', facts: proved(2) },
      '17–19, 19, 17–18 → 17: 0, 18: 0, 19: 0',
    ],
    'in halves if its rows cannot be dealt': [
      { days: '18–19', facts: proved(2), lists: { '18–19': [rowAt('17')] } },
      '18–19, 19, 18 → 18: 0, 19: 0',
    ],
    'in halves if it is refused': [
      { days: '18–19', facts: proved(2), refused: '18–19, 19' },
      '18–19, 19, 18 → 18: 0, 19: status 500',
    ],
    'unless there is no time for it': [
      { days: '18–19', lists: { '18–19+': 'no time' } },
      '18–19+ → 18: no time, 19: no time',
    ],
    'and one with a receipt of another company fails': [
      {
        days: '18–19',
        facts: proved(2),
        rows: [MORNING, rowAt('18', { receptor: { nro_doc: '211003420017' } })],
      },
      '18–19 → 18: another company, 19: 1',
    ],
  });
});

describe('a day alone, where nothing is proved', () => {
  itAsks({
    'is shown with the next one by a row before 21:00': [{ rows: [rowAt('19T20:59:59')] }, '19+ → 19: 1'],
    'is asked for by itself if it has an evening only': [{ rows: [EVENING] }, '19+, 19 → 19: 1'],
    'is of UTC if a list has the evening before it': [
      { rows: [MORNING], lists: { '19+': [rowAt('18T21:00:00')] } },
      '19+, 19 → 19: 1 partial',
    ],
    'may lack rows if its own list has none': [{ lists: { '19+': [EVENING] } }, '19+, 19 → 19: 1 partial'],
    'of UTC is shown by its evening': [{ facts: UTC, rows: [MORNING, EVENING] }, '19+ → 19: 2'],
    'of UTC is shown by a row of the next': [{ facts: UTC, rows: [MORNING, rowAt('20')] }, '19+ → 19: 1'],
    'without rows is asked for twice': [{}, '19+, 19 → 19: 0'],
    'of UTC without rows may lack some': [{ facts: UTC }, '19+, 19 → 19: 0 partial'],
    'fails if it can be had in no way': [
      { refused: '19+', lists: { '19': status(400) } },
      '19+, 19 → 19: status 400',
    ],
    'fails if it cannot be had by itself, and has no rows': [{ refused: '19' }, '19+, 19 → 19: status 500'],
    'may lack rows if it cannot be had by itself': [
      { rows: [EVENING], refused: '19' },
      '19+, 19 → 19: 1 partial',
    ],
    'has all rows of both lists': [
      { facts: UTC, lists: { '19+': [{ ...MORNING, id: 1 }], '19': [{ ...MORNING, id: 2 }] } },
      '19+, 19 → 19: 2 partial',
    ],
    'has changed if one of its lists was not proved': [
      { rows: [EVENING], unstable: '19+' },
      '19+, 19 → 19: 1 changed',
    ],
    'is not read if there is no time in the middle': [
      { lists: { '19': 'no time' } },
      '19+, 19 → 19: no time',
    ],
    'has a row without a day that its own list has': [
      { rows: [MORNING], undated: '19+, 19' },
      '19+, 19 → 19: 2',
    ],
    'fails if its own list lacks that': [
      { rows: [MORNING], undated: '19+' },
      '19+, 19 → 19: no valid issue date',
    ],
    'does not fail by such a row of a later one': [
      { days: '18–19', rows: [MORNING, rowAt('18')], undated: '18–19+, 18+, 19+, 19' },
      '18–19+, 19+, 19, 18+, 18 → 18: 1, 19: 2',
    ],
  });
});

describe('a day that cannot be had with the next one', () => {
  const refused = '19+';
  const stored = (rowCount: number, hasTimes = false) => ({ rowCount, hasTimes });
  const midnight = { isMidnightInclusive: true };
  const timed = { hasTimes: true };
  itAsks({
    'is whole with a row of the evening': [{ refused, rows: [EVENING] }, '19+, 19 → 19: 1'],
    'may lack its evening if rows have times, however many': [
      { refused, rows: [MORNING, ...dates(19, 30)], facts: midnight },
      '19+, 19 → 19: 31 partial',
    ],
    'is whole with twenty dates': [{ refused, rows: dates(19, 20) }, '19+, 19 → 19: 20'],
    'fails with fewer': [{ refused, rows: dates(19, 19) }, "19+, 19 → 19: can't be had"],
    'fails with twenty where others have times': [
      { refused, rows: dates(19, 20), facts: timed },
      "19+, 19 → 19: can't be had",
    ],
    'is whole if midnight is included, and the company has as many': [
      { refused, rows: dates(19, 8), facts: { ...timed, ...midnight }, company: { rowCount: 12 } },
      '19+, 19 → 19: 8',
    ],
    'fails if the company has times': [
      { refused, rows: dates(19, 20), facts: { ...timed, ...midnight }, company: timed },
      "19+, 19 → 19: can't be had",
    ],
    'is whole if midnight is included, and the lake has as many': [
      { refused, facts: midnight, stored: stored(20) },
      '19+, 19, stored dates → 19: 0',
    ],
    'fails if the lake has fewer': [
      { refused, facts: midnight, stored: stored(19) },
      "19+, 19, stored dates, stored dates → 19: can't be had",
    ],
    'fails if the lake has times': [
      { refused, facts: midnight, stored: stored(20, true) },
      "19+, 19, stored dates, stored dates → 19: can't be had",
    ],
    'is whole if an earlier one had as many': [
      {
        days: '17–19',
        rows: [...dates(17, 12), ...dates(18, 8), ...dates(19, 8)],
        facts: midnight,
        refused: '19+, 18+',
        stored: stored(0),
      },
      '17–19+, 19+, 19, stored dates, 17–18+, 18+, 18, stored dates, 17+ → 17: 12, 18: 8, 19: 8',
    ],
    'stays failed if a list of more days had a row that it lacks': [
      {
        days: '18–19',
        rows: [...dates(18, 12), ...dates(19, 8)],
        facts: midnight,
        refused,
        lists: { '18–19+': [rowAt('19')] },
        stored: stored(0),
      },
      "18–19+, 19+, 19, stored dates, 18+ → 18: 12, 19: can't be had",
    ],
  });
});

describe('a list that may be cut', () => {
  const facts = { ...proved(1), deepestRow: 25 };
  const unproved = { deepestRow: 0, isMidnightInclusive: true };
  const numbered = dates(19, 25).map((row, index) => ({ ...row, numero: 1024 - index }));
  const part = '12 rows of 19 in ..1011';
  const alone = '19, row 25 of 11–19';
  itAsks({
    'has 25 rows at least': [{ facts: { ...facts, deepestRow: 0 }, rows: dates(19, 24) }, '19 → 19: 24'],
    'is none if a list was longer': [{ facts: { ...facts, deepestRow: 26 }, rows: numbered }, '19 → 19: 25'],
    'is none if a list of this run was longer': [
      { days: '18–19', facts, rows: [...numbered, rowAt('18')] },
      '18–19, row 26 of 09–19, 13 rows of 18–19 in ..1011, 19, 18 → 18: 1, 19: 25',
    ],
    'is cleared by a row past its end of a wider one': [
      { days: '18–19', facts, rows: numbered, answers: { 'row 25 of 09–19': true } },
      '18–19, row 25 of 09–19, 19, 18 → 18: 0, 19: 25',
    ],
    'is cleared by its halves': [
      { facts, rows: numbered, answers: { [part]: true, '13 rows of 19 in 1012..': true } },
      `${alone}, ${part}, 13 rows of 19 in 1012.. → 19: 25`,
    ],
    'may lack rows if one half ends elsewhere': [
      { facts, rows: numbered, answers: { [part]: true } },
      `${alone}, ${part}, 13 rows of 19 in 1012.. → 19: 25 partial`,
    ],
    'may lack rows if the other one does': [{ facts, rows: numbered }, `${alone}, ${part} → 19: 25 partial`],
    'may lack rows if one has no number': [
      { facts, rows: [...numbered.slice(1), rowAt('19', { numero: 'A' })] },
      `${alone} → 19: 25 partial`,
    ],
    'may lack rows if all have the same number': [
      { facts, rows: numbered.map((row) => ({ ...row, numero: 7 })) },
      `${alone} → 19: 25 partial`,
    ],
    'may lack rows if it has less than 500': [
      { facts, rows: dates(19, 499) },
      '19, row 499 of 11–19, 249 rows of 19 in ..249 → 19: 499 partial',
    ],
    'fails with 500': [
      { facts, rows: dates(19, 500) },
      '19, row 500 of 11–19, 250 rows of 19 in ..250 → 19: first 500',
    ],
    'fails with 500 of the next day, too': [
      { facts: unproved, rows: [MORNING, ...dates(20, 499)] },
      '19+, row 500 of 10–20, 250 rows of 19–20 in ..250, 19 → 19: first 500',
    ],
    'fails with 500 by itself': [
      { facts: unproved, rows: dates(19, 500), refused: '19+' },
      '19+, 19, row 500 of 11–19, 250 rows of 19 in ..250 → 19: first 500',
    ],
    'fails with dates that nothing proved': [
      { facts: unproved, rows: numbered, refused: '19+' },
      "19+, 19, row 25 of 11–19, 12 rows of 19 in ..1011 → 19: can't be had",
    ],
    'may lack rows of a day that has none': [
      { facts: { deepestRow: 0 }, rows: dates(20, 30) },
      '19+, row 30 of 10–20, 15 rows of 19–20 in ..15, 19 → 19: 0 partial',
    ],
  });
});

describe('a list that cannot be had', () => {
  const facts = proved(1);
  const days = '18–19';
  const denied = { '17–19': status(404) };
  const timeout = new NoAnswerError(CONTEXT, 'any', 2, { isTimeout: true });
  const disconnected = new NoAnswerError(CONTEXT, 'any', 2);
  const late = { '17–19': timeout };
  itAsks({
    'fails its days at once if the token is refused': [
      { days, facts, lists: { '18–19': new UnauthorizedError(CONTEXT) } },
      '18–19 → 18: token, 19: token',
    ],
    'fails its days at once by a fault of the program': [
      { days, facts, lists: { '18–19': new Error('any') } },
      '18–19 → 18: Error, 19: Error',
    ],
    'fails its days if the last and the first are denied, too': [
      { days: '17–19', facts, lists: denied, answers: { 'day 19': status(404), 'day 17': status(404) } },
      '17–19, day 19, day 17 → 17: status 404, 18: status 404, 19: status 404',
    ],
    'is asked for in halves if its first day is denied otherwise': [
      {
        days: '17–19',
        facts: proved(2),
        lists: denied,
        answers: { 'day 19': status(404), 'day 17': status(403) },
      },
      '17–19, day 19, day 17, 19, 17–18 → 17: 0, 18: 0, 19: 0',
    ],
    'is asked for in halves if its last day is answered': [
      { days: '17–19', facts: proved(2), lists: denied, answers: { 'day 19': true } },
      '17–19, day 19, 19, 17–18 → 17: 0, 18: 0, 19: 0',
    ],
    'fails its days if the last and the first are not answered in time, either': [
      { days: '17–19', facts, lists: late, answers: { 'day 19': timeout, 'day 17': timeout } },
      '17–19, day 19, day 17 → 17: no answer, 18: no answer, 19: no answer',
    ],
    'is asked for in halves if it took too long, and a day alone does not': [
      { days: '17–19', facts: proved(2), lists: late, answers: { 'day 19': true } },
      '17–19, day 19, 19, 17–18 → 17: 0, 18: 0, 19: 0',
    ],
    'is asked for in halves if its connection fails at a day alone': [
      { days: '17–19', facts: proved(2), lists: late, answers: { 'day 19': disconnected } },
      '17–19, day 19, 19, 17–18 → 17: 0, 18: 0, 19: 0',
    ],
    'fails its days if the company is asked to wait for each': [
      {
        days: '17–19',
        facts,
        lists: { '17–19': status(429) },
        answers: { 'day 19': status(429), 'day 17': status(429) },
      },
      '17–19, day 19, day 17 → 17: status 429, 18: status 429, 19: status 429',
    ],
    'fails its day alone': [{ facts, lists: { '19': status(403) } }, '19 → 19: status 403'],
  });
});

describe('what a list had and its halves lack', () => {
  const facts = proved(1);
  const days = '18–19';
  const asked = '18–19, 19, 18';
  itAsks({
    'is kept, and its day has changed': [
      { days, facts, rows: [rowAt('18')], lists: { '18–19': [MORNING] } },
      `${asked} → 18: 1, 19: 1 changed`,
    ],
    'fails all days if it has no valid day': [
      { days, facts, undated: '18–19' },
      `${asked} → 18: no valid issue date, 19: no valid issue date`,
    ],
    'may be of a day that failed': [
      { days, facts, undated: '18–19', refused: '18' },
      `${asked} → 18: status 500, 19: 0`,
    ],
    'is not lacking if a half has it without a day': [
      { days, facts, undated: '18–19, 18' },
      `${asked} → 18: 1, 19: 0`,
    ],
    'is not lacking if a half has it with a day': [
      { days, facts, undated: '18–19', lists: { '18': [rowAt('18', { id: 9 })] } },
      `${asked} → 18: 1, 19: 0`,
    ],
  });
});
