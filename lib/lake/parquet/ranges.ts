import type { ColumnType } from '../tables.ts';
import type { Value } from './writer.ts';

const DAY_MS = 86_400_000;
const MAX_DECIMAL = 10n ** 17n - 1n;

// Years 0001 to 9999: what every reader of the lake (Athena, DuckDB, Arrow) agrees on.
const FIRST_DAY = Date.parse('0001-01-01T00:00:00Z') / DAY_MS;
const LAST_DAY = Date.parse('9999-12-31T00:00:00Z') / DAY_MS;

interface Range {
  kind: 'number' | 'bigint' | 'boolean' | 'string';
  /** The least and the greatest value; text has neither. */
  least?: number | bigint;
  greatest?: number | bigint;
}

/** What a column of each type holds; integers only, where the kind is number. */
export const RANGES: Readonly<Record<ColumnType, Range>> = {
  int32: { kind: 'number', least: -(2 ** 31), greatest: 2 ** 31 - 1 },
  int64: { kind: 'bigint', least: -(2n ** 63n), greatest: 2n ** 63n - 1n },
  'decimal(17,2)': { kind: 'bigint', least: -MAX_DECIMAL, greatest: MAX_DECIMAL },
  timestamp: {
    kind: 'bigint',
    least: BigInt(FIRST_DAY * DAY_MS) * 1000n,
    greatest: BigInt((LAST_DAY + 1) * DAY_MS) * 1000n - 1n,
  },
  date: { kind: 'number', least: FIRST_DAY, greatest: LAST_DAY },
  boolean: { kind: 'boolean' },
  string: { kind: 'string' },
  json: { kind: 'string' },
};

/**
 * Why a column of this type cannot hold the value exactly, in words that do not show it; undefined when it
 * can. Null always fits: whether a column may be null is not a matter of its type.
 */
export function misfit(type: ColumnType, value: Value | undefined): string | undefined {
  if (value === null) return undefined;
  const { kind, least, greatest } = RANGES[type];
  if (typeof value !== kind || value === undefined) return `a value of type ${typeof value}`;
  if (typeof value === 'string') {
    // Half a surrogate pair has no UTF-8 form: an encoder would put another character in its place.
    return value.isWellFormed() ? undefined : 'text with half a surrogate pair';
  }
  if (typeof value === 'boolean') return undefined;
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a number that is not an integer';
  if (least !== undefined && value < least) return `a value below its least, ${least}`;
  if (greatest !== undefined && value > greatest) return `a value above its greatest, ${greatest}`;
  return undefined;
}
