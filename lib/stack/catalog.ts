import { Stack } from 'aws-cdk-lib';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { RECEIPT_TYPES_VIEW } from '../lake/receipt-types.ts';
import { TABLES, type Table } from '../lake/tables.ts';
import { glueColumns, gluePartition, partitionProjection } from './glue-columns.ts';

export interface CatalogProps {
  bucket: IBucket;
  databaseName: string;
  /** First issue date that Athena looks for. */
  firstDay: string;
}

/** The lake's tables as Athena knows them. */
export class Catalog extends Construct {
  readonly databaseName: string;

  constructor(scope: Construct, id: string, { bucket, databaseName, firstDay }: CatalogProps) {
    super(scope, id);
    this.databaseName = databaseName;
    const catalogId = Stack.of(this).account;
    const database = new CfnDatabase(this, 'Database', {
      catalogId,
      databaseInput: {
        name: databaseName,
        description: 'Fiscal receipts that the companies issued and received',
      },
    });
    for (const table of TABLES) {
      const tableInput = tableInputOf(table, bucket.s3UrlForObject(`${table.name}/`), firstDay);
      const resource = new CfnTable(this, table.name, { catalogId, databaseName, tableInput });
      resource.addResourceDependency(database);
    }
    const view = new CfnTable(this, RECEIPT_TYPES_VIEW.name, {
      catalogId,
      databaseName,
      tableInput: receiptTypesView(databaseName),
    });
    view.addResourceDependency(database);
  }
}

/** A view as Athena itself keeps it: its definition is JSON in base64, within a comment. */
function receiptTypesView(databaseName: string): CfnTable.TableInputProperty {
  const { name, meaning, columns, sql } = RECEIPT_TYPES_VIEW;
  const definition = {
    originalSql: sql,
    catalog: 'awsdatacatalog',
    schema: databaseName,
    columns: columns.map((column) => ({ name: column.name, type: column.type })),
  };
  return {
    name,
    description: meaning,
    tableType: 'VIRTUAL_VIEW',
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

function tableInputOf(table: Table, location: string, firstDay: string): CfnTable.TableInputProperty {
  return {
    name: table.name,
    description: table.meaning,
    tableType: 'EXTERNAL_TABLE',
    partitionKeys: [gluePartition(table)],
    parameters: {
      EXTERNAL: 'TRUE',
      classification: 'parquet',
      ...partitionProjection(table, location, firstDay),
    },
    storageDescriptor: {
      columns: glueColumns(table),
      location,
      inputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
      outputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
      serdeInfo: {
        serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe',
        // Objects of before a column was have fewer: columns are found by name, never by their place.
        parameters: { 'parquet.column.index.access': 'false' },
      },
    },
  };
}
