import { describe, expect, test } from 'vitest';
import { ReadWork } from '../../../lib/lake/parquet/checks/limits.ts';
import {
  ColumnMismatchError,
  DamagedObjectError,
  readFileMetadata,
  readRowGroups,
} from '../../../lib/lake/parquet/reader.ts';
import { campaign } from '../../support/campaign.ts';
import { ALL_NULL, ALL_WRITERS, bytesOf, EVERY_TYPE } from './files.ts';

const ROWS = Array.from({ length: 24 }, (_, i) => ({
  ...ALL_NULL,
  row: BigInt(i),
  ...(i % 3 > 0 && {
    int32: i * 7,
    int64: BigInt(i) ** 9n,
    decimal: BigInt(i * 100),
    timestamp: 1_700_000_000_000_000n + BigInt(i),
    date: 20_000 + (i % 4),
    boolean: i % 2 === 0,
    string: `text ${i % 5}, long enough that its page is larger compressed`,
    json: `{"number":${i}}`,
  }),
}));

async function readAll(bytes: Uint8Array, work = new ReadWork()): Promise<number> {
  let rowCount = 0;
  for await (const group of readRowGroups(bytes, EVERY_TYPE, work)) rowCount += group.rowCount;
  return rowCount;
}

/** The file with these bytes in place of its footer. */
function withFooter(bytes: Buffer, footer: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([bytes.subarray(0, footerStart(bytes)), footer, length, Buffer.from('PAR1')]);
}

function footerStart(bytes: Buffer): number {
  return bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
}

function withFooterLength(bytes: Buffer, change: (length: number) => number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32LE(change(bytes.readUInt32LE(bytes.length - 8)) >>> 0, bytes.length - 8);
  return changed;
}

/** The file with other pages: all bytes between magic and footer. */
function withPages(bytes: Buffer, change: (pages: Buffer) => Uint8Array): Buffer {
  const pages = Buffer.from(bytes.subarray(4, footerStart(bytes)));
  return Buffer.concat([bytes.subarray(0, 4), change(pages), bytes.subarray(footerStart(bytes))]);
}

const footerOf = (bytes: Buffer) => bytes.subarray(footerStart(bytes), -8);
const filled = (length: number, byte: number) => Buffer.alloc(length, byte);

const DAMAGES: [string, (bytes: Buffer) => Buffer][] = [
  ['of no bytes', () => Buffer.alloc(0)],
  ['of one byte', (bytes) => bytes.subarray(0, 1)],
  ['of its start only', (bytes) => bytes.subarray(0, 4)],
  ['of its end only', (bytes) => bytes.subarray(-8)],
  ['of twelve bytes', () => Buffer.from('PAR1\0\0\0\0PAR1')],
  ['cut in its first page', (bytes) => bytes.subarray(0, 20)],
  ['cut in the middle', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['cut in its footer', (bytes) => bytes.subarray(0, -40)],
  ['without its last byte', (bytes) => bytes.subarray(0, -1)],
  ['without its end', (bytes) => bytes.subarray(0, -8)],
  ['without its start', (bytes) => bytes.subarray(4)],
  ['without a byte in the middle', (bytes) => Buffer.concat([bytes.subarray(0, 60), bytes.subarray(61)])],
  ['with a byte more in the middle', (bytes) => Buffer.concat([bytes.subarray(0, 60), bytes.subarray(59)])],
  ['with a byte behind it', (bytes) => Buffer.concat([bytes, filled(1, 0)])],
  ['with 4 KB of zeros behind it', (bytes) => Buffer.concat([bytes, filled(4096, 0)])],
  ['with another start', (bytes) => Buffer.concat([Buffer.from('PAR2'), bytes.subarray(4)])],
  ['with another end', (bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.from('PARE')])],
  ['with a footer of no length', (bytes) => withFooterLength(bytes, () => 0)],
  ['with a footer of 4 GB', (bytes) => withFooterLength(bytes, () => 2 ** 32 - 1)],
  ['with a footer longer than it', (bytes) => withFooterLength(bytes, () => bytes.length)],
  ['with a footer one byte shorter', (bytes) => withFooterLength(bytes, (length) => length - 1)],
  ['with a footer one byte longer', (bytes) => withFooterLength(bytes, (length) => length + 1)],
  ['with a footer of zeros', (bytes) => withFooter(bytes, filled(200, 0))],
  ['with a footer of ones', (bytes) => withFooter(bytes, filled(200, 0xff))],
  [
    'with a footer that is one endless number',
    (bytes) => withFooter(bytes, Buffer.concat([filled(1, 0x16), filled(1e6, 0x80)])),
  ],
  ['with a footer that is a struct in a struct, and on', (bytes) => withFooter(bytes, filled(1e6, 0x1c))],
  [
    'with a footer that is a list in a list, and on',
    (bytes) => withFooter(bytes, Buffer.concat([filled(1, 0x19), filled(1e6, 0x19)])),
  ],
  [
    'with a footer of a list of 2^32 elements',
    (bytes) => withFooter(bytes, Buffer.from('19fcffffffff0f00', 'hex')),
  ],
  ['with a footer of 17 MB', (bytes) => withFooter(bytes, filled(17 * 2 ** 20, 0))],
  ['with its footer backwards', (bytes) => withFooter(bytes, Buffer.from(footerOf(bytes)).reverse())],
  ['with half its footer', (bytes) => withFooter(bytes, footerOf(bytes).subarray(0, 100))],
  ['with its footer twice', (bytes) => withFooter(bytes, Buffer.concat([footerOf(bytes), footerOf(bytes)]))],
  ['with pages of zeros', (bytes) => withPages(bytes, (pages) => filled(pages.length, 0))],
  ['with pages of ones', (bytes) => withPages(bytes, (pages) => filled(pages.length, 0xff))],
  ['with pages of endless numbers', (bytes) => withPages(bytes, (pages) => filled(pages.length, 0x80))],
  ['with pages backwards', (bytes) => withPages(bytes, (pages) => pages.reverse())],
  [
    'with its pages moved by one byte',
    (bytes) => withPages(bytes, (pages) => Buffer.concat([pages.subarray(1), pages.subarray(0, 1)])),
  ],
  [
    'with the halves of its pages swapped',
    (bytes) =>
      withPages(bytes, (pages) =>
        Buffer.concat([pages.subarray(pages.length / 2), pages.subarray(0, pages.length / 2)]),
      ),
  ],
  [
    'with its first page in place of all',
    (bytes) => withPages(bytes, (pages) => Buffer.alloc(pages.length, pages.subarray(0, 50))),
  ],
  ['with no pages', (bytes) => withPages(bytes, () => Buffer.alloc(0))],
  ['with a hole of 64 bytes', (bytes) => withPages(bytes, (pages) => pages.fill(0, 64, 128))],
];

describe.each(ALL_WRITERS)('a file of $name', ({ write }) => {
  const made = bytesOf(write, EVERY_TYPE, ROWS);

  test.each(DAMAGES)('%s is damaged', async (_what, damage) => {
    const bytes = damage(Buffer.from(await made));
    const work = new ReadWork();
    await expect(readAll(bytes, work)).rejects.toThrow(DamagedObjectError);
    expect(work.inflatedBytes).toBeLessThan(20_000);
  });

  test('of which any bit is changed ends, and takes no more than a whole one', async () => {
    const whole = await bytesOf(write, EVERY_TYPE, ROWS, { sha256: 'abc' });
    const honest = new ReadWork();
    await readAll(whole, honest);
    let damaged = 0;
    // The bit goes from byte to byte; in `npm test`, from every fifth to the next.
    const stride = campaign({ quick: 5, long: 1 });
    for (let at = 0; at < whole.length; at += stride) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
      const work = new ReadWork();
      const rowCount = await readAll(bytes, work).catch((error: unknown) => {
        const isOneOfTwo = error instanceof DamagedObjectError || error instanceof ColumnMismatchError;
        expect(isOneOfTwo, `byte ${at}: ${error}`).toBe(true);
        damaged += 1;
        return ROWS.length;
      });
      expect(rowCount, `byte ${at}`).toBe(ROWS.length);
      expect(work.inflatedBytes, `byte ${at}`).toBeLessThan(2 * honest.inflatedBytes + 1024);
      expect(work.values, `byte ${at}`).toBeLessThan(2 * honest.values + 64);
    }
    expect(damaged).toBeGreaterThan(whole.length / stride / 5);
  });

  test('is named when its bytes end before its length', async () => {
    const whole = await bytesOf(write, EVERY_TYPE, ROWS);
    const input = {
      name: 'a in b',
      byteLength: whole.length + 9,
      slice: async () => new Uint8Array(whole).buffer,
    };
    await expect(readFileMetadata(input)).rejects.toThrow(
      'a in b is damaged, or not a Parquet file: it is cut. ',
    );
  });
});

test('a store’s own failure is reported as it is, not as damage', async () => {
  const input = { byteLength: 4000, slice: () => Promise.reject(new Error('access denied')) };
  await expect(readFileMetadata(input)).rejects.toThrow(new Error('access denied'));
});
