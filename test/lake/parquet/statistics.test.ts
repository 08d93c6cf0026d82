import { describe, expect, test } from 'vitest';
import { ReceiptRows } from '../../../lib/lake/rows/receipt-rows.ts';
import { RECIBIDOS_DETALLE } from '../../../lib/lake/tables.ts';
import { campaign } from '../../support/campaign.ts';
import { queryFile } from './duckdb.ts';
import { ALL_WRITERS, bytesOf, column, type Row } from './files.ts';

/** Bounds of the only row group, as DuckDB reads them from the footer. */
async function bounds(bytes: Uint8Array): Promise<Row[]> {
  return queryFile(
    bytes,
    `SELECT path_in_schema AS name, stats_min_value AS least, stats_max_value AS greatest,
       stats_null_count AS nulls FROM parquet_metadata(FILE) ORDER BY column_id`,
  );
}

describe.each(ALL_WRITERS)('$name writes statistics', ({ write }) => {
  test('of numbers, moments and booleans of both signs', async () => {
    const columns = [
      column('id', 'int64'),
      column('numero', 'int32'),
      column('total', 'decimal(17,2)'),
      column('firma', 'timestamp'),
      column('fecha', 'date'),
      column('estable', 'boolean'),
    ];
    const rows = [
      { id: 5n, numero: 5, total: -1n, firma: -1n, fecha: -1, estable: true },
      { id: null, numero: null, total: null, firma: null, fecha: null, estable: null },
      { id: -(2n ** 63n), numero: -7, total: -99_999_999_999_999_999n, firma: 5n, fecha: 5, estable: true },
      { id: 2n ** 63n - 1n, numero: 6, total: 61_750n, firma: 0n, fecha: 0, estable: false },
    ];

    expect(await bounds(await bytesOf(write, columns, rows))).toEqual([
      { name: 'id', least: '-9223372036854775808', greatest: '9223372036854775807', nulls: 1n },
      { name: 'numero', least: '-7', greatest: '6', nulls: 1n },
      { name: 'total', least: '-999999999999999.99', greatest: '617.50', nulls: 1n },
      {
        name: 'firma',
        least: '1969-12-31 23:59:59.999999',
        greatest: '1970-01-01 00:00:00.000005',
        nulls: 1n,
      },
      { name: 'fecha', least: '1969-12-31', greatest: '1970-01-06', nulls: 1n },
      { name: 'estable', least: 'false', greatest: 'true', nulls: 1n },
    ]);
  });

  test('of texts in the order of their bytes, which is not that of JavaScript', async () => {
    const columns = [column('a', 'string')];
    const rows = [{ a: '\uffee' }, { a: null }, { a: '🧾' }, { a: 'ñ' }];

    expect('🧾' < '\uffee').toBe(true);
    expect(await bounds(await bytesOf(write, columns, rows))).toEqual([
      { name: 'a', least: 'ñ', greatest: '🧾', nulls: 1n },
    ]);
  });

  test('without bounds for JSON, whose documents are long', async () => {
    const rows = new ReceiptRows(RECIBIDOS_DETALLE, '219999830019');
    for (let id = 1; id <= 3; id += 1) rows.append({ id, items: [{ id }], totales: { total: 1 } });
    const bytes = await bytesOf(write, RECIBIDOS_DETALLE.columns, rows.sorted());

    const found = (await bounds(bytes)).filter(({ name }) =>
      ['id', 'items', 'totales'].includes(String(name)),
    );

    expect(found).toEqual([
      { name: 'id', least: '1', greatest: '3', nulls: 0n },
      { name: 'totales', least: null, greatest: null, nulls: 0n },
      { name: 'items', least: null, greatest: null, nulls: 0n },
    ]);
  });

  test('without bounds for a column that is all null', async () => {
    const bytes = await bytesOf(write, [column('a', 'string')], [{ a: null }, { a: null }]);

    expect(await bounds(bytes)).toEqual([{ name: 'a', least: null, greatest: null, nulls: 2n }]);
  });

  test('by which a filter finds every row in its row group', async () => {
    const columns = [
      column('total', 'decimal(17,2)'),
      column('nombre', 'string'),
      column('firma', 'timestamp'),
    ];
    const names = [
      '',
      'Ñandú',
      '🧾 '.repeat(40),
      '\uffee'.repeat(30),
      '\u{10ffff}'.repeat(20),
      'ñ'.repeat(300),
    ];
    const row = (i: number): Row => ({
      total: BigInt(i - 100_003) * 99_999_999n,
      nombre: `${names[Math.floor(i / 1000) % names.length]}${i}`,
      firma: BigInt(i - 50_000) * 1_000_000_007n,
    });
    const rows = {
      rowCount: campaign({ quick: 100_005, long: 200_001 }),
      values: (index: number, start: number, end: number) =>
        Array.from({ length: end - start }, (_, i) => row(start + i)[columns[index]?.name ?? ''] ?? null),
    };
    const wanted = [0, 1, 99_999, 100_000, 100_003, 150_500, 199_999, 200_000]
      .filter((i) => i < rows.rowCount)
      .map(row);

    const found = await queryFile(
      await bytesOf(write, columns, rows),
      wanted
        .map(
          ({ total, nombre, firma }) =>
            `SELECT * FROM FILE WHERE total = ${total} * 0.01::DECIMAL(3,2)
               AND nombre = '${nombre}' AND firma = make_timestamp(${firma})`,
        )
        .join(' UNION ALL '),
    );

    expect(found).toEqual(wanted);
  });
});
