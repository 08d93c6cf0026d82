import type { SandboxBehaviour } from '../behaviour.ts';
import { dayNumber } from '../generator/calendar.ts';
import { placeOfExternalId } from '../generator/contents.ts';
import type { SandboxReceipt } from '../generator/receipt.ts';
import type { ReceiptList } from '../generator/receipt-list.ts';
import type { DayRange } from './day-range.ts';
import type { Filter } from './filter.ts';
import { ordered, type Positions } from './order.ts';
import type { ListQuery } from './query.ts';

/** What a query selects now, in the order in which it is served. */
export interface Selection {
  length: number;
  receiptAt(k: number): SandboxReceipt;
}

/** Orders and filters are worked out once and kept while they hold; at most so many rows in all. */
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
      // The usual list, unfiltered and by id, needs no positions: any page is made from its offsets alone.
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
