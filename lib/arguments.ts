import { DIRECTIONS, type Direction } from './api/directions.ts';
import { WrongInputError } from './errors.ts';
import { readInt64 } from './exact-json.ts';

/** An argument that no caller with types would pass. Shows nothing of it: it may be a token in the wrong place. */
class WrongArgumentError extends WrongInputError {
  override name = 'WrongArgumentError';
  constructor(what: string, expected: string, given: unknown) {
    super(`The ${what} must be ${expected}, not ${kindOf(given)}.`);
  }
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

export function assertCount(what: string, value: unknown): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return;
  throw new WrongArgumentError(what, 'an integer from 1 on', value);
}

export function assertDirection(value: unknown): asserts value is Direction {
  if (!DIRECTIONS.some((direction) => direction === value)) {
    throw new WrongArgumentError('direction', "'recibidos' or 'emitidos'", value);
  }
}

export function assertFilters(value: unknown): void {
  const expected = "an object, such as { FechaDesde: '2026-11-19', FechaHasta: '2026-11-19' }, or {} for all";
  assertObject('filters', expected, value);
}

export function assertSignal(value: unknown): void {
  if (value === undefined || value instanceof AbortSignal) return;
  throw new WrongArgumentError('signal', 'an AbortSignal', value);
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
