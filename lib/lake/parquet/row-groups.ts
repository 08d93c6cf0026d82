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
  if (rows.textBytes === undefined) return Math.min(start + ROW_GROUP_ROWS, rows.rowCount);
  const size = new RowGroupSize();
  let end = start;
  while (end < rows.rowCount && size.add(rows.textBytes(end))) end += 1;
  return end;
}

/** How full a row group is, row by row. */
export class RowGroupSize {
  private rowCount = 0;
  private textBytes = 0;

  /** Whether the next row, with so many bytes of text, still belongs to the group; if not, it begins a new one. */
  add(textBytes: number): boolean {
    const isRoom = this.rowCount < ROW_GROUP_ROWS && this.textBytes + textBytes <= ROW_GROUP_TEXT_BYTES;
    const belongs = isRoom || this.rowCount === 0;
    this.rowCount = belongs ? this.rowCount + 1 : 1;
    this.textBytes = belongs ? this.textBytes + textBytes : textBytes;
    return belongs;
  }
}
