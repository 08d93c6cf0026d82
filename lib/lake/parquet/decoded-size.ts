import type { ColumnMetaData, DataReader, PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { bytesOf, expectThat, findFooter, parsedFooter, WrongBytesError } from './footer.ts';
import { asyncBuffer, orDamaged, type ParquetInput } from './reader.ts';

/** The most bytes of a small file. */
const MOST_FILE_BYTES = 2 ** 20;
/** The most pages of its columns. A footer may name the same empty pages for each of thousands of columns. */
const MOST_PAGES = 1000;

/** The most bytes that readers of a small file may hold, by its pages: the footer may say less. Throws DamagedObjectError. */
export async function mostDecodedBytes(input: ParquetInput): Promise<number> {
  return await orDamaged(input, decodedBytes(input));
}

async function decodedBytes(input: ParquetInput): Promise<number> {
  const file = asyncBuffer(input);
  expectThat(file.byteLength <= MOST_FILE_BYTES, `it has ${file.byteLength} bytes`);
  const { num_rows, row_groups: groups } = parsedFooter(await findFooter(file));
  const view = new DataView((await bytesOf(file, 0, file.byteLength)).buffer);
  let rowCount = 0;
  let pageCount = 0;
  let pageBytes = 0;
  for (const { num_rows: groupRows, columns } of groups) {
    rowCount += Number(groupRows);
    for (const { meta_data } of columns) {
      if (meta_data === undefined) continue;
      for (const byteCount of sizesOfPages(view, meta_data, Number(groupRows))) {
        pageCount += 1;
        expectThat(pageCount <= MOST_PAGES, `it has more than ${MOST_PAGES} pages`);
        pageBytes += byteCount;
      }
    }
  }
  return Math.max(rowCount, Number(num_rows)) * pageBytes;
}

/** The decoded sizes of the pages that a decoder reads until it has all rows. */
function* sizesOfPages(view: DataView, chunk: ColumnMetaData, rowCount: number): Generator<number, void> {
  const reader = { view, offset: Number(chunk.dictionary_page_offset || chunk.data_page_offset) };
  for (let values = 0; values < rowCount; ) {
    const header = headerAt(reader);
    const sizes = [header.uncompressed_page_size, header.compressed_page_size];
    const data = header.data_page_header ?? header.data_page_header_v2;
    const count = data?.num_values ?? header.dictionary_page_header?.num_values ?? 0;
    const isPossible = [...sizes, count].every((size) => size >= 0) && count <= rowCount;
    expectThat(isPossible, 'a page has an impossible size');
    if (data !== undefined) values += count;
    yield Math.max(...sizes);
    reader.offset += header.compressed_page_size;
  }
}

function headerAt(reader: DataReader): PageHeader {
  try {
    return parquetHeader(reader);
  } catch (error) {
    throw new WrongBytesError('the header of a page cannot be read', { cause: error });
  }
}
