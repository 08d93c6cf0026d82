import type { Direction } from '../api/directions.ts';
import { exactJson } from '../json/exact-json.ts';
import { type Column, TABLE_OF } from '../lake/tables.ts';
import { type Answer, type AnswerColumn, textColumn } from '../query/answer.ts';

/** How a table of the lake has it in SQL. */
const TYPES: Readonly<Partial<Record<Column['type'], string>>> = {
  int32: 'INTEGER',
  int64: 'BIGINT',
  'decimal(17,2)': 'DECIMAL(17,2)',
  timestamp: 'TIMESTAMP',
};

/**
 * Receipts of a list in the columns that they have in the lake, each value as the API wrote it; what has no column stands
 * in `otros`, where there is any.
 */
export function listAnswer(direction: Direction, items: readonly unknown[]): Answer {
  const columns = TABLE_OF[direction].columns.filter(({ path }) => path !== undefined);
  const paths = columns.map(({ path = '' }) => path.split('.'));
  const rows = items.map((item) => paths.map((path) => valueText(path.reduce(memberOf, item))));
  const others = items.map((item) => rest(item, paths));
  const hasOthers = others.some((text) => text !== null);
  return {
    columns: [...columns.map(answerColumn), ...(hasOthers ? [textColumn('otros')] : [])],
    rows: hasOthers ? rows.map((row, index) => [...row, others[index] ?? null]) : rows,
  };
}

/** A receipt, value by value: where it stands in the API's object, and what it is. */
export function detailAnswer(detail: unknown): Answer {
  return {
    columns: ['campo', 'valor'].map(textColumn),
    rows: [...leaves(detail, '')],
  };
}

function answerColumn({ name, type }: Column): AnswerColumn {
  return { name, type: TYPES[type] ?? 'VARCHAR', isNumber: /^(int|decimal)/.test(type), isBoolean: false };
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function valueText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : exactJson(value);
}

/** What none of the paths leads to, as JSON. */
function rest(value: unknown, paths: readonly (readonly string[])[]): string | null {
  const left = without(value, paths);
  return left === undefined ? null : exactJson(left);
}

function without(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return undefined;
  if (paths.length === 0 || !isObject(value)) return value ?? undefined;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const below = paths.filter(([first]) => first === name).map(([, ...after]) => after);
    const left = without(member, below);
    return left === undefined ? [] : [[name, left] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

function* leaves(value: unknown, place: string): Generator<[string, string | null]> {
  const members: [string, unknown][] = Array.isArray(value)
    ? value.map((member, index) => [`${place}[${index + 1}]`, member])
    : isObject(value)
      ? Object.entries(value).map(([name, member]) => [place === '' ? name : `${place}.${name}`, member])
      : [];
  if (members.length === 0) yield [place, valueText(value)];
  for (const [name, member] of members) yield* leaves(member, name);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
