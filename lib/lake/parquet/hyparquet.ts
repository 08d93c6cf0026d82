import type { Encoding, RowGroup, SchemaElement, Statistics } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Column, ColumnType } from '../tables.ts';
import { Checksum } from './checksum.ts';
import { type ColumnValues, columnValues } from './column-values.ts';
import {
  CREATED_BY,
  footerPairs,
  type ParquetFile,
  paddingBefore,
  rowGroupsOf,
  type Value,
  zstd,
} from './writer.ts';

/**
 * Writes with hyparquet-writer: ZSTD, dictionaries or deltas, min/max of every column of a row group. Stored row groups
 * are copied.
 */
export async function* writeWithHyparquet(file: ParquetFile): AsyncGenerator<Uint8Array> {
  const checksum = new Checksum();
  const { columns } = file;
  const output = new RowGroupBytes();
  const writer = new ParquetWriter({
    writer: output,
    schema: schemaOf(columns),
    codec: 'ZSTD',
    compressors: { ZSTD: zstd },
    // The check of the values gave the bounds already: they are put in below.
    statistics: false,
    createdBy: CREATED_BY,
  });
  let firstRow = 0;
  for await (const group of rowGroupsOf(file)) {
    if ('bytes' in group) {
      shiftPages(group.group, BigInt(output.offset));
      output.appendBytes(await group.bytes());
      writer.row_groups.push(group.group);
      writer.num_rows += BigInt(group.rowCount);
    } else {
      const { columnData, statistics } = columnsInTurn(columns, (column, index) =>
        columnValues(group, column, index, firstRow),
      );
      writer.write({ columnData, rowGroupSize: group.rowCount });
      for (const [index, { meta_data }] of (writer.row_groups.at(-1)?.columns ?? []).entries()) {
        if (meta_data) meta_data.statistics = statistics[index];
      }
    }
    const [first, second] = writer.row_groups;
    const padding = second === undefined ? paddingBefore(output.index, file) : 0;
    if (first !== undefined) shiftPages(first, BigInt(padding));
    firstRow += group.rowCount;
    yield checksum.noted(output.take(padding));
  }
  writer.kvMetadata = footerPairs(file);
  writer.finish();
  yield checksum.filledInto(output.take());
}

/** Moves the pages of a row group. It has no page index, which would have offsets too. */
export function shiftPages({ columns }: RowGroup, shiftBytes: bigint): void {
  for (const column of columns) {
    column.file_offset += shiftBytes;
    const { meta_data: pages } = column;
    if (pages === undefined) continue;
    pages.data_page_offset += shiftBytes;
    if (pages.dictionary_page_offset !== undefined) pages.dictionary_page_offset += shiftBytes;
  }
}

/** Columns that get their values when the writer reaches them, so that only one column's values are in memory. */
function columnsInTurn(
  columns: readonly Column[],
  valuesOf: (column: Column, index: number) => ColumnValues,
) {
  const statistics: Statistics[] = [];
  let current: ColumnValues & { index: number } = { index: -1, values: [], nullCount: 0 };
  const valuesInTurn = (column: Column, index: number): ColumnValues => {
    if (current.index === index) return current;
    current = { index, ...valuesOf(column, index) };
    const { bounds, nullCount } = current;
    statistics[index] = {
      min_value: bounds?.least,
      max_value: bounds?.greatest,
      null_count: BigInt(nullCount),
    };
    return current;
  };
  const columnData = columns.map((column, index) => ({
    name: column.name,
    offsetIndex: false,
    get data(): Value[] {
      return valuesInTurn(column, index).values as Value[];
    },
    get encoding(): Encoding | undefined {
      return encodingOf(column, valuesInTurn(column, index));
    },
  }));
  return { columnData, statistics };
}

// Ids, receipt numbers and timestamps rise from row to row, so their differences are small. Amounts do not rise: under
// zstd, deltas of them are larger than plain values.
const DELTA_TYPES: ReadonlySet<ColumnType> = new Set(['int32', 'int64', 'timestamp', 'date']);

function encodingOf({ type }: Column, { values, bounds }: ColumnValues): Encoding | undefined {
  if (!DELTA_TYPES.has(type) || bounds === undefined || hasFewDistinct(values)) return undefined;
  return 'DELTA_BINARY_PACKED';
}

const SAMPLE_ROWS = 1000;

/** Whether a dictionary suits the column better than deltas, judged by a sample of its rows. */
function hasFewDistinct(values: readonly Value[]): boolean {
  const step = Math.max(1, Math.floor(values.length / SAMPLE_ROWS));
  const sampled = Math.ceil(values.length / step);
  const distinct = new Set<Value | undefined>();
  for (let index = 0; index < values.length && distinct.size * 4 < sampled; index += step)
    distinct.add(values[index]);
  return distinct.size * 4 < sampled;
}

export function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [{ name: 'schema', num_children: columns.length }, ...columns.map(schemaElement)];
}

function schemaElement(column: Column): SchemaElement {
  const repetition_type = column.required ? 'REQUIRED' : 'OPTIONAL';
  return { name: column.name, repetition_type, ...PHYSICAL[column.type] };
}

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

function decimalOf(scale: number): Omit<SchemaElement, 'name'> {
  return {
    type: 'INT64',
    converted_type: 'DECIMAL',
    precision: 17,
    scale,
    logical_type: { type: 'DECIMAL', precision: 17, scale },
  };
}

const PHYSICAL: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  'decimal(17,2)': decimalOf(2),
  'decimal(17,6)': decimalOf(6),
  // No converted type beside it: TIMESTAMP_MICROS means an instant in UTC.
  timestamp: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  boolean: { type: 'BOOLEAN' },
  string: TEXT,
  // Not annotated as JSON: the Glue column is a string, and readers differ in what they make of JSON.
  json: TEXT,
};

/** Holds the bytes of one row group until they are taken. `offset` counts over the whole file. */
class RowGroupBytes extends ByteWriter {
  /** `padding`: how many zero bytes to insert behind the magic. */
  take(padding = 0): Uint8Array {
    const bytes = this.getBytes();
    const taken = Buffer.concat([bytes.subarray(0, 4), new Uint8Array(padding), bytes.subarray(4)]);
    this.offset += padding;
    this.index = 0;
    return taken;
  }
}
