import {
  type AsyncBuffer,
  parquetMetadata,
  type RowGroup,
  type SchemaElement,
  type Statistics,
} from 'hyparquet';
import type { ObjectBytes } from '../store/store.ts';
import { type Column, indexOfColumn } from '../tables.ts';
import { NO_CHECKSUM_YET } from './checksum.ts';
import { columnValues } from './column-values.ts';
import { bytesOf } from './footer.ts';
import { schemaOf, shiftPages } from './hyparquet.ts';
import { readIntact, readRowGroups } from './reader.ts';
import { CREATED_BY, type StoredRowGroup } from './writer.ts';

/**
 * The row groups of a unit, to be copied into a file of these columns. Undefined if that may not be done: another
 * program or version wrote the file, or its statistics show another company's rows or ids that do not ascend from row
 * group to row group. Throws DamagedObjectError.
 */
export async function storedRowGroups(
  object: ObjectBytes,
  columns: readonly Column[],
  rut: string,
): Promise<StoredRowGroup[] | undefined> {
  const { file, footer } = await readIntact(object);
  const { metadata: checked, rowGroups } = footer;
  const isOurs =
    checked.created_by === CREATED_BY &&
    checked.key_value_metadata?.some(({ key }) => key === NO_CHECKSUM_YET.key) === true &&
    formOf(checked.schema) === formOf(schemaOf(columns));
  if (!isOurs) return undefined;
  // Once more, with the statistics as they are stored.
  const { row_groups: groups } = parquetMetadata(await footerOf(file), {
    geoparquet: false,
    parsers: AS_STORED,
  });
  const [rutIndex, idIndex] = [indexOfColumn(columns, 'rut'), indexOfColumn(columns, 'id')];
  const stored: StoredRowGroup[] = [];
  let lastId = -(2n ** 63n) - 1n;
  for (const [index, group] of groups.entries()) {
    const chunks = [...(rowGroups[index]?.chunks.values() ?? [])];
    const start = Math.min(...chunks.map((chunk) => chunk.start));
    const end = Math.max(...chunks.map((chunk) => chunk.end));
    const hasOnlyPages =
      chunks.reduce((sum, chunk) => sum + chunk.end - chunk.start, 0) === end - start &&
      group.columns.every(
        (of) => of.offset_index_offset === undefined && of.column_index_offset === undefined,
      );
    const ids = group.columns[idIndex]?.meta_data?.statistics;
    const [least, greatest] = [ids?.min_value, ids?.max_value];
    const isInOrder = typeof least === 'bigint' && typeof greatest === 'bigint' && lastId < least;
    if (!hasOnlyPages || !isInOrder || !isOfCompany(group, rutIndex, rut)) return undefined;
    lastId = greatest;
    shiftPages(group, BigInt(-start));
    stored.push({ rowCount: Number(group.num_rows), group, bytes: () => bytesOf(file, start, end) });
  }
  await restoreBounds(object, groups, columns);
  return stored;
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

async function footerOf(file: AsyncBuffer): Promise<ArrayBuffer> {
  const end = await file.slice(file.byteLength - 8, file.byteLength);
  return await file.slice(file.byteLength - 8 - new DataView(end).getUint32(0, true), file.byteLength);
}

/** Bounds as the writer takes them: bytes of texts, microseconds and days as numbers. */
const AS_STORED = {
  stringFromBytes: (bytes: Uint8Array) => bytes.slice(),
  timestampFromMicroseconds: (micros: bigint) => micros,
  dateFromDays: (days: number) => days,
};

function isOfCompany({ columns }: RowGroup, rutIndex: number, rut: string): boolean {
  const {
    min_value: least,
    max_value: greatest,
    null_count: nulls,
  } = columns[rutIndex]?.meta_data?.statistics ?? {};
  return (
    nulls === 0n && [least, greatest].every((bound) => bound instanceof Uint8Array && textOf(bound) === rut)
  );
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Hundredths up to this survive the floats that hyparquet makes of bounds of amounts. */
const MOST_EXACT = 1e12;

/** Takes the bounds of larger amounts from the amounts themselves. */
async function restoreBounds(
  object: ObjectBytes,
  groups: readonly RowGroup[],
  columns: readonly Column[],
): Promise<void> {
  const statisticsOf = (group: RowGroup | undefined, column: Column) =>
    group?.columns[columns.indexOf(column)]?.meta_data?.statistics;
  const lossy = columns.filter(
    (column) =>
      column.type === 'decimal(17,2)' && groups.some((group) => !isExact(statisticsOf(group, column))),
  );
  if (lossy.length === 0) return;
  let index = 0;
  for await (const batch of readRowGroups(object, lossy)) {
    for (const [at, column] of lossy.entries()) {
      const source = { rowCount: batch.rowCount, values: () => batch.columns[at] ?? [] };
      const { bounds } = columnValues(source, column, at, 0);
      const statistics = statisticsOf(groups[index], column);
      if (statistics && bounds)
        Object.assign(statistics, { min_value: bounds.least, max_value: bounds.greatest });
    }
    index += 1;
  }
}

function isExact({ min_value: least, max_value: greatest }: Statistics = {}): boolean {
  return [least, greatest].every(
    (bound) => bound === undefined || (typeof bound === 'number' && Math.abs(bound) < MOST_EXACT),
  );
}
