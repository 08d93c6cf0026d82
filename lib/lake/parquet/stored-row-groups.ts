import { type ColumnMetaData, parquetMetadata, type RowGroup, type SchemaElement } from 'hyparquet';
import { type Day, microsOfDay } from '../../time/days.ts';
import type { ObjectBytes } from '../store/store.ts';
import { indexOfColumn, indexOfIssueDate, type Table } from '../tables.ts';
import { bytesOf } from './footer.ts';
import { schemaOf, shiftPages } from './hyparquet.ts';
import { readIntact } from './reader.ts';
import { CREATED_BY, type StoredRowGroup } from './writer.ts';

/**
 * The row groups of a unit, to be copied into a file of these columns. Undefined if that may not be done: another
 * program or version wrote the file, or its statistics show another company's or day's rows, or ids that do not ascend from row
 * group to row group. Throws DamagedObjectError.
 */
export async function storedRowGroups(
  object: ObjectBytes,
  table: Table,
  { rut, day }: { rut: string; day: Day },
): Promise<StoredRowGroup[] | undefined> {
  const { columns } = table;
  const { file, footer, metadata } = await readIntact(object);
  const isOurs = metadata.created_by === CREATED_BY && formOf(metadata.schema) === formOf(schemaOf(columns));
  if (!isOurs) return undefined;
  // Once more, with the statistics as they are stored.
  const { row_groups: groups } = parquetMetadata(footer, {
    geoparquet: false,
    parsers: AS_STORED,
  });
  const [rutIndex, idIndex] = [indexOfColumn(columns, 'rut'), indexOfColumn(columns, 'id')];
  const dateIndex = indexOfIssueDate(table);
  const stored: StoredRowGroup[] = [];
  let lastId = -(2n ** 63n) - 1n;
  const amounts = columns.flatMap(({ type }, index) => (type === 'decimal(17,2)' ? [index] : []));
  for (const group of groups) {
    const { start, end } = extentOf(group);
    const ids = group.columns[idIndex]?.meta_data?.statistics;
    const [least, greatest] = [ids?.min_value, ids?.max_value];
    const isInOrder = typeof least === 'bigint' && typeof greatest === 'bigint' && lastId < least;
    if (!isInOrder || !isCompanysAlone(group, rutIndex, rut)) return undefined;
    if (dateIndex >= 0 && !isDaysAlone(group, dateIndex, day)) return undefined;
    lastId = greatest;
    for (const index of amounts) dropInexactBounds(group.columns[index]?.meta_data);
    shiftPages(group, BigInt(-start));
    stored.push({ rowCount: Number(group.num_rows), group, bytes: () => bytesOf(file, start, end) });
  }
  return stored;
}

/** Where its pages are: one column chunk after the other. */
function extentOf({ columns }: RowGroup): { start: number; end: number } {
  const chunks = columns.flatMap(({ meta_data }) => meta_data ?? []);
  const starts = chunks.map((chunk) => Number(chunk.dictionary_page_offset || chunk.data_page_offset));
  const byteCount = chunks.reduce((sum, chunk) => sum + Number(chunk.total_compressed_size), 0);
  const start = Math.min(...starts);
  return { start, end: start + byteCount };
}

/** What makes values of bytes, but for names of fields that are absent. */
function formOf(schema: readonly SchemaElement[]): string {
  return JSON.stringify(
    schema.map(
      ({ name, type, repetition_type, converted_type, precision, scale, logical_type, num_children }) => [
        ...[name, type, repetition_type, converted_type, precision, scale, num_children].map(
          (part) => part ?? null,
        ),
        Object.entries(logical_type ?? {}).sort(),
      ],
    ),
  );
}

/** Bounds as the writer takes them: bytes of texts, microseconds and days as numbers. */
const AS_STORED = {
  stringFromBytes: (bytes: Uint8Array) => bytes.slice(),
  timestampFromMicroseconds: (micros: bigint) => micros,
  dateFromDays: (days: number) => days,
};

function isCompanysAlone({ columns }: RowGroup, rutIndex: number, rut: string): boolean {
  const {
    min_value: least,
    max_value: greatest,
    null_count: nulls,
  } = columns[rutIndex]?.meta_data?.statistics ?? {};
  return (
    nulls === 0n && [least, greatest].every((bound) => bound instanceof Uint8Array && textOf(bound) === rut)
  );
}

/** A receipt may have no date. */
function isDaysAlone({ columns, num_rows: rowCount }: RowGroup, dateIndex: number, day: Day): boolean {
  const {
    min_value: least,
    max_value: greatest,
    null_count: nulls,
  } = columns[dateIndex]?.meta_data?.statistics ?? {};
  const isOfDay = microsOfDay(day);
  const bounds = [least, greatest];
  return nulls === rowCount || bounds.every((bound) => typeof bound === 'bigint' && isOfDay(bound));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Amounts below it survive the floats that hyparquet makes of bounds. */
const LEAST_INEXACT = 1e12;

/** A question reads one row group more, rather than all rows being decoded to be copied. */
function dropInexactBounds(pages: ColumnMetaData | undefined): void {
  const { min_value: least, max_value: greatest, null_count } = pages?.statistics ?? {};
  const isExact = [least, greatest].every(
    (bound) => bound === undefined || (typeof bound === 'number' && Math.abs(bound) < LEAST_INEXACT),
  );
  if (pages !== undefined && !isExact) pages.statistics = { null_count };
}
