import type { AsyncBuffer, FileMetaData, SchemaElement } from 'hyparquet';
import type { Column } from '../tables.ts';
import { bytesOf, readCheckedFooter } from './bounded/footer.ts';
import { ReadWork, WrongBytesError } from './bounded/limits.ts';
import { chunkValues } from './bounded/pages.ts';
import { ColumnMismatchError, DamagedObjectError } from './errors.ts';
import type { Value } from './writer.ts';

/** A stored file: its bytes, or something that fetches ranges of them. `name` is for errors. */
export type ParquetInput = Uint8Array | (AsyncBuffer & { readonly name?: string });

export interface FileSummary {
  rowCount: number;
  /** Key-value pairs of the footer. */
  metadata: Readonly<Record<string, string>>;
  columnNames: readonly string[];
}

/** Reads the footer only. Throws DamagedObjectError. */
export async function readFileMetadata(input: ParquetInput): Promise<FileSummary> {
  const { metadata } = await orDamaged(input, readCheckedFooter(asyncBuffer(input)));
  return {
    rowCount: Number(metadata.num_rows),
    metadata: Object.fromEntries(
      (metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? '']),
    ),
    columnNames: metadata.schema.slice(1).map(({ name }) => name),
  };
}

/** Consecutive rows of the file: `columns[i]` has the values of the i-th column asked for. */
export interface ReadRowGroup {
  firstRow: number;
  rowCount: number;
  columns: readonly (readonly Value[])[];
}

/**
 * Reads these columns, a row group at a time, exactly as a writer took them (see Value). A column that the file lacks,
 * because it is older than the column, is all null. Throws ColumnMismatchError for a column of another type, and
 * DamagedObjectError for any damage, with no more work than a valid file of the lake could take. Damage that leaves a
 * valid file is not noticed here.
 */
export async function* readRowGroups(
  input: ParquetInput,
  columns: readonly Column[],
  work = new ReadWork(),
): AsyncGenerator<ReadRowGroup> {
  const file = asyncBuffer(input);
  const footer = await orDamaged(input, readCheckedFooter(file));
  const present = columns.filter((column) => isPresent(column, footer.metadata));
  let firstRow = 0;
  for (const { rowCount, chunks } of footer.rowGroups) {
    work.beginRowGroup();
    const values = columns.map(async (column): Promise<Value[]> => {
      const chunk = present.includes(column) ? chunks.get(column.name) : undefined;
      if (chunk === undefined) return new Array<Value>(rowCount).fill(null);
      return await chunkValues(chunk, await bytesOf(file, chunk.start, chunk.end), work);
    });
    yield { firstRow, rowCount, columns: await orDamaged(input, Promise.all(values)) };
    firstRow += rowCount;
  }
}

async function orDamaged<T>(input: ParquetInput, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof WrongBytesError)) throw error;
    const name = input instanceof Uint8Array ? undefined : input.name;
    throw new DamagedObjectError(name ?? 'A file', error.message, { cause: error });
  }
}

function asyncBuffer(input: ParquetInput): AsyncBuffer {
  if (!(input instanceof Uint8Array)) return input;
  return {
    byteLength: input.byteLength,
    // A copy: a Buffer may be a view of a larger pool, and its own slice does not copy.
    slice: (start, end) => new Uint8Array(input.subarray(start, end)).buffer,
  };
}

function isPresent(column: Column, { schema }: FileMetaData): boolean {
  const element = schema.slice(1).find(({ name }) => name === column.name);
  if (element === undefined) return false;
  if (!isStoredAs(column, element)) {
    throw new ColumnMismatchError(column, [element.converted_type ?? '', element.type].join(' ').trim());
  }
  return true;
}

function isStoredAs(column: Column, { type, converted_type, logical_type, scale }: SchemaElement): boolean {
  switch (column.type) {
    case 'int32':
      return type === 'INT32' && converted_type !== 'DATE' && converted_type !== 'DECIMAL';
    case 'int64':
      return type === 'INT64' && converted_type !== 'DECIMAL' && logical_type?.type !== 'TIMESTAMP';
    case 'decimal(17,2)':
      return type === 'INT64' && converted_type === 'DECIMAL' && scale === 2;
    case 'timestamp':
      return type === 'INT64' && logical_type?.type === 'TIMESTAMP' && logical_type.unit === 'MICROS';
    case 'date':
      return type === 'INT32' && converted_type === 'DATE';
    case 'boolean':
      return type === 'BOOLEAN';
    case 'string':
    case 'json':
      return type === 'BYTE_ARRAY';
  }
}
