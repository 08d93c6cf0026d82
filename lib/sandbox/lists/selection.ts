import type { SandboxBehaviour } from '../behaviour.ts';
import { dayNumber } from '../generator/calendar.ts';
import { placeOfExternalId } from '../generator/numbering.ts';
import type { ReceiptList, SandboxReceipt } from '../generator/receipt-list.ts';
import type { DayRange } from './day-range.ts';
import { ordered, type Positions } from './paging.ts';
import type { Choice, ChoiceField, ListQuery } from './query.ts';

/** Which receipts of a day range a query selects. */
export interface Filter {
  /** Two queries with the same key select the same rows. */
  key: string;
  /** Whether its rows may change with the clock, as statuses do. */
  isByStatus: boolean;
  /** Set if the type alone decides: much cheaper than making the receipt. */
  matchesType: ((type: number) => boolean) | undefined;
  matches(receipt: SandboxReceipt): boolean;
}

export interface FilterRules {
  signatureUpperBound: 'inclusive' | 'exclusive';
}

/** The filter of a query; undefined if it selects every row of its days. */
export function filterOf(query: ListQuery, rules: FilterRules): Filter | undefined {
  const { signedFrom, signedTo, idExterno, numberFrom, numberTo, choices } = query;
  const bounds = [signedFrom, signedTo, idExterno, numberFrom, numberTo];
  const hasBounds = bounds.some((bound) => bound !== undefined);
  if (!hasBounds && choices.length === 0) return undefined;
  const isByTypeOnly = !hasBounds && choices.every((choice) => choice.field === 'tipo_comprobante');
  return {
    key: JSON.stringify([bounds, choices]),
    isByStatus: choices.some((choice) => choice.field.startsWith('estado')),
    matchesType: isByTypeOnly ? (type) => choices.every((choice) => admits(choice, String(type))) : undefined,
    matches: (receipt) =>
      (numberFrom === undefined || receipt.numero >= numberFrom) &&
      (numberTo === undefined || receipt.numero <= numberTo) &&
      (idExterno === undefined || receipt.id_externo === idExterno) &&
      (signedFrom === undefined || receipt.fecha_firma.slice(0, 19) >= signedFrom) &&
      (signedTo === undefined || isSignedBefore(receipt.fecha_firma, signedTo, rules)) &&
      choices.every((choice) => isChosen(choice, receipt)),
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

/** The most rows, over all lists, whose order or filter is cached. */
const POSITIONS_KEPT = 8_000_000;

export interface Selections {
  select(request: SelectionRequest): Selection;
}

export interface SelectionRequest {
  list: ReceiptList;
  range: DayRange;
  days: { from: number; to: number };
  query: ListQuery;
  filter: Filter | undefined;
  order: SandboxBehaviour['order'];
  now: number;
}

export function selections(): Selections {
  const kept = new Map<string, { stamp: string; positions: Positions }>();
  let rowsKept = 0;

  const forget = (key: string): void => {
    rowsKept -= kept.get(key)?.positions.length ?? 0;
    kept.delete(key);
  };
  const keep = (key: string, stamp: string, positions: Positions): void => {
    forget(key);
    kept.set(key, { stamp, positions });
    rowsKept += positions.length;
    for (const oldest of kept.keys()) {
      if (rowsKept <= POSITIONS_KEPT || oldest === key) break;
      forget(oldest);
    }
  };

  return {
    select(request) {
      const { list, range, days, filter, order, now } = request;
      // An unfiltered list by id needs no positions.
      if (filter === undefined && order === 'id') return range;
      if (filter === undefined && order === 'id-desc')
        return { length: range.length, receiptAt: (k) => range.receiptAt(range.length - 1 - k) };
      const key = [list.rut, list.direction, days.from, days.to, order, filter?.key].join('|');
      const stamp = `${range.fingerprint}/${filter?.isByStatus ? now : ''}`;
      const known = kept.get(key);
      const positions =
        known?.stamp === stamp
          ? known.positions
          : (ordered(range, filter === undefined ? undefined : filtered(request, filter), order) ??
            new Uint32Array());
      if (known?.stamp !== stamp) keep(key, stamp, positions);
      return { length: positions.length, receiptAt: (k) => range.receiptAt(positions[k] ?? 0) };
    },
  };
}

function filtered({ list, range, query }: SelectionRequest, filter: Filter): Positions {
  const { matchesType } = filter;
  if (query.idExterno !== undefined) {
    const place = placeOfExternalId(query.idExterno);
    const offset = place === undefined ? undefined : range.offsetOf(dayNumber(place.day) ?? -1, place.index);
    return Uint32Array.from(offset !== undefined && filter.matches(range.receiptAt(offset)) ? [offset] : []);
  }
  const positions: number[] = [];
  for (let offset = 0; offset < range.length; offset++) {
    if (matchesType !== undefined) {
      const { day, index } = range.placeAt(offset);
      if (matchesType(list.typeAt(day, index))) positions.push(offset);
    } else if (filter.matches(range.receiptAt(offset))) positions.push(offset);
  }
  return Uint32Array.from(positions);
}
