import type { Direction } from '../units/unit.ts';
import { CAMBIOS, EXPORTACIONES } from './columns/audit.ts';
import type { Table } from './columns/column.ts';
import { EMITIDOS, EMITIDOS_DETALLE, RECIBIDOS, RECIBIDOS_DETALLE } from './columns/receipts.ts';

/**
 * The tables of the lake. Every column is defined in the folder `columns`, and nowhere else. The Parquet schema, the
 * decoding of the API's rows, the Glue columns, the DuckDB views and the table reference come from these definitions.
 */

export { type Column, type ColumnType, indexOfColumn, SQL_TYPES, type Table } from './columns/column.ts';
export { CAMBIOS, EMITIDOS, EMITIDOS_DETALLE, EXPORTACIONES, RECIBIDOS, RECIBIDOS_DETALLE };

export const TABLES: readonly Table[] = [
  RECIBIDOS,
  EMITIDOS,
  RECIBIDOS_DETALLE,
  EMITIDOS_DETALLE,
  EXPORTACIONES,
  CAMBIOS,
];

/** The tables of receipts: one object per day, published from units. */
export const RECEIPT_TABLES = TABLES.filter(({ partition }) => partition === 'fecha');

/** The table that a direction's list goes to. */
export const TABLE_OF: Readonly<Record<Direction, Table>> = { recibidos: RECIBIDOS, emitidos: EMITIDOS };

/** The table that a direction's details go to. */
export const DETAIL_TABLE_OF: Readonly<Record<Direction, Table>> = {
  recibidos: RECIBIDOS_DETALLE,
  emitidos: EMITIDOS_DETALLE,
};
