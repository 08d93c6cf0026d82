import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ReadWork } from '../../../lib/lake/parquet/checks/limits.ts';
import { DamagedObjectError, readRowGroups } from '../../../lib/lake/parquet/reader.ts';
import type { ColumnType } from '../../../lib/lake/tables.ts';
import {
  allPresent,
  type CraftedFile,
  type CraftedPage,
  craftedFile,
  dataPage,
  deltas,
  dictionaryPage,
  integers,
  oldDataPage,
  varint,
  withLength,
} from './crafted.ts';
import { column } from './files.ts';

const NUMBERS = dataPage({ values: integers(8) });
const GIANT = 2 ** 31 - 1;
const RLE_DICTIONARY = 8;
const DELTA = 5;

async function read(file: CraftedFile, type: ColumnType, work = new ReadWork()): Promise<unknown[]> {
  const bytes = craftedFile(file);
  const input = {
    name: 'recibidos/fecha=2026-11-19/219999830019.parquet in ./lake',
    byteLength: bytes.length,
    slice: async (start: number, end?: number) => new Uint8Array(bytes.subarray(start, end)).buffer,
  };
  const values: unknown[] = [];
  for await (const { columns } of readRowGroups(input, [column('v', type)], work))
    values.push(...(columns[0] ?? []));
  return values;
}

/** A dictionary of 4 numbers, and a page of indices into it. */
function indexed(indices: Uint8Array, dictionary = dictionaryPage(integers(4), 4)): CraftedPage[] {
  return [dictionary, dataPage({ values: indices, encoding: RLE_DICTIONARY })];
}

const oldLevels = withLength(allPresent(8));
const eight = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n];

describe('a crafted file that is whole is read', () => {
  test.each<[string, CraftedPage[], unknown[]]>([
    ['plain', [NUMBERS], eight],
    ['plain, not compressed', [dataPage({ values: integers(8), isCompressed: false })], eight],
    ['plain, of the older kind of page', [oldDataPage(integers(8), oldLevels)], eight],
    ['indices in a run', indexed(Uint8Array.of(2, 16, 3)), new Array(8).fill(4n)],
    [
      'indices packed',
      indexed(Uint8Array.of(2, 3, 0b11100100, 0b11100100)),
      [1n, 2n, 3n, 4n, 1n, 2n, 3n, 4n],
    ],
    ['indices of no bits', indexed(Uint8Array.of(0, 16)), new Array(8).fill(1n)],
    [
      'differences',
      [dataPage({ values: deltas(128, 4, 8, Uint8Array.of(2, 0, 0, 0, 0)), encoding: DELTA })],
      [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n],
    ],
  ])('%s', async (_what, pages, values) => {
    expect(await read({ pages }, 'int64')).toEqual(values);
  });
});

/** A page of 8 plain numbers, sound except for these header fields. */
const ofHeader = (header: CraftedPage['header']): CraftedFile => ({
  pages: [dataPage({ values: integers(8), header })],
});
const ofData = (v2: CraftedPage['header']): CraftedFile => ({
  pages: [dataPage({ values: integers(8), v2 })],
});
const ofMeta = (meta: CraftedFile['meta']): CraftedFile => ({ pages: [NUMBERS], meta });
const ofDeltas = (...block: Parameters<typeof deltas>): CraftedFile => ({
  pages: [dataPage({ values: deltas(...block), encoding: DELTA })],
});
const zeros = new Uint8Array(70 * 2 ** 20);
const bomb = zstdCompressSync(zeros);

const DAMAGES: [string, CraftedFile, ColumnType?][] = [
  ['a page whose compressed length is missing', ofHeader({ 3: undefined })],
  ['a page whose compressed length is negative', ofHeader({ 3: -1 })],
  ['a page whose compressed length is past the column', ofHeader({ 3: GIANT })],
  ['a page whose compressed length is of 64 bits', ofHeader({ 3: 2n ** 40n })],
  ['a page whose size is missing', ofHeader({ 2: undefined })],
  ['a page whose size is negative', ofHeader({ 2: -5 })],
  ['a page whose size is 2 GB', ofHeader({ 2: GIANT })],
  ['a page whose size is a byte less', ofHeader({ 2: 65 })],
  ['a page whose size is a byte more', ofHeader({ 2: 67 })],
  ['a page of a kind that there is not', ofHeader({ 1: 9 })],
  ['an index page', ofHeader({ 1: 1 })],
  ['a page without the header of its kind', ofHeader({ 8: undefined })],
  [
    'a page of no values, again and again',
    { pages: [dataPage({ values: integers(0), count: 0, levels: new Uint8Array() }), NUMBERS] },
  ],
  ['a page of a negative number of values', ofData({ 1: -8, 3: -8 })],
  ['a page of 2^31 values', ofData({ 1: GIANT, 3: GIANT })],
  ['a page of more values than rows', { pages: [dataPage({ values: integers(9), count: 9 })] }],
  ['pages of fewer values than rows', { pages: [dataPage({ values: integers(7), count: 7 })] }],
  ['two pages of more values than rows', { pages: [NUMBERS, NUMBERS] }],
  ['a page of more rows than values', ofData({ 3: 9 })],
  ['a page of more nulls than values', ofData({ 2: 9 })],
  ['a page of a negative number of nulls', ofData({ 2: -1 })],
  ['a page of nulls that its levels do not have', ofData({ 2: 3 })],
  ['levels of a negative length', ofData({ 5: -1 })],
  ['levels longer than their page', ofData({ 5: GIANT })],
  ['levels of no length', ofData({ 5: 0 })],
  ['values that repeat', ofData({ 6: 2 })],
  ['a page that says not to be compressed', ofData({ 7: false })],
  [
    'levels in a run of none',
    { pages: [dataPage({ values: integers(8), levels: Uint8Array.of(0, 1, 0, 1) })] },
  ],
  [
    'levels in a run of 2^30',
    {
      pages: [dataPage({ values: integers(8), levels: Buffer.concat([varint(2 ** 31), Uint8Array.of(1)]) })],
    },
  ],
  [
    'levels in 2^28 packed eights',
    {
      pages: [
        dataPage({ values: integers(8), levels: Buffer.concat([varint(2 ** 29 + 1), Uint8Array.of(255)]) }),
      ],
    },
  ],
  [
    'levels in a run whose length never ends',
    { pages: [dataPage({ values: integers(8), levels: new Uint8Array(40).fill(0x80) })] },
  ],
  ['a level above the highest', { pages: [dataPage({ values: integers(8), levels: Uint8Array.of(16, 2) })] }],
  ['levels that are cut', { pages: [dataPage({ values: integers(8), levels: Uint8Array.of(16) })] }],
  [
    'older levels longer than their page',
    { pages: [oldDataPage(integers(8), withLength(allPresent(8), 2 ** 32 - 1))] },
  ],
  [
    'older levels in a run of 2^30',
    { pages: [oldDataPage(integers(8), withLength(Buffer.concat([varint(2 ** 31), Uint8Array.of(1)])))] },
  ],
  ['an older page of 2^31 values', { pages: [oldDataPage(integers(8), oldLevels, { 1: GIANT })] }],
  [
    'an older page without its header',
    { pages: [oldDataPage(integers(8), oldLevels, {}, { 5: undefined })] },
  ],
  ['an encoding that there is not', ofData({ 4: 77 })],
  ['an encoding that no writer of the lake uses', ofData({ 4: 7 })],
  ['no encoding', ofData({ 4: undefined })],
  ['numbers that are cut', { pages: [dataPage({ values: integers(7) })] }],
  ['indices without a dictionary', { pages: indexed(Uint8Array.of(2, 16, 3)).slice(1) }],
  [
    'two dictionaries',
    { pages: [...indexed(Uint8Array.of(2, 16, 3)).slice(0, 1), ...indexed(Uint8Array.of(2, 16, 3))] },
  ],
  ['a dictionary after its page', { pages: indexed(Uint8Array.of(2, 16, 3)).toReversed() }],
  [
    'a dictionary of 2^31 values',
    { pages: indexed(Uint8Array.of(2, 16, 3), dictionaryPage(integers(4), GIANT)) },
  ],
  [
    'a dictionary of fewer values than bytes say',
    { pages: indexed(Uint8Array.of(2, 16, 3), dictionaryPage(integers(4), 9)) },
  ],
  ['an empty dictionary', { pages: indexed(Uint8Array.of(0, 16), dictionaryPage(integers(0), 0)) }],
  [
    'a dictionary without its header',
    { pages: indexed(Uint8Array.of(2, 16, 3), dictionaryPage(integers(4), 4, { 7: undefined })) },
  ],
  ['an index past its dictionary, in a run', { pages: indexed(Uint8Array.of(3, 16, 4)) }],
  ['an index past its dictionary, packed', { pages: indexed(Uint8Array.of(3, 3, 255, 255, 255)) }],
  ['indices of 255 bits', { pages: indexed(Uint8Array.of(255, 3, 0, 0, 0, 0)) }],
  [
    'indices of no bits, in 2^27 packed eights',
    { pages: indexed(Buffer.concat([Uint8Array.of(0), varint(2 ** 28 + 1)])) },
  ],
  [
    'indices of no bits, in negatively many eights',
    { pages: indexed(Buffer.concat([Uint8Array.of(0), varint(2 ** 32 - 1)])) },
  ],
  [
    'indices in a run of 2^30',
    { pages: indexed(Buffer.concat([Uint8Array.of(2), varint(2 ** 31), Uint8Array.of(1)])) },
  ],
  ['indices that are cut', { pages: indexed(Uint8Array.of(2, 3, 0)) }],
  ['no indices', { pages: indexed(Uint8Array.of()) }],
  ['differences in blocks of 0', ofDeltas(0, 4, 8, new Uint8Array(64))],
  ['differences in 0 parts', ofDeltas(128, 0, 8, new Uint8Array(64))],
  ['differences in -1 parts', ofDeltas(128, 2 ** 32 - 1, 8, new Uint8Array(64))],
  ['differences in blocks of -128', ofDeltas(2 ** 32 - 128, 4, 8, new Uint8Array(64))],
  ['differences in parts that are no whole ones', ofDeltas(128, 3, 8, new Uint8Array(64))],
  ['differences in blocks of 2^30', ofDeltas(2 ** 30, 1, 8, new Uint8Array(64))],
  ['differences of 255 bits', ofDeltas(128, 4, 8, new Uint8Array(64).fill(255))],
  ['differences that are cut', ofDeltas(128, 4, 8, Uint8Array.of(2, 64, 0, 0, 0))],
  ['differences of more values than there are', ofDeltas(128, 4, 9, new Uint8Array(64))],
  [
    'differences whose header never ends',
    { pages: [dataPage({ values: new Uint8Array(64).fill(0x80), encoding: DELTA })] },
  ],
  [
    'a text longer than its page',
    {
      pages: [dataPage({ values: withLength(Buffer.from('a'), GIANT), count: 1 })],
      rowCount: 1,
      element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    },
    'string',
  ],
  [
    'a text that is not UTF-8',
    {
      pages: [dataPage({ values: withLength(Uint8Array.of(0xff)), count: 1 })],
      rowCount: 1,
      element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    },
    'string',
  ],
  [
    'a text whose bytes are another page',
    {
      pages: [
        dataPage({ values: withLength(Buffer.alloc(3), 90), count: 1, isCompressed: false }),
        dataPage({ values: withLength(Buffer.alloc(99)), count: 1 }),
      ],
      rowCount: 2,
      element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    },
    'string',
  ],
  [
    'a page that is no frame of its compression',
    { pages: [{ header: NUMBERS.header, bytes: NUMBERS.bytes.map((byte) => ~byte) }] },
  ],
  [
    'a page that inflates to more than it says',
    {
      pages: [
        { header: { ...NUMBERS.header, 3: bomb.length + 2 }, bytes: Buffer.concat([allPresent(8), bomb]) },
      ],
    },
  ],
  [
    'a page that inflates to 70 MB, and says that it is 200 MB',
    {
      pages: [
        {
          header: { ...NUMBERS.header, 2: 200 * 2 ** 20, 3: bomb.length + 2 },
          bytes: Buffer.concat([allPresent(8), bomb]),
        },
      ],
      meta: { total_uncompressed_size: 2n ** 29n },
    },
  ],
  [
    'a page of gzip that inflates to more than it says',
    {
      pages: [
        {
          header: { ...NUMBERS.header, 3: gzipSync(zeros).length + 2 },
          bytes: Buffer.concat([allPresent(8), gzipSync(zeros)]),
        },
      ],
      meta: { codec: 'GZIP' },
    },
  ],
  ['a page larger than its column', ofMeta({ total_uncompressed_size: 60n })],
  ['a column of a negative size', ofMeta({ total_uncompressed_size: -1n })],
  ['a column of 2^62 bytes', ofMeta({ total_uncompressed_size: 2n ** 62n })],
  ['a column that lies past the end', ofMeta({ data_page_offset: 2n ** 40n })],
  ['a column that lies before the start', ofMeta({ data_page_offset: -4n })],
  ['a column over the start', ofMeta({ data_page_offset: 0n })],
  ['a column longer than the file', ofMeta({ total_compressed_size: 2n ** 40n })],
  ['a column of a negative length', ofMeta({ total_compressed_size: -8n })],
  ['a column a byte too short', ofMeta({ total_compressed_size: 70n })],
  ['a column of fewer values than rows', ofMeta({ num_values: 7n })],
  ['a column of another name', ofMeta({ path_in_schema: ['w'] })],
  ['a column of another type', ofMeta({ type: 'INT32' })],
  ['a column with another compression', ofMeta({ codec: 'SNAPPY' })],
  ['2^60 rows', { pages: [NUMBERS], group: { num_rows: 2n ** 60n }, totalRows: 2n ** 60n }],
  ['a negative number of rows', { pages: [NUMBERS], group: { num_rows: -8n }, totalRows: -8n }],
  ['another number of rows in all', { pages: [NUMBERS], totalRows: 9n }],
  ['a column that repeats', { pages: [NUMBERS], element: { repetition_type: 'REPEATED' } }],
  ['no columns in a row group', { pages: [NUMBERS], group: { columns: [] } }],
];

describe('a damaged page or footer ends in an error that names the object, without more work', () => {
  test.each(DAMAGES)('%s', async (_what, file, type = 'int64') => {
    const work = new ReadWork();
    const error = await read(file, type, work).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DamagedObjectError);
    expect(String(error)).toContain('recibidos/fecha=2026-11-19/219999830019.parquet in ./lake is damaged');
    // A sound page inflates to 66 bytes and 8 values; a dictionary adds 32 bytes and 4 values.
    expect(work.inflatedBytes).toBeLessThan(1024);
    expect(work.values).toBeLessThan(64);
  });

  test('there are more than 70 kinds of it', () => {
    expect(new Set(DAMAGES.map(([what]) => what)).size).toBe(DAMAGES.length);
    expect(DAMAGES.length).toBeGreaterThan(70);
  });
});

test('one long text of a dictionary is not taken to be as many as it has rows', async () => {
  const text = dictionaryPage(withLength(Buffer.alloc(2 ** 20, 'a')), 1);
  const levels = Buffer.concat([varint(2_000_000), Uint8Array.of(1)]);
  const indices = Buffer.concat([Uint8Array.of(1), varint(2_000_000), Uint8Array.of(0)]);
  const page = dataPage({ values: indices, encoding: RLE_DICTIONARY, count: 1_000_000, levels });
  const file: CraftedFile = {
    pages: [text, page],
    rowCount: 1_000_000,
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    meta: { total_uncompressed_size: 2n ** 22n },
  };
  await expect(read(file, 'json')).rejects.toThrow('its texts are longer than any of the lake');
});
