import type { SandboxBehaviour } from '../behaviour.ts';
import { parseLocal, startOfDay } from '../generator/calendar.ts';
import { mix } from '../generator/hash.ts';
import type { DayRange } from './day-range.ts';
import { type ListQuery, ParameterError } from './query.ts';

/** Offsets of the rows of a range in the order in which they are served. */
export type Positions = Uint32Array;

/** Sorts these offsets of a range, or all if undefined. Returns undefined if all rows are served by id. */
export function ordered(
  range: DayRange,
  chosen: Positions | undefined,
  order: SandboxBehaviour['order'],
): Positions | undefined {
  if (order === 'id') return chosen;
  const positions = chosen ?? Uint32Array.from({ length: range.length }, (_, offset) => offset);
  if (order === 'id-desc') return positions.toReversed();
  const keyOf = order === 'shuffled' ? shuffleKey : signatureKey;
  const keys = Float64Array.from(positions, (offset) => keyOf(range, offset));
  const byKey = Uint32Array.from(keys.keys()).sort((a, b) => (keys[b] ?? 0) - (keys[a] ?? 0) || b - a);
  return byKey.map((rank) => positions[rank] ?? 0);
}

/**
 * The position in the stable order of the k-th row of an unstable one: a permutation that depends on the page size, so
 * that pages of different sizes don't fit together.
 */
export function unstablePosition(k: number, length: number, pageSize: number): number {
  let step = 1 + (mix(pageSize, 91) % length);
  while (greatestCommonDivisor(step, length) !== 1) step++;
  return (k * step + pageSize) % length;
}

function shuffleKey(range: DayRange, offset: number): number {
  const { day, index } = range.placeAt(offset);
  return mix(mix(day, 92), index);
}

/** Signature in tenths of microseconds since FIRST_DAY: exact in a double. */
function signatureKey(range: DayRange, offset: number): number {
  const text = range.receiptAt(offset).fecha_firma;
  const second = (parseLocal(text.slice(0, 19)) ?? 0) - startOfDay(0);
  return second * 10_000 + Number(text.slice(20).padEnd(7, '0'));
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** A page: the rows [start, end) of a list, and the numbers in its envelope. */
export interface Page {
  start: number;
  end: number;
  /** The page number asked for. */
  asked: number;
  /** Rows in a full page. */
  size: number;
  saidNumber: number;
  /** The envelope's `page_size` for a page of this many rows. */
  saidSize(rows: number): number;
}

export type PagingRules = Pick<
  SandboxBehaviour,
  | 'pageCap'
  | 'overCap'
  | 'defaultPageSize'
  | 'pageSizeIgnored'
  | 'pageSizeEcho'
  | 'pastEnd'
  | 'pageParameterIgnored'
>;

/** Rows per page for a query. Throws a ParameterError if the size is over the cap and `overCap` is `error`. */
export function pageSizeOf(query: ListQuery, rules: PagingRules): number {
  if (rules.pageSizeIgnored > 0) return rules.pageSizeIgnored;
  const asked = query.pageSize ?? Math.min(rules.defaultPageSize, rules.pageCap);
  if (asked > rules.pageCap && rules.overCap === 'error')
    throw new ParameterError(`the page size must be at most ${rules.pageCap}`);
  return Math.min(asked, rules.pageCap);
}

/** The page for a query, of a list of `length` rows; undefined for 404. */
export function pageOf(query: ListQuery, length: number, size: number, rules: PagingRules): Page | undefined {
  const isIgnored = rules.pageParameterIgnored !== 'no';
  const last = Math.max(1, Math.ceil(length / size));
  const wanted = isIgnored ? 1 : query.pageNumber;
  if (wanted > last && rules.pastEnd === '404') return undefined;
  const served = wanted > last && rules.pastEnd === 'repeat' ? last : wanted;
  const start = Math.min((served - 1) * size, length);
  return {
    start,
    end: Math.min(start + size, length),
    asked: query.pageNumber,
    size,
    saidNumber: rules.pageParameterIgnored === 'one' ? 1 : query.pageNumber,
    saidSize: (rows) => (rules.pageSizeEcho === 'count' ? rows : (query.pageSize ?? size)),
  };
}
