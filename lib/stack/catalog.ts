import { Stack } from 'aws-cdk-lib';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
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
  }
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
      serdeInfo: { serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe' },
    },
  };
}
