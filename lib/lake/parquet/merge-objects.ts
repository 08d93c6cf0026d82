import { CfeLakeError } from '../../errors.ts';
import { type Column, indexOfColumn } from '../tables.ts';
import type { ReadRowGroup } from './reader.ts';
import { type ParquetWriter, RowGroupSize, type RowSource, type Value } from './writer.ts';

/** Consecutive rows, by column. */
export type RunOfRows = Pick<ReadRowGroup, 'rowCount' | 'columns'>;

/** The columns that the rows are sorted by. */
const KEY = ['rut', 'id'];

export interface RunsToMerge {
  /** In the order of the merged file. */
  runs: AsyncIterable<RunOfRows>;
  columns: readonly Column[];
  /** Key-value pairs of the footer. Read when all rows have been taken. */
  metadata: Readonly<Record<string, string>>;
}

/** A row does not come after the one before it: the merged file would be unsorted, or have a row twice. */
export class UnsortedRowsError extends CfeLakeError {
  override readonly name = 'UnsortedRowsError';
  /** Index of the row in the merged file, from 0. */
  readonly rowIndex: number;

  constructor(rowIndex: number) {
    super(
      `Row ${rowIndex} of the merged objects does not come after the row before it, by ${KEY.join(' and ')}: an object ` +
        'came in the wrong place or twice, or has rows of another company.',
      { advice: 'Nothing was replaced. Check the objects of that day.' },
    );
    this.rowIndex = rowIndex;
  }
}

/**
 * Writes all rows as one file. One row group and one run are in memory. The rows must be sorted, so that the bounds of
 * `rut` tell which row groups have a company. The same rows give the same bytes, however they are divided into runs.
 * Throws UnsortedRowsError, and what `runs` and the writer throw.
 */
export function mergeRuns(
  { runs, columns, metadata }: RunsToMerge,
  write: ParquetWriter,
): AsyncIterable<Uint8Array> {
  return write({ columns, rows: inRowGroups(sortedRuns(runs, columns), columns.length), metadata });
}

/** The same runs. Throws UnsortedRowsError at a row that does not come after the one before it. */
async function* sortedRuns(
  runs: AsyncIterable<RunOfRows>,
  columns: readonly Column[],
): AsyncGenerator<RunOfRows> {
  const places = KEY.map((name) => indexOfColumn(columns, name));
  let before: readonly Value[] | undefined;
  let rowIndex = 0;
  for await (const run of runs) {
    for (let row = 0; row < run.rowCount; row += 1) {
      const values = places.map((place) => run.columns[place]?.[row] ?? null);
      if (before !== undefined && !isAfter(values, before)) throw new UnsortedRowsError(rowIndex);
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
  return false;
}

/** The rows of all runs, divided into row groups. */
export async function* inRowGroups(
  runs: AsyncIterable<RunOfRows>,
  columnCount: number,
): AsyncGenerator<RowSource> {
  const newColumns = () => Array.from({ length: columnCount }, (): Value[] => []);
  const size = new RowGroupSize();
  let columns = newColumns();
  for await (const run of runs) {
    // Without an array per row: they would be most of what is thrown away here.
    for (let row = 0; row < run.rowCount; row += 1) {
      if (!size.add(textLength(run, row))) {
        yield groupOf(columns);
        columns = newColumns();
      }
      for (let index = 0; index < columnCount; index += 1) {
        columns[index]?.push(run.columns[index]?.[row] ?? null);
      }
    }
  }
  if (columns.some(({ length }) => length > 0)) yield groupOf(columns);
}

function textLength({ columns }: RunOfRows, row: number): number {
  let length = 0;
  for (const column of columns) {
    const value = column[row];
    if (typeof value === 'string') length += value.length;
  }
  return length;
}

function groupOf(columns: readonly (readonly Value[])[]): RowSource {
  return {
    rowCount: columns[0]?.length ?? 0,
    values: (columnIndex, start, end) => columns[columnIndex]?.slice(start, end) ?? [],
  };
}
