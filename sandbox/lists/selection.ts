import type { SandboxBehaviour } from '../behaviour.ts';
import { dayNumber, parseLocal, startOfDay } from '../generator/calendar.ts';
import { mix } from '../generator/hash.ts';
import { placeOfExternalId } from '../generator/numbering.ts';
import type { ReceiptList, SandboxReceipt, TypeAndNumber } from '../generator/receipt-list.ts';
import type { DayRange } from './day-range.ts';
import { type Choice, type ChoiceField, type ListQuery, ParameterError } from './query.ts';

/** Which receipts of a day range a query selects. */
export interface Filter {
  /** Two queries with the same key select the same rows. */
  key: string;
  /** Whether its rows may change with the clock, as statuses do. */
  isByStatus: boolean;
  /** Whether the receipt's type and number pass, which are much cheaper than the receipt. */
  matchesNumber(receipt: TypeAndNumber): boolean;
  /** Whether the rest passes; undefined if nothing else is asked for. */
  matchesRest: ((receipt: SandboxReceipt) => boolean) | undefined;
}

type FilterRules = Pick<SandboxBehaviour, 'signatureUpperBound'>;

/** The filter of a query; undefined if it selects every row of its days. */
export function filterOf(query: ListQuery, rules: FilterRules): Filter | undefined {
  const { signedFrom, signedTo, idExterno, numberFrom, numberTo, choices } = query;
  const bounds = [signedFrom, signedTo, idExterno, numberFrom, numberTo];
  const hasBounds = bounds.some((bound) => bound !== undefined);
  if (!hasBounds && choices.length === 0) return undefined;
  const types = choices.filter(({ field }) => field === 'tipo_comprobante');
  const others = choices.filter(({ field }) => field !== 'tipo_comprobante');
  const hasRest = others.length > 0 || [signedFrom, signedTo, idExterno].some((bound) => bound !== undefined);
  return {
    key: JSON.stringify([bounds, choices]),
    isByStatus: choices.some((choice) => choice.field.startsWith('estado')),
    matchesNumber: ({ tipo_comprobante, numero }) =>
      (numberFrom === undefined || numero >= numberFrom) &&
      (numberTo === undefined || numero <= numberTo) &&
      types.every((choice) => admits(choice, String(tipo_comprobante))),
    matchesRest: hasRest
      ? (receipt) =>
          (idExterno === undefined || receipt.id_externo === idExterno) &&
          (signedFrom === undefined || receipt.fecha_firma.slice(0, 19) >= signedFrom) &&
          (signedTo === undefined || isSignedBefore(receipt.fecha_firma, signedTo, rules)) &&
          others.every((choice) => isChosen(choice, receipt))
      : undefined,
  };
}

/** Compares to the second. Within the bound's own second, only a signature without a fraction is at the bound. */
function isSignedBefore(signature: string, bound: string, rules: FilterRules): boolean {
  const second = signature.slice(0, 19);
  if (second !== bound) return second < bound;
  return rules.signatureUpperBound === 'inclusive' && !/[1-9]/.test(signature.slice(19));
}

function isChosen(choice: Choice, receipt: SandboxReceipt): boolean {
  if (choice.field === 'emisor' || choice.field === 'receptor') {
    const searched = receipt[choice.field]?.searchText ?? '';
    return choice.values.some((value) => searched.includes(value.toLowerCase())) !== choice.isExcluded;
  }
  return admits(choice, codeOf(receipt, choice.field));
}

function admits(choice: Choice, code: string | null): boolean {
  return (code !== null && choice.values.includes(code)) !== choice.isExcluded;
}

function codeOf(receipt: SandboxReceipt, field: Exclude<ChoiceField, 'emisor' | 'receptor'>): string | null {
  switch (field) {
    case 'tipo_comprobante':
    case 'sucursal':
      return String(receipt[field]);
    default:
      return receipt[field];
  }
}

/** The rows that a query selects now, in the order in which they are served. */
export interface Selection {
  length: number;
  receiptAt(k: number): SandboxReceipt;
}

/** A list request, as far as it decides which rows are selected. */
export interface SelectionRequest {
  range: DayRange;
  days: { from: number; to: number };
  query: ListQuery;
  filter: Filter | undefined;
}

export interface SelectionContext {
  behaviour: Pick<SandboxBehaviour, 'order'>;
  list: ReceiptList;
  now: number;
  positions: StampedCache<Positions>;
}

export function selected(request: SelectionRequest, context: SelectionContext): Selection {
  const { range, days, filter } = request;
  const { behaviour, list, now, positions } = context;
  const { order } = behaviour;
  // An unfiltered list by id needs no positions.
  if (filter === undefined && order === 'id') return range;
  if (filter === undefined && order === 'id-desc')
    return { length: range.length, receiptAt: (k) => range.receiptAt(range.length - 1 - k) };
  const key = [list.rut, list.direction, days.from, days.to, order, filter?.key].join('|');
  const stamp = `${range.fingerprint}/${filter?.isByStatus ? now : ''}`;
  const offsets =
    positions.get(key, stamp) ?? ordered(range, filter && filtered(request, filter, list), order);
  positions.set(key, stamp, offsets);
  return { length: offsets.length, receiptAt: (k) => range.receiptAt(offsets[k] ?? 0) };
}

function filtered({ range, query }: SelectionRequest, filter: Filter, list: ReceiptList): Positions {
  const matches = (offset: number): boolean => {
    const { day, index } = range.placeAt(offset);
    return (
      filter.matchesNumber(list.numberAt(day, index)) &&
      filter.matchesRest?.(range.receiptAt(offset)) !== false
    );
  };
  if (query.idExterno !== undefined) {
    const place = placeOfExternalId(query.idExterno);
    const offset = place === undefined ? undefined : range.offsetOf(dayNumber(place.day) ?? -1, place.index);
    return Uint32Array.from(offset !== undefined && matches(offset) ? [offset] : []);
  }
  const positions: number[] = [];
  for (let offset = 0; offset < range.length; offset++) {
    if (matches(offset)) positions.push(offset);
  }
  return Uint32Array.from(positions);
}

/** Offsets of the rows of a range in the order in which they are served. */
export type Positions = Uint32Array;

/** Sorts these offsets of a range, or all if undefined. */
function ordered(
  range: DayRange,
  chosen: Positions | undefined,
  order: SandboxBehaviour['order'],
): Positions {
  const positions = chosen ?? Uint32Array.from({ length: range.length }, (_, offset) => offset);
  if (order === 'id') return positions;
  if (order === 'id-desc') return positions.toReversed();
  const keyOf = order === 'shuffled' ? shuffleKey : signatureKey;
  const keys = Float64Array.from(positions, (offset) => keyOf(range, offset));
  const byKey = Uint32Array.from(keys.keys()).sort((a, b) => (keys[b] ?? 0) - (keys[a] ?? 0) || b - a);
  return byKey.map((rank) => positions[rank] ?? 0);
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

/** A page: the rows [start, end) of a list, and the numbers in its envelope. */
export interface Page {
  start: number;
  end: number;
  /** Rows in a full page. */
  size: number;
  saidNumber: number;
  /** The envelope's `page_size` for a page of this many rows. */
  saidSize(rows: number): number;
}

/** Rows per page for a query. Throws a ParameterError if the size is over the cap and `overCap` is `error`. */
export function pageSizeOf(query: ListQuery, rules: Readonly<SandboxBehaviour>): number {
  if (rules.pageSizeIgnored > 0) return rules.pageSizeIgnored;
  const asked = query.pageSize ?? Math.min(rules.defaultPageSize, rules.pageCap);
  if (asked > rules.pageCap && rules.overCap === 'error')
    throw new ParameterError(`the page size must be at most ${rules.pageCap}`);
  return Math.min(asked, rules.pageCap);
}

/** The page for a query, of a list of `length` rows; undefined for 404. */
export function pageOf(
  query: ListQuery,
  length: number,
  size: number,
  rules: Readonly<SandboxBehaviour>,
): Page | undefined {
  const isIgnored = rules.pageParameterIgnored !== 'no';
  const last = Math.max(1, Math.ceil(length / size));
  const wanted = isIgnored ? 1 : query.pageNumber;
  if (wanted > last && rules.pastEnd === '404') return undefined;
  const served = wanted > last && rules.pastEnd === 'repeat' ? last : wanted;
  const start = Math.min((served - 1) * size, length);
  return {
    start,
    end: Math.min(start + size, length),
    size,
    saidNumber: rules.pageParameterIgnored === 'one' ? 1 : query.pageNumber,
    saidSize: (rows) => (rules.pageSizeEcho === 'count' ? rows : (query.pageSize ?? size)),
  };
}

/** Values that hold while their stamp stands. The oldest are dropped when the lengths add up to more than `most`. */
export class StampedCache<Value extends { readonly length: number }> {
  private readonly most: number;
  private readonly kept = new Map<string, { stamp: string; value: Value }>();
  private length = 0;

  constructor(most: number) {
    this.most = most;
  }

  get(key: string, stamp: string): Value | undefined {
    const known = this.kept.get(key);
    return known?.stamp === stamp ? known.value : undefined;
  }

  set(key: string, stamp: string, value: Value): void {
    this.forget(key);
    this.kept.set(key, { stamp, value });
    this.length += value.length;
    for (const oldest of this.kept.keys()) {
      if (this.length <= this.most || oldest === key) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.length -= this.kept.get(key)?.value.length ?? 0;
    this.kept.delete(key);
  }
}
