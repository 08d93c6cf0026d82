import type { ApiClient } from '../../api/client.ts';
import { type FirstRows, firstRows } from '../../api/first-rows.ts';
import { apiPages } from '../../api/list/api-pages.ts';
import { assertOwn } from '../../api/receipt.ts';
import { readDetail, readLegacyList } from '../../api/unpaged.ts';
import { type Column, SQL_TYPES, TABLE_OF } from '../../lake/tables.ts';
import { type Answer, type AnswerColumn, textColumn } from '../../query/answer.ts';
import { WrongInputError } from '../../system/errors.ts';
import { isJsonObject } from '../../text/exact-json.ts';
import { DIRECTIONS, type Direction } from '../../units/unit.ts';
import { askedRowsOutput, ROWS_OUTPUT_OPTIONS, write, writeAnswer } from '../answer-output.ts';
import { defineCommand, flag, wholeNumber } from '../command.ts';
import { ONE_COMPANY_OPTIONS, withOneCompany } from '../options/connection.ts';
import { type AskedList, askedFilters, FILTER_NOTES, FILTER_OPTIONS } from '../options/filters.ts';

const DEFAULT_LIMIT = 100;

export const listCommand = defineCommand({
  words: '<recibidos|emitidos>',
  choices: DIRECTIONS,
  options: {
    ...ONE_COMPANY_OPTIONS,
    ...FILTER_OPTIONS,
    legacy: flag('read the deprecated list, which is not paged'),
    limit: wholeNumber(1, 1_000_000, `at most this many receipts (default ${DEFAULT_LIMIT})`),
    ...ROWS_OUTPUT_OPTIONS,
  },
  examples: [
    'list recibidos --rut 219999830019 --date 2026-11-19 --filter Emisor=S.A. --limit 10',
    'list emitidos --rut 219999830019 --date 2026-11-19 --filter TipoComprobante=101 --filter ExcluirTipoComprobante=true --json',
    'list recibidos --rut 219999830019 --date 2026-11-19 --legacy --csv',
  ],
  notes: FILTER_NOTES,
  run: async (options, [word], terminal) => {
    const { legacy, limit: most = DEFAULT_LIMIT } = options;
    const direction = DIRECTIONS.find((known) => known === word) ?? 'recibidos';
    const list = { direction, isLegacy: legacy === true };
    const filters = askedFilters(list, options, terminal);
    const output = askedRowsOutput(options, terminal);
    await withOneCompany(options, terminal, async (client) => {
      const { items, hasMore } = await rowsOf(client, list, filters, most, terminal.signal);
      if (output.format === 'json') {
        const text = listJson(client.rut, list, { items, hasMore });
        await write(output, text, items.length, terminal);
      } else {
        const subject = { sheetName: direction, notes: [] };
        await writeAnswer(output, listAnswer(direction, items), subject, terminal);
      }
      if (hasMore) terminal.stderr.write(`There are more than ${most}: --limit N shows more of them.\n`);
    });
    return 0;
  },
});

async function rowsOf(
  client: ApiClient,
  { direction, isLegacy }: AskedList,
  filters: object,
  limit: number,
  signal: AbortSignal,
): Promise<FirstRows> {
  if (isLegacy) {
    const { items } = await readLegacyList(client, direction, filters, signal);
    const shown = items.slice(0, limit);
    assertOwn(direction, shown, client.rut);
    return { items: shown, hasMore: items.length > limit };
  }
  const rows = await firstRows(apiPages(client, direction, filters, { signal }), limit);
  assertOwn(direction, rows.items, client.rut);
  return rows;
}

/** One document, with each receipt on a line, as the API wrote it. */
function listJson(rut: string, { direction, isLegacy }: AskedList, { items, hasMore }: FirstRows): string {
  const head = { rut, direction, list: isLegacy ? 'legacy' : 'v2', hasMore };
  const rows = items.map((item) => `\n${JSON.stringify(item)}`);
  return `${JSON.stringify(head).slice(0, -1)},"items":[${rows}]}\n`;
}

const LARGEST_ID = 2n ** 63n - 1n;

export const showCommand = defineCommand({
  words: '<recibidos|emitidos> <ID>',
  choices: DIRECTIONS,
  options: { ...ONE_COMPANY_OPTIONS, ...ROWS_OUTPUT_OPTIONS },
  examples: [
    'show recibidos 1494511180054528 --rut 219999830019',
    'show emitidos 1494648619008000 --rut 219999830019 --json',
  ],
  run: async (options, [word, text = ''], terminal) => {
    const direction = DIRECTIONS.find((known) => known === word) ?? 'recibidos';
    const id = askedId(text);
    const output = askedRowsOutput(options, terminal);
    await withOneCompany(options, terminal, async (client) => {
      const detail = await readDetail(client, direction, id, terminal.signal);
      assertOwn(direction, [detail], client.rut);
      if (output.format === 'json') await write(output, `${JSON.stringify(detail)}\n`, 1, terminal);
      else await writeAnswer(output, detailAnswer(detail), { sheetName: direction, notes: [] }, terminal);
    });
    return 0;
  },
});

function askedId(text: string): bigint {
  const id = /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (id === undefined || id > LARGEST_ID)
    throw new WrongInputError(`"${text}" is not an id: an id is a whole number of at most 64 bits.`);
  return id;
}

/** Receipts of a list in the lake's columns, as the API wrote them. Fields without a column are in `otros`. */
function listAnswer(direction: Direction, items: readonly unknown[]): Answer {
  const columns = TABLE_OF[direction].columns.filter(({ path }) => path !== undefined);
  const paths = columns.map(({ path = '' }) => path.split('.'));
  const rows = items.map((item) => paths.map((path) => valueText(path.reduce(memberOf, item))));
  const unknownFields = items.map((item) => valueText(without(item, paths)));
  const hasUnknownFields = unknownFields.some((text) => text !== null);
  return {
    columns: [...columns.map(answerColumn), ...(hasUnknownFields ? [textColumn('otros')] : [])],
    rows: hasUnknownFields ? rows.map((row, index) => [...row, unknownFields[index] ?? null]) : rows,
  };
}

/** A receipt as rows: the path of each value in the API's object, and the value. */
function detailAnswer(detail: unknown): Answer {
  return { columns: ['campo', 'valor'].map(textColumn), rows: [...leaves(detail, '')] };
}

function answerColumn({ name, type }: Column): AnswerColumn {
  return { name, type: SQL_TYPES[type] };
}

function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function valueText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What is at none of these paths; undefined if nothing is. */
function without(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return undefined;
  if (paths.length === 0 || !isJsonObject(value)) return value ?? undefined;
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
    : isJsonObject(value)
      ? Object.entries(value).map(([name, member]) => [place === '' ? name : `${place}.${name}`, member])
      : [];
  if (members.length === 0) yield [place, valueText(value)];
  for (const [name, member] of members) yield* leaves(member, name);
}
