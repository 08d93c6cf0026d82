import { inspect } from 'node:util';
import * as v from 'valibot';
import { WrongInputError } from '../system/errors.ts';
import { readInt64 } from '../text/exact-json.ts';
import { didYouMean, nearest } from '../text/typed-words.ts';
import {
  addDays,
  type Day,
  daySchema,
  daysBetween,
  FIRST_DAY,
  MAX_DAYS_AHEAD,
  uruguayDay,
} from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';

/** An argument that no caller with types would pass. Shows nothing of it: it may be a token in the wrong place. */
export class WrongArgumentError extends WrongInputError {
  override name = 'WrongArgumentError';
}

function wrongArgument(what: string, expected: string, given: unknown): WrongArgumentError {
  return new WrongArgumentError(`The ${what} must be ${expected}, not ${kindOf(given)}.`);
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

/** Returns an argument that the schema takes. Its message says what the argument must be. Throws WrongArgumentError. */
export function checked<Output>(
  what: string,
  schema: v.GenericSchema<unknown, Output>,
  value: unknown,
): Output {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  throw wrongArgument(what, parsed.issues[0].message, value);
}

/** A member without effect would be believed: `detail` in place of `details`. Throws WrongArgumentError. */
export function assertKnownMembers<Given extends object>(
  what: string,
  given: Given,
  known: Readonly<Record<keyof Given, true>>,
): void {
  const names = Object.keys(known);
  const unknownName = Object.keys(given).find((name) => !names.includes(name));
  if (unknownName === undefined) return;
  const near = nearest(unknownName, names);
  // A name that is like none may be a token in the wrong place.
  throw new WrongArgumentError(
    near === undefined
      ? `The ${what} have a member that is not known. They are ${names.join(', ')}.`
      : `The ${what} have no member "${unknownName}".${didYouMean(near)}`,
  );
}

export function text(expected: string) {
  return v.pipe(v.string(expected), v.nonEmpty(expected));
}

export function objectWith(expected: string) {
  return v.custom<object>((value) => v.is(v.looseObject({}), value) && !Array.isArray(value), expected);
}

export const TokenSchema = text('text, or a function that gives it');
export const DirectionSchema = v.picklist(DIRECTIONS, "'recibidos' or 'emitidos'");
export const SignalSchema = v.optional(v.instance(AbortSignal, 'an AbortSignal'));
export const FunctionSchema = v.optional(v.function('a function'));

/** A timer's longest time: with a longer one it goes off at once. */
const MAX_COUNT = 2 ** 31 - 1;
export const CountSchema = v.message(
  v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_COUNT)),
  `an integer from 1 to ${MAX_COUNT}`,
);

/** In a Map or another instance no filter would be seen, and the whole list read. */
export const FiltersSchema = v.custom<object>((value) => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}, "an object, such as { FechaDesde: '2026-11-19', FechaHasta: '2026-11-19' }, or {} for all");

export function directionsOf(known: readonly Direction[]) {
  return v.message(v.array(v.picklist(known)), `an array of ${known.join(' and ')}`);
}

/** Days compare as text, so that `2026-11-5` would silently leave days out. Throws InvalidDayError. */
export function checkedDay(bound: string, given: unknown): Day {
  const parsed = v.safeParse(daySchema(), given);
  if (parsed.success) return parsed.output;
  throw new InvalidDayError(`${bound} must be a calendar day, YYYY-MM-DD, not ${inspect(given)}.`);
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
    throw wrongArgument('id', expected, value);
  }
  return BigInt(id);
}
