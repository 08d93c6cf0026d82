import { createHash } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { parquetMetadata, parquetRead } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { rowsOf } from '../../../lib/lake/parquet/writer.ts';
import { RECIBIDOS } from '../../../lib/lake/tables.ts';
import { campaign } from '../../support/campaign.ts';
import { readRows } from '../../support/lake/read-rows.ts';
import { queryFile } from './duckdb.ts';
import { ALL_WRITERS, column, EVERY_TYPE, type Row } from './files.ts';
import { receiptsOfADay } from './receipts.ts';

/** A text that ZSTD hardly shortens, so that the rows' first group is large. */
const LONG = Array.from({ length: 1_000 }, (_, i) =>
  createHash('sha256').update(String(i)).digest('hex'),
).join('');

const COLUMNS = [...EVERY_TYPE, column('long', 'string')];

const anyRow = fc.record({
  int32: fc.option(fc.integer(), { nil: null }),
  int64: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { nil: null }),
  decimal: fc.option(fc.bigInt({ min: -(10n ** 17n) + 1n, max: 10n ** 17n - 1n }), { nil: null }),
  boolean: fc.option(fc.boolean(), { nil: null }),
  string: fc.option(fc.string({ unit: 'grapheme-ascii' }), { nil: null }),
  json: fc.option(fc.json(), { nil: null }),
});

describe.each(ALL_WRITERS)('pages that $name shifts', ({ write }) => {
  const written = async (columns: typeof COLUMNS, rows: readonly Row[], paddingBytes?: number) =>
    Buffer.concat(
      await Array.fromAsync(
        write({ columns, rows: rowsOf(columns, rows), metadata: { any: 'pair' }, paddingBytes }),
      ),
    );

  test('read back equal by three readers, whatever the rows and the shift', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRow, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 4095 }),
        async (cells, paddingBytes) => {
          const rows = cells.map(
            (row, i): Row => ({ row: BigInt(i), timestamp: null, date: i, ...row, long: `${LONG}${i}` }),
          );
          const bytes = await written(COLUMNS, rows, paddingBytes);
          expect(firstOffsets(bytes)[0]).toBe(4 + paddingBytes);
          expect(await Array.fromAsync(readRows(bytes, COLUMNS))).toEqual(rows);
          expect(await queryFile(bytes, 'SELECT * FROM FILE')).toEqual(rows);
          const bare = await bareColumn(bytes, 'int64');
          expect(bare).toEqual(rows.map(({ int64 }) => int64));
        },
      ),
      { numRuns: campaign({ quick: 6, long: 60 }) },
    );
  });

  test('are the same bytes after PAR1 and zeros; the rest of the footer but its checksum stays', async () => {
    const rows = receiptsOfADay(5_000);
    const plain = await written([...RECIBIDOS.columns], rows);
    const shifted = await written([...RECIBIDOS.columns], rows, 1234);
    const pages = plain.subarray(4, endOfPages(plain));
    expect(shifted.subarray(0, 4 + 1234)).toEqual(Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(1234)]));
    expect(shifted.subarray(4 + 1234, endOfPages(shifted)).equals(pages)).toBe(true);
    expect(firstOffsets(shifted)).toEqual(firstOffsets(plain).map((offset) => offset + 1234));
    expect(withoutOffsets(shifted)).toEqual(withoutOffsets(plain));
  });

  test('are in every row group', async () => {
    const rows = receiptsOfADay(6_000);
    const groups = async function* () {
      for (const start of [0, 2_000, 4_000])
        yield rowsOf(RECIBIDOS.columns, rows.slice(start, start + 2_000));
    };
    const file = { columns: RECIBIDOS.columns, rows: groups(), metadata: {}, paddingBytes: 99 };
    const bytes = Buffer.concat(await Array.fromAsync(write(file)));
    expect(
      parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)).row_groups,
    ).toHaveLength(3);
    expect(await Array.fromAsync(readRows(bytes, RECIBIDOS.columns))).toEqual(rows);
    expect(await queryFile(bytes, 'SELECT count(*) AS n, sum(id)::TEXT AS ids FROM FILE')).toEqual([
      { n: 6_000n, ids: String(rows.reduce((sum, { id }) => sum + BigInt(id ?? 0), 0n)) },
    ]);
  });

  test('are only those of large files', async () => {
    const rows = receiptsOfADay(20);
    expect(
      (await written([...RECIBIDOS.columns], rows, 1234)).equals(await written([...RECIBIDOS.columns], rows)),
    ).toBe(true);
    expect(
      (await written([...RECIBIDOS.columns], [], 1234)).equals(await written([...RECIBIDOS.columns], [])),
    ).toBe(true);
  });
});

function metadataOf(bytes: Buffer) {
  return parquetMetadata(new Uint8Array(bytes).buffer);
}

/** Where each column of the first row group begins. */
function firstOffsets(bytes: Buffer): number[] {
  const [group] = metadataOf(bytes).row_groups;
  return (group?.columns ?? []).map(({ meta_data: pages }) =>
    Number(pages?.dictionary_page_offset ?? pages?.data_page_offset),
  );
}

function endOfPages(bytes: Buffer): number {
  return bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
}

function withoutOffsets(bytes: Buffer) {
  const { row_groups: groups, metadata_length: _, key_value_metadata: pairs, ...rest } = metadataOf(bytes);
  const columns = groups.flatMap((group) => group.columns);
  const none = { data_page_offset: 0n, dictionary_page_offset: 0n };
  const others = pairs?.filter(({ key }) => key !== 'cfe-lake.sha256');
  return { ...rest, others, columns: columns.map(({ meta_data }) => ({ ...meta_data, ...none })) };
}

/** A column as hyparquet alone reads it, without this program's checks. */
async function bareColumn(bytes: Buffer, name: string): Promise<unknown[]> {
  const found: unknown[] = [];
  await parquetRead({
    file: new Uint8Array(bytes).buffer,
    columns: [name],
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
    onComplete: (rows: unknown[][]) => found.push(...rows.map(([value]) => value)),
  });
  return found;
}
