import { ApiError, HttpStatusError } from '../api/errors.ts';
import { type DayRange, widthDays } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import { RequestLimitError, type Watched } from './watched-client.ts';

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
  return error.anonymousReason;
}
