import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { inParts } from '../../../lib/lake/store/s3-requests.ts';
import { inChunks, someBytes } from '../../support/lake/bytes.ts';

it('an upload is the same bytes in parts of one size, whatever the chunks are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(300),
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 1, max: 60 }),
      async (length, chunkBytes, partBytes) => {
        const bytes = someBytes(length);
        const parts = await Array.fromAsync(inParts(inChunks(bytes, chunkBytes), partBytes));
        expect(Buffer.concat(parts)).toEqual(Buffer.from(bytes));
        expect(parts.length).toBe(Math.max(1, Math.ceil(length / partBytes)));
        for (const part of parts.slice(0, -1)) expect(part.length).toBe(partBytes);
      },
    ),
  );
});
