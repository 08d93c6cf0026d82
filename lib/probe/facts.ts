import type { Direction } from '../api/directions.ts';
import { ApiError, ForeignReceiptError, HttpStatusError, ReceiptIdError } from '../api/errors.ts';
import { type DayRange, widthDays } from '../time/days.ts';
import { RequestLimitError, type watchedClient } from './watch.ts';

export type Watched = ReturnType<typeof watchedClient>;

/** What an answer means for an export: the usual one, and any other. */
const QUESTIONS = {
  list: ['Are there receipts?', 'the others are asked about these', 'give --date, or another --rut'],
  repeat: [
    'Does a page come again as it was?',
    'a list is read once',
    'lists are read until two readings agree',
  ],
  order: ['In which order do rows come?', 'nothing', 'nothing'],
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
  depth: ['Are rows deep in a list shown?', 'lists of up to 8,000 rows', 'lists that may be cut are divided'],
  fields: ['Which fields come?', 'each has a column', 'those not in the contract go to the column otros'],
  legacy: [
    'Has the legacy list the same rows?',
    'verify --legacy counts again',
    'verify --legacy will differ',
  ],
} as const;

/** A finding has own words, counts, statuses and names of fields: no value of a receipt. `rows` is how many came. */
export type Found = readonly [isUsual: boolean, finding: string, rows?: number];

export interface Fact {
  name: keyof typeof QUESTIONS;
  direction: Direction;
  question: string;
  /** Begins with `unknown` if it could not be found out. */
  finding: string;
  asked: { days: number; rows: number; requests: number; ms: number };
  means: string;
}

/** The facts about one list in the order of their questions, and why some are unknown. */
export class Facts {
  readonly all: Fact[] = [];
  readonly errors: Error[] = [];
  private readonly direction: Direction;
  private readonly watch: Watched['watch'];

  constructor(direction: Direction, watch: Watched['watch']) {
    this.direction = direction;
    this.watch = watch;
  }

  async add(name: Fact['name'], days: DayRange, ask: () => Promise<Found>): Promise<void> {
    const { watch, direction } = this;
    const {
      sent,
      answers: { length },
    } = watch;
    const [isUsual, finding, rows = 0] = await ask().catch((error: unknown): Found => {
      const words = wordsOf(error);
      this.errors.push(error instanceof Error ? error : new Error(words));
      return [false, `unknown: ${words}`];
    });
    const [question, usual, other] = QUESTIONS[name];
    const ms = Math.round(watch.answers.slice(length).reduce((sum, answer) => sum + answer.ms, 0));
    const asked = { days: widthDays(days), rows, requests: watch.sent - sent, ms };
    this.all.push({ name, direction, question, finding, asked, means: isUsual ? usual : other });
  }
}

/** What happened, without RUT, days and ids. Throws what is no answer to a question. */
export function wordsOf(error: unknown): string {
  if (error instanceof HttpStatusError) return `status ${error.status}`;
  if (error instanceof ForeignReceiptError) return 'a receipt is of another company or day';
  if (error instanceof ReceiptIdError) return 'rows have no id of their own';
  if (error instanceof RequestLimitError) return error.message;
  if (!(error instanceof ApiError)) throw error;
  return error.whatHappened.replace(/^.*?: /, '').replace(/\.$/, '');
}
