import { inspect } from 'node:util';
import { WrongInputError } from '../system/errors.ts';
import { readInt64 } from '../text/exact-json.ts';
import {
  addDays,
  type Day,
  daysBetween,
  FIRST_DAY,
  isDay,
  MAX_DAYS_AHEAD,
  uruguayDay,
} from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';

/** An argument that no caller with types would pass. Shows nothing of it: it may be a token in the wrong place. */
export class WrongArgumentError extends WrongInputError {
  override name = 'WrongArgumentError';
  constructor(what: string, expected: string, given: unknown) {
    super(`The ${what} must be ${expected}, not ${kindOf(given)}.`);
  }
}

/** A bound of the asked days is not a calendar day, or the days are not in order. */
export class InvalidDayError extends WrongInputError {
  override name = 'InvalidDayError';
}

/** What kind of value it is, as a noun. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (value === '') return 'empty text';
  if (Array.isArray(value)) return 'an array';
  const kind = typeof value;
  if (kind === 'string') return 'this text';
  return kind === 'object' ? 'an object' : `this ${kind}`;
}

export function assertText(what: string, expected: string, value: unknown): asserts value is string {
  if (typeof value !== 'string' || value === '') throw new WrongArgumentError(what, expected, value);
}

export function assertObject(what: string, expected: string, value: unknown): asserts value is object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw new WrongArgumentError(what, expected, value);
}

/** A timer's longest time: with a longer one it goes off at once. */
const MAX_COUNT = 2 ** 31 - 1;

export function assertCount(what: string, value: unknown): void {
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_COUNT) return;
  throw new WrongArgumentError(what, `an integer from 1 to ${MAX_COUNT}`, value);
}

export function assertFunction(what: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function')
    throw new WrongArgumentError(what, 'a function', value);
}

export function assertDirection(value: unknown): asserts value is Direction {
  if (!DIRECTIONS.some((direction) => direction === value)) {
    throw new WrongArgumentError('direction', "'recibidos' or 'emitidos'", value);
  }
}

export function assertFilters(value: unknown): void {
  const expected = "an object, such as { FechaDesde: '2026-11-19', FechaHasta: '2026-11-19' }, or {} for all";
  assertObject('filters', expected, value);
  // Of a Map or another instance no filter would be seen, and the whole list read.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return;
  throw new WrongArgumentError('filters', expected, value);
}

export function assertDirections(what: string, value: unknown, known: readonly unknown[] = DIRECTIONS): void {
  if (Array.isArray(value) && value.every((direction) => known.includes(direction))) return;
  throw new WrongArgumentError(what, `an array of ${known.join(' and ')}`, value);
}

export function assertSignal(value: unknown): void {
  if (value === undefined || value instanceof AbortSignal) return;
  throw new WrongArgumentError('signal', 'an AbortSignal', value);
}

/** Days compare as text, so that `2026-11-5` would silently leave days out. Throws InvalidDayError. */
export function checkedDay(bound: string, text: string): Day {
  if (typeof text === 'string' && isDay(text)) return text;
  throw new InvalidDayError(`${bound} must be a calendar day, YYYY-MM-DD, not ${inspect(text)}.`);
}

export function assertInOrder(from: Day, to: Day): void {
  if (from > to) throw new InvalidDayError(`from must not be after to: from ${from}, to ${to}.`);
}

export function checkedExportDays(range: { from: string; to: string }, nowMs: number): Day[] {
  const [from, to] = [checkedDay('from', range.from), checkedDay('to', range.to)];
  assertInOrder(from, to);
  const last = addDays(uruguayDay(nowMs), MAX_DAYS_AHEAD);
  if (from >= FIRST_DAY && to <= last) return daysBetween(from, to);
  throw new InvalidDayError(`Receipts are dated from ${FIRST_DAY} to ${MAX_DAYS_AHEAD} days ahead, ${last}.`);
}

/** A receipt's id, in any form that it has in a list. Throws WrongArgumentError. */
export function receiptId(value: unknown): bigint {
  const isBigInt = typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
  const id = isBigInt ? value : readInt64(value);
  if (id === undefined) {
    const expected = 'an integer of up to 64 bits as its list has it, or its digits as text';
    throw new WrongArgumentError('id', expected, value);
  }
  return BigInt(id);
}
