import { ReceiptIdError } from '../../api/errors.ts';
import type { Value } from '../../lake/parquet/writer.ts';
import type { ReceiptRows, SortedRows } from '../../lake/rows/receipt-rows.ts';
import { indexOfColumn } from '../../lake/tables.ts';
import type { Unit } from '../../units.ts';

/** The natural key, as far as lists have it: the issuer of an issued receipt is the company. */
const KEY_COLUMNS = ['emisor_ruc', 'tipo_comprobante', 'serie', 'numero'];

/**
 * A unit's rows as they were read, sorted by id, each receipt once. Throws ReceiptIdError where two receipts have the
 * same id: only one of them would be kept, in silence.
 */
export function sortedReading(unit: Unit, rows: ReceiptRows): SortedRows {
  const sorted = rows.sorted();
  if (sorted.rowCount < rows.rowCount) assertOneReceiptPerId(unit, rows);
  return sorted;
}

function assertOneReceiptPerId(unit: Unit, rows: ReceiptRows): void {
  const indexes = KEY_COLUMNS.map((name) => indexOfColumn(rows.table.columns, name)).filter((at) => at >= 0);
  const firstRow = new Map<bigint, number>();
  for (let row = 0; row < rows.rowCount; row += 1) {
    const id = rows.id(row);
    const first = firstRow.get(id) ?? row;
    firstRow.set(id, first);
    if (first === row) continue;
    const [one, other] = [rows.valuesOf(first), rows.valuesOf(row)];
    if (indexes.some((index) => isOther(one[index], other[index]))) {
      throw new ReceiptIdError(unit, `two different receipts have the id ${id}`);
    }
  }
}

/** A field that either lacks is no contradiction. */
function isOther(one: Value = null, other: Value = null): boolean {
  return one !== null && other !== null && one !== other;
}
