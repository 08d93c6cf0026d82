import { columnValues } from './column-values.ts';
import { LakeEnvelopeWriter } from './parquetjs-lite/envelope.ts';
import { footerPairs, type ParquetFile, ROW_GROUP_ROWS } from './writer.ts';

/**
 * Writes with parquetjs-lite, by its envelope, schema, PLAIN encoding and Thrift structures. Its row-wise
 * path is not used: it has no DECIMAL, flags moments as UTC, rounds integers past 2^53, refuses dates and
 * moments before 1970, and writes no dictionaries.
 */
export async function* writeWithParquetjsLite(file: ParquetFile): AsyncGenerator<Uint8Array> {
  const { columns, rows } = file;
  let sections: Buffer[] = [];
  const take = (): Uint8Array => {
    const bytes = Buffer.concat(sections);
    sections = [];
    return bytes;
  };
  const envelope = new LakeEnvelopeWriter(columns, (bytes) => sections.push(bytes));
  envelope.writeHeader();
  for (let start = 0; start < rows.rowCount; start += ROW_GROUP_ROWS) {
    const end = Math.min(start + ROW_GROUP_ROWS, rows.rowCount);
    envelope.writeColumns(end - start, (column, index) => columnValues(rows, column, index, start, end));
    yield take();
  }
  envelope.writeLakeFooter(footerPairs(file));
  yield take();
}
