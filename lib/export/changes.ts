import type { Run } from '../audit/keys.ts';
import type { Row } from '../lake/parquet/records.ts';
import type { Value } from '../lake/parquet/writer.ts';
import type { SortedRows } from '../lake/rows/receipt-rows.ts';
import type { Table } from '../lake/tables.ts';
import { rowText, valueText } from '../lake/value-text.ts';
import { dayNumber } from '../time/days.ts';
import type { Comparison } from './compare.ts';
import type { Unit } from './unit-plan.ts';

/** What the change of a unit is told from. */
export interface UnitChanges {
  table: Table;
  older: SortedRows;
  newer: SortedRows;
  comparison: Comparison;
  /** Where vanished receipts are listed now: the issue date by the row of `older`. */
  movedTo: ReadonlyMap<number, string>;
}

/** The rows of `cambios`: one for a receipt that came or went, one for each field that changed. */
export function changeRows(
  run: Run,
  unit: Unit,
  { table, older, newer, comparison, movedTo }: UnitChanges,
  noticedMicros: bigint,
): Row[] {
  const row = (values: readonly Value[], rest: Row): Row => ({
    corrida: run.id,
    momento: noticedMicros,
    rut: unit.rut,
    direccion: unit.direccion,
    fecha: dayNumber(unit.fecha),
    id: columnValue(table, values, 'id'),
    emisor_ruc: unit.direccion === 'emitidos' ? unit.rut : columnValue(table, values, 'emisor_ruc'),
    tipo_comprobante: columnValue(table, values, 'tipo_comprobante'),
    serie: columnValue(table, values, 'serie'),
    numero: columnValue(table, values, 'numero'),
    ...rest,
  });
  const appeared = comparison.appeared.map(({ row: index }) => {
    const values = newer.valuesOf(index);
    return row(values, { cambio: 'aparecio', despues: rowText(table, values) });
  });
  const vanished = comparison.vanished.map(({ row: index }) => {
    const values = older.valuesOf(index);
    const day = movedTo.get(index);
    if (day === undefined) return row(values, { cambio: 'desaparecio', antes: rowText(table, values) });
    return row(values, { cambio: 'movido', campo: 'fecha', antes: unit.fecha, despues: day });
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

function columnValue(table: Table, values: readonly Value[], name: string): Value {
  return values[table.columns.findIndex((column) => column.name === name)] ?? null;
}
