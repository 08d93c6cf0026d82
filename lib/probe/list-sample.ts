import type { Direction } from '../api/directions.ts';
import { MAX_PAGE_SIZE } from '../api/list/page.ts';
import { type ProbeAnswer, type ProbePage, pageIn } from './answer.ts';
import type { FoundDay } from './find-day.ts';
import { listRequest, type ProbeRange } from './list-request.ts';
import type { ProbeClient } from './probe-client.ts';

/** Past the end of any list of one day. */
const FAR_PAGE = 100_000;
const OVER_MAXIMUM = 2 * MAX_PAGE_SIZE;

/** An answer, and the paging that it answers. */
export interface Sample {
  pageNumber: number;
  /** Undefined: none was asked for. */
  pageSize: number | undefined;
  answer: ProbeAnswer;
}

/** A handful of pages of one list, from which its habits can be told. */
export interface ListSample {
  direction: Direction;
  day: string;
  upperBound: 'inclusive' | 'exclusive' | 'unknown';
  /** First pages: of the day alone, and of the range of two days by which it was found. */
  dayAlone: Sample;
  twoDays: Sample & { range: ProbeRange };
  /** The range that the pages below are of: it has the day's rows. */
  range: ProbeRange;
  /** Page 1 at the maximum size, as the range gives it. */
  first: Sample;
  firstAgain: Sample;
  second: Sample;
  /** Page 1 in a smaller size, and page 2 in a yet smaller one; undefined where there are too few rows. */
  smaller: Sample | undefined;
  smallSecond: Sample | undefined;
  overMaximum: Sample;
  unsized: Sample;
  pastEnd: Sample;
}

/** Asks for the pages: at most 8 requests. */
export async function sampleList(
  client: ProbeClient,
  direction: Direction,
  found: FoundDay,
): Promise<ListSample> {
  const ask = async (range: ProbeRange, pageNumber: number, pageSize?: number): Promise<Sample> => ({
    pageNumber,
    pageSize,
    answer: await client.ask(listRequest(direction, range, { pageNumber, pageSize })),
  });
  const { day } = found;
  const twoDays = { pageNumber: 1, pageSize: MAX_PAGE_SIZE, answer: found.answer, range: found.range };
  const dayAlone = await ask({ from: day, to: day }, 1, MAX_PAGE_SIZE);
  const upperBound = upperBoundOf(found, dayAlone.answer);
  const isExclusive = upperBound === 'exclusive';
  const range = isExclusive ? found.range : { from: day, to: day };
  const first = isExclusive ? twoDays : dayAlone;
  const known = pageIn(first.answer)?.rows.length ?? 0;
  const page = (pageNumber: number, pageSize?: number) => ask(range, pageNumber, pageSize);
  return {
    direction,
    day,
    upperBound,
    dayAlone,
    twoDays,
    range,
    first,
    firstAgain: await page(1, MAX_PAGE_SIZE),
    second: await page(2, MAX_PAGE_SIZE),
    smaller: known >= 2 ? await page(1, Math.min(50, Math.floor(known / 2))) : undefined,
    smallSecond: known >= 3 ? await page(2, Math.min(7, Math.floor(known / 3))) : undefined,
    overMaximum: await page(1, OVER_MAXIMUM),
    unsized: await page(1),
    pastEnd: await page(FAR_PAGE, MAX_PAGE_SIZE),
  };
}

function upperBoundOf({ day, range, answer }: FoundDay, dayAlone: ProbeAnswer): ListSample['upperBound'] {
  const alone = pageIn(dayAlone);
  const both = pageIn(answer);
  if (alone === undefined || both === undefined) return 'unknown';
  const hasDay = ({ rows }: ProbePage, asked: string) => rows.some((row) => row.day === asked);
  if (hasDay(alone, day) || hasDay(both, range.to)) return 'inclusive';
  return hasDay(both, day) && alone.rows.length === 0 ? 'exclusive' : 'unknown';
}
