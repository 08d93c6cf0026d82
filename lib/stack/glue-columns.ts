import type { Column, ColumnType, Table } from '../lake/tables.ts';

/** A column as Glue has it. */
export interface GlueColumn {
  name: string;
  type: string;
  comment: string;
}

/** Glue refuses longer ones. */
const MAX_COMMENT_LENGTH = 255;

const GLUE_TYPES: Readonly<Record<ColumnType, string>> = {
  int32: 'int',
  int64: 'bigint',
  'decimal(17,2)': 'decimal(17,2)',
  timestamp: 'timestamp',
  date: 'date',
  boolean: 'boolean',
  string: 'string',
  json: 'string',
};

const PARTITION_MEANINGS: Readonly<Record<Table['partition'], string>> = {
  fecha: 'Issue date of the unit; restrict it, and only those days are read',
  fecha_corrida: 'Day in Uruguay on which the run began',
};

/** The columns in the table's objects, in their order. */
export function glueColumns(table: Table): GlueColumn[] {
  return table.columns.map(({ name, type, meaning }: Column) => ({
    name,
    type: GLUE_TYPES[type],
    comment: meaning.slice(0, MAX_COMMENT_LENGTH),
  }));
}

/** A date, so that `fecha >= DATE '2026-11-01'` means the same in Athena and in DuckDB. */
export function gluePartition({ partition }: Table): GlueColumn {
  return { name: partition, type: 'date', comment: PARTITION_MEANINGS[partition] };
}

/** No run is older than this program. */
const FIRST_RUN_DAY = '2026-01-01';

/**
 * Table parameters by which Athena computes the partitions: no crawler, and nothing to repair. Only the date is
 * projected; a projected RUT would have to be named in every query. Issue dates lie up to 60 days ahead of today.
 */
export function partitionProjection(
  { partition }: Table,
  tableLocation: string,
  firstDay: string,
): Record<string, string> {
  const range = partition === 'fecha' ? `${firstDay},NOW+90DAYS` : `${FIRST_RUN_DAY},NOW+1DAYS`;
  return {
    'projection.enabled': 'true',
    [`projection.${partition}.type`]: 'date',
    [`projection.${partition}.format`]: 'yyyy-MM-dd',
    [`projection.${partition}.range`]: range,
    [`projection.${partition}.interval`]: '1',
    [`projection.${partition}.interval.unit`]: 'DAYS',
    'storage.location.template': `${tableLocation}${partition}=\${${partition}}/`,
  };
}
