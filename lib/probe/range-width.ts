import { MAX_PAGE_SIZE } from '../api/list/page.ts';
import { isThrottlingStatus } from '../api/retry.ts';
import { addDays } from '../time/days.ts';
import { describeAnswer, type FiscalNumber, type ProbeAnswer, type ProbeRow, pageIn } from './answer.ts';
import { listRequest, type ProbeRange } from './list-request.ts';
import type { ListSample } from './list-sample.ts';
import type { ProbeClient } from './probe-client.ts';
import type { Finding } from './report.ts';

/** Widths tried, in days, the widest first; of two days is the list by which the day was found. */
const WIDTHS: readonly number[] = [366, 92, 31, 7];
const [WIDEST = 0] = WIDTHS;

/** A receipt that a list must have, whatever its other days hold. */
interface KnownReceipt {
  id: string;
  day: string;
  number: FiscalNumber;
}

/** What an answer says of a known receipt; `other`: nothing that has to do with the range. */
type Sight = { kind: 'there' | 'missing' | 'other' } | { kind: 'refused'; why: string };

/** Where in its range the known receipt's day stands: the days before it or those after it are asked for too. */
type End = 'last' | 'first';

interface Tried {
  width: number;
  end: End;
  sight: Sight;
}

export interface RangeWidth {
  finding: Finding;
  /** The widest range before the day, with it, that was answered whole; undefined when none was. */
  whole: ProbeRange | undefined;
}

/**
 * How wide a range of days the list answers whole: a receipt that is known is asked for by its number, as the last day
 * of a range and as its first. At most 7 requests.
 */
export async function probeRangeWidth(client: ProbeClient, sample: ListSample): Promise<RangeWidth> {
  const evidence: string[] = [];
  const { direction } = sample;
  const answered = (finding: string, whole?: ProbeRange): RangeWidth => ({
    finding: {
      name: 'rangeWidth',
      direction,
      question: 'How many days may a list cover?',
      finding,
      evidence,
    },
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
  /** The widest of these at which the receipt is there; 1 when it is at none. */
  const widest = async (end: End, widths: readonly number[]): Promise<number> => {
    for (const width of widths) {
      const { kind } = await ask(width, end);
      if (kind === 'there') return width;
      if (kind === 'other') break;
    }
    return 1;
  };
  const upToIt = await widest('last', WIDTHS);
  // What is refused is so for its width; a list without the receipt may be empty, or cut.
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
    const finding = `${days(upToIt)} are answered; whether whole is unknown: days ahead ${ahead.why}`;
    return answered(finding, rangeBefore(upToIt));
  }
  return answered(`whole up to ${days(whole)}${overText(tried, whole)}`, rangeBefore(whole));
}

function knownReceipt({ first, day }: ListSample): KnownReceipt | undefined {
  for (const row of pageIn(first.answer)?.rows ?? []) {
    if (row.day === day && row.id !== '' && row.number !== undefined) {
      return { id: row.id, day, number: row.number };
    }
  }
  return undefined;
}

/** The range as it is asked for: where the bound may exclude its day, the next one is named. */
function rangeOf(day: string, width: number, end: End, { upperBound }: ListSample): ProbeRange {
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

function sightOf(answer: ProbeAnswer, { id, number }: KnownReceipt): Sight {
  const { status } = answer;
  if (status === 0) return { kind: 'refused', why: 'get no answer' };
  if (isThrottlingStatus(status)) return { kind: 'other' };
  if (status !== 200) return { kind: 'refused', why: `are refused with status ${status}` };
  const page = pageIn(answer);
  // Filters that are not honoured would hide the receipt behind others.
  if (page === undefined || !page.rows.every((row) => isNumbered(row, number))) return { kind: 'other' };
  return { kind: page.rows.some((row) => row.id === id) ? 'there' : 'missing' };
}

function isNumbered({ number: is }: ProbeRow, asked: FiscalNumber): boolean {
  return is?.type === asked.type && is.series === asked.series && is.number === asked.number;
}

/** What becomes of wider ranges than those that are answered whole. */
function overText(tried: readonly Tried[], whole: number): string {
  if (whole === WIDEST) return ' at least';
  const over = tried.filter(({ width }) => width > whole);
  const least = Math.min(...over.map(({ width }) => width));
  const refused = over.find(({ width, sight }) => width === least && sight.kind === 'refused')?.sight;
  if (refused?.kind === 'refused') return `; ${days(least)} ${refused.why}`;
  const isMissingAt = (asked: End) =>
    over.some(({ end, sight }) => end === asked && sight.kind === 'missing');
  if (isMissingAt('last') && isMissingAt('first')) return `; ${days(least)} are answered empty`;
  return `; of ${days(least)} the ${isMissingAt('last') ? 'last' : 'first'} are left out in silence`;
}

function days(count: number): string {
  return `${count} ${count === 1 ? 'day' : 'days'}`;
}
