import { inspect } from 'node:util';
import { CfeLakeError } from '../errors.ts';
import { isDay } from '../time/days.ts';
import { type Direction, ENDPOINTS } from './directions.ts';
import {
  FILTER_KINDS,
  type FilterKind,
  type FiltersByDirection,
  LEGACY_FILTER_KINDS,
  type LegacyFiltersByDirection,
} from './filters.ts';
import { MAX_PAGE_SIZE } from './list/page.ts';

/** A filter or paging value that the API could not read, or would misread. */
export class InvalidFilterError extends CfeLakeError {
  override name = 'InvalidFilterError';
  /** The API's name of the filter. */
  readonly filter: string;

  constructor(filter: string, problem: string) {
    super(`${filter} ${problem}`);
    this.filter = filter;
  }
}

function wrongValue(filter: string, expected: string, value: unknown): InvalidFilterError {
  const shown = inspect(value, { depth: 0, maxStringLength: 40 });
  return new InvalidFilterError(filter, `must be ${expected}, not ${shown}`);
}

interface Rule {
  isValid(value: unknown): boolean;
  expected: string;
}

const DATE_TIME_LENGTH = '2026-11-19T00:00:00'.length;

/** Also refuses values that Date would roll over, such as 30 February or 24:00:00. */
function isLocalDateTime(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(text)) return false;
  const date = new Date(`${text}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, DATE_TIME_LENGTH) === text;
}

const date: Rule = {
  isValid: (value) => typeof value === 'string' && isDay(value),
  expected: 'a calendar date YYYY-MM-DD',
};

const dateTime: Rule = {
  isValid: (value) => typeof value === 'string' && isLocalDateTime(value),
  expected: 'a local date-time YYYY-MM-DDTHH:MM:SS, without zone or fraction',
};

const text: Rule = {
  // A lone surrogate would be sent as another character.
  isValid: (value) => typeof value === 'string' && value !== '' && value.isWellFormed(),
  expected: 'text that is not empty',
};

const integer: Rule = { isValid: Number.isSafeInteger, expected: 'an integer' };

const boolean: Rule = { isValid: (value) => typeof value === 'boolean', expected: 'true or false' };

/** The value as the query writes it. Throws an InvalidFilterError. */
function written(filter: string, rule: Rule, value: unknown): string {
  if (!rule.isValid(value)) throw wrongValue(filter, rule.expected, value);
  return String(value);
}

function writtenAll(filter: string, rule: Rule, values: unknown): string[] {
  if (!Array.isArray(values)) throw wrongValue(filter, 'a list of values', values);
  return values.map((value) => written(filter, rule, value));
}

/** A filter's values as the query writes them, in order; none for an empty list. Throws an InvalidFilterError. */
function writtenValues(filter: string, kind: FilterKind, value: unknown): string[] {
  switch (kind) {
    case 'date':
      return [written(filter, date, value)];
    case 'dateTime':
      return [written(filter, dateTime, value)];
    case 'text':
      return [written(filter, text, value)];
    case 'integer':
      return [written(filter, integer, value)];
    case 'boolean':
      return [written(filter, boolean, value)];
    case 'texts':
      return writtenAll(filter, text, value);
    case 'integers':
      return writtenAll(filter, integer, value);
  }
}

/** A page number or size as the query writes it; `maximum` as the contract gives it (§8). */
function writtenPaging(name: string, value: number, maximum?: number): string {
  const isInRange = Number.isSafeInteger(value) && value >= 1 && (maximum === undefined || value <= maximum);
  const expected = maximum === undefined ? 'an integer from 1' : `an integer from 1 to ${maximum}`;
  if (!isInRange) throw wrongValue(name, expected, value);
  return String(value);
}

export interface Paging {
  /** From 1. */
  pageNumber: number;
  /** 1 to 100 (§8). */
  pageSize: number;
}

function append(
  query: URLSearchParams,
  kinds: Readonly<Record<string, FilterKind>>,
  filters: object,
  repeatableSuffix: '' | '[]',
): void {
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw new InvalidFilterError(name, 'is not a filter of this list');
    const isRepeatable = kind === 'texts' || kind === 'integers';
    const parameter = isRepeatable ? `${name}${repeatableSuffix}` : name;
    for (const written of writtenValues(name, kind, value)) query.append(parameter, written);
  }
}

/**
 * The query of a v2 list: repeatable filters repeat their name, without `[]` (§4.5); an empty list is absent.
 * Throws an InvalidFilterError that names the filter.
 */
export function toQuery<D extends Direction>(direction: D, filters: FiltersByDirection[D]): URLSearchParams {
  const query = new URLSearchParams();
  append(query, FILTER_KINDS[direction], filters, '');
  return query;
}

/** The query with the page asked for. Throws an InvalidFilterError that names the paging parameter. */
export function withPaging(
  direction: Direction,
  filters: URLSearchParams,
  { pageNumber, pageSize }: Paging,
): URLSearchParams {
  const query = new URLSearchParams(filters);
  const names = ENDPOINTS[direction].paging;
  query.append(names.pageNumber, writtenPaging(names.pageNumber, pageNumber));
  query.append(names.pageSize, writtenPaging(names.pageSize, pageSize, MAX_PAGE_SIZE));
  return query;
}

/**
 * The query of a legacy list, which has no paging: repeatable filters carry `[]` (§4.6, §9); an empty list is
 * absent. Throws an InvalidFilterError that names the filter.
 */
export function toLegacyQuery<D extends Direction>(
  direction: D,
  filters: LegacyFiltersByDirection[D],
): URLSearchParams {
  const query = new URLSearchParams();
  append(query, LEGACY_FILTER_KINDS[direction], filters, '[]');
  return query;
}
