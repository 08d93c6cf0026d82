import type { ColumnChunk } from 'hyparquet';
import type { Writer } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { ByteSink } from './byte-sink.ts';
import type { EncodedValues, TypedChunkOptions } from './encoded.ts';
import { writeHybrid, writeRun } from './hybrid.ts';
import { encodedIntegers } from './integers.ts';
import { plainLooseTexts } from './loose-texts.ts';
import { encodedTexts } from './texts.ts';
import type { TypedValues } from './values.ts';

/**
 * Writes a column chunk of one data page from values as they lie in memory. Undefined when they are better
 * left to the general encoder: long texts that hardly repeat, or one that the column can't hold.
 */
export function writeTypedChunk(
  writer: Writer,
  typed: TypedValues,
  options: TypedChunkOptions,
): ColumnChunk | undefined {
  const { column, type, compress } = options;
  const { rowCount, nullCount } = countsOf(typed);
  if (column.required === true && nullCount > 0) return undefined;
  const encoded: EncodedValues | undefined =
    nullCount === rowCount
      ? { encoding: 'PLAIN', data: new ByteSink() }
      : encodedValues(typed, nullCount, options);
  if (encoded === undefined) return undefined;
  const chunkStart = writer.offset;
  let uncompressedBytes = 0;
  const { dictionary, encoding, bounds } = encoded;
  if (dictionary !== undefined) {
    const compressed = compress(dictionary.data.written());
    const before = writer.offset;
    writePageHeader(writer, {
      type: 'DICTIONARY_PAGE',
      uncompressed_page_size: dictionary.data.length,
      compressed_page_size: compressed.length,
      dictionary_page_header: { num_values: dictionary.count, encoding: 'PLAIN' },
    });
    uncompressedBytes += writer.offset - before + dictionary.data.length;
    writer.appendBytes(compressed);
  }
  const dataPageOffset = writer.offset;
  const levelBytes = new ByteSink();
  if (column.required !== true) writeLevels(levelBytes, typed, rowCount, nullCount);
  const compressed = compress(encoded.data.written());
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levelBytes.length + encoded.data.length,
    compressed_page_size: levelBytes.length + compressed.length,
    data_page_header_v2: {
      num_values: rowCount,
      num_nulls: nullCount,
      num_rows: rowCount,
      encoding,
      definition_levels_byte_length: levelBytes.length,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  });
  uncompressedBytes += writer.offset - dataPageOffset + levelBytes.length + encoded.data.length;
  writer.appendBytes(levelBytes.written());
  writer.appendBytes(compressed);
  const stored = (value: bigint | number | string) =>
    type === 'INT64' && typeof value === 'number' ? BigInt(value) : value;
  return {
    file_offset: BigInt(chunkStart),
    meta_data: {
      type: type ?? 'BYTE_ARRAY',
      encodings: dictionary === undefined ? [encoding] : ['PLAIN', encoding],
      path_in_schema: [column.name],
      codec: 'ZSTD',
      num_values: BigInt(rowCount),
      total_compressed_size: BigInt(writer.offset - chunkStart),
      total_uncompressed_size: BigInt(uncompressedBytes),
      data_page_offset: BigInt(dataPageOffset),
      dictionary_page_offset: dictionary && BigInt(chunkStart),
      statistics: {
        min_value: bounds && stored(bounds.least),
        max_value: bounds && stored(bounds.greatest),
        null_count: BigInt(nullCount),
      },
    },
  };
}

function encodedValues(
  typed: TypedValues,
  nullCount: number,
  options: TypedChunkOptions,
): EncodedValues | undefined {
  if (typed.kind === 'integers') return encodedIntegers(typed, nullCount, options);
  if (typed.kind === 'texts') return encodedTexts(typed, options);
  const data = plainLooseTexts(typed);
  return data && { encoding: 'PLAIN', data };
}

function countsOf(typed: TypedValues): { rowCount: number; nullCount: number } {
  if (typed.kind === 'integers') {
    const { values, large } = typed;
    let notSafe = 0;
    // In most columns there is none, which the engine itself finds out fifty times as fast.
    if (values.includes(Number.NaN)) for (const value of values) if (Number.isNaN(value)) notSafe += 1;
    return { rowCount: values.length, nullCount: notSafe - large.size };
  }
  const present = typed.kind === 'texts' ? typed.codes : typed.lengths;
  let nullCount = 0;
  if (present.includes(0)) for (const code of present) if (code === 0) nullCount += 1;
  return { rowCount: present.length, nullCount };
}

/** For each value 1, or 0 for null. */
function writeLevels(into: ByteSink, typed: TypedValues, rowCount: number, nullCount: number): void {
  if (nullCount === 0 || nullCount === rowCount) {
    writeRun(into, nullCount === 0 ? 1 : 0, rowCount, 1);
    return;
  }
  const levels = new Uint8Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) levels[row] = isPresent(typed, row) ? 1 : 0;
  writeHybrid(into, levels, 1);
}

function isPresent(typed: TypedValues, row: number): boolean {
  if (typed.kind === 'texts') return typed.codes[row] !== 0;
  if (typed.kind === 'utf8') return typed.lengths[row] !== 0;
  return !Number.isNaN(typed.values[row]) || typed.large.has(row);
}
