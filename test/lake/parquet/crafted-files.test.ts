import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReadMemory } from '../../../lib/lake/parquet/page-checks.ts';
import { DamagedObjectError, readRowGroups } from '../../../lib/lake/parquet/reader.ts';
import type { ColumnType } from '../../../lib/lake/tables.ts';
import { campaign } from '../../support/campaign.ts';
import {
  allPresent,
  type CraftedFile,
  type CraftedPage,
  craftedFile,
  dataPage,
  deltas,
  dictionaryPage,
  type Field,
  integers,
  oldDataPage,
  varint,
  withFooter,
  withLength,
} from './crafted.ts';
import { column } from './files.ts';

const RLE_DICTIONARY = 8;
const DELTA = 5;
const NUMBERS = dataPage({ values: integers(8) });
const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;

async function read(
  bytes: Buffer,
  type: ColumnType = 'int64',
  memory = new ReadMemory(),
): Promise<unknown[]> {
  const input = {
    name: 'recibidos/fecha=2026-11-19/219999830019.parquet in ./lake',
    byteLength: bytes.length,
    slice: async (start: number, end?: number) => new Uint8Array(bytes.subarray(start, end)).buffer,
  };
  const values: unknown[] = [];
  for await (const { columns } of readRowGroups(input, [column('v', type)], memory))
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
    expect(await read(craftedFile({ pages }))).toEqual(values);
  });
});

const runs = (length: number | bigint, ...bytes: number[]) =>
  Buffer.concat([varint(length), Uint8Array.of(...bytes)]);
const ofLevels = (levels: Uint8Array): CraftedFile => ({
  pages: [dataPage({ values: integers(8), levels })],
});
const ofDeltas = (...block: Parameters<typeof deltas>): CraftedFile => ({
  pages: [dataPage({ values: deltas(...block), encoding: DELTA })],
});
/** A page of 8 numbers whose compressed bytes are these. */
const ofCompressed = (bytes: Uint8Array, size: number, meta?: CraftedFile['meta']): CraftedFile => ({
  pages: [
    {
      header: { ...NUMBERS.header, 2: size, 3: bytes.length + 2 },
      bytes: Buffer.concat([allPresent(8), bytes]),
    },
  ],
  ...(meta && { meta }),
});
const ofTexts = (...pages: CraftedPage[]): CraftedFile => ({ pages, rowCount: pages.length, element: TEXT });
const zeros = new Uint8Array(70 * 2 ** 20);
const bomb = zstdCompressSync(zeros);

/** Each would make hyparquet read for ever, fill the memory, or give rows that are not there. */
const HARMFUL: [string, CraftedFile | Buffer, ColumnType?][] = [
  ['a page without its length', { pages: [dataPage({ values: integers(8), header: { 3: undefined } })] }],
  ['levels in a run of 2^30', ofLevels(runs(2 ** 31, 1))],
  ['levels in 2^28 packed eights', ofLevels(runs(2 ** 29 + 1, 255))],
  ['a level above the highest', ofLevels(Uint8Array.of(16, 2))],
  ['older levels in a run of 2^30', { pages: [oldDataPage(integers(8), withLength(runs(2 ** 31, 1)))] }],
  ['nulls that its levels do not have', { pages: [dataPage({ values: integers(8), v2: { 2: 3 } })] }],
  ['indices in a run of 2^30', { pages: indexed(Buffer.concat([Uint8Array.of(2), runs(2 ** 31, 1)])) }],
  [
    'indices of no bits, in 2^27 eights',
    { pages: indexed(Buffer.concat([Uint8Array.of(0), runs(2 ** 28 + 1)])) },
  ],
  [
    'indices of no bits, in -1 eights',
    { pages: indexed(Buffer.concat([Uint8Array.of(0), runs(2 ** 32 - 1)])) },
  ],
  [
    'levels behind others that repeat',
    {
      pages: [
        dataPage({
          values: integers(8),
          levels: Buffer.concat([allPresent(8), runs(2 ** 31, 1)]),
          v2: { 6: 2 },
        }),
      ],
    },
  ],
  [
    'older indices in a run of 2^30',
    {
      pages: [
        oldDataPage(Buffer.concat([Uint8Array.of(2), runs(2 ** 31, 1)]), oldLevels, { 2: RLE_DICTIONARY }),
      ],
    },
  ],
  [
    'texts by what they share with the one before, in blocks of -128',
    ofTexts(dataPage({ values: deltas(2 ** 32 - 128, 4, 8, new Uint8Array(64)), encoding: 7, count: 1 })),
    'string',
  ],
  [
    'indices without a dictionary, taken for numbers',
    {
      pages: [dataPage({ values: Uint8Array.of(2, 16, 3), encoding: RLE_DICTIONARY })],
      element: { type: 'INT32' },
    },
    'int32',
  ],
  ['indices without a dictionary', { pages: indexed(Uint8Array.of(2, 16, 3)).slice(1) }],
  ['a dictionary after its page', { pages: indexed(Uint8Array.of(2, 16, 3)).toReversed() }],
  ['an index past its dictionary', { pages: indexed(Uint8Array.of(3, 16, 4)) }],
  ['differences in -1 parts', ofDeltas(128, 2 ** 32 - 1, 8, new Uint8Array(64))],
  ['differences in blocks of -128', ofDeltas(2 ** 32 - 128, 4, 8, new Uint8Array(64))],
  ['differences in blocks of 2^30', ofDeltas(2 ** 30, 1, 8, new Uint8Array(64))],
  ['a difference whose least one never ends', ofDeltas(128, 4, 8, new Uint8Array(1e6).fill(0x80))],
  [
    'a text longer than its page',
    ofTexts(
      dataPage({ values: withLength(Buffer.from('a'), 90), count: 1 }),
      dataPage({ values: zeros.subarray(0, 200), count: 1 }),
    ),
    'string',
  ],
  [
    'a text whose bytes are another page, not compressed',
    ofTexts(
      dataPage({ values: withLength(Buffer.alloc(3), 90), count: 1, isCompressed: false }),
      dataPage({ values: withLength(Buffer.alloc(99)), count: 1 }),
    ),
    'string',
  ],
  [
    'a text that is not UTF-8',
    ofTexts(dataPage({ values: withLength(Uint8Array.of(0xff)), count: 1 })),
    'string',
  ],
  ['a page that inflates to more than it says', ofCompressed(bomb, 66)],
  ['a page that inflates to 70 MB, and says 200 MB', ofCompressed(bomb, 200 * 2 ** 20)],
  ['a page of gzip that inflates to more than it says', ofCompressed(gzipSync(zeros), 66, { codec: 'GZIP' })],
  ['a column compressed as none of the lake is', ofCompressed(bomb, 66, { codec: 'SNAPPY' })],
  ['a column of another name', { pages: [NUMBERS], meta: { path_in_schema: ['w'] } }],
  ['a column that repeats', { pages: [NUMBERS], element: { repetition_type: 'REPEATED' } }],
  ['2^60 rows', { pages: [NUMBERS], group: { num_rows: 2n ** 60n }, totalRows: 2n ** 60n }],
  [
    'a footer of one endless number',
    withFooter(Buffer.concat([Uint8Array.of(0x16), Buffer.alloc(1e6, 0x80)])),
  ],
  ['a footer of structs in structs', withFooter(Buffer.alloc(1e6, 0x1c))],
  ['a footer of lists in lists', withFooter(Buffer.alloc(1e6, 0x19))],
  ['a footer of a list of 2^32', withFooter(Buffer.from('19fcffffffff0f00', 'hex'))],
  ['a footer of 17 MB', withFooter(Buffer.alloc(17 * 2 ** 20))],
];

test.each(HARMFUL)(
  '%s ends in an error that names the object, without more memory',
  async (_what, file, type) => {
    const memory = new ReadMemory();
    const reading = read(Buffer.isBuffer(file) ? file : craftedFile(file), type, memory);
    const error = await reading.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DamagedObjectError);
    expect(String(error)).toContain('recibidos/fecha=2026-11-19/219999830019.parquet in ./lake is damaged');
    expect(memory.byteCount).toBeLessThan(2 ** 20);
  },
);

const anyField: fc.Arbitrary<Field> = fc.constantFrom(
  ...[undefined, 0, 1, 2, 3, 5, 7, 8, 9, 66, 67, -1, -8, 2 ** 16, 2 ** 24, 2 ** 31 - 1, -(2 ** 31)],
  ...[2n ** 40n, -(2n ** 62n), true, false],
);
const fieldsUpTo = (last: number) =>
  fc.dictionary(fc.integer({ min: 1, max: last }).map(String), anyField, { maxKeys: 2 });
const anyVarint = fc
  .oneof(
    fc.integer({ min: 0, max: 70 }),
    fc.constantFrom(2 ** 20, 2 ** 29 + 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32 - 128),
  )
  .map((value) => varint(value));
/** Bytes of runs, levels, differences or texts: some numbers of any size, and any bytes. */
const anyBody = fc
  .array(fc.oneof(anyVarint, fc.uint8Array({ maxLength: 12 })), { maxLength: 8 })
  .map((parts) => Buffer.concat(parts));

const anyPage = fc
  .record({
    values: fc.oneof(anyBody, fc.constant(integers(8))),
    levels: fc.oneof(anyBody, fc.constant(allPresent(8))),
    encoding: fc.integer({ min: 0, max: 9 }),
    header: fieldsUpTo(8),
    said: fieldsUpTo(8),
    kind: fc.constantFrom('page', 'old page', 'dictionary'),
    isCompressed: fc.boolean(),
  })
  .map(({ values, levels, encoding, header, said, kind, isCompressed }) => {
    if (kind === 'dictionary') return dictionaryPage(values, 4, header);
    if (kind === 'old page') return oldDataPage(values, withLength(levels), { 2: encoding, ...said }, header);
    return dataPage({ values, levels, encoding, header, v2: said, isCompressed });
  });

const TYPES: readonly [ColumnType, NonNullable<CraftedFile['element']>][] = [
  ['int64', { type: 'INT64' }],
  ['int32', { type: 'INT32' }],
  ['boolean', { type: 'BOOLEAN' }],
  ['string', TEXT],
];

test('any pages are damaged, or give as many values of their type as there are rows', async () => {
  const kinds = { int64: 'bigint', int32: 'number', boolean: 'boolean', string: 'string' };
  const anyFile = fc.record({
    type: fc.constantFrom(...TYPES),
    pages: fc.array(anyPage, { minLength: 1, maxLength: 3 }),
    repetition: fc.constantFrom('OPTIONAL', 'REQUIRED', 'REPEATED'),
  });
  await fc.assert(
    fc.asyncProperty(anyFile, async ({ type: [type, element], pages, repetition }) => {
      const file = craftedFile({ pages, element: { ...element, repetition_type: repetition } });
      const memory = new ReadMemory();
      const values = await read(file, type, memory).catch((error: unknown) => {
        expect(error).toBeInstanceOf(DamagedObjectError);
        return undefined;
      });
      expect(memory.byteCount).toBeLessThan(10_000);
      if (values === undefined) return;
      expect(values.length).toBe(8);
      for (const value of values)
        if (value !== null) expect(typeof value).toBe(kinds[type as keyof typeof kinds]);
    }),
    { numRuns: campaign({ quick: 2000, long: 100_000 }) },
  );
});

test('one long text of a dictionary is not taken to be as many as it has rows', async () => {
  const text = dictionaryPage(withLength(Buffer.alloc(2 ** 20, 'a')), 1);
  const page = dataPage({
    values: Buffer.concat([Uint8Array.of(1), runs(2_000_000, 0)]),
    encoding: RLE_DICTIONARY,
    count: 1_000_000,
    levels: runs(2_000_000, 1),
  });
  const file = craftedFile({ pages: [text, page], rowCount: 1_000_000, element: TEXT });
  await expect(read(file, 'json')).rejects.toThrow('its pages or texts are larger than any of the lake');
});
