import { type ApiSession, CompanyAccess } from '../api/access.ts';
import { AdaptiveLimiter } from '../api/adaptive-limiter.ts';
import { ApiClient } from '../api/client.ts';
import { ApiError, HttpStatusError } from '../api/errors.ts';
import type { RunCompany } from '../export/export-tools.ts';
import { anySignal } from '../system/concurrency.ts';
import { CfeLakeError } from '../system/errors.ts';
import { type DayRange, widthDays } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';

/** What an answer means for an export: the usual one, and any other. */
const QUESTIONS = {
  list: ['Are there receipts?', 'the others are asked about these', 'give --date, or another --rut'],
  repeat: [
    'Does a page come again as it was?',
    'a list is read once',
    'lists are read until two readings agree',
  ],
  pageSize: [
    'Which page size is honoured?',
    'pages overlap, as proof',
    'no overlaps: more readings, or failed days',
  ],
  day: ['Is a day read whole?', 'it is stored, as proved', 'what came is stored; no receipt is called gone'],
  upperBound: [
    'Does FechaHasta include its day?',
    'days are asked for as they are',
    'a day more is asked for',
  ],
  rangeWidth: [
    'How many days may a list cover?',
    'years in a few lists',
    'lists are that narrow: more requests',
  ],
  depth: ['Are rows deep in a list shown?', 'lists of up to 8,000 rows', 'lists that may be cut are halved'],
} as const;

/** A finding has own words, counts, statuses and names of fields: no value of a receipt. `rows` is how many came. */
export type Found = readonly [isUsual: boolean, finding: string, rows?: number];

export interface Fact {
  name: keyof typeof QUESTIONS;
  direction: Direction;
  question: string;
  /** Begins with `unknown` if it could not be found out. */
  finding: string;
  /** `rows`: null where they were not counted. */
  asked: { days: number; rows: number | null; requests: number; ms: number };
  means: string;
}

/** The facts about one list in the order of their questions, and why some are unknown. */
export function factsAbout(direction: Direction, watch: Watched['watch']) {
  const facts: Fact[] = [];
  const errors: unknown[] = [];
  const add = async (name: Fact['name'], days: DayRange, ask: () => Promise<Found>): Promise<void> => {
    const before = { sent: watch.sent, answered: watch.answers.length };
    const [isUsual, finding, rows] = await ask().catch((error: unknown): Found => {
      errors.push(error);
      return [false, `unknown: ${wordsOf(error)}`];
    });
    const [question, usualMeaning, otherMeaning] = QUESTIONS[name];
    const ms = watch.answers.slice(before.answered).reduce((sum, answer) => sum + answer.ms, 0);
    const requests = watch.sent - before.sent;
    const asked = { days: widthDays(days), rows: rows ?? null, requests, ms: Math.round(ms) };
    const isUnknown = finding.startsWith('unknown') && name !== 'list';
    const means = isUnknown ? 'unknown, too' : isUsual ? usualMeaning : otherMeaning;
    facts.push({ name, direction, question, finding, asked, means });
  };
  return { facts, errors, add };
}

/** What happened, without RUT, days and ids. Throws what is no answer to a question. */
export function wordsOf(error: unknown): string {
  if (error instanceof HttpStatusError) return `status ${error.status}`;
  if (error instanceof RequestLimitError) return error.message;
  if (!(error instanceof ApiError)) throw error;
  return error.withoutIds;
}

export class RequestLimitError extends CfeLakeError {
  override name = 'RequestLimitError';
}

/** A long day leaves these for the questions after it. */
const LEAST_LEFT = 5;

export interface WatchOptions extends RunCompany {
  session: ApiSession;
  maxRequests: number;
  signal?: AbortSignal;
}

/**
 * The exporter's client with one request in flight, whose requests are counted, timed until their answer begins, and
 * ended at a limit.
 */
export function watchedClient({ session, rut, tokens, maxRequests, signal }: WatchOptions) {
  const { clock, pool } = session;
  const limit = new AbortController();
  const watch = { sent: 0, answers: [] as { status: number; hasRetryAfter: boolean; ms: number }[] };
  const get: typeof pool.get = (...request) => {
    if (watch.sent >= maxRequests)
      limit.abort(new RequestLimitError(`that takes over ${maxRequests} requests`));
    limit.signal.throwIfAborted();
    watch.sent += 1;
    const sentAtMs = clock.monotonicMs();
    return pool.get(...request).once('response', ({ statusCode: status = 0, headers }) => {
      const hasRetryAfter = headers['retry-after'] !== undefined;
      watch.answers.push({ status, hasRetryAfter, ms: clock.monotonicMs() - sentAtMs });
    });
  };
  // A few questions are not worth a long wait.
  const retryPolicy = {
    ...session.retryPolicy,
    maxAttempts: 3,
    maxRetryAfterMs: 10_000,
  };
  const client = new ApiClient(
    { ...session, pool: { get }, breaker: undefined, retryPolicy },
    new CompanyAccess(rut, tokens),
    new AdaptiveLimiter(1, clock),
  );
  const isTimeUp = () => watch.sent > maxRequests - LEAST_LEFT;
  return { client, clock, isTimeUp, signal: anySignal(signal, limit.signal) ?? limit.signal, watch };
}

export type Watched = ReturnType<typeof watchedClient>;
