import type { ParquetFile, RowSource } from './writer.ts';

/** Rows per row group: constant, so that files of any size are written and read in bounded memory. */
export const ROW_GROUP_ROWS = 100_000;

/** The same for texts, of which a detail has some 10 KB: a row group ends before the row that would exceed it. */
export const ROW_GROUP_TEXT_BYTES = 32 * 2 ** 20;

/** The row groups of a file; each is asked for only when the one before it is done with. */
export async function* rowGroupsOf({ rows }: ParquetFile): AsyncGenerator<RowSource> {
  if (!('rowCount' in rows)) {
    yield* rows;
    return;
  }
  for (let start = 0; start < rows.rowCount; ) {
    const end = rowGroupEnd(rows, start);
    yield partOf(rows, start, end);
    start = end;
  }
}

/** The rows from `start` (included) to `end` (excluded). */
export function partOf(rows: RowSource, start: number, end: number): RowSource {
  return {
    rowCount: end - start,
    values: (columnIndex, from, to) => rows.values(columnIndex, start + from, start + to),
    ...(rows.textBytes && { textBytes: (row: number) => rows.textBytes?.(start + row) ?? 0 }),
  };
}

function rowGroupEnd(rows: RowSource, start: number): number {
  const last = Math.min(start + ROW_GROUP_ROWS, rows.rowCount);
  if (rows.textBytes === undefined) return last;
  let bytes = 0;
  for (let row = start; row < last; row += 1) {
    bytes += rows.textBytes(row);
    if (bytes > ROW_GROUP_TEXT_BYTES && row > start) return row;
  }
  return last;
}
