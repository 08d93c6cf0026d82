import { Stack } from 'aws-cdk-lib';
import { CfnNamedQuery, CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { RECEIPT_TYPES_VIEW } from '../lake/receipt-types.ts';
import { type Column, type ColumnType, TABLES, type Table } from '../lake/tables.ts';
import { namedQueries } from '../query/named-queries.ts';
import type { Day } from '../time/days.ts';
import { type LakeBucket, QUERY_RESULTS_FOLDER } from './lake-bucket.ts';
import { Naming } from './naming.ts';

/** Adds the lake's tables in Athena. `firstDay`: the first issue date that it can see. */
export function addCatalog(scope: Construct, bucket: IBucket, firstDay: Day): void {
  const catalog = new Construct(scope, 'Catalog');
  const databaseName = Naming.of(scope).database;
  const catalogId = Stack.of(scope).account;
  const database = new CfnDatabase(catalog, 'Database', {
    catalogId,
    databaseInput: {
      name: databaseName,
      description: 'Fiscal receipts that the companies issued and received',
    },
  });
  const inputs = TABLES.map((table) =>
    tableInputOf(table, bucket.s3UrlForObject(`${table.name}/`), firstDay),
  );
  for (const tableInput of [...inputs, receiptTypesView(databaseName)]) {
    const table = new CfnTable(catalog, tableInput.name, { catalogId, databaseName, tableInput });
    table.addResourceDependency(database);
  }
}

type TableInput = CfnTable.TableInputProperty & { name: string };

/** A view in the form that Athena stores: its definition is JSON in base64, inside a comment. */
function receiptTypesView(databaseName: string): TableInput {
  const { name, columns, sql } = RECEIPT_TYPES_VIEW;
  const definition = {
    originalSql: sql,
    catalog: 'awsdatacatalog',
    schema: databaseName,
    columns: columns.map((column) => ({ name: column.name, type: column.type })),
  };
  return {
    name,
    tableType: 'VIRTUAL_VIEW',
    // No `description`: Trino 476 would take it for the comment, by which it recognises a view.
    parameters: { presto_view: 'true', comment: 'Presto View' },
    partitionKeys: [],
    viewOriginalText: `/* Presto View: ${Buffer.from(JSON.stringify(definition)).toString('base64')} */`,
    viewExpandedText: '/* Presto View */',
    storageDescriptor: {
      columns: columns.map(({ name: column, type, meaning: comment }) => ({
        name: column,
        type: type === 'integer' ? 'int' : 'string',
        comment,
      })),
      serdeInfo: {},
    },
  };
}

function tableInputOf(table: Table, location: string, firstDay: Day): TableInput {
  return {
    name: table.name,
    description: table.meaning,
    tableType: 'EXTERNAL_TABLE',
    // A date, so that `fecha >= DATE '2026-11-01'` means the same in Athena and in DuckDB.
    partitionKeys: [{ name: table.partition, type: 'date', comment: PARTITION_MEANINGS[table.partition] }],
    parameters: {
      EXTERNAL: 'TRUE',
      classification: 'parquet',
      ...partitionProjection(table, location, firstDay),
    },
    storageDescriptor: {
      columns: table.columns.map(({ name, type, meaning }: Column) => ({
        name,
        type: GLUE_TYPES[type],
        comment: meaning.slice(0, MAX_COMMENT_LENGTH),
      })),
      location,
      inputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
      outputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
      serdeInfo: {
        serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe',
        // Objects older than a column lack it, so columns are matched by name, never by position.
        parameters: { 'parquet.column.index.access': 'false' },
      },
    },
  };
}

/** Glue's limit for a column's comment, in characters. */
const MAX_COMMENT_LENGTH = 255;

const GLUE_TYPES: Readonly<Record<ColumnType, string>> = {
  int32: 'int',
  int64: 'bigint',
  'decimal(17,2)': 'decimal(17,2)',
  'decimal(17,6)': 'decimal(17,6)',
  timestamp: 'timestamp',
  date: 'date',
  boolean: 'boolean',
  string: 'string',
  json: 'string',
};

const PARTITION_MEANINGS: Readonly<Record<Table['partition'], string>> = {
  fecha: 'Issue date of the unit, or day of the rate; restrict it, and only those days are read',
  fecha_corrida: 'Day in Uruguay on which the run began',
};

/** No run is older than the first version of this program. */
const FIRST_RUN_DAY = '2026-01-01';

/**
 * Table parameters for partition projection, so that there is no crawler and nothing to repair. Only the date is
 * projected: a projected RUT would have to be named in every query. Issue dates may be up to 60 days ahead.
 */
function partitionProjection(
  { partition }: Table,
  tableLocation: string,
  firstDay: Day,
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

const BYTES_PER_GIB = 2 ** 30;

/**
 * Adds the analysts' workgroup. It enforces where results go and how much a query may scan, whatever the client says.
 */
export function addWorkgroup(
  scope: Construct,
  { bucket, key }: LakeBucket,
  scanCutoffGiB: number,
): CfnWorkGroup {
  return new CfnWorkGroup(new Construct(scope, 'Queries'), 'Workgroup', {
    name: Naming.of(scope).unique,
    description: 'SQL over the lake of fiscal receipts',
    // Otherwise saved queries and their history would block the removal of the stack.
    recursiveDeleteOption: true,
    workGroupConfiguration: {
      enforceWorkGroupConfiguration: true,
      publishCloudWatchMetricsEnabled: true,
      bytesScannedCutoffPerQuery: scanCutoffGiB * BYTES_PER_GIB,
      engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
      resultConfiguration: {
        outputLocation: bucket.s3UrlForObject(`${QUERY_RESULTS_FOLDER}/`),
        encryptionConfiguration:
          key === undefined
            ? { encryptionOption: 'SSE_S3' }
            : { encryptionOption: 'SSE_KMS', kmsKey: key.keyArn },
      },
    },
  });
}

/** Adds the program's named queries, listed under the workgroup's "Saved queries". */
export function addNamedQueries(scope: Construct, workgroup: CfnWorkGroup): void {
  const { database } = Naming.of(scope);
  const queries = new Construct(scope, 'NamedQueries');
  for (const { name, summary: description, sql: queryString } of namedQueries()) {
    // The workgroup is a reference, so that it is created first.
    new CfnNamedQuery(queries, name, { name, description, queryString, database, workGroup: workgroup.ref });
  }
}
