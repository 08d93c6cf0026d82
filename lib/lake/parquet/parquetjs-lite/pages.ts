import thrift from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import plain from 'parquetjs-lite/lib/codec/plain.js';
import compression from 'parquetjs-lite/lib/compression.js';
import type { Field } from 'parquetjs-lite/lib/schema.js';
import util from 'parquetjs-lite/lib/util.js';
import type { ColumnValues } from '../column-values.ts';
import type { Value } from '../writer.ts';
import { bitPacked, repeated } from './bit-packing.ts';
import { type Dictionary, dictionaryOf } from './dictionary.ts';
import { numberOf } from './enumerations.ts';

/** The pages of one column in one row group: a dictionary page, if any, then the data pages. */
export interface EncodedColumn {
  bytes: Buffer;
  uncompressedByteCount: number;
  /** How many of the bytes, at their start, are the dictionary page; 0 without one. */
  dictionaryByteCount: number;
  encodings: readonly number[];
}

const PAGE_BYTES = 1_048_576;

/** Encodes V1 pages, since the library's V2 pages miscount; a page holds about a megabyte of values. */
export function encodeColumn(field: Field, { values, nullCount }: ColumnValues): EncodedColumn {
  const present = nullCount === 0 ? values : values.filter((value) => value !== null);
  const dictionary =
    field.primitiveType === 'BOOLEAN' ? undefined : dictionaryOf(present as NonNullable<Value>[]);
  const pages: Page[] = [];
  if (dictionary !== undefined) pages.push(dictionaryPage(field, dictionary));
  const dictionaryByteCount = pages[0]?.bytes.length ?? 0;

  let presentBefore = 0;
  for (const { start, end } of pageRanges(values, dictionary !== undefined)) {
    const pageValues = values.slice(start, end);
    const presentCount = nullCount === 0 ? end - start : pageValues.filter((value) => value !== null).length;
    const range = { start: presentBefore, end: presentBefore + presentCount };
    const encoded =
      dictionary === undefined
        ? plain.encodeValues(field.primitiveType, present.slice(range.start, range.end), {})
        : encodedIndices(dictionary, range.start, range.end);
    pages.push(dataPage(field, pageValues, presentCount, encoded, dictionary !== undefined));
    presentBefore = range.end;
  }
  return {
    bytes: Buffer.concat(pages.map(({ bytes }) => bytes)),
    uncompressedByteCount: pages.reduce((sum, page) => sum + page.uncompressedByteCount, 0),
    dictionaryByteCount,
    encodings: [
      encoding('RLE'),
      encoding('PLAIN'),
      ...(dictionary === undefined ? [] : [encoding('RLE_DICTIONARY')]),
    ],
  };
}

interface Page {
  bytes: Buffer;
  uncompressedByteCount: number;
}

function dictionaryPage(field: Field, { distinct }: Dictionary): Page {
  const body = plain.encodeValues(field.primitiveType, [...distinct], {});
  return page('DICTIONARY_PAGE', body, {
    dictionary_page_header: new thrift.DictionaryPageHeader({
      num_values: distinct.length,
      encoding: encoding('PLAIN'),
    }),
  });
}

function dataPage(
  field: Field,
  values: readonly Value[],
  presentCount: number,
  encoded: Buffer,
  isDictionary: boolean,
): Page {
  const levels = field.dLevelMax === 0 ? [] : definitionLevels(values, presentCount);
  return page('DATA_PAGE', Buffer.concat([...levels, encoded]), {
    data_page_header: new thrift.DataPageHeader({
      num_values: values.length,
      encoding: encoding(isDictionary ? 'RLE_DICTIONARY' : 'PLAIN'),
      definition_level_encoding: encoding('RLE'),
      repetition_level_encoding: encoding('RLE'),
    }),
  });
}

/** For each value whether it is there, with the length in front that V1 pages have. */
function definitionLevels(values: readonly Value[], presentCount: number): Buffer[] {
  const levels =
    presentCount === values.length
      ? repeated(1, values.length)
      : bitPacked(
          values.map((value) => (value === null ? 0 : 1)),
          1,
        );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(levels.length);
  return [length, levels];
}

function encodedIndices({ indices, bitWidth }: Dictionary, start: number, end: number): Buffer {
  return Buffer.concat([Buffer.from([bitWidth]), bitPacked(indices.subarray(start, end), bitWidth)]);
}

function page(type: string, body: Buffer, header: object): Page {
  const compressed = compression.deflate('ZSTD', body);
  const headerBytes = util.serializeThrift(
    new thrift.PageHeader({
      type: numberOf(thrift.PageType, type),
      uncompressed_page_size: body.length,
      compressed_page_size: compressed.length,
      ...header,
    }),
  );
  return {
    bytes: Buffer.concat([headerBytes, compressed]),
    uncompressedByteCount: headerBytes.length + body.length,
  };
}

/** Cuts a column where its texts add up to a page; numbers and indices of a row group fit one. */
function pageRanges(values: readonly Value[], isDictionary: boolean): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  let start = 0;
  let byteCount = 0;
  if (!isDictionary) {
    for (const [i, value] of values.entries()) {
      byteCount += typeof value === 'string' ? value.length : 0;
      if (byteCount < PAGE_BYTES) continue;
      ranges.push({ start, end: i + 1 });
      start = i + 1;
      byteCount = 0;
    }
  }
  if (start < values.length) ranges.push({ start, end: values.length });
  return ranges;
}

const encoding = (name: string): number => numberOf(thrift.Encoding, name);
