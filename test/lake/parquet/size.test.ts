import { describe, expect, test } from 'vitest';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { RECIBIDOS } from '../../../lib/lake/tables.ts';
import { campaign } from '../../support/campaign.ts';
import { queryFile } from './duckdb.ts';
import { bytesOf } from './files.ts';
import { receiptsOfADay } from './receipts.ts';

const MANY = campaign({ quick: 5_000, long: 20_000 });

describe('the default writer', () => {
  test.each([1, 100, MANY])('makes %i receipts no larger than DuckDB does with ZSTD', async (count) => {
    const bytes = await bytesOf(writeWithHyparquet, RECIBIDOS.columns, receiptsOfADay(count));

    const [byDuckdb] = await queryFile(
      bytes,
      'COPY (SELECT * FROM FILE) TO OTHER (FORMAT parquet, COMPRESSION zstd, RETURN_STATS)',
    );

    expect(byDuckdb?.count).toBe(BigInt(count));
    expect(bytes.length).toBeLessThanOrEqual(Number(byDuckdb?.file_size_bytes));
  });

  test('stores what rises from row to row as differences, and what repeats in a dictionary', async () => {
    const bytes = await bytesOf(writeWithHyparquet, RECIBIDOS.columns, receiptsOfADay(MANY));

    const encoded = await queryFile(
      bytes,
      'SELECT path_in_schema AS name, encodings FROM parquet_metadata(FILE)',
    );

    const namesOf = (encoding: string) =>
      encoded.filter(({ encodings }) => String(encodings).includes(encoding)).map(({ name }) => name);
    expect(namesOf('DELTA_BINARY_PACKED')).toEqual(['id', 'numero', 'fecha_firma']);
    expect(namesOf('RLE_DICTIONARY')).toEqual([
      'rut',
      'tipo_comprobante',
      'serie',
      'forma_pago',
      'moneda',
      'fecha_emision',
      'emisor_ruc',
      'emisor_razon_social',
      'receptor_nro_doc',
      'receptor_denominacion',
      'estado_codigo',
    ]);
  });
});
