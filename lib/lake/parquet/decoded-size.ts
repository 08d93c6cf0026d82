import type { ColumnMetaData, DataReader, Encoding, PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { bytesOf, expectThat, findFooter, parsedFooter, WrongBytesError } from './footer.ts';
import { asyncBuffer, orDamaged, type ParquetInput } from './reader.ts';

/** The most bytes of a small file. */
const MOST_FILE_BYTES = 2 ** 20;
/** The most of its rows. A column that the file lacks, or a page without bytes, would have as many values for nothing. */
const MOST_ROWS = 10_000;
/** The most pages of its columns. A footer may name the same empty pages for each of thousands of columns. */
const MOST_PAGES = 1000;

/** Those that need no more memory than their values. */
const ENCODINGS: readonly (Encoding | undefined)[] = ['PLAIN', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY'];

/** The most bytes that readers of a small file may hold, by its pages: the footer may say less. Throws DamagedObjectError. */
export async function mostDecodedBytes(input: ParquetInput): Promise<number> {
  return await orDamaged(input, decodedBytes(input));
}

async function decodedBytes(input: ParquetInput): Promise<number> {
  const file = asyncBuffer(input);
  expectThat(file.byteLength <= MOST_FILE_BYTES, `it has ${file.byteLength} bytes`);
  const { schema, row_groups: groups } = parsedFooter(await findFooter(file));
  const [, ...elements] = schema;
  // Of a list, a row may have any number of values.
  const isFlat = elements.every(
    ({ num_children = 0, repetition_type }) => num_children === 0 && repetition_type !== 'REPEATED',
  );
  expectThat(isFlat, 'it has columns of lists');
  const view = new DataView((await bytesOf(file, 0, file.byteLength)).buffer);
  let rowCount = 0;
  let pageCount = 0;
  let pageBytes = 0;
  for (const { num_rows: groupRows, columns } of groups) {
    rowCount += Number(groupRows);
    expectThat(groupRows >= 0 && rowCount <= MOST_ROWS, `it has more than ${MOST_ROWS} rows`);
    for (const { meta_data } of columns) {
      if (meta_data === undefined) continue;
      for (const byteCount of sizesOfPages(view, meta_data, Number(groupRows))) {
        pageCount += 1;
        expectThat(pageCount <= MOST_PAGES, `it has more than ${MOST_PAGES} pages`);
        pageBytes += byteCount;
      }
    }
  }
  return rowCount * pageBytes;
}

/** The decoded sizes of the pages that a decoder reads until it has all rows. */
function* sizesOfPages(view: DataView, chunk: ColumnMetaData, rowCount: number): Generator<number, void> {
  const reader = { view, offset: Number(chunk.dictionary_page_offset || chunk.data_page_offset) };
  for (let values = 0; values < rowCount; ) {
    const header = headerAt(reader);
    const sizes = [header.uncompressed_page_size, header.compressed_page_size];
    const { num_values: count = 0, num_nulls: nullCount = 0, encoding } = contentOf(header);
    const isPossible = [...sizes, count, nullCount, count - nullCount].every((size) => size >= 0);
    expectThat(isPossible && count <= rowCount, 'a page has an impossible size');
    expectThat(ENCODINGS.includes(encoding), 'a page has an encoding that no writer of the lake uses');
    if (header.type !== 'DICTIONARY_PAGE') values += count;
    yield Math.max(...sizes);
    reader.offset += header.compressed_page_size;
  }
}

/** What a page of its type has. */
function contentOf({ type, ...header }: PageHeader): {
  num_values?: number;
  num_nulls?: number;
  encoding?: Encoding;
} {
  if (type === 'DICTIONARY_PAGE') return header.dictionary_page_header ?? {};
  return (type === 'DATA_PAGE' ? header.data_page_header : header.data_page_header_v2) ?? {};
}

function headerAt(reader: DataReader): PageHeader {
  try {
    return parquetHeader(reader);
  } catch (error) {
    throw new WrongBytesError('the header of a page cannot be read', { cause: error });
  }
}
