/** How a value is stored; each kind maps to one Parquet, one Glue and one DuckDB type. */
export type ColumnType =
  | 'int32'
  | 'int64'
  /** Exact amount: up to 15 digits before the point and 2 after it. */
  | 'decimal(17,2)'
  /** Local date-time without zone, microseconds. */
  | 'timestamp'
  | 'date'
  | 'boolean'
  | 'string'
  /** A JSON document as text. */
  | 'json';

export interface Column {
  name: string;
  type: ColumnType;
  /** Where the value stands in the API's object, dotted (`totales.total_pagar`); absent: computed here. */
  path?: string;
  /** Of a JSON column with a path: what the contract says it is; anything else goes to `otros`. */
  shape?: 'object' | 'array';
  required?: true;
  meaning: string;
}

export interface Table {
  name: string;
  /** The Hive partition column; it stands in the object's key, not in the file. */
  partition: 'fecha' | 'fecha_corrida';
  meaning: string;
  columns: readonly Column[];
}
