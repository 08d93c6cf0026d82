import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ConnectionPool, exchange } from '../../lib/api/connection-pool.ts';

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy that makes connections to a server which ends them at once; what it was asked for, and what it then saw. */
async function startProxy() {
  const seen: string[] = [];
  const end = await listening(createServer((socket) => socket.on('error', () => undefined).end()));
  const proxy = createHttpServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end();
  });
  proxy.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url} ${JSON.stringify(request.headers)}`);
    const onward = connect(end, '127.0.0.1');
    for (const stream of [onward, socket]) stream.on('error', () => undefined);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.on('data', (bytes) => seen.push(bytes.toString('latin1')));
    onward.on('close', () => socket.destroy());
    socket.pipe(onward);
  });
  return { seen, port: await listening(proxy) };
}

const LIMITS = { timeoutMs: 5_000, maxBodyBytes: 100 };

async function get(url: string, environment: NodeJS.ProcessEnv): Promise<unknown> {
  const pool = new ConnectionPool(environment);
  onTestFinished(() => pool.destroy());
  const send = () => pool.get(url, { authorization: 'Bearer QXZJ-the-token' });
  return await exchange(send, LIMITS).catch((error: unknown) => error);
}

it("goes through HTTPS_PROXY with Node's own setting, which sees no token", async () => {
  const { seen, port } = await startProxy();
  const proxies = { HTTPS_PROXY: `http://127.0.0.1:${port}`, HTTP_PROXY: `http://127.0.0.1:${port}` };
  await get('https://api.invalid/v2', { ...proxies, NODE_USE_ENV_PROXY: '1' });
  expect(seen[0]).toMatch(/^CONNECT api\.invalid:443 /);
  expect(seen.join('')).not.toContain('QXZJ-the-token');
});

it('goes through none without that setting, for NO_PROXY, and over http', async () => {
  const { seen, port } = await startProxy();
  const closed = await listening(createServer((socket) => socket.on('error', () => undefined).destroy()));
  const proxies = { HTTPS_PROXY: `http://127.0.0.1:${port}`, HTTP_PROXY: `http://127.0.0.1:${port}` };
  await get(`https://127.0.0.1:${closed}/v2`, proxies);
  await get(`https://127.0.0.1:${closed}/v2`, { ...proxies, NODE_USE_ENV_PROXY: '1', NO_PROXY: '127.0.0.1' });
  await get(`http://127.0.0.1:${closed}/v2`, { ...proxies, NODE_USE_ENV_PROXY: '1' });
  expect(seen).toEqual([]);
});
