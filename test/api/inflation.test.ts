import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { inflated } from '../../lib/api/body.ts';
import { readDetail } from '../../lib/api/unpaged.ts';
import { newClient } from '../support/api/api-client.ts';
import { startHttpServer } from '../support/api/http-server.ts';

const MB = 1024 * 1024;
const CODINGS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };
const detail = (megabytes: number) => Buffer.from(`{"id":1,"nota":"${'x'.repeat(megabytes * MB)}"}`);

it.each(Object.entries(CODINGS))(
  'a small detail that inflates to 31 MB is named, and asked for once: %s',
  async (coding, compress) => {
    const body = compress(detail(31));
    const server = await startHttpServer(() => ({ headers: { 'content-encoding': coding }, body }));
    await expect(readDetail(newClient(server.address), 'recibidos', 1n)).rejects.toThrow(
      /it inflates from \d+ to more than \d+ bytes \(asked once\)/,
    );
    expect(server.requests).toHaveLength(1);
  },
);

it.each(Object.entries(CODINGS))('receipts that are alike are read: %s', (coding, compress) => {
  const rows = Array.from(
    { length: 100_000 },
    (_, id) => `{"id":${id},"emisor":{"ruc":"214844360018"},"total":${id % 977}.5}`,
  );
  const body = Buffer.from(`[${rows.join(',')}]`);
  expect(inflated([compress(body)], coding, 128 * MB).equals(body)).toBe(true);
  const small = detail(3);
  expect(inflated([compress(small)], coding, 32 * MB).equals(small)).toBe(true);
});

it('headers that are too long are named, and asked for once', async () => {
  const server = await startHttpServer(() => ({ headers: { 'x-long': 'x'.repeat(100_000) }, body: '{}' }));
  await expect(readDetail(newClient(server.address), 'recibidos', 1n)).rejects.toThrow(
    /headers of its answer are too large, HPE_HEADER_OVERFLOW \(asked once\)/,
  );
  expect(server.requests).toHaveLength(1);
});
