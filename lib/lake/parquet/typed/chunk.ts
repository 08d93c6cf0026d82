import type { ColumnChunk, Encoding, SchemaElement } from 'hyparquet';
import type { Writer } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import type { Column } from '../../tables.ts';
import { isBefore } from '../column-values.ts';
import { misfit } from '../ranges.ts';
import { bitWidth } from './bit-packer.ts';
import { ByteSink } from './byte-sink.ts';
import { MAX_DELTA_RANGE, writeDeltas } from './delta.ts';
import { integerDictionary, textDictionary } from './dictionary.ts';
import { writeHybrid } from './hybrid.ts';
import { plainLooseTexts } from './loose-texts.ts';
import type { TypedTexts, TypedValues } from './values.ts';

export interface TypedChunkOptions {
  column: Column;
  type: SchemaElement['type'];
  compress: (bytes: Uint8Array) => Uint8Array;
  /** Whether the column's values tend to rise from row to row. */
  hasSmallDeltas: boolean;
}

/** What the pages of a chunk hold: values without their nulls, encoded. */
interface EncodedValues {
  encoding: Encoding;
  data: ByteSink;
  dictionary?: { data: ByteSink; count: number };
  bounds: { least: number | string; greatest: number | string };
}

/**
 * Writes a column chunk of one data page from values as they lie in memory. Undefined when they are better
 * left to the general encoder: none at all, texts that hardly repeat, or one that the column can't hold.
 */
export function writeTypedChunk(
  writer: Writer,
  typed: TypedValues,
  options: TypedChunkOptions,
): ColumnChunk | undefined {
  const { column, type, compress } = options;
  const levels = definitionLevels(typed);
  const rowCount = levels.levels.length;
  if (column.required === true && levels.nullCount > 0) return undefined;
  const encoded = encodedValues(typed, levels.nullCount, options);
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
  if (column.required !== true) writeHybrid(levelBytes, levels.levels, 1);
  const compressed = compress(encoded.data.written());
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levelBytes.length + encoded.data.length,
    compressed_page_size: levelBytes.length + compressed.length,
    data_page_header_v2: {
      num_values: rowCount,
      num_nulls: levels.nullCount,
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
  const stored = (value: number | string) =>
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
        // Nobody filters by a whole document, and documents are long: they would only make the footer heavy.
        ...(column.type !== 'json' && {
          min_value: stored(bounds.least),
          max_value: stored(bounds.greatest),
        }),
        null_count: BigInt(levels.nullCount),
      },
    },
  };
}

function encodedValues(
  typed: TypedValues,
  nullCount: number,
  options: TypedChunkOptions,
): EncodedValues | undefined {
  if (typed.kind === 'integers') return encodedIntegers(withoutNulls(typed.values, nullCount), options);
  if (typed.kind === 'texts') return encodedTexts(typed, options.column);
  const plain = plainLooseTexts(typed);
  return plain && { encoding: 'PLAIN', ...plain };
}

/** For each value 1, or 0 for null. */
function definitionLevels(typed: TypedValues): { levels: Uint8Array; nullCount: number } {
  if (typed.kind === 'integers') {
    return levelsOf(typed.values.length, (row) => !Number.isNaN(typed.values[row]));
  }
  if (typed.kind === 'texts') return levelsOf(typed.codes.length, (row) => typed.codes[row] !== 0);
  return levelsOf(typed.texts.length, (row) => typed.texts[row] !== undefined);
}

function levelsOf(rowCount: number, isPresent: (row: number) => boolean) {
  const levels = new Uint8Array(rowCount);
  let nullCount = 0;
  for (let row = 0; row < rowCount; row += 1) {
    if (isPresent(row)) levels[row] = 1;
    else nullCount += 1;
  }
  return { levels, nullCount };
}

function withoutNulls(values: Float64Array, nullCount: number): Float64Array {
  return nullCount === 0 ? values : values.filter((value) => !Number.isNaN(value));
}

function encodedIntegers(
  values: Float64Array,
  { column, type, hasSmallDeltas }: TypedChunkOptions,
): EncodedValues | undefined {
  if (values.length === 0) return undefined;
  let [least = 0, greatest = 0] = [values[0], values[0]];
  for (let index = 1; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    if (value < least) least = value;
    else if (value > greatest) greatest = value;
  }
  const bounds = { least, greatest };
  const asValue = (value: number) => (type === 'INT64' ? BigInt(value) : value);
  if (misfit(column.type, asValue(least)) ?? misfit(column.type, asValue(greatest))) return undefined;
  const data = new ByteSink();
  if (hasSmallDeltas && !hasFewDistinct(values)) {
    if (greatest - least >= MAX_DELTA_RANGE) return undefined;
    writeDeltas(data, values);
    return { encoding: 'DELTA_BINARY_PACKED', data, bounds };
  }
  const plain = (numbers: Iterable<number>, into: ByteSink) => {
    for (const value of numbers) type === 'INT64' ? into.int64(value) : into.int32(value);
    return into;
  };
  const dictionary = integerDictionary(values);
  if (dictionary === undefined) return { encoding: 'PLAIN', data: plain(values, data), bounds };
  writeIndexes(data, dictionary.indexes, dictionary.distinct.length);
  const count = dictionary.distinct.length;
  return {
    encoding: 'RLE_DICTIONARY',
    data,
    dictionary: { data: plain(dictionary.distinct, new ByteSink()), count },
    bounds,
  };
}

function encodedTexts(typed: TypedTexts, column: Column): EncodedValues | undefined {
  const dictionary = textDictionary(typed);
  const [first] = dictionary?.distinct ?? [];
  if (dictionary === undefined || first === undefined) return undefined;
  let [least, greatest] = [first, first];
  const distinct = new ByteSink();
  for (const text of dictionary.distinct) {
    if (misfit(column.type, text) !== undefined) return undefined;
    if (isBefore(text, least)) least = text;
    else if (isBefore(greatest, text)) greatest = text;
    distinct.text(text);
  }
  const data = new ByteSink();
  writeIndexes(data, dictionary.indexes, dictionary.distinct.length);
  return {
    encoding: 'RLE_DICTIONARY',
    data,
    dictionary: { data: distinct, count: dictionary.distinct.length },
    bounds: { least, greatest },
  };
}

function writeIndexes(into: ByteSink, indexes: Uint32Array, distinctCount: number): void {
  const bits = bitWidth(distinctCount - 1);
  into.byte(bits);
  writeHybrid(into, indexes, bits);
}

const SAMPLE_ROWS = 1000;

/** Whether a dictionary suits the column better than deltas, judged by rows spread over all of it. */
export function hasFewDistinct(values: ArrayLike<unknown>): boolean {
  const step = Math.max(1, Math.floor(values.length / SAMPLE_ROWS));
  const distinct = new Set<unknown>();
  let sampled = 0;
  for (let index = 0; index < values.length; index += step) {
    distinct.add(values[index]);
    sampled += 1;
  }
  return distinct.size * 4 < sampled;
}
