import { mix, shuffledIndexes } from './hash.ts';
import { RETAIL, TYPE_PERIOD, WHOLESALE } from './types.ts';

/** A stream is what is numbered on its own: one type, from one branch. */
export interface Stream {
  type: number;
  branch: number;
  branchIndex: number;
  /** Receipts of this stream in every period. */
  share: number;
}

/** Series and number of a receipt. */
export interface FiscalNumber {
  stream: Stream;
  serie: string;
  numero: number;
}

/**
 * How an issuer numbers: types and branches follow a fixed pattern of 1,000 receipts, so the running
 * number of the k-th receipt is a formula, and every number of a series is used, without gaps.
 */
export interface Numbering {
  streamOf(sequence: number): Stream;
  fiscalNumber(sequence: number): FiscalNumber;
  /** Receipts of a type and branch before this one in the issuer's sequence. */
  earlier(type: number, branchIndex: number, sequence: number): number;
  /** The fiscal number of the n-th receipt (from 0) of a type and branch. */
  nth(type: number, branchIndex: number, n: number): { serie: string; numero: number };
}

const NUMBERS_PER_SERIES = 9_999_999;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SERIES: readonly string[] = [
  ...LETTERS,
  ...Array.from('123456789', (digit) => Array.from(LETTERS, (letter) => digit + letter)).flat(),
  ...Array.from(LETTERS, (first) => Array.from(LETTERS, (second) => first + second)).flat(),
];

/** One letter, a digit and a letter, or two letters; after the last one the first comes again. */
export function seriesName(index: number): string {
  return SERIES[index % SERIES.length] ?? 'A';
}

/**
 * @param numberingGaps one number in so many is skipped; 0: none
 */
export function issuedNumbering(seed: number, isRetail: boolean, numberingGaps: number): Numbering {
  const branches = isRetail ? [1, 2, 5] : [1];
  const streams = streamsOf(isRetail ? RETAIL : WHOLESALE, branches);
  const entries = streams.flatMap((stream) => new Array<Stream>(stream.share).fill(stream));
  const pattern = shuffledIndexes(TYPE_PERIOD, mix(seed, 0x5e7)).flatMap((i) => entries[i] ?? []);
  const rank = ranksIn(pattern);
  const first = pattern[0];
  if (first === undefined || pattern.length !== TYPE_PERIOD)
    throw new RangeError('shares must add up to 1,000');

  const numbered = (stream: Stream, n: number): { serie: string; numero: number } => {
    const position = numberingGaps > 0 ? n + Math.floor(n / numberingGaps) : n;
    const roll = Math.floor(position / NUMBERS_PER_SERIES);
    return {
      serie: seriesName(roll * branches.length + stream.branchIndex),
      numero: 1 + (position % NUMBERS_PER_SERIES),
    };
  };
  const streamOf = (sequence: number): Stream => pattern[sequence % TYPE_PERIOD] ?? first;
  return {
    streamOf,
    fiscalNumber(sequence) {
      const stream = streamOf(sequence);
      const n = Math.floor(sequence / TYPE_PERIOD) * stream.share + (rank[sequence % TYPE_PERIOD] ?? 0);
      return { stream, ...numbered(stream, n) };
    },
    earlier(type, branchIndex, sequence) {
      const stream = streams.find((s) => s.type === type && s.branchIndex === branchIndex);
      if (stream === undefined) return 0;
      const inPeriod = pattern.slice(0, sequence % TYPE_PERIOD).filter((s) => s === stream).length;
      return Math.floor(sequence / TYPE_PERIOD) * stream.share + inPeriod;
    },
    nth(type, branchIndex, n) {
      const stream = streams.find((s) => s.type === type && s.branchIndex === branchIndex);
      return numbered(stream ?? first, n);
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

/** For every place of the pattern, how often its stream stands before it. */
function ranksIn(pattern: readonly Stream[]): Uint16Array {
  const seen = new Map<Stream, number>();
  return Uint16Array.from(pattern, (stream) => {
    const rank = seen.get(stream) ?? 0;
    seen.set(stream, rank + 1);
    return rank;
  });
}

/** A supplier's number in a company's purchases: grows with time, with gaps, and never comes twice. */
export function supplierNumber(sequence: number, supplierHash: number): { serie: string; numero: number } {
  return {
    serie: seriesName((supplierHash % 40) + Math.floor(sequence / NUMBERS_PER_SERIES)),
    numero: 1 + (sequence % NUMBERS_PER_SERIES),
  };
}
