import { getEventListeners, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ConnectionPool, type ExchangeOptions, exchange } from '../../lib/api/connection-pool.ts';
import { Semaphore } from '../../lib/system/concurrency.ts';
import { newPool } from '../support/api/api-client.ts';
import { inTurn, startHttpServer } from '../support/api/http-server.ts';
import { settled } from '../support/fake-clock.ts';

const LIMITS = { timeoutMs: 500, maxBodyBytes: 1000 };

function ask(pool: ConnectionPool, { url, ...options }: Partial<ExchangeOptions> & { url: string }) {
  return exchange(() => pool.get(url, { accept: 'application/json' }), { ...LIMITS, ...options });
}

describe('an exchange with a server', () => {
  it('returns the status, the headers and a body, and keeps the connection', async () => {
    const server = await startHttpServer(
      inTurn({ headers: { 'x-some': 'thing' }, body: 'rows' }, { status: 500, body: 'what happened' }),
    );
    const pool = newPool();
    const url = new URL('/list?a=1', server.address).href;
    const first = await ask(pool, { url });
    expect({
      status: first.status,
      header: first.headers['x-some'],
      body: Buffer.concat(first.body).toString(),
    }).toEqual({ status: 200, header: 'thing', body: 'rows' });
    expect(await ask(pool, { url })).toMatchObject({ status: 500, body: [] });
    expect(server.requests.map(({ method, path, headers }) => [method, path, headers.accept])).toEqual([
      ['GET', '/list', 'application/json'],
      ['GET', '/list', 'application/json'],
    ]);
    expect(server.socketCount()).toBe(1);
  });

  it.each([undefined, 'reset'] as const)('leaves no listener behind (%s)', async (fault) => {
    const server = await startHttpServer(() => ({ body: 'rows', fault }));
    const { signal } = new AbortController();
    await ask(newPool(), { url: server.address.href, signal }).catch(() => undefined);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('reads the answer that came while the process was stopped for longer than it may take', async () => {
    let respond = () => undefined as unknown;
    const server = createHttpServer((_request, response) => {
      respond = () => response.end('rows');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // By the time the timer is looked at, it is long overdue.
    const clock = vi.spyOn(performance, 'now').mockReturnValueOnce(0);
    clock.mockImplementationOnce(() => {
      respond();
      return 60_000;
    });
    const { body } = await ask(newPool(), { url: `http://127.0.0.1:${port}/` });
    expect(Buffer.concat(body).toString()).toBe('rows');
  });

  it('does not read an unwanted long body to its end', async () => {
    const server = await startHttpServer(() => ({ status: 502, body: Buffer.alloc(50_000_000) }));
    const request = { url: server.address.href, timeoutMs: 60_000 };
    expect(await ask(newPool(), request)).toMatchObject({ status: 502 });
  });

  it.each(['reset', 'truncate'] as const)('fails when the connection is cut: %s', async (fault) => {
    const server = await startHttpServer(() => ({ body: 'some rows', fault }));
    await expect(ask(newPool(), { url: server.address.href })).rejects.toMatchObject({
      code: expect.any(String),
    });
  });

  it.each([
    ['taken', 3_000_000, 'taken'],
    ['refused', 2_000_000, 'it is larger than 2000000 bytes'],
  ])('ends for each of many large bodies at once: %s', async (_what, maxBodyBytes, ending) => {
    const server = await startHttpServer(() => ({ body: Buffer.alloc(3_000_000, ' ') }));
    const pool = newPool();
    const largeBodies = new Semaphore(1);
    const { href: url } = server.address;
    let held = 0;
    let mostHeld = 0;
    const exchange = async (): Promise<string> => {
      const request = { url, largeBodies, maxBodyBytes, timeoutMs: 60_000 };
      const answer = await ask(pool, request).catch((error: Error) => error);
      if (answer instanceof Error) return answer.message;
      held += 1;
      mostHeld = Math.max(mostHeld, held);
      await settled();
      held -= 1;
      answer.release();
      return 'taken';
    };
    expect(new Set(await Promise.all(Array.from({ length: 12 }, exchange)))).toEqual(new Set([ending]));
    expect(mostHeld).toBeLessThanOrEqual(1);
    expect(largeBodies.tryAcquire()).toBe(true);
  });
});

describe('a connection pool', () => {
  it('accepts the answer that follows an early hint', async () => {
    const url = await startRawServer(
      'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nrows',
    );
    const onBegin = vi.fn();
    const { status, body } = await ask(newPool(), { url, onBegin });
    expect({ status, body: Buffer.concat(body).toString(), begins: onBegin.mock.calls.length }).toEqual({
      status: 200,
      body: 'rows',
      begins: 1,
    });
  });

  it.each([
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['is no HTTP', 'rows\r\n\r\n'],
    ['breaks off as it begins', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nrows!'],
  ])('fails for an answer that %s', async (_what, answer) => {
    const url = await startRawServer(answer);
    await expect(ask(newPool(), { url })).rejects.toMatchObject({ code: expect.any(String) });
  });

  it('says that there is no TLS', async () => {
    const url = (await startRawServer('HTTP/1.1 400 Bad Request\r\n\r\n')).replace('http', 'https');
    await expect(ask(newPool(), { url })).rejects.toMatchObject({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
  });

  it('gives up on a connection that is not made in 10 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    // Accepts connections but never answers the TLS handshake.
    const { url, connected } = await startSilentServer();
    const outcome = ask(newPool(), { url: url.replace('http', 'https'), timeoutMs: 60_000 });
    const rejection = expect(outcome).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await connected;
    await vi.advanceTimersByTimeAsync(10_000);
    await rejection;
  });

  it('waits for the requests in flight when it is closed, and cuts them when it is destroyed', async () => {
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const server = await startHttpServer(async () => {
      asked.resolve();
      await held.promise;
      return { body: 'rows' };
    });
    const request = { url: server.address.href, timeoutMs: 60_000 };
    const closed = newPool();
    const destroyed = newPool();
    const answer = ask(closed, request);
    const cut = expect(ask(destroyed, request)).rejects.toMatchObject({ code: 'ERR_POOL_DESTROYED' });
    await asked.promise;
    await destroyed.destroy();
    await cut;
    const closing = closed.close();
    held.resolve();
    expect((await answer).status).toBe(200);
    await closing;
    await expect(ask(closed, request)).rejects.toMatchObject({ code: 'ERR_POOL_DESTROYED' });
  });
});

/** A server that answers every request with exactly these bytes. */
async function startRawServer(answer: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  return await listening(server);
}

async function startSilentServer(): Promise<{ url: string; connected: Promise<void> }> {
  const { promise: connected, resolve } = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    resolve();
  });
  return { url: await listening(server), connected };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
