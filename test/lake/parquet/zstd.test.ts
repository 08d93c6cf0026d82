import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storedIn, zstd } from '../../../lib/lake/parquet/writer.ts';

it('any bytes come out of a frame as they went in', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(new Uint8Array(zstdDecompressSync(zstd(bytes)))).toEqual(bytes);
    }),
  );
});

it('a few bytes take only as many more as a frame needs', () => {
  expect(zstd(new Uint8Array(64)).length).toBeLessThanOrEqual(64 + 9);
  expect(zstd(new Uint8Array(65)).length).toBeLessThan(65);
});

it('bytes stored in a frame are those that zstd gives, or none if anything of the frame is different', () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, index) => index * 5);
  expect(storedIn(zstd(bytes))).toEqual(bytes);
  expect(storedIn(zstd(new Uint8Array(0)))).toEqual(new Uint8Array(0));
  expect(storedIn(zstd(new Uint8Array(65)))).toBeUndefined();
  for (let place = 0; place < 9; place += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const frame = zstd(bytes);
      frame[place] = (frame[place] ?? 0) ^ (1 << bit);
      expect(storedIn(frame), `${place} ${bit}`).toBeUndefined();
    }
  }
  expect(storedIn(zstd(bytes).subarray(0, -1))).toBeUndefined();
  expect(storedIn(new Uint8Array(3))).toBeUndefined();
});
