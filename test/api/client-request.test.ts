import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ApiError, HttpStatusError, UnexpectedBodyError } from '../../lib/api/errors.ts';
import { ExactNumber } from '../../lib/text/exact-json.ts';
import { anyRequest, CONTEXT, freePermits, newClient, RUT, TOKEN } from '../support/api/api-client.ts';
import { inTurn, json, startHttpServer } from '../support/api/http-server.ts';

describe('a request', () => {
  it('carries both headers and asks for JSON', async () => {
    const server = await startHttpServer(inTurn(json({})));
    await newClient(server.address).get(anyRequest());
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      headers: { authorization: `Bearer ${TOKEN}`, 'x-emisor': RUT, accept: 'application/json' },
    });
  });

  it.each(['/base', '/base/', '/base//'])('goes below the path of the address %s', async (basePath) => {
    const server = await startHttpServer(inTurn(json({})));
    const client = newClient(new URL(basePath, server.address));
    const query = new URLSearchParams([
      ['Emisor', 'Ñandú & Cía'],
      ['Serie', 'A'],
      ['Serie', 'B'],
    ]);
    await client.get(anyRequest({ path: '/v2/x', query }));
    expect(server.requests[0]?.path).toBe('/base/v2/x');
    expect([...(server.requests[0]?.query ?? [])]).toEqual([...query]);
  });

  it('returns what the body holds, every number exact', async () => {
    const body = '{"id":9007199254740993,"total":123456789012345.67,"nombre":"Ñandú 🦤"}';
    const server = await startHttpServer(inTurn({ body }));
    expect(await newClient(server.address).get(anyRequest())).toEqual({
      id: new ExactNumber('9007199254740993'),
      total: new ExactNumber('123456789012345.67'),
      nombre: 'Ñandú 🦤',
    });
  });
});

describe('an answer that asking again would not change', () => {
  it.each([204, 400])('is an error at once: status %i', async (status) => {
    const server = await startHttpServer(inTurn({ status, body: status === 204 ? '' : '{"message":"no"}' }));
    const client = newClient(server.address);
    const outcome = client.get(anyRequest());
    await expect(outcome).rejects.toThrow(HttpStatusError);
    await expect(outcome).rejects.toMatchObject({ status, context: CONTEXT });
    expect({ requests: server.requests.length, freePermits: await freePermits(client) }).toEqual({
      requests: 1,
      freePermits: 8,
    });
  });

  it('is an answer where the caller has one for that status', async () => {
    const server = await startHttpServer(inTurn({ status: 404 }));
    const answerForStatus = (status: number) => ({ status });
    expect(await newClient(server.address).get(anyRequest({ answerForStatus }))).toEqual({ status: 404 });
  });

  it('is an error of the API that the caller found in the body, as it is', async () => {
    const server = await startHttpServer(inTurn(json({}), json({})));
    const client = newClient(server.address);
    const error = new ApiError({ ...CONTEXT, pageNumber: 3 }, 'a row has no id', { advice: 'Report it.' });
    const decode = () => {
      throw error;
    };
    await expect(client.get(anyRequest({ decode }))).rejects.toBe(error);
    expect({ requests: server.requests.length, freePermits: await freePermits(client) }).toEqual({
      requests: 1,
      freePermits: 8,
    });
  });
});

it.each([301, 308])('a redirect is refused and not followed: status %i', async (status) => {
  const elsewhere = await startHttpServer(() => json({}));
  const server = await startHttpServer(
    inTurn({ status, headers: { location: new URL('/v2/x', elsewhere.address).href } }),
  );
  const client = newClient(server.address);
  await expect(client.get(anyRequest())).rejects.toThrow(
    `a redirect (status ${status}), which is never followed`,
  );
  expect({
    here: server.requests.length,
    elsewhere: elsewhere.requests.length,
    sockets: elsewhere.socketCount(),
  }).toEqual({ here: 1, elsewhere: 0, sockets: 0 });
  expect(await freePermits(client)).toBe(8);
});

describe("the cap on the body's size", () => {
  it('lets a body of exactly that size through', async () => {
    const server = await startHttpServer(inTurn({ body: `"${'x'.repeat(98)}"` }));
    expect(await newClient(server.address).get(anyRequest({ maxBodyBytes: 100 }))).toBe('x'.repeat(98));
  });

  it('refuses a larger one, once, without reading it to its end', async () => {
    const server = await startHttpServer(() => ({ body: Buffer.alloc(50_000_000, '1') }));
    const client = newClient(server.address);
    const outcome = client.get(anyRequest({ maxBodyBytes: 100 }));
    await expect(outcome).rejects.toThrow(UnexpectedBodyError);
    await expect(outcome).rejects.toThrow(/larger than 100 bytes/);
    expect({ requests: server.requests.length, freePermits: await freePermits(client) }).toEqual({
      requests: 1,
      freePermits: 8,
    });
  });
});

describe('a compressed answer', () => {
  const body = '{"nombre":"Ñandú & Cía"}';
  const compressed = (coding: string, bytes: Uint8Array) =>
    startHttpServer(() => ({ headers: { 'content-encoding': coding }, body: bytes }));

  it.each([
    ['gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['deflate', deflateRawSync(body)],
    ['br', brotliCompressSync(body)],
    ['zstd', zstdCompressSync(body)],
    ['identity', Buffer.from(body)],
  ])('is read: %s', async (coding, bytes) => {
    const server = await compressed(coding, bytes);
    expect(await newClient(server.address).get(anyRequest())).toEqual({ nombre: 'Ñandú & Cía' });
  });

  it.each([
    ['damaged', 'gzip', gzipSync(body).subarray(0, 30), "it can't be decompressed (gzip) (asked 6 times)"],
    ['unknown', 'gzip, br', gzipSync(body), 'it is encoded in a way that is not known here (asked 6 times)'],
    ['too large', 'gzip', gzipSync(`"${'0'.repeat(1000)}"`), 'it is larger than 500 bytes (asked once)'],
  ])('fails when it is %s', async (_why, coding, bytes, reason) => {
    const server = await compressed(coding, bytes);
    const reading = newClient(server.address).get(anyRequest({ maxBodyBytes: 500 }));
    await expect(reading).rejects.toThrow(reason);
  });
});
