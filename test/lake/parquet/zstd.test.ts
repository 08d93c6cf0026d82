import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { zstd } from '../../../lib/lake/parquet/writer.ts';

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
