import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NoTokenError } from '../../lib/api/access.ts';
import { LoginRefusedError } from '../../lib/companies/ask-token.ts';
import {
  NONE_REFUSED,
  type Refused,
  type RenewedLogin,
  type RenewedToken,
  renewDue,
} from '../../lib/companies/renew-due.ts';
import { Token } from '../../lib/companies/token.ts';
import { MINUTE_MS } from '../../lib/time/days.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { rutsOf } from '../support/ruts.ts';

const ANSWERS = {
  given: undefined,
  refused: new LoginRefusedError(undefined, 'refused (401).', ''),
  refusedScope: new LoginRefusedError('scope', 'refused (invalid_scope).', ''),
  refusedLogin: new LoginRefusedError('login', 'refused (invalid_grant).', ''),
  other: new NoTokenError('answered with 404.', ''),
  down: new NoTokenError('answered with 503.', '', { reason: 'failed' }),
};
type Answer = keyof typeof ANSWERS;

/** What is answered from a moment on; a token before. Whole numbers are invocations, tenths are what one of them asks for. */
type Course = { from: number; answer: Answer }[];
const courseOf = (...possible: Answer[]) =>
  fc.array(
    fc.record({
      from: fc.integer({ max: 900, min: 0 }).map((tenths) => tenths / 10),
      answer: fc.constantFrom<Answer[]>(...possible),
    }),
    { maxLength: 3 },
  );
const answerAt = (course: Course, time: number): Answer =>
  course.filter(({ from }) => from <= time).toSorted((a, b) => b.from - a.from)[0]?.answer ?? 'given';
const isAlwaysGiven = (course: Course) => course.every(({ answer }) => answer === 'given');

const INTERVAL_MS = 15 * MINUTE_MS;
const TIMES = 120;

/** The invocations of thirty hours, each given tokens for `mostAtOnce` companies at most: what each asked and was answered, and whose tokens lived until the next. */
async function play(companies: Course[], ofAll: Course, lifeMinutes: number, mostAtOnce = 1_000) {
  const clock = new FakeClock();
  const ruts = rutsOf(companies.length);
  const courses = new Map<string | undefined, Course>(
    ruts.map((rut, index) => [rut, companies[index] ?? []]),
  );
  let tokens: RenewedToken[] = [];
  let refused: Refused = NONE_REFUSED;
  const asked: { time: number; answer: Answer }[] = [];
  const live: boolean[][] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const login: RenewedLogin = {
      version: () => 'one',
      ruts,
      async logIn(rut) {
        const course = courses.get(rut) ?? [];
        const sameTime = asked.filter((one) => one.time === time).length;
        const shared = answerAt(ofAll, time + Math.min(sameTime, 9) / 10);
        const own = sameTime < mostAtOnce ? answerAt(course, time) : 'down';
        const answer = shared === 'given' ? own : shared;
        asked.push({ time, answer });
        const error = ANSWERS[answer];
        if (error !== undefined) throw error;
        return { token: new Token('a-token'), issuedAtMs: clock.now(), lifeMs: lifeMinutes * MINUTE_MS };
      },
    };
    const { renewed, ...next } = await renewDue(login, tokens, refused, clock);
    refused = next;
    const others = tokens.filter(({ rut }) => !renewed.some((one) => one.rut === rut));
    tokens = [...renewed, ...others];
    await clock.advance(INTERVAL_MS);
    live.push(ruts.map((rut) => tokens.some((one) => one.rut === rut && one.endsAtMs >= clock.now())));
  }
  return { asked, live };
}

/** How many invocations in a row end without a token of a company that would be given one. */
function longestWait(live: boolean[][], index: number, course: Course, ofAll: Course): number {
  let longest = 0;
  let wait = 0;
  for (const [time, isLive] of live.entries()) {
    const isGiven = [time, time + 0.9].every((moment) =>
      [ofAll, course].every((one) => answerAt(one, moment) === 'given'),
    );
    wait = isGiven && isLive[index] === false ? wait + 1 : 0;
    longest = Math.max(longest, wait);
  }
  return longest;
}

/** How often within an hour it is refused, since it last gave a token, in words that do not blame the company alone. */
function mostDoubts(asked: readonly { time: number; answer: Answer }[]): number {
  let most = 0;
  let times: number[] = [];
  for (const { time, answer } of asked) {
    if (answer === 'given') times = [];
    else if (answer !== 'refusedScope' && answer !== 'down') times.push(time);
    most = Math.max(most, times.filter((one) => one > time - 4).length);
  }
  return most;
}

describe('whatever each company, and the login as a whole, is answered', () => {
  const company = courseOf('given', 'given', 'refused', 'refusedScope', 'other', 'down');
  const companies = fc.array(company, { minLength: 1, maxLength: 12 });
  const life = fc.constantFrom(90, 120, 720);

  it('is refused five times in an hour at most since the login last gave a token', async () => {
    const ofAll = courseOf('given', 'refused', 'refusedLogin', 'other');
    const each = fc.array(fc.oneof(company, courseOf('refusedLogin')), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(each, ofAll, life, async (companies, ofAll, lifeMinutes) => {
        const { asked } = await play(companies, ofAll, lifeMinutes);
        expect(mostDoubts(asked)).toBeLessThanOrEqual(5);
      }),
    );
  });

  it('asks within three hours for each company that would be given a token', async () => {
    const ofAll = courseOf('given', 'refused', 'other', 'down');
    await fc.assert(
      fc.asyncProperty(companies, ofAll, life, async (companies, ofAll, lifeMinutes) => {
        const { live } = await play(companies, ofAll, lifeMinutes);
        for (const [index, course] of companies.entries())
          expect(longestWait(live, index, course, ofAll)).toBeLessThanOrEqual(12);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves none without a token that is always given one', async () => {
    await fc.assert(
      fc.asyncProperty(companies, life, async (companies, lifeMinutes) => {
        const { live } = await play(companies, [], lifeMinutes);
        for (const [index, course] of companies.entries())
          if (isAlwaysGiven(course)) expect(live.slice(2).every((isLive) => isLive[index])).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[number, Answer]>([
    [30, 'down'],
    [30, 'refused'],
    [30, 'other'],
    [35, 'refusedLogin'],
  ])(
    'is over soon after it is over: %i of 40 companies are refused for good, and all for hours: %s',
    async (count, answer) => {
      const companies = rutsOf(40).map(
        (_, index): Course => (index < count ? [{ from: 1, answer: 'refused' }] : []),
      );
      const { live } = await play(
        companies,
        [
          { from: 20, answer },
          { from: 72, answer: 'given' },
        ],
        120,
      );
      for (const isLive of live.slice(74)) expect(isLive.slice(count)).not.toContain(false);
    },
  );

  it.each([
    [40, 240, 4],
    [40, 120, 6],
    [20, 60, 6],
    [10, 720, 1],
  ])(
    'leaves none of %i companies without a token of %i minutes where %i may be asked for at once',
    async (count, lifeMinutes, mostAtOnce) => {
      const { live } = await play(
        Array.from({ length: count }, () => []),
        [],
        lifeMinutes,
        mostAtOnce,
      );
      for (const isLive of live.slice(20)) expect(isLive).not.toContain(false);
    },
  );
});
