import type { Direction } from '../../lib/api/directions.ts';
import { isTargeted, type SandboxBehaviour } from '../behaviour.ts';
import { DAYS, dayOf, dayText } from '../generator/calendar.ts';
import { mix } from '../generator/hash.ts';
import type { ReceiptList, SandboxReceipt } from '../generator/receipt-list.ts';
import type { RowChange } from '../switches.ts';
import type { EndpointKind, ListQuery } from './query.ts';

/** The rows of a company's list over a range of days as of now, in order of id, by offset. */
export interface DayRange {
  length: number;
  /** Changes whenever the rows of the range change. */
  fingerprint: number;
  /** The receipt's day and index, without making the receipt. */
  placeAt(offset: number): { day: number; index: number };
  receiptAt(offset: number): SandboxReceipt;
  /** The offset of a day and index; undefined if the range does not have it now. */
  offsetOf(day: number, index: number): number | undefined;
}

/** Rows of a day that are shown one after another, from this offset of the range on. */
interface Piece extends Block {
  day: number;
  offset: number;
}

/** Both days are included. */
export function dayRange(
  list: ReceiptList,
  days: { from: number; to: number },
  now: number,
  changes: RowChanges,
): DayRange {
  const pieces: Piece[] = [];
  let length = 0;
  let fingerprint = 0;
  for (let day = Math.max(0, days.from); day <= Math.min(DAYS - 1, days.to); day++) {
    const appeared = list.appeared(day, now);
    if (appeared === 0) continue;
    const hidden = changes.hidden({ rut: list.rut, direction: list.direction, day }, appeared);
    for (const { start, end } of shownBlocks(hidden, appeared)) {
      pieces.push({ day, offset: length, start, end });
      length += end - start;
      fingerprint = mix(mix(mix(fingerprint, day), start), end);
    }
  }

  const placeAt = (offset: number): { day: number; index: number } => {
    const found = pieces[lastStartingBy(pieces, offset)];
    if (found === undefined) throw new RangeError(`there is no row ${offset}`);
    return { day: found.day, index: found.start + offset - found.offset };
  };
  return {
    length,
    fingerprint,
    placeAt,
    receiptAt(offset) {
      const { day, index } = placeAt(offset);
      return list.receipt(day, index, now);
    },
    offsetOf(day, index) {
      const found = pieces.find((piece) => piece.day === day && piece.start <= index && index < piece.end);
      return found && found.offset + index - found.start;
    },
  };
}

function shownBlocks(hidden: readonly Block[], appeared: number): Block[] {
  const shown: Block[] = [];
  let start = 0;
  for (const block of hidden.toSorted((a, b) => a.start - b.start)) {
    const end = Math.min(block.start, appeared);
    if (start < end) shown.push({ start, end });
    start = Math.max(start, block.end);
  }
  return start < appeared ? [...shown, { start, end: appeared }] : shown;
}

function lastStartingBy(pieces: readonly Piece[], offset: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((pieces[middle]?.offset ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Receipts may be dated this many days ahead. */
const DAYS_AHEAD = 60;

/**
 * The issue days that a query covers, both included; none if `from` is after `to`. An open bound is closed, so that no
 * list is endless: see `openWindowDays`.
 */
export function daysOf(
  query: ListQuery,
  endpoint: EndpointKind,
  now: number,
  rules: Pick<
    SandboxBehaviour,
    'upperBound' | 'legacyUpperBound' | 'openWindowDays' | 'maxRangeDays' | 'overRange'
  >,
): { from: number; to: number } {
  const today = dayOf(now);
  const bound = endpoint === 'legacy' ? rules.legacyUpperBound : rules.upperBound;
  const isExclusive = bound === 'exclusive';
  const to = query.toDay === undefined ? today + DAYS_AHEAD : query.toDay - (isExclusive ? 1 : 0);
  const days = { from: query.fromDay ?? Math.min(to, today) - rules.openWindowDays, to };
  if (!isTooWide(days, rules)) return days;
  switch (rules.overRange) {
    case 'empty':
      return { from: days.from, to: days.from - 1 };
    case 'last':
      return { from: days.to - rules.maxRangeDays + 1, to: days.to };
    case 'first':
      return { from: days.from, to: days.from + rules.maxRangeDays - 1 };
    default:
      return days;
  }
}

export function isTooWide(
  { from, to }: { from: number; to: number },
  { maxRangeDays }: Pick<SandboxBehaviour, 'maxRangeDays'>,
): boolean {
  return maxRangeDays > 0 && to - from + 1 > maxRangeDays;
}

/** Indexes [start, end) of a day's list. */
interface Block {
  start: number;
  end: number;
}

interface ListUnit {
  rut: string;
  direction: Direction;
  day: number;
}

interface UnitState {
  listRequests: number;
  removed: Block | undefined;
  inserted: Block | undefined;
}

export interface RowChanges {
  /** Must be called after each answer to a list request, with its FechaDesde. */
  countListRequest(unit: ListUnit): void;
  /** The blocks that are hidden now; they may overlap. `appeared`: the list's length if nothing is hidden. */
  hidden(unit: ListUnit, appeared: number): readonly Block[];
}

/** Rows that vanish from, or appear in, a day's list while it is read. */
export function rowChanges(behaviour: Readonly<SandboxBehaviour>): RowChanges {
  const { removeRows, insertRows, faultTarget, order } = behaviour;
  const states = new Map<string, UnitState>();
  const isOff = removeRows === null && insertRows === null;

  const stateOf = (unit: ListUnit): UnitState | undefined => {
    if (isOff) return undefined;
    const { rut, direction } = unit;
    const day = dayText(unit.day);
    if (!isTargeted(faultTarget, { rut, direction, day })) return undefined;
    const key = `${rut}|${direction}|${day}`;
    const state = states.get(key) ?? { listRequests: 0, removed: undefined, inserted: undefined };
    states.set(key, state);
    return state;
  };

  return {
    countListRequest(unit) {
      const state = stateOf(unit);
      if (state !== undefined) state.listRequests++;
    },
    hidden(unit, appeared) {
      const state = stateOf(unit);
      if (state === undefined) return [];
      const blocks: Block[] = [];
      if (removeRows !== null && state.listRequests >= removeRows.afterListRequests) {
        // The rows removed first stay removed, however the list grows.
        state.removed ??= blockOf(removeRows, appeared, order === 'id-desc');
        blocks.push(state.removed);
      }
      if (insertRows !== null) {
        state.inserted ??= blockOf(insertRows, appeared, order === 'id-desc');
        if (state.listRequests < insertRows.afterListRequests) blocks.push(state.inserted);
      }
      return blocks;
    },
  };
}

function blockOf(change: RowChange, appeared: number, isDescending: boolean): Block {
  const count = Math.min(change.count, appeared);
  const isAtStart = change.position === (isDescending ? 'end' : 'start');
  const start =
    change.position === 'middle' ? Math.floor((appeared - count) / 2) : isAtStart ? 0 : appeared - count;
  return { start, end: start + count };
}
