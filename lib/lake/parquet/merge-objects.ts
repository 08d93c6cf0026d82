import { CfeLakeError } from '../../errors.ts';
import { type Column, indexOfColumn } from '../tables.ts';
import type { RowBatch } from './reader.ts';
import {
  type FooterMetadata,
  type ParquetWriter,
  RowGroupSize,
  type RowSource,
  type Value,
} from './writer.ts';

/** The columns that the rows are sorted by. */
const KEY = ['rut', 'id'];

export interface BatchesToMerge {
  /** In the order of the merged file. */
  batches: AsyncIterable<RowBatch>;
  columns: readonly Column[];
  metadata: FooterMetadata;
  shiftBytes?: number;
}

/** A row does not come after the one before it: the merged file would be unsorted, or have a row twice. */
export class UnsortedRowsError extends CfeLakeError {
  override readonly name = 'UnsortedRowsError';

  /** `rowIndex`: of the row in the merged file, from 0. */
  constructor(rowIndex: number) {
    super(
      `Row ${rowIndex} of the merged objects does not come after the row before it, by ${KEY.join(' and ')}: an object ` +
        'came in the wrong place or twice, or has rows of another company.',
      { advice: 'Nothing was replaced. Check the objects of that day.' },
    );
  }
}

/**
 * Writes all rows as one file. One row group and one batch are in memory. The rows must be sorted, so that the bounds of
 * `rut` tell which row groups have a company. The same rows give the same bytes, however they are divided into batches.
 * Throws UnsortedRowsError, and what `batches` and the writer throw.
 */
export function mergeBatches(
  { batches, columns, ...rest }: BatchesToMerge,
  write: ParquetWriter,
): AsyncIterable<Uint8Array> {
  return write({ columns, rows: inRowGroups(sortedBatches(batches, columns), columns.length), ...rest });
}

/** The same batches. Throws UnsortedRowsError at a row that does not come after the one before it. */
async function* sortedBatches(
  batches: AsyncIterable<RowBatch>,
  columns: readonly Column[],
): AsyncGenerator<RowBatch> {
  const places = KEY.map((name) => indexOfColumn(columns, name));
  let before: readonly Value[] | undefined;
  let rowIndex = 0;
  for await (const batch of batches) {
    for (let row = 0; row < batch.rowCount; row += 1) {
      const values = places.map((place) => batch.columns[place]?.[row] ?? null);
      if (before !== undefined && !isAfter(values, before)) throw new UnsortedRowsError(rowIndex);
      before = values;
      rowIndex += 1;
    }
    yield batch;
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

/** The rows of all batches, divided into row groups. */
export async function* inRowGroups(
  batches: AsyncIterable<RowBatch>,
  columnCount: number,
): AsyncGenerator<RowSource> {
  const newColumns = () => Array.from({ length: columnCount }, (): Value[] => []);
  const size = new RowGroupSize();
  let columns = newColumns();
  for await (const batch of batches) {
    // Without an array per row: they would be most of what is thrown away here.
    for (let row = 0; row < batch.rowCount; row += 1) {
      if (!size.add(textLength(batch, row))) {
        yield groupOf(columns);
        columns = newColumns();
      }
      for (let index = 0; index < columnCount; index += 1) {
        columns[index]?.push(batch.columns[index]?.[row] ?? null);
      }
    }
  }
  if (columns.some(({ length }) => length > 0)) yield groupOf(columns);
}

function textLength({ columns }: RowBatch, row: number): number {
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
