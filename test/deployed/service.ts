import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import type { Certificate } from './emulator.ts';

export interface Service {
  /** `https://127.0.0.1:PORT`. The setting apiAddress takes nothing without TLS. */
  address: string;
  sandbox: Sandbox;
  /** Those of most plays. */
  companies: Sandbox['companies'];
  /** Called with each request's token; the request is passed on when it ends. */
  beforeEach(authorization: string): Promise<void> | undefined;
  close(): Promise<void>;
}

/**
 * The sandbox of two hundred companies behind TLS, of which most plays have the first four. Its clock stands, so that what
 * it serves changes only when it is told to.
 */
export async function startService({ certFile, keyFile }: Certificate, now: string): Promise<Service> {
  const sandbox = await startSandbox({ now, companyCount: 200 });
  const target = new URL(sandbox.url);
  const server = createServer(
    { key: readFileSync(keyFile), cert: readFileSync(certFile), keepAliveTimeout: 600_000 },
    async (incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      // Logging in has none.
      if (headers.authorization !== undefined) await service.beforeEach(headers.authorization);
      const passed = request(
        { host: target.hostname, port: target.port, path, method, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const service: Service = {
    address: `https://127.0.0.1:${port}`,
    sandbox,
    companies: sandbox.companies.slice(0, 4),
    beforeEach: () => undefined,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await sandbox.close();
    },
  };
  return service;
}
