import type { Direction } from '../api/directions.ts';
import { MAX_PAGE_SIZE } from '../api/list/page.ts';
import { CfeLakeError } from '../errors.ts';
import { addDays, type Day, type DayRange } from '../time/days.ts';
import type { ProbeAnswer } from './answer.ts';
import { listRequest, type ProbeClient } from './probe-client.ts';

/** If the first pages of two days have the same number of rows, and at least this many, pages hold no more. */
const LEAST_FULL_PAGE = 10;

export interface FoundDay {
  day: Day;
  /** The range of two days by which it was found, and its first page. */
  range: DayRange;
  answer: ProbeAnswer;
}

/** The probe cannot begin: there is no API at the address, or it does not know the company. */
export class ProbeError extends CfeLakeError {
  override name = 'ProbeError';
}

/**
 * Finds a day with receipts: the first of these days whose page is full, so that paging can be observed, else the one
 * with the most receipts; undefined if none has any. Sends one request per day, for the day and the next: it includes
 * the day, whether or not the upper bound is inclusive. Throws ProbeError if the API returns no list at all.
 */
export async function findDay(
  client: ProbeClient,
  direction: Direction,
  days: readonly Day[],
): Promise<FoundDay | undefined> {
  let best: (FoundDay & { rowsSeen: number }) | undefined;
  let longest = 0;
  let hasPage = false;
  let refusal: ProbeAnswer | undefined;
  for (const first of days) {
    const range = { from: first, to: addDays(first, 1) };
    const answer = await client.ask(listRequest(direction, range, { pageSize: MAX_PAGE_SIZE }));
    const { page } = answer;
    if (page === undefined) refusal = answer;
    hasPage ||= page !== undefined;
    // A server error may concern only that day; anything else concerns all.
    if (!hasPage && answer.status < 500) throw new ProbeError(noListMessage(client, direction, answer));
    const rows = page?.rows ?? [];
    const ofLast = rows.filter(({ day }) => day === range.to).length;
    const ofFirst = rows.length - ofLast;
    // If the newest come first, the page may have only the second day's rows.
    const isOfLast = ofFirst === 0 && days.includes(range.to);
    const found = { day: isOfLast ? range.to : first, range, answer, rowsSeen: isOfLast ? ofLast : ofFirst };
    if (rows.length > 0 && found.rowsSeen > (best?.rowsSeen ?? -1)) best = found;
    const isFull =
      rows.length >= MAX_PAGE_SIZE || (rows.length >= LEAST_FULL_PAGE && rows.length === longest);
    if (isFull && best !== undefined && best.rowsSeen > 0) return best;
    longest = Math.max(longest, rows.length);
  }
  if (!hasPage && refusal !== undefined) throw new ProbeError(noListMessage(client, direction, refusal));
  return best;
}

function noListMessage({ rut }: ProbeClient, direction: Direction, { status, failure }: ProbeAnswer): string {
  const list = `The list of ${direction} of ${rut}`;
  if (status === 0) return `${list}: no answer (${failure}). Check the API's address and the network.`;
  if (status === 200) return `${list} is no page of receipts. Check the API's address.`;
  if (status === 401 || status === 403) {
    return `${list} was refused with status ${status}. Renew the token of this company, then probe again.`;
  }
  if (status >= 500 || status === 429) {
    return `${list} was answered with status ${status}. Probe again when the API has recovered.`;
  }
  if (status >= 300 && status < 400) {
    return `${list} was answered with a redirect (status ${status}), which is never followed. Give the final address.`;
  }
  return `${list} was answered with status ${status}. Check the API's address.`;
}

/** Past the end of any list of one day. */
const FAR_PAGE = 100_000;
const OVER_MAXIMUM = 2 * MAX_PAGE_SIZE;

export interface Sample extends ProbeAnswer {
  pageNumber: number;
  /** Undefined if no size was asked for. */
  pageSize: number | undefined;
}

/** Pages of one list that show its habits. */
export interface ListSample {
  direction: Direction;
  day: Day;
  upperBound: 'inclusive' | 'exclusive' | 'unknown';
  /** First pages: of the day alone, and of the two days by which it was found. */
  dayAlone: Sample;
  twoDays: Sample & { range: DayRange };
  /** The range of the pages below. It has the day's rows. */
  range: DayRange;
  /** Page 1 at the maximum size. */
  first: Sample;
  firstAgain: Sample;
  second: Sample;
  /** Page 1 at a smaller size, and page 2 at a yet smaller one; undefined if there are too few rows. */
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
  const ask = async (range: DayRange, pageNumber: number, pageSize?: number): Promise<Sample> => ({
    ...(await client.ask(listRequest(direction, range, { pageNumber, pageSize }))),
    pageNumber,
    pageSize,
  });
  const { day } = found;
  const twoDays = { ...found.answer, pageNumber: 1, pageSize: MAX_PAGE_SIZE, range: found.range };
  const dayAlone = await ask({ from: day, to: day }, 1, MAX_PAGE_SIZE);
  const upperBound = upperBoundOf(found, dayAlone);
  const isExclusive = upperBound === 'exclusive';
  const range = isExclusive ? found.range : { from: day, to: day };
  const first = isExclusive ? twoDays : dayAlone;
  const known = first.page?.rows.length ?? 0;
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
  const alone = dayAlone.page?.rows;
  const both = answer.page?.rows;
  if (alone === undefined || both === undefined) return 'unknown';
  const daysOfBoth = both.map((row) => row.day);
  if (alone.some((row) => row.day === day) || daysOfBoth.includes(range.to)) return 'inclusive';
  return daysOfBoth.includes(day) && alone.length === 0 ? 'exclusive' : 'unknown';
}
