import { mix, shuffledIndexes } from './hash.ts';
import { RETAIL, TYPE_PERIOD, WHOLESALE } from './types.ts';

/** A type and branch with its own numbering. */
interface Stream {
  type: number;
  branch: number;
  branchIndex: number;
  /** Receipts of this stream in every period. */
  share: number;
}

interface FiscalNumber {
  serie: string;
  numero: number;
}

/**
 * An issuer's numbering. Types and branches follow a fixed pattern of 1,000 receipts, so the number of the k-th receipt
 * is a formula, and a series has no gaps.
 */
export interface Numbering {
  fiscalNumber(sequence: number): FiscalNumber & { type: number; branch: number };
}

const NUMBERS_PER_SERIES = 9_999_999;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** One letter, a digit and a letter, or two letters. After the last series comes the first again. */
const SERIES: readonly string[] = ['', ...'123456789', ...LETTERS].flatMap((first) =>
  Array.from(LETTERS, (second) => first + second),
);

function numberIn(firstSeries: number, position: number, step: number): FiscalNumber {
  const series = firstSeries + Math.floor(position / NUMBERS_PER_SERIES) * step;
  return { serie: SERIES[series % SERIES.length] ?? 'A', numero: 1 + (position % NUMBERS_PER_SERIES) };
}

/**
 * @param numberingGaps one number in this many is skipped; 0: none
 */
export function issuedNumbering(seed: number, isRetail: boolean, numberingGaps: number): Numbering {
  const branches = isRetail ? [1, 2, 5] : [1];
  const streams = streamsOf(isRetail ? RETAIL : WHOLESALE, branches);
  const entries = streams.flatMap((stream) => new Array<Stream>(stream.share).fill(stream));
  const pattern = shuffledIndexes(TYPE_PERIOD, mix(seed, 0x5e7)).flatMap((i) => entries[i] ?? []);
  const counts = new Map<Stream, number>();
  /** For every position of the pattern, how often its stream occurs before it. */
  const ranks = pattern.map((stream) => {
    const rank = counts.get(stream) ?? 0;
    counts.set(stream, rank + 1);
    return rank;
  });

  const numbered = ({ branchIndex }: Stream, n: number): FiscalNumber =>
    numberIn(branchIndex, numberingGaps > 0 ? n + Math.floor(n / numberingGaps) : n, branches.length);
  const streamOf = (sequence: number): Stream => {
    const stream = pattern[sequence % TYPE_PERIOD];
    if (stream === undefined) throw new RangeError('shares must add up to 1,000');
    return stream;
  };
  return {
    fiscalNumber(sequence) {
      const stream = streamOf(sequence);
      const n = Math.floor(sequence / TYPE_PERIOD) * stream.share + (ranks[sequence % TYPE_PERIOD] ?? 0);
      return { type: stream.type, branch: stream.branch, ...numbered(stream, n) };
    },
  };
}

/** Six receipts in ten come from the first branch, three from the second; rare types only from the first. */
function streamsOf(types: readonly { code: number; share: number }[], branches: readonly number[]): Stream[] {
  return types.flatMap(({ code, share }) => {
    const second = branches.length > 1 ? Math.floor(share * 0.3) : 0;
    const third = branches.length > 2 ? Math.floor(share * 0.1) : 0;
    return [share - second - third, second, third].flatMap((part, branchIndex) =>
      part > 0 ? [{ type: code, branch: branches[branchIndex] ?? 1, branchIndex, share: part }] : [],
    );
  });
}

/** A supplier's number in a company's purchases: grows with time, has gaps, and never repeats. */
export function supplierNumber(sequence: number, supplierHash: number): FiscalNumber {
  return numberIn(supplierHash % 40, sequence, 1);
}

/** A receipt's place. Its id encodes it, so a detail is found without an index. */
export interface ReceiptPlace {
  companyPosition: number;
  isIssued: boolean;
  day: number;
  index: number;
}

/** An index within a day takes 24 bits of an id. */
export const RECEIPTS_PER_DAY_MAX = 2 ** 24;
const LONG = 2n ** 62n;
const COMPANIES = 2 ** 13;
/** The lowest id. Smaller numbers, which people try as unknown ids, are no receipt's. */
const LOWEST = 2n ** 38n;

/** Every second company's ids lie beyond 2^53, where a double loses them: so one run meets both kinds. */
function hasLongIds(companyPosition: number): boolean {
  return companyPosition % 2 === 1;
}

/** The id of a company and day's first receipt; the others follow. Ids grow with the day. */
export function firstIdOf({ companyPosition, isIssued, day }: Omit<ReceiptPlace, 'index'>): bigint {
  const dayNumber = (((day + 1) * 2 + Number(isIssued)) * COMPANIES + companyPosition) * RECEIPTS_PER_DAY_MAX;
  return hasLongIds(companyPosition) ? LONG + BigInt(dayNumber) : BigInt(dayNumber);
}

/** The place that an id encodes; undefined if no company of the sandbox could have it. */
export function placeOf(id: bigint): ReceiptPlace | undefined {
  const isLong = id >= LONG;
  const low = isLong ? id - LONG : id;
  if (low < LOWEST || low >= 2n ** 53n) return undefined;
  const index = Number(low % BigInt(RECEIPTS_PER_DAY_MAX));
  const dayNumber = Number(low / BigInt(RECEIPTS_PER_DAY_MAX));
  const companyPosition = dayNumber % COMPANIES;
  const daySide = Math.floor(dayNumber / COMPANIES) - 2;
  if (hasLongIds(companyPosition) !== isLong) return undefined;
  return { companyPosition, isIssued: daySide % 2 === 1, day: Math.floor(daySide / 2), index };
}
