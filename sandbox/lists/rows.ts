import { isTargeted, type RowChange, type SandboxBehaviour } from '../behaviour.ts';
import { DAYS, dayNumber, dayOf, dayText, parseLocal, startOfDay } from '../generator/calendar.ts';
import { mix } from '../generator/hash.ts';
import type { ReceiptList, SandboxReceipt } from '../generator/receipts.ts';
import { type EndpointKind, isSelected, type ListQuery } from './query.ts';

/** Days since FIRST_DAY, both included; none if `from` is after `to`. */
export interface DaySpan {
  from: number;
  to: number;
}

/** Receipts may be dated this many days ahead. */
const DAYS_AHEAD = 60;
/** A list without FechaDesde goes back this many days. */
const DAYS_BACK = 90;

/** The issue days that a query covers. An open bound is closed, so that no list is endless. */
export function daysOf(
  query: ListQuery,
  endpoint: EndpointKind,
  now: number,
  { upperBound, maxRangeDays, overRange }: Readonly<SandboxBehaviour>,
): DaySpan {
  const today = dayOf(now);
  const isExclusive = endpoint === 'list' && upperBound === 'exclusive';
  const to = query.toDay === undefined ? today + DAYS_AHEAD : query.toDay - Number(isExclusive);
  const days = { from: query.fromDay ?? Math.min(to, today) - DAYS_BACK, to };
  if (!isTooWide(days, maxRangeDays)) return days;
  if (overRange === 'empty') return { ...days, to: days.from - 1 };
  if (overRange === 'last') return { ...days, from: to - maxRangeDays + 1 };
  if (overRange === 'first') return { ...days, to: days.from + maxRangeDays - 1 };
  return days;
}

export function isTooWide({ from, to }: DaySpan, maxRangeDays: number): boolean {
  return maxRangeDays > 0 && to - from + 1 > maxRangeDays;
}

/** Rows in the order in which they are served. */
export interface Rows {
  /** The same for the same rows. */
  key: string;
  length: number;
  /** The rows from `start` to before `end`, as far as there are any. */
  slice(start: number, end: number): Iterable<SandboxReceipt>;
}

/** Indexes [start, end) of a day's list. */
export interface Block {
  start: number;
  end: number;
}

/** What is shown of a day, and at which offset of the whole list. */
interface Piece extends Block {
  day: number;
  offset: number;
}

function piecesOf(list: ReceiptList, { from, to }: DaySpan, now: number, changes: RowChanges): Piece[] {
  const pieces: Piece[] = [];
  let offset = 0;
  for (let day = Math.max(0, from); day <= Math.min(DAYS - 1, to); day++) {
    for (const { start, end } of changes.shown(list, day, list.appeared(day, now))) {
      pieces.push({ day, offset, start, end });
      offset += end - start;
    }
  }
  return pieces;
}

/** The rows of a company's list over some days as of now, in order of id. */
export function rowsOf(list: ReceiptList, days: DaySpan, now: number, changes: RowChanges): Rows {
  const pieces = piecesOf(list, days, now, changes);
  return {
    key: JSON.stringify([list.company.rut, list.direction, now, pieces]),
    length: pieces.reduce((sum, { start, end }) => sum + end - start, 0),
    *slice(from, to) {
      for (const { day, offset, start, end } of pieces)
        for (let k = Math.max(from, offset); k < Math.min(to, offset + end - start); k++)
          yield list.receipt(day, start + k - offset, now);
    },
  };
}

/** The row at this place; undefined if it is not shown now. */
export function rowAt(
  list: ReceiptList,
  { day, index }: { day: number; index: number },
  now: number,
  changes: RowChanges,
): SandboxReceipt | undefined {
  const pieces = piecesOf(list, { from: day, to: day }, now, changes);
  const isShown = pieces.some(({ start, end }) => start <= index && index < end);
  return isShown ? list.receipt(day, index, now) : undefined;
}

/** So many lists, filtered or in an order of their own, are kept for their next pages. */
const SELECTIONS_KEPT = 64;

/** The rows that a query selects, in the order in which they are served. */
export function selections({ order }: Readonly<SandboxBehaviour>) {
  /** Offsets of rows, by everything that they depend on. */
  const kept = new Map<string, Uint32Array>();

  const offsetsOf = (rows: Rows, query: ListQuery): Uint32Array => {
    const chosen: { offset: number; key: number }[] = [];
    let offset = 0;
    for (const receipt of rows.slice(0, rows.length)) {
      if (isSelected(query, receipt)) chosen.push({ offset, key: SORT_KEYS[order](receipt) });
      offset++;
    }
    if (order !== 'id') chosen.sort((a, b) => b.key - a.key || b.offset - a.offset);
    return Uint32Array.from(chosen, (row) => row.offset);
  };

  return (rows: Rows, query: ListQuery): Rows => {
    // An unfiltered list by id needs no offsets.
    if (order === 'id' && query.filters.size === 0) return rows;
    const filters = [...query.filters].map(([name, { values }]) => [name, values]);
    const key = rows.key + JSON.stringify([filters, [...query.excluded]]);
    const offsets = kept.get(key) ?? offsetsOf(rows, query);
    if (kept.size > SELECTIONS_KEPT) kept.clear();
    kept.set(key, offsets);
    return {
      key,
      length: offsets.length,
      *slice(start, end) {
        for (const offset of offsets.subarray(start, end)) yield* rows.slice(offset, offset + 1);
      },
    };
  };
}

/** Rows are sorted by this number, the highest first, and then by id, the highest first. */
const SORT_KEYS: Record<SandboxBehaviour['order'], (receipt: SandboxReceipt) => number> = {
  id: () => 0,
  'id-desc': () => 0,
  // In tenths of microseconds since FIRST_DAY: exact in a double.
  'signature-desc': ({ fecha_firma }) => {
    const second = (parseLocal(fecha_firma.slice(0, 19)) ?? 0) - startOfDay(0);
    return second * 10_000 + Number(fecha_firma.slice(20).padEnd(7, '0'));
  },
  shuffled: ({ day, index }) => mix(mix(dayNumber(day) ?? 0, 92), index),
};

export type RowChanges = ReturnType<typeof rowChanges>;

/** Rows that vanish from, or appear in, a day's list while it is read. */
export function rowChanges({ removeRows, insertRows, faultTarget, order }: Readonly<SandboxBehaviour>) {
  const states = new Map<string, { listRequests: number; removed?: Block; inserted?: Block }>();
  const isOff = removeRows === null && insertRows === null;

  const stateOf = ({ company: { rut }, direction }: ReceiptList, number: number) => {
    const day = dayText(number);
    if (isOff || !isTargeted(faultTarget, { rut, direction, day })) return undefined;
    const key = `${rut}|${direction}|${day}`;
    const state = states.get(key) ?? { listRequests: 0 };
    states.set(key, state);
    return state;
  };

  return {
    /** Must be called after each answer to a list request, with its FechaDesde. */
    countListRequest(list: ReceiptList, day: number): void {
      const state = stateOf(list, day);
      if (state !== undefined) state.listRequests++;
    },
    /** What is shown now of a day's list. `appeared`: its length if nothing is hidden. */
    shown(list: ReceiptList, day: number, appeared: number): Block[] {
      const all = appeared > 0 ? [{ start: 0, end: appeared }] : [];
      const state = isOff || appeared === 0 ? undefined : stateOf(list, day);
      if (state === undefined) return all;
      const hidden: Block[] = [];
      if (removeRows !== null && state.listRequests >= removeRows.afterListRequests) {
        // The rows removed first stay removed, however the list grows.
        state.removed ??= blockOf(removeRows, appeared, order === 'id-desc');
        hidden.push(state.removed);
      }
      if (insertRows !== null) {
        state.inserted ??= blockOf(insertRows, appeared, order === 'id-desc');
        if (state.listRequests < insertRows.afterListRequests) hidden.push(state.inserted);
      }
      return hidden.reduce<Block[]>((blocks, block) => blocks.flatMap((shown) => without(shown, block)), all);
    },
  };
}

function without({ start, end }: Block, hidden: Block): Block[] {
  const before = { start, end: Math.min(end, hidden.start) };
  const after = { start: Math.max(start, hidden.end), end };
  return [before, after].filter((block) => block.start < block.end);
}

function blockOf(change: RowChange, appeared: number, isDescending: boolean): Block {
  const count = Math.min(change.count, appeared);
  const isAtStart = change.position === (isDescending ? 'end' : 'start');
  const start =
    change.position === 'middle' ? Math.floor((appeared - count) / 2) : isAtStart ? 0 : appeared - count;
  return { start, end: start + count };
}
