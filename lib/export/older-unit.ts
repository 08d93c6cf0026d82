import { ReceiptRows, type SortedRows } from '../lake/rows/receipt-rows.ts';
import type { StoredObject } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import { loadWritten } from './stored-rows.ts';
import type { Unit } from './unit-plan.ts';
import type { UnitTools } from './unit-tools.ts';

/** What a new reading of a unit is compared with. */
export interface OlderUnit {
  older: SortedRows;
  /** Columns whose values say nothing of a change. */
  notToCompare: ReadonlySet<string>;
  storedAtMs: number;
}

/** What is stored of the unit; no rows where its list was empty before; undefined at its first export. */
export async function findOlder(
  unit: Unit,
  table: Table,
  { store, history }: Pick<UnitTools, 'store' | 'history'>,
  stored: StoredObject | undefined,
  listedCount: number,
): Promise<OlderUnit | undefined> {
  if (stored === undefined) {
    if (listedCount === 0 || (await history?.wasEmpty(unit)) !== true) return undefined;
    const older = new ReceiptRows(table, unit.rut).sorted();
    return { older, notToCompare: new Set(), storedAtMs: 0 };
  }
  const { rows, lacking } = await loadWritten(store, stored.key, table, unit.rut);
  return {
    older: rows.sorted(),
    // A column that was added to the table is no change of the receipts; nor is that its values, which the API
    // may have given before, are no longer in `otros`.
    notToCompare: lacking.size === 0 ? lacking : new Set([...lacking, 'otros']),
    storedAtMs: stored.storedAtMs,
  };
}
