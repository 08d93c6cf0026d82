import { type BatchesToMerge, mergeBatches } from '../../../lib/lake/parquet/merge-objects.ts';
import { type ParquetInput, type RowBatch, readRowGroups } from '../../../lib/lake/parquet/reader.ts';
import type { ParquetWriter } from '../../../lib/lake/parquet/writer.ts';
import type { Column } from '../../../lib/lake/tables.ts';

export type Objects = AsyncIterable<ParquetInput> | Iterable<ParquetInput>;

/**
 * Merges the rows of many objects into one file. Each object is opened once all rows of the previous one are merged.
 */
export function mergeObjects(
  { objects, ...merge }: Omit<BatchesToMerge, 'batches'> & { objects: Objects },
  write: ParquetWriter,
): AsyncIterable<Uint8Array> {
  return mergeBatches({ ...merge, batches: batchesOf(objects, merge.columns) }, write);
}

async function* batchesOf(objects: Objects, columns: readonly Column[]): AsyncGenerator<RowBatch> {
  for await (const object of objects) yield* readRowGroups(object, columns);
}
