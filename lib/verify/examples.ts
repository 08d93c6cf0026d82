import type { Comparison } from '../export/changes.ts';
import { valueText } from '../lake/parquet/column-values.ts';
import { LAST_SEEN_COLUMN, type SortedRows } from '../lake/rows/receipt-rows.ts';
import type { Table } from '../lake/tables.ts';

/** Longer texts are cut: an example need not be complete. */
const MAX_TEXT = 80;

/** One receipt that differs. */
export interface DifferenceExample {
  kind: 'missing' | 'extra' | 'twice' | 'different';
  /** The receipt's id, a string because doubles cannot hold it. */
  id: string;
  /** For `different`: each column that differs, with its value in the lake and from the API. */
  fields: { field: string; lake: string | null; api: string | null }[];
}

/** What a comparison found, as indexes of the sorted rows. */
export interface Found {
  table: Table;
  lake: SortedRows;
  api: SortedRows;
  missing: Comparison['appeared'];
  extra: Comparison['vanished'];
  different: Comparison['changed'];
  /** Ids that are in the lake more than once. */
  repeated: readonly bigint[];
}

/** The first differences, up to `max`, with some of every kind. */
export function examplesOf(found: Found, max: number): DifferenceExample[] {
  const kinds = [
    found.different.slice(0, max).map((change) => () => differentExample(found, change)),
    found.missing.slice(0, max).map(
      ({ row }) =>
        () =>
          bare('missing', found.api.id(row)),
    ),
    found.extra.slice(0, max).map(
      ({ row }) =>
        () =>
          bare('extra', found.lake.id(row)),
    ),
    found.repeated.slice(0, max).map((id) => () => bare('twice', id)),
  ];
  const examples: DifferenceExample[] = [];
  for (let index = 0; kinds.some((kind) => index < kind.length); index += 1) {
    for (const kind of kinds) {
      if (examples.length >= max) return examples;
      const example = kind[index]?.();
      if (example !== undefined) examples.push(example);
    }
  }
  return examples;
}

function bare(kind: DifferenceExample['kind'], id: bigint): DifferenceExample {
  return { kind, id: String(id), fields: [] };
}

function differentExample(
  { table, lake, api }: Found,
  { before, after, columns, isBack }: Comparison['changed'][number],
): DifferenceExample {
  const lakeValues = lake.valuesOf(before);
  const apiValues = api.valuesOf(after);
  const lastSeen = table.columns.findIndex(({ name }) => name === LAST_SEEN_COLUMN);
  const fields = [...columns, ...(isBack ? [lastSeen] : [])].map((index) => {
    const { name = '', type = 'string' } = table.columns[index] ?? {};
    return {
      field: name,
      lake: cut(valueText(type, lakeValues[index] ?? null)),
      api: cut(valueText(type, apiValues[index] ?? null)),
    };
  });
  return { kind: 'different', id: String(api.id(after)), fields };
}

function cut(text: string | null): string | null {
  return text === null || text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}
