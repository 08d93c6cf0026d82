import { mix, shuffledIndexes } from './hash.ts';
import { RETAIL, TYPE_PERIOD, WHOLESALE } from './types.ts';
import { RECEIPTS_PER_DAY_MAX } from './volume.ts';

/** A type and branch with its own numbering. */
export interface Stream {
  type: number;
  branch: number;
  branchIndex: number;
  /** Receipts of this stream in every period. */
  share: number;
}

/**
 * An issuer's numbering. Types and branches follow a fixed pattern of 1,000 receipts, so the number of the k-th receipt
 * is a formula, and a series has no gaps.
 */
export interface Numbering {
  streamOf(sequence: number): Stream;
  fiscalNumber(sequence: number): { stream: Stream; serie: string; numero: number };
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

/** One letter, a digit and a letter, or two letters. After the last series comes the first again. */
function seriesName(index: number): string {
  return SERIES[index % SERIES.length] ?? 'A';
}

/**
 * @param numberingGaps one number in this many is skipped; 0: none
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

/** For every position of the pattern, how often its stream occurs before it. */
function ranksIn(pattern: readonly Stream[]): Uint16Array {
  const seen = new Map<Stream, number>();
  return Uint16Array.from(pattern, (stream) => {
    const rank = seen.get(stream) ?? 0;
    seen.set(stream, rank + 1);
    return rank;
  });
}

/** A supplier's number in a company's purchases: grows with time, has gaps, and never repeats. */
export function supplierNumber(sequence: number, supplierHash: number): { serie: string; numero: number } {
  return {
    serie: seriesName((supplierHash % 40) + Math.floor(sequence / NUMBERS_PER_SERIES)),
    numero: 1 + (sequence % NUMBERS_PER_SERIES),
  };
}

/** A receipt's place. Its id encodes it, so a detail is found without an index. */
export interface ReceiptPlace {
  companyPosition: number;
  isIssued: boolean;
  day: number;
  index: number;
}

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
  const ofDay = (((day + 1) * 2 + Number(isIssued)) * COMPANIES + companyPosition) * RECEIPTS_PER_DAY_MAX;
  return hasLongIds(companyPosition) ? LONG + BigInt(ofDay) : BigInt(ofDay);
}

/** The place that an id encodes; undefined if no company of the sandbox could have it. */
export function placeOf(id: bigint): ReceiptPlace | undefined {
  const isLong = id >= LONG;
  const low = isLong ? id - LONG : id;
  if (low < LOWEST || low >= 2n ** 53n) return undefined;
  const index = Number(low % BigInt(RECEIPTS_PER_DAY_MAX));
  const ofDay = Number(low / BigInt(RECEIPTS_PER_DAY_MAX));
  const companyPosition = ofDay % COMPANIES;
  const daySide = Math.floor(ofDay / COMPANIES) - 2;
  if (hasLongIds(companyPosition) !== isLong) return undefined;
  return { companyPosition, isIssued: daySide % 2 === 1, day: Math.floor(daySide / 2), index };
}

const SALT_EXTERNAL = 54;

/**
 * The identifier in the company's own system, or null. It contains the day and index, so that a list filtered by it
 * needs no search. Half of them contain characters that a URL must escape.
 */
export function externalId(day: string, index: number, chance: number): string | null {
  const draw = mix(chance, SALT_EXTERNAL) % 10;
  if (draw < 3) return null;
  return draw < 6 ? `Pedido Nº ${day}/${index} + «envío» & 50%` : `PED-${day}-${index}`;
}

/** The day and index in an external identifier; undefined for any other text. */
export function placeOfExternalId(text: string): { day: string; index: number } | undefined {
  const parts = /(\d{4}-\d{2}-\d{2})[-/](\d+)/.exec(text);
  return parts === null ? undefined : { day: parts[1] ?? '', index: Number(parts[2]) };
}
