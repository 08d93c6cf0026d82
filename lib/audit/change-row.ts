import type { Row, Value } from '../lake/parquet/writer.ts';
import { indexOfColumn, type Table } from '../lake/tables.ts';
import { dayNumber } from '../time/days.ts';
import type { Unit } from '../units/unit.ts';
import type { Run } from './keys.ts';

/** A row of `cambios` on a receipt with these values; `rest`: what changed. */
export function changeRow(
  run: Run,
  unit: Unit,
  table: Table,
  noticedMicros: bigint,
  values: readonly Value[],
  rest: Row,
): Row {
  return {
    corrida: run.id,
    momento: noticedMicros,
    rut: unit.rut,
    direccion: unit.direction,
    fecha: dayNumber(unit.day),
    id: columnValue(table, values, 'id'),
    emisor_ruc: unit.direction === 'emitidos' ? unit.rut : columnValue(table, values, 'emisor_ruc'),
    tipo_comprobante: columnValue(table, values, 'tipo_comprobante'),
    serie: columnValue(table, values, 'serie'),
    numero: columnValue(table, values, 'numero'),
    ...rest,
  };
}

function columnValue(table: Table, values: readonly Value[], name: string): Value {
  return values[indexOfColumn(table.columns, name)] ?? null;
}
