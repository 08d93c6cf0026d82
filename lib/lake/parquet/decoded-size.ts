import type { AsyncBuffer, ColumnMetaData, PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { bytesOf, findFooter, parsedFooter } from './footer.ts';
import { asyncBuffer, orDamaged, type ParquetInput } from './reader.ts';
import { structEnd } from './thrift.ts';
import { expectThat, WrongBytesError } from './wrong-bytes.ts';

const MOST_FILE_BYTES = 2 ** 20;
/** Parsed, a byte of it may be an object. */
const MOST_FOOTER_BYTES = 2 ** 14;
const MOST_COLUMNS = 64;
/** A decoder begins anew for each. */
const MOST_GROUPS = 100;
const MOST_ROWS = 1_000;
/** Of all columns: a footer may name the same empty pages for each of thousands. */
const MOST_PAGES = 1000;

/** A small file in memory, for all that reads it. Throws DamagedObjectError for a larger one. */
export async function smallFile(input: AsyncBuffer & { name: string }): Promise<typeof input> {
  const { name, byteLength } = input;
  const bytes = await orDamaged(input, bytesOfSmall(input));
  return { name, byteLength, slice: async (start, end) => bytes.slice(start, end).buffer };
}

async function bytesOfSmall(file: AsyncBuffer): Promise<Uint8Array<ArrayBuffer>> {
  expectThat(file.byteLength <= MOST_FILE_BYTES, `it has ${file.byteLength} bytes`);
  return await bytesOf(file, 0, file.byteLength);
}

/**
 * The most bytes that the values of a small file take, by its pages: the footer may say less. Its columns must have a plain
 * value in each row, as writeWithParquetjsLite writes required ones: runs, dictionaries and levels are decoded to as many
 * values as they claim. Throws DamagedObjectError.
 */
export async function mostDecodedBytes(input: ParquetInput): Promise<number> {
  return await orDamaged(input, decodedBytes(input));
}

async function decodedBytes(input: ParquetInput): Promise<number> {
  const file = asyncBuffer(input);
  const { schema, row_groups: groups } = parsedFooter(await findFooter(file, MOST_FOOTER_BYTES));
  const [, ...elements] = schema;
  const areRequired = elements.every(
    ({ num_children = 0, repetition_type }) => num_children === 0 && repetition_type === 'REQUIRED',
  );
  const isSmall = elements.length <= MOST_COLUMNS && groups.length <= MOST_GROUPS;
  expectThat(isSmall, `it has ${elements.length} columns in ${groups.length} row groups`);
  expectThat(areRequired, 'a row may have no value, or many, in a column');
  const bytes = await bytesOf(file, 0, file.byteLength);
  let rowCount = 0;
  let pageCount = 0;
  let pageBytes = 0;
  for (const { num_rows: groupRows, columns } of groups) {
    rowCount += Number(groupRows);
    expectThat(groupRows >= 0 && rowCount <= MOST_ROWS, `it has more than ${MOST_ROWS} rows`);
    for (const { meta_data } of columns) {
      if (meta_data === undefined) continue;
      for (const byteCount of sizesOfPages(bytes, meta_data, Number(groupRows))) {
        pageCount += 1;
        expectThat(pageCount <= MOST_PAGES, `it has more than ${MOST_PAGES} pages`);
        pageBytes += byteCount;
      }
    }
  }
  return pageBytes;
}

/** The decoded sizes of the pages that a decoder reads until it has all rows. */
function* sizesOfPages(bytes: Uint8Array, chunk: ColumnMetaData, rowCount: number): Generator<number, void> {
  let offset = Number(chunk.dictionary_page_offset || chunk.data_page_offset);
  for (let values = 0; values < rowCount; ) {
    const end = structEnd(bytes, offset);
    const { type, data_page_header: data, ...header } = headerAt(bytes, offset);
    expectThat(type === 'DATA_PAGE' && data?.encoding === 'PLAIN', 'a page is not of plain values');
    const sizes = [header.uncompressed_page_size, header.compressed_page_size];
    const isPossible = [...sizes, data.num_values].every((size) => size >= 0) && data.num_values <= rowCount;
    expectThat(isPossible, 'a page has an impossible size');
    values += data.num_values;
    yield Math.max(...sizes);
    offset = end + header.compressed_page_size;
  }
}

function headerAt(bytes: Uint8Array, offset: number): PageHeader {
  try {
    return parquetHeader({ view: new DataView(bytes.buffer), offset });
  } catch (error) {
    throw new WrongBytesError('the header of a page cannot be read', { cause: error });
  }
}
