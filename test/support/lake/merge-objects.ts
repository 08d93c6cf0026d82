import { type ParquetInput, readRowGroups } from '../../../lib/lake/parquet/reader.ts';
import {
  inRowGroups,
  type ParquetFile,
  type ParquetWriter,
  type RowBatch,
} from '../../../lib/lake/parquet/writer.ts';
import type { Column } from '../../../lib/lake/tables.ts';

export type Objects = AsyncIterable<ParquetInput> | Iterable<ParquetInput>;

/**
 * Merges the rows of many objects into one file. Each object is opened once all rows of the previous one are merged.
 */
export function mergeObjects(
  { objects, ...file }: Omit<ParquetFile, 'rows'> & { objects: Objects },
  write: ParquetWriter,
): AsyncIterable<Uint8Array> {
  return write({ ...file, rows: inRowGroups(batchesOf(objects, file.columns), file.columns.length) });
}

async function* batchesOf(objects: Objects, columns: readonly Column[]): AsyncGenerator<RowBatch> {
  for await (const object of objects) yield* readRowGroups(object, columns);
}
