import { valueText } from '../../lake/parquet/column-values.ts';
import type { Value } from '../../lake/parquet/writer.ts';
import { documentText } from '../../lake/rows/fields.ts';
import { ReceiptRows, type SortedRows } from '../../lake/rows/receipt-rows.ts';
import { type ColumnType, DETAIL_TABLE_OF, TABLE_OF } from '../../lake/tables.ts';
import { canonicalJsonObject, parseExactJson } from '../../text/exact-json.ts';
import type { Direction, Unit } from '../../units/unit.ts';
import type { DetailPool, ListedReceipt, ListObject } from './detail-pool.ts';

/**
 * The rows of a unit's object of details, one for each receipt that the API lists: its detail; or an earlier one, with
 * the reason why there is no newer one; or the list's values, with the reason. Receipts that are gone from the list
 * keep their row, marked as in the list.
 */
export function composeDetails(
  { direction, rut }: Unit,
  list: ListObject,
  receipts: readonly ListedReceipt[],
  pool: DetailPool,
  lastStoredMicros: bigint,
): SortedRows {
  const rows = new ReceiptRows(DETAIL_TABLE_OF[direction], rut);
  const left = new Set(pool.ids);
  for (const { id, row, lastSeen, summaryHash } of receipts) {
    const values = pool.find(id);
    left.delete(id);
    if (lastSeen !== null) {
      if (values !== undefined) rows.appendVanished(values, lastSeen);
      continue;
    }
    const reason = pool.reasons.get(id) ?? null;
    if (values !== undefined && (reason === null || pool.readAt(values) >= 0n)) {
      rows.appendValues(pool.listed(values, reason));
    } else {
      const computed = { rut, motivo: reason, resumen_sha256: summaryHash };
      rows.appendValues(summaryRow(direction, list.rows.valuesOf(row), computed));
    }
  }
  // If the object of the list was removed by hand, it lacks them.
  for (const id of left) {
    const values = pool.find(id);
    if (values !== undefined) rows.appendVanished(values, lastStoredMicros);
  }
  return rows.sorted();
}

/**
 * A row of the list as a row of details, for a receipt without a detail. What lies in an object of the API becomes a
 * member of that object's JSON column; what the contract doesn't name in a detail (`estado.codigo`) goes to `otros`.
 * `computed`: values of columns without a path, by name.
 */
export function summaryRow(
  direction: Direction,
  values: readonly Value[],
  computed: Readonly<Record<string, Value>>,
): Value[] {
  const [list, details] = [TABLE_OF[direction], DETAIL_TABLE_OF[direction]];
  const byPath = new Map<string, Value>(details.columns.map(({ path = '' }) => [path, null]));
  const objects = new Map<string, Map<string, unknown>>();
  for (const { path = '', shape } of details.columns) if (shape === 'object') objects.set(path, new Map());
  const unknownFields = new Map<string, unknown>();
  // Only objects that the contract names have fields. Any other name with a dot is a single name.
  const put = (path: string, value: unknown): void => {
    const dot = path.indexOf('.');
    const members = objects.get(path.slice(0, Math.max(0, dot)));
    if (members === undefined) unknownFields.set(path, value);
    else members.set(path.slice(dot + 1), value);
  };
  list.columns.forEach(({ name, path, type }, index) => {
    const value = values[index] ?? null;
    if (value === null) return;
    // By path: fields that the contract doesn't name, and values that did not fit their column, whole.
    if (name === 'otros') for (const [key, member] of membersOf(String(value))) put(key, member);
    else if (path !== undefined && byPath.has(path)) byPath.set(path, value);
    else if (path !== undefined) put(path, wireValue(type, value));
  });
  return details.columns.map(({ name, path }) => {
    if (name === 'otros') return unknownFields.size === 0 ? null : canonicalJsonObject(unknownFields);
    if (path === undefined) return computed[name] ?? null;
    const members = objects.get(path);
    if (members === undefined) return byPath.get(path) ?? null;
    return members.size === 0 ? null : documentText(Object.fromEntries(members));
  });
}

function membersOf(text: string): [string, unknown][] {
  const parsed = parseExactJson(text);
  return typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
}

function wireValue(type: ColumnType, value: NonNullable<Value>): unknown {
  if (type === 'string' || type === 'timestamp') return valueText(type, value);
  if (typeof value === 'number') return value;
  const text = valueText(type, value) ?? 'null';
  return parseExactJson(type === 'decimal(17,2)' ? text.replace(/\.?0+$/, '') : text);
}
