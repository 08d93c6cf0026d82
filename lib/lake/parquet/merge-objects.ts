import type { Column } from '../tables.ts';
import { UnsortedRowsError } from './errors.ts';
import type { ReadRowGroup } from './reader.ts';
import type { ParquetWriter, RowSource, Value } from './writer.ts';
import { RowGroupSize } from './writer.ts';

/** Rows that follow one another, by column. */
export type RunOfRows = Pick<ReadRowGroup, 'rowCount' | 'columns'>;

export interface RunsToMerge {
  /** In the order in which their rows are to stand. */
  runs: AsyncIterable<RunOfRows>;
  columns: readonly Column[];
  /** The columns by which each row comes after the one before it: `rut` and `id` of units. */
  key: readonly string[];
  /** Key-value pairs of the footer; looked at when all rows were taken. */
  metadata: Readonly<Record<string, string>>;
}

/**
 * One file of all rows, a row group at a time: in memory are those of one that is written, and a run. They are sorted,
 * so that the bounds of `rut` tell in which row groups a company is. The same rows give the same bytes, however they
 * were divided. Throws what `runs` and the writer throw, and UnsortedRowsError.
 */
export function mergeRuns(
  { runs, columns, key, metadata }: RunsToMerge,
  write: ParquetWriter,
): AsyncIterable<Uint8Array> {
  return write({ columns, rows: inRowGroups(sortedRuns(runs, columns, key), columns.length), metadata });
}

/** The same runs. Throws an UnsortedRowsError at a row that does not come after the one before it. */
async function* sortedRuns(
  runs: AsyncIterable<RunOfRows>,
  columns: readonly Column[],
  key: readonly string[],
): AsyncGenerator<RunOfRows> {
  const places = key.map((name) => columns.findIndex((column) => column.name === name));
  let before: readonly Value[] | undefined;
  let rowIndex = 0;
  for await (const run of runs) {
    for (let row = 0; row < run.rowCount; row += 1) {
      const values = places.map((place) => run.columns[place]?.[row] ?? null);
      if (before !== undefined && !isAfter(values, before)) throw new UnsortedRowsError(key, rowIndex);
      before = values;
      rowIndex += 1;
    }
    yield run;
  }
}

function isAfter(values: readonly Value[], before: readonly Value[]): boolean {
  for (const [index, value] of values.entries()) {
    const other = before[index] ?? null;
    if (value === null || other === null) return false;
    if (value !== other) return value > other;
  }
  return values.length === 0;
}

/** The rows of all runs, divided as those of any file are. */
export async function* inRowGroups(
  runs: AsyncIterable<RunOfRows>,
  columnCount: number,
): AsyncGenerator<RowSource> {
  const newColumns = () => Array.from({ length: columnCount }, (): Value[] => []);
  const size = new RowGroupSize();
  let columns = newColumns();
  for await (const run of runs) {
    for (let row = 0; row < run.rowCount; row += 1) {
      const values = run.columns.map((column) => column[row] ?? null);
      if (!size.add(textLength(values))) {
        yield groupOf(columns);
        columns = newColumns();
      }
      for (const [index, value] of values.entries()) columns[index]?.push(value);
    }
  }
  if (columns.some(({ length }) => length > 0)) yield groupOf(columns);
}

function textLength(values: readonly Value[]): number {
  let length = 0;
  for (const value of values) if (typeof value === 'string') length += value.length;
  return length;
}

function groupOf(columns: readonly (readonly Value[])[]): RowSource {
  return {
    rowCount: columns[0]?.length ?? 0,
    values: (columnIndex, start, end) => columns[columnIndex]?.slice(start, end) ?? [],
  };
}
