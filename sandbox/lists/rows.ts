import type { Block, SandboxBehaviour } from '../behaviour.ts';
import { DAYS, dayNumber, dayOf, dayText, parseLocal, startOfDay } from '../generator/calendar.ts';
import { mix } from '../generator/hash.ts';
import type { ReceiptList, SandboxReceipt } from '../generator/receipts.ts';
import { type EndpointKind, isSelected, type ListQuery } from './query.ts';

/** Days since FIRST_DAY, both included; none if `from` is after `to`. */
interface DaySpan {
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

/** What is shown of a day, and at which offset of the whole list. */
interface Piece extends Block {
  day: number;
  offset: number;
}

type Hidden = SandboxBehaviour['hidden'];

function piecesOf(list: ReceiptList, { from, to }: DaySpan, now: number, hidden: Hidden): Piece[] {
  const { rut } = list.company;
  const { direction } = list;
  const pieces: Piece[] = [];
  let offset = 0;
  for (let day = Math.max(0, from); day <= Math.min(DAYS - 1, to); day++) {
    const appeared = list.appeared(day, now);
    if (appeared === 0) continue;
    const blocks = [{ start: 0, end: appeared }];
    const gone = hidden({ rut, direction, day: dayText(day) }, appeared);
    for (const { start, end } of gone.reduce((shown, block) => without(shown, block), blocks)) {
      pieces.push({ day, offset, start, end });
      offset += end - start;
    }
  }
  return pieces;
}

function without(blocks: readonly Block[], hidden: Block): Block[] {
  return blocks
    .flatMap(({ start, end }) => [
      { start, end: Math.min(end, hidden.start) },
      { start: Math.max(start, hidden.end), end },
    ])
    .filter(({ start, end }) => start < end);
}

/** The rows of a company's list over some days as of now, in order of id. */
export function rowsOf(list: ReceiptList, days: DaySpan, now: number, hidden: Hidden): Rows {
  const pieces = piecesOf(list, days, now, hidden);
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
  hidden: Hidden,
): SandboxReceipt | undefined {
  const pieces = piecesOf(list, { from: day, to: day }, now, hidden);
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
