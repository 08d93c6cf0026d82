import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { RECEIPT_TYPES_VIEW } from '../../lib/lake/receipt-types.ts';
import { TABLES } from '../../lib/lake/tables.ts';
import { asText, propertiesOf, STACKS, synthesise } from './synthesis.ts';

const template = synthesise(STACKS.other);
const Column = v.object({ Name: v.string(), Type: v.string(), Comment: v.string() });
const GlueTable = v.object({
  DatabaseName: v.string(),
  TableInput: v.object({
    Name: v.string(),
    PartitionKeys: v.array(Column),
    Parameters: v.record(v.string(), v.unknown()),
    StorageDescriptor: v.looseObject({ Columns: v.array(Column), Location: v.unknown() }),
  }),
});
const GlueView = v.object({
  DatabaseName: v.string(),
  TableInput: v.looseObject({
    Name: v.string(),
    TableType: v.literal('VIRTUAL_VIEW'),
    Parameters: v.record(v.string(), v.string()),
    ViewOriginalText: v.string(),
    StorageDescriptor: v.looseObject({
      Columns: v.array(v.looseObject({ Name: v.string(), Type: v.string() })),
    }),
  }),
});
const resources = Object.values(propertiesOf(template, 'AWS::Glue::Table'));
const views = resources.flatMap((properties) => (v.is(GlueView, properties) ? [properties] : []));
const tables = resources.flatMap((properties) =>
  v.is(GlueView, properties) ? [] : [v.parse(GlueTable, properties)],
);

function inputOf(name: string) {
  const table = tables.find(({ TableInput: input }) => input.Name === name);
  if (table === undefined) throw new Error(`the template has no table ${name}`);
  return table.TableInput;
}

const GLUE_TYPE = {
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

describe('the catalog', () => {
  it('has the tables of the lake, and no others', () => {
    expect(tables.map(({ TableInput: input }) => input.Name).sort()).toEqual(
      TABLES.map(({ name }) => name).sort(),
    );
    template.hasResourceProperties('AWS::Glue::Database', { DatabaseInput: { Name: 'otro_lago' } });
    for (const { DatabaseName: name } of tables) expect(name).toBe('otro_lago');
  });

  it.each(TABLES)('has the columns of $name as they are defined once', ({ name, columns, partition }) => {
    const { StorageDescriptor: storage, PartitionKeys: keys } = inputOf(name);
    expect(storage.Columns.map(({ Name, Type }) => [Name, Type])).toEqual(
      columns.map((column) => [column.name, GLUE_TYPE[column.type]]),
    );
    expect(keys).toMatchObject([{ Name: partition, Type: 'date' }]);
  });

  it.each(TABLES)('finds the objects of $name by the date in their key', ({ name, partition }) => {
    const input = inputOf(name);
    expect(asText(input.StorageDescriptor.Location)).toMatch(new RegExp(`^s3://<LakeBucket\\w+>/${name}/$`));
    expect(asText(input.Parameters['storage.location.template'])).toMatch(
      new RegExp(`^s3://<LakeBucket\\w+>/${name}/${partition}=\\$\\{${partition}\\}/$`),
    );
    expect(input.Parameters).toMatchObject({
      'projection.enabled': 'true',
      [`projection.${partition}.type`]: 'date',
      [`projection.${partition}.format`]: 'yyyy-MM-dd',
    });
    const projected = Object.keys(input.Parameters).filter((key) => key.startsWith('projection.'));
    expect(projected.filter((key) => !key.startsWith(`projection.${partition}.`))).toEqual([
      'projection.enabled',
    ]);
  });

  it('reads Parquet, whose columns it finds by name', () => {
    for (const { TableInput: input } of tables) {
      expect(input.StorageDescriptor).toMatchObject({
        InputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
        OutputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
        SerdeInfo: {
          SerializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe',
          Parameters: { 'parquet.column.index.access': 'false' },
        },
      });
    }
  });

  it('looks for issue dates from the first day on, and for those that lie ahead', () => {
    for (const name of ['recibidos', 'emitidos']) {
      expect(inputOf(name).Parameters['projection.fecha.range']).toBe('2015-06-01,NOW+90DAYS');
    }
  });

  it('stays within what Glue accepts', () => {
    for (const { TableInput: input } of tables) {
      for (const { Comment: comment } of [...input.StorageDescriptor.Columns, ...input.PartitionKeys]) {
        expect(comment).not.toBe('');
        expect(comment.length).toBeLessThanOrEqual(255);
      }
      for (const value of Object.values(input.Parameters)) expect(asText(value).length).toBeLessThan(2048);
    }
  });
});

it('the view of receipt types is kept in the form in which Athena keeps its own', () => {
  expect(views).toHaveLength(1);
  const { DatabaseName: database, TableInput: input } = views[0] ?? {};
  expect(database).toBe('otro_lago');
  expect(input?.Name).toBe('tipos_comprobante');
  expect(input?.Parameters).toEqual({ presto_view: 'true', comment: 'Presto View' });
  // Engines read a description as the comment, and recognise a view by its comment.
  expect(input).not.toHaveProperty('Description');
  const [, encoded = ''] = /^\/\* Presto View: (\S+) \*\/$/.exec(input?.ViewOriginalText ?? '') ?? [];
  expect(JSON.parse(Buffer.from(encoded, 'base64').toString())).toEqual({
    originalSql: RECEIPT_TYPES_VIEW.sql,
    catalog: 'awsdatacatalog',
    schema: 'otro_lago',
    columns: [
      { name: 'tipo_comprobante', type: 'integer' },
      { name: 'nombre', type: 'varchar' },
      { name: 'signo', type: 'integer' },
      { name: 'clase', type: 'varchar' },
    ],
  });
  expect(input?.StorageDescriptor.Columns.map(({ Name: name, Type: type }) => [name, type])).toEqual([
    ['tipo_comprobante', 'int'],
    ['nombre', 'string'],
    ['signo', 'int'],
    ['clase', 'string'],
  ]);
});
