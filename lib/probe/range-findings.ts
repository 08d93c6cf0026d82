import { MAX_PAGE_SIZE } from '../api/list/page.ts';
import { isThrottlingStatus } from '../api/retry.ts';
import { plural } from '../text/terminal.ts';
import { addDays, type Day, type DayRange } from '../time/days.ts';
import {
  describeAnswer,
  type Finding,
  type FiscalNumber,
  findingOn,
  type ProbeAnswer,
  type ProbeRow,
} from './answer.ts';
import type { ListSample } from './list-sample.ts';
import { hasMore, isSizeHonoured } from './paging-findings.ts';
import { listRequest, type ProbeClient } from './probe-client.ts';

/** Widths to try, in days, widest first. Two days work: the sample's day was found with them. */
const WIDTHS: readonly number[] = [366, 92, 31, 7];
const [WIDEST = 0] = WIDTHS;

/** A receipt that a list over its day must contain. */
interface KnownReceipt {
  id: string;
  day: Day;
  number: FiscalNumber;
}

/** What a response says about a known receipt. `other`: nothing about the range. */
type Sight = { kind: 'there' | 'missing' | 'other' } | { kind: 'refused'; why: string };

/** Where the known receipt's day is in its range. */
type End = 'last' | 'first';

interface Tried {
  width: number;
  end: End;
  sight: Sight;
}

export interface RangeWidth {
  finding: Finding;
  /** The widest range ending with the day whose list was complete; undefined if none was. */
  whole: DayRange | undefined;
}

/**
 * Finds the widest range of days whose list is complete. Asks for a known receipt by its number, with its day as the
 * last and as the first of a range. At most 7 requests.
 */
export async function probeRangeWidth(client: ProbeClient, sample: ListSample): Promise<RangeWidth> {
  const evidence: string[] = [];
  const { direction } = sample;
  const answered = (finding: string, whole?: DayRange): RangeWidth => ({
    finding: findingOn('rangeWidth', [finding, evidence], direction),
    whole,
  });
  const receipt = knownReceipt(sample);
  if (receipt === undefined) return answered('unknown: no receipt with a type, a series and a number came');
  const tried: Tried[] = [];
  const ask = async (width: number, end: End): Promise<Sight> => {
    const range = rangeOf(receipt.day, width, end, sample);
    const filters = filtersFor(receipt.number);
    const answer = await client.ask(listRequest(direction, range, { pageSize: MAX_PAGE_SIZE, filters }));
    evidence.push(`${range.from} to ${range.to}: ${describeAnswer(answer)}`);
    const sight = sightOf(answer, receipt);
    tried.push({ width, end, sight });
    return sight;
  };
  /** The widest of these whose list has the receipt; 1 if none has. */
  const widest = async (end: End, widths: readonly number[]): Promise<number> => {
    for (const width of widths) {
      const { kind } = await ask(width, end);
      if (kind === 'there') return width;
      if (kind === 'other') break;
    }
    return 1;
  };
  const upToIt = await widest('last', WIDTHS);
  // A refusal is due to the width. A list without the receipt may be empty, or cut short.
  const isMissing = tried.some(({ sight }) => sight.kind === 'missing');
  const narrower = WIDTHS.filter((width) => width <= upToIt);
  const fromIt = await widest('first', isMissing ? [...new Set([WIDEST, ...narrower])] : narrower);
  const whole = Math.min(upToIt, fromIt);
  if (whole < WIDEST && (await ask(1, 'last')).kind !== 'there') {
    return answered('unknown: a receipt is not found by its type, series and number');
  }
  if (tried.some(({ sight }) => sight.kind === 'other')) return answered('unknown: the answers do not tell');
  const rangeBefore = (width: number) =>
    width > 1 ? rangeOf(receipt.day, width, 'last', sample) : undefined;
  const ahead = tried.findLast(({ end, sight }) => end === 'first' && sight.kind === 'refused')?.sight;
  if (
    ahead?.kind === 'refused' &&
    tried.every(({ end, sight }) => end === 'first' || sight.kind === 'there')
  ) {
    const finding = `${plural(upToIt, 'day is', 'days are')} answered; whether whole is unknown: days ahead ${ahead.why}`;
    return answered(finding, rangeBefore(upToIt));
  }
  return answered(`whole up to ${plural(whole, 'day')}${overText(tried, whole)}`, rangeBefore(whole));
}

function knownReceipt({ first, day }: ListSample): KnownReceipt | undefined {
  for (const row of first.page?.rows ?? []) {
    if (row.day === day && row.id !== '' && row.number !== undefined) {
      return { id: row.id, day, number: row.number };
    }
  }
  return undefined;
}

/** The range to ask for: one day longer if the upper bound may be exclusive. */
function rangeOf(day: Day, width: number, end: End, { upperBound }: ListSample): DayRange {
  const from = end === 'last' ? addDays(day, 1 - width) : day;
  return { from, to: addDays(from, upperBound === 'inclusive' ? width - 1 : width) };
}

function filtersFor({ type, series, number }: FiscalNumber): [string, string][] {
  return [
    ['TipoComprobante', type],
    ['Serie', series],
    ['NumeroDesde', number],
    ['NumeroHasta', number],
  ];
}

function sightOf({ status, page }: ProbeAnswer, { id, number }: KnownReceipt): Sight {
  if (status === 0) return { kind: 'refused', why: 'get no answer' };
  if (isThrottlingStatus(status)) return { kind: 'other' };
  if (status !== 200) return { kind: 'refused', why: `are refused with status ${status}` };
  // If filters are ignored, other rows may hide the receipt.
  if (page === undefined || !page.rows.every((row) => isNumbered(row, number))) return { kind: 'other' };
  return { kind: page.rows.some((row) => row.id === id) ? 'there' : 'missing' };
}

function isNumbered({ number: is }: ProbeRow, asked: FiscalNumber): boolean {
  return is?.type === asked.type && is.series === asked.series && is.number === asked.number;
}

/** Says what happens to wider ranges than those with complete lists. */
function overText(tried: readonly Tried[], whole: number): string {
  if (whole === WIDEST) return ' at least';
  const over = tried.filter(({ width }) => width > whole);
  const least = Math.min(...over.map(({ width }) => width));
  const refused = over.find(({ width, sight }) => width === least && sight.kind === 'refused')?.sight;
  if (refused?.kind === 'refused') return `; ${plural(least, 'day')} ${refused.why}`;
  const isMissingAt = (asked: End) =>
    over.some(({ end, sight }) => end === asked && sight.kind === 'missing');
  if (isMissingAt('last') && isMissingAt('first')) return `; ${plural(least, 'day')} are answered empty`;
  return `; of ${plural(least, 'day')} the ${isMissingAt('last') ? 'last' : 'first'} are left out in silence`;
}

/** Common result windows (the most rows that a list shows), largest first. */
const WINDOWS = [10_000, 5_000, 1_000] as const;
/** The smallest page size that divides none of them. */
const LEAST_PAGE_SIZE = 3;

/**
 * Tests whether rows deep in a list are shown, with pages of a wide range that contain the last row of a window and
 * rows past it. At most 3 requests.
 */
export async function probeResultWindow(
  client: ProbeClient,
  sample: ListSample,
  range: DayRange | undefined,
): Promise<Finding> {
  const { direction } = sample;
  const evidence: string[] = [];
  const answered = (finding: string) => findingOn('resultWindow', [finding, evidence], direction);
  const pageCap = longestPage(sample);
  if (range === undefined) return answered('unknown: no wide range is answered');
  if (pageCap < LEAST_PAGE_SIZE) return answered('unknown: no page size is surely honoured');
  const pastEnd = sample.pastEnd.page?.rows ?? [];
  if (pastEnd.length > 0) return answered('unknown: a page past the end has rows');
  /** The result of a deeper page, in words. */
  let deeper = '';
  for (const window of WINDOWS) {
    const pageSize = sizeAcross(window, pageCap);
    const pageNumber = Math.floor((window - 1) / pageSize) + 1;
    const answer = await client.ask(listRequest(direction, range, { pageNumber, pageSize }));
    evidence.push(`${pageSize} asked, page ${pageNumber}: ${describeAnswer(answer)}`);
    const rows = answer.page?.rows.length;
    const rowsInWindow = window - (pageNumber - 1) * pageSize;
    const depth = window.toLocaleString('en');
    if (rows === undefined) {
      deeper = answer.status === 0 ? `; row ${depth}: no answer` : `; row ${depth}: status ${answer.status}`;
      continue;
    }
    if (rows > rowsInWindow) return answered(`yes, behind row ${depth} too${deeper}`);
    if (rows === rowsInWindow) return answered(`presumably not: the list ends with row ${depth}`);
  }
  return answered(`unknown: the list has too few rows${deeper}`);
}

/** The largest page size with which a page has rows on both sides of a window's end. */
function sizeAcross(window: number, pageCap: number): number {
  let pageSize = pageCap;
  while (window % pageSize === 0) pageSize -= 1;
  return pageSize;
}

/** The largest page size that was seen to be honoured; 0 if none was. */
function longestPage(sample: ListSample): number {
  if (isSizeHonoured(sample) !== true) return 0;
  const rowCount = sample.first.page?.rows.length ?? 0;
  const isFull = hasMore(sample) || rowCount >= MAX_PAGE_SIZE;
  return isFull ? Math.min(rowCount, MAX_PAGE_SIZE) : (sample.smaller?.pageSize ?? 0);
}
