import { receiptIdFault } from '../api/errors.ts';
import type { Run } from '../audit/keys.ts';
import { changeRow } from '../audit/row.ts';
import { rowText, valueText } from '../lake/parquet/column-values.ts';
import type { Row, Value } from '../lake/parquet/writer.ts';
import { LAST_SEEN_COLUMN, type ReceiptRows, type SortedRows } from '../lake/rows/receipt-rows.ts';
import { indexOfColumn, type Table } from '../lake/tables.ts';
import type { Unit } from '../units/unit.ts';

/** The natural key, as far as lists have it: the issuer of an issued receipt is the company. */
const KEY_COLUMNS = ['emisor_ruc', 'tipo_comprobante', 'serie', 'numero'];

/**
 * A unit's rows as they were read, sorted by id, each receipt once. Throws an ApiError where two receipts have the
 * same id: only one of them would be kept, in silence.
 */
export function sortedReading(unit: Unit, rows: ReceiptRows): SortedRows {
  const sorted = rows.sorted();
  if (sorted.rowCount < rows.rowCount) assertOneReceiptPerId(unit, rows);
  return sorted;
}

function assertOneReceiptPerId(unit: Unit, rows: ReceiptRows): void {
  const indexes = KEY_COLUMNS.map((name) => indexOfColumn(rows.table.columns, name));
  const firstRow = new Map<bigint, number>();
  for (let row = 0; row < rows.rowCount; row += 1) {
    const id = rows.id(row);
    const first = firstRow.get(id) ?? row;
    firstRow.set(id, first);
    if (first === row) continue;
    const [firstValues, laterValues] = [rows.valuesOf(first), rows.valuesOf(row)];
    if (indexes.some((index) => isContradiction(firstValues[index], laterValues[index]))) {
      throw receiptIdFault(unit, `two different receipts have the id ${id}`);
    }
  }
}

/** A field that either lacks is no contradiction. */
function isContradiction(a: Value = null, b: Value = null): boolean {
  return a !== null && b !== null && a !== b;
}

/** How two readings of one unit differ, receipt by receipt. Indexes are those of the sorted rows. */
export interface Comparison {
  /** Rows that only the newer reading has. */
  appeared: { row: number }[];
  /** Rows of both, with different values in these columns, or listed again after they had vanished. */
  changed: { before: number; after: number; columns: number[]; isBack: boolean }[];
  /** Rows that only the older reading has, not marked as vanished there. */
  vanished: { row: number }[];
  /** Rows that only the older reading has, and that are marked already. */
  stillVanished: { row: number }[];
}

/** Compares an older reading with a newer one, both sorted by id, in all columns except those in `except`. */
export function compareReadings(
  table: Table,
  older: SortedRows,
  newer: SortedRows,
  except: ReadonlySet<string> = new Set(),
): Comparison {
  const lastSeen = indexOfColumn(table.columns, LAST_SEEN_COLUMN);
  const compared = table.columns.flatMap(({ name }, index) =>
    index === lastSeen || except.has(name) ? [] : [index],
  );
  const comparison: Comparison = { appeared: [], changed: [], vanished: [], stillVanished: [] };
  let before = 0;
  let after = 0;
  while (before < older.rowCount || after < newer.rowCount) {
    const order = idOrder(older, before, newer, after);
    if (order > 0) {
      comparison.appeared.push({ row: after });
      after += 1;
      continue;
    }
    const old = older.valuesOf(before);
    const isMarked = old[lastSeen] !== null;
    if (order < 0) (isMarked ? comparison.stillVanished : comparison.vanished).push({ row: before });
    else {
      const values = newer.valuesOf(after);
      const columns = compared.filter((index) => old[index] !== values[index]);
      if (columns.length > 0 || isMarked) {
        comparison.changed.push({ before, after, columns, isBack: isMarked });
      }
      after += 1;
    }
    before += 1;
  }
  return comparison;
}

function idOrder(older: SortedRows, before: number, newer: SortedRows, after: number): number {
  if (before === older.rowCount) return 1;
  if (after === newer.rowCount) return -1;
  const a = older.id(before);
  const b = newer.id(after);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The two readings of a unit whose differences are recorded. */
export interface UnitChanges {
  table: Table;
  older: SortedRows;
  newer: SortedRows;
  comparison: Comparison;
}

/** The rows of `cambios`: one for each receipt that came or went, and one for each field that changed. */
export function changeRows(
  run: Run,
  unit: Unit,
  { table, older, newer, comparison }: UnitChanges,
  noticedMicros: bigint,
): Row[] {
  const row = (values: readonly Value[], change: Row): Row =>
    changeRow(run, unit, table, noticedMicros, values, change);
  const appeared = comparison.appeared.map(({ row: index }) => {
    const values = newer.valuesOf(index);
    return row(values, { cambio: 'aparecio', despues: rowText(table, values) });
  });
  const vanished = comparison.vanished.map(({ row: index }) => {
    const values = older.valuesOf(index);
    return row(values, { cambio: 'desaparecio', antes: rowText(table, values) });
  });
  const changed = comparison.changed.flatMap(({ before, after, columns, isBack }) => {
    const old = older.valuesOf(before);
    const values = newer.valuesOf(after);
    const back = isBack ? [row(values, { cambio: 'reaparecio', despues: rowText(table, values) })] : [];
    const fields = columns.map((index) => {
      const { name = '', type = 'string' } = table.columns[index] ?? {};
      return row(values, {
        cambio: 'cambio',
        campo: name,
        antes: valueText(type, old[index] ?? null),
        despues: valueText(type, values[index] ?? null),
      });
    });
    return [...back, ...fields];
  });
  return [...appeared, ...vanished, ...changed];
}
