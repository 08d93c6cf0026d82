import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DamagedObjectError, readFileMetadata } from '../../../lib/lake/parquet/reader.ts';
import { campaign } from '../../support/campaign.ts';
import { readRows } from '../../support/lake/read-rows.ts';
import { ALL_NULL, ALL_WRITERS, bytesOf, column, EVERY_TYPE } from './files.ts';

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

/** All rows, read back. */
async function rowsIn(bytes: Uint8Array): Promise<unknown[]> {
  return await Array.fromAsync(readRows(bytes, EVERY_TYPE));
}

/** What may happen to bytes: each change takes the place and length of some of them, and a byte. */
const CHANGES: Readonly<Record<string, (bytes: Buffer, start: number, end: number, byte: number) => Buffer>> =
  {
    filled: (bytes, start, end, byte) => bytes.fill(byte, start, end),
    backwards: (bytes, start, end) => {
      bytes.subarray(start, end).reverse();
      return bytes;
    },
    gone: (bytes, start, end) => Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]),
    twice: (bytes, start, end) => Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]),
    moved: (bytes, start, end) =>
      Buffer.concat([bytes.subarray(end), bytes.subarray(start, end), bytes.subarray(0, start)]),
    more: (bytes, start, end, byte) =>
      Buffer.concat([bytes.subarray(0, start), Buffer.alloc(end - start, byte), bytes.subarray(start)]),
  };

const anyChange = fc.record({
  kind: fc.constantFrom(...Object.keys(CHANGES)),
  /** Of the whole file, only between its magic numbers, or only its footer, whose length is then set right. */
  where: fc.constantFrom('file', 'pages', 'footer'),
  start: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(fc.constantFrom(1, 2, 4, 8), fc.integer({ min: 0, max: 5000 })),
  byte: fc.oneof(fc.constantFrom(0, 0x80, 0xff, 0x15, 0x19, 0x1c), fc.integer({ min: 0, max: 255 })),
});

function changed(
  whole: Buffer,
  { kind, where, ...change }: typeof anyChange extends fc.Arbitrary<infer T> ? T : never,
) {
  const footerStart = whole.length - 8 - whole.readUInt32LE(whole.length - 8);
  const from = { file: 0, pages: 4, footer: footerStart }[where] ?? 0;
  const to = { file: whole.length, pages: footerStart, footer: whole.length - 8 }[where] ?? 0;
  const part = Buffer.from(whole.subarray(from, to));
  const start = Math.floor(change.start * part.length);
  const made =
    CHANGES[kind]?.(part, start, Math.min(start + change.length, part.length), change.byte) ?? part;
  const bytes = Buffer.concat([whole.subarray(0, from), made, whole.subarray(to)]);
  if (where === 'footer') bytes.writeUInt32LE(made.length, bytes.length - 8);
  return bytes;
}

describe.each(ALL_WRITERS)('a file of $name', ({ write }) => {
  const made = bytesOf(write, EVERY_TYPE, ROWS, { sha256: 'abc' });

  test('is damaged if any bit of it is changed', async () => {
    const whole = await made;
    // The bit goes from byte to byte; in `npm test`, from every fifth to the next.
    const stride = campaign({ quick: 5, long: 1 });
    for (let at = 0; at < whole.length; at += stride) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
      await expect(rowsIn(bytes), `byte ${at}`).rejects.toThrow(DamagedObjectError);
    }
  });

  test('that is changed at random is as it was or damaged, and nothing else is thrown', async () => {
    const whole = await made;
    const rows = await rowsIn(whole);
    await fc.assert(
      fc.asyncProperty(fc.array(anyChange, { minLength: 1, maxLength: 3 }), async (changes) => {
        let bytes: Buffer = whole;
        for (const change of changes) if (bytes.length > 8) bytes = changed(bytes, change);
        const outcome = await rowsIn(bytes).catch((error: unknown) => error);
        if (!(outcome instanceof DamagedObjectError)) expect(outcome).toEqual(rows);
      }),
      { numRuns: campaign({ quick: 300, long: 20_000 }) },
    );
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['of no bytes', () => Buffer.alloc(0)],
    ['of twelve bytes', () => Buffer.from('PAR1\0\0\0\0PAR1')],
    ['cut in the middle', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['with 4 KB of zeros behind it', (bytes) => Buffer.concat([bytes, Buffer.alloc(4096)])],
    ['with another start', (bytes) => Buffer.concat([Buffer.from('PAR2'), bytes.subarray(4)])],
    ['with pages of zeros', (bytes) => bytes.fill(0, 4, 1000)],
  ])('%s is damaged', async (_what, damage) => {
    await expect(rowsIn(damage(Buffer.from(await made)))).rejects.toThrow(DamagedObjectError);
  });

  test('is named when its bytes end before its length', async () => {
    const whole = await made;
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

test('the checksum is the SHA-256 of the file with zeros for its own digits', async () => {
  for (const { write } of ALL_WRITERS) {
    const bytes = await bytesOf(write, EVERY_TYPE, ROWS);
    const text = bytes.toString('latin1');
    const digitsAt = text.lastIndexOf('cfe-lake.sha256') + 'cfe-lake.sha256'.length + 2;
    const digits = text.slice(digitsAt, digitsAt + 64);
    const zeroed = Buffer.from(text.replace(digits, '0'.repeat(64)), 'latin1');
    expect(createHash('sha256').update(zeroed).digest('hex')).toBe(digits);
  }
});

test('a text of a receipt that looks like a checksum is none', async () => {
  const forged = `cfe-lake.sha256\x18@${'a'.repeat(64)}`;
  for (const { write } of ALL_WRITERS) {
    const bytes = await bytesOf(write, [column('text', 'string')], [{ text: forged }]);
    expect(await Array.fromAsync(readRows(bytes, [column('text', 'string')]))).toEqual([{ text: forged }]);
  }
});
