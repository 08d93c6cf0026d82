import { unitKey } from '../../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import type { Value } from '../../../lib/lake/parquet/writer.ts';
import { rowsOf } from '../../../lib/lake/parquet/writer.ts';
import { CONTENT_HASH } from '../../../lib/lake/rows/receipt-rows.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import { TABLE_OF } from '../../../lib/lake/tables.ts';
import type { Unit } from '../../../lib/units/unit.ts';
import { lakeRows } from './lake-truth.ts';

export type LakeRow = Record<string, Value>;

/** Rewrites a unit's object with other rows, to plant differences. */
export async function editUnit(
  store: LakeStore,
  unit: Unit,
  edit: (rows: LakeRow[]) => LakeRow[],
  /** Metadata with the content's hash. By default there is none: the old hash would reveal the edit. */
  hash: Record<string, string> = {},
): Promise<void> {
  const { name, columns } = TABLE_OF[unit.direction];
  const key = unitKey(name, unit.day, unit.rut);
  const expected = await store.find(key);
  const { [CONTENT_HASH]: _, ...kept } = expected?.metadata ?? {};
  const metadata = { ...kept, ...hash };
  const rows = rowsOf(columns, edit((await lakeRows(store, unit)) ?? []));
  await store.replace(key, writeWithHyparquet({ columns, rows, metadata }), { metadata, expected });
}

/** All objects with their versions, which stay the same if nothing is written. */
export async function versionsOf(store: LakeStore): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const table of ['recibidos', 'emitidos', 'exportaciones', 'cambios']) {
    for await (const key of store.list(table)) versions[key] = (await store.find(key))?.version ?? '';
  }
  return versions;
}
