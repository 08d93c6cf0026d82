import { sealRuns } from '../../../lib/audit/seal.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import type { Value } from '../../../lib/lake/parquet/writer.ts';
import {
  type LakeStore,
  type ObjectBytes,
  readObject,
  undefinedIfMissing,
} from '../../../lib/lake/store/store.ts';
import type { Column, Table } from '../../../lib/lake/tables.ts';
import { readRows } from './read-rows.ts';

export type Row = Record<string, Value>;
/** A row as texts by column; nulls are left out. */
export type TextRow = Record<string, string>;

/** Receipts of a unit by id, as texts, and whether the API still lists them. */
export type TextUnit = Map<string, { row: TextRow; isListed: boolean }>;

/** All rows of an object by column name; undefined if there is no object. */
export async function foundRows(
  store: LakeStore,
  key: string,
  { columns }: Table,
): Promise<Row[] | undefined> {
  const read = (file: ObjectBytes) => Array.fromAsync(readRows(file, columns));
  return await readObject(store, key, read).catch(undefinedIfMissing);
}

/** The same; none if there is no object. */
export async function rowsIn(store: LakeStore, key: string, table: Table): Promise<Row[]> {
  return (await foundRows(store, key, table)) ?? [];
}

/** All rows of a table, object by object. For a table of runs, seals all runs first. */
export async function rowsOfTable(store: LakeStore, table: Table): Promise<Row[]> {
  if (table.partition === 'fecha_corrida') await sealRuns({ store, writer: writeWithHyparquet });
  return (await Array.fromAsync(store.list(table.name), (key) => rowsIn(store, key, table))).flat();
}

/** A unit's rows as texts, made without the exporter's code. */
export function textUnit(rows: readonly Row[], table: Table): TextUnit {
  return new Map(
    rows.map((row) => {
      const texts = table.columns
        .filter(({ name }) => name !== 'visto_por_ultima_vez' && row[name] !== null)
        .map((column) => [column.name, textOf(column, row[column.name] ?? null)]);
      return [
        String(row.id),
        { row: Object.fromEntries(texts), isListed: row.visto_por_ultima_vez === null },
      ];
    }),
  );
}

function textOf({ type }: Column, value: Value): string {
  if (type === 'decimal(17,2)') {
    const text = String(value).replace('-', '');
    const digits = text.padStart(3, '0');
    return `${String(value).startsWith('-') ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  }
  if (type !== 'timestamp') return String(value);
  const micros = String(value).padStart(7, '0');
  const seconds = new Date(Number(micros.slice(0, -6)) * 1000).toISOString().replace('.000Z', '');
  const fraction = micros.slice(-6).replace(/0+$/, '');
  return fraction === '' ? seconds : `${seconds}.${fraction}`;
}
