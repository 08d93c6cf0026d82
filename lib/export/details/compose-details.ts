import { parseExactJson } from '../../exact-json.ts';
import { valueText } from '../../lake/parquet/column-values.ts';
import type { Value } from '../../lake/parquet/writer.ts';
import { ReceiptRows, type SortedRows } from '../../lake/rows/receipt-rows.ts';
import type { ColumnType, Table } from '../../lake/tables.ts';
import type { DetailPool, ListedReceipt, ListObject } from './detail-pool.ts';

/**
 * The rows of a unit's object of details, one for each receipt that the API lists: its detail; or an earlier one, with
 * the reason why there is no newer one; or the list's values, with the reason. Receipts that are gone from the list
 * keep their row, marked as in the list.
 */
export function composeDetails(
  list: ListObject,
  receipts: readonly ListedReceipt[],
  pool: DetailPool,
  lastStoredMicros: bigint,
): SortedRows {
  const { table, rut } = pool.rows;
  const rows = new ReceiptRows(table, rut);
  const left = new Set(pool.ids);
  for (const { id, row, lastSeen, summaryHash } of receipts) {
    const values = pool.find(id);
    left.delete(id);
    if (lastSeen !== null) {
      if (values !== undefined) rows.appendVanished(values, lastSeen);
      continue;
    }
    const reason = pool.reasons.get(id) ?? null;
    if (values !== undefined && (reason === null || pool.readAt(values) !== undefined)) {
      rows.appendValues(pool.listed(values, reason));
    } else {
      const summary = summaryObject(list.table, list.rows.valuesOf(row));
      rows.append(summary, { motivo: reason, resumen_sha256: summaryHash });
    }
  }
  // If the object of the list was removed by hand, it lacks them.
  for (const id of left) {
    const values = pool.find(id);
    if (values !== undefined) rows.appendVanished(values, lastStoredMicros);
  }
  return rows.sorted();
}

/** Has no prototype, so that no name means anything special. */
type WireObject = Record<string, unknown>;

/**
 * A row of the list as the API's object, for a receipt without a detail. Fields that only the list has
 * (`estado.codigo`) then go to `otros`, like any field that the contract doesn't name in a detail.
 */
export function summaryObject({ columns }: Table, values: readonly Value[]): WireObject {
  const receipt: WireObject = Object.create(null);
  const inner = new Map<string, WireObject>();
  for (const { path = '' } of columns) {
    const [level = '', ...rest] = path.split('.');
    if (rest.length > 0) inner.set(level, Object.create(null));
  }
  // Only objects that the contract names have fields. Any other name with a dot is a single name.
  const put = (path: string, value: unknown): void => {
    const dot = path.indexOf('.');
    const level = path.slice(0, Math.max(0, dot));
    const fields = inner.get(level);
    if (fields === undefined) {
      receipt[path] = value;
      return;
    }
    fields[path.slice(dot + 1)] = value;
    receipt[level] = fields;
  };
  columns.forEach(({ name, path, type }, index) => {
    const value = values[index] ?? null;
    if (value === null) return;
    if (path !== undefined) put(path, wireValue(type, value));
    // By path: fields that the contract doesn't name, and values that did not fit their column, whole.
    else if (name === 'otros') for (const [key, other] of membersOf(String(value))) put(key, other);
  });
  return receipt;
}

function membersOf(others: string): [string, unknown][] {
  const parsed = parseExactJson(others);
  return typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
}

function wireValue(type: ColumnType, value: NonNullable<Value>): unknown {
  if (type === 'string' || type === 'timestamp') return valueText(type, value);
  if (typeof value === 'number') return value;
  const text = valueText(type, value) ?? 'null';
  return parseExactJson(type === 'decimal(17,2)' ? text.replace(/\.?0+$/, '') : text);
}
