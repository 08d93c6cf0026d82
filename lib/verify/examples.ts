import type { Comparison } from '../export/changes.ts';
import { valueText } from '../lake/parquet/column-values.ts';
import { LAST_SEEN_COLUMN, type SortedRows } from '../lake/rows/receipt-rows.ts';
import type { Table } from '../lake/tables.ts';

/** Long texts are cut here: an example shall be told apart, not quoted in full. */
const MAX_TEXT = 80;

/** One receipt that differs. */
export interface DifferenceExample {
  kind: 'missing' | 'extra' | 'twice' | 'different';
  /** The receipt's id: past what a double holds, so a text. */
  id: string;
  /** For `different`: each column, with its value in the lake and the one that the API gives. */
  fields: { field: string; lake: string | null; api: string | null }[];
}

/** What a comparison found; indexes are those of the sorted rows. */
export interface Found {
  table: Table;
  lake: SortedRows;
  api: SortedRows;
  missing: Comparison['appeared'];
  extra: Comparison['vanished'];
  different: Comparison['changed'];
  /** Ids that stand in the lake more than once. */
  repeated: readonly bigint[];
}

/** The first differences, up to `max`, of every kind some. */
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
