import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openApiSession } from '../../../lib/api/access.ts';
import { companyClient } from '../../../lib/api/client.ts';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import { DEFAULT_RETRY_POLICY } from '../../../lib/api/retry.ts';
import { readDetail, readLegacyList } from '../../../lib/api/unpaged.ts';
import { ReceiptRows } from '../../../lib/lake/rows/receipt-rows.ts';
import { RECIBIDOS_DETALLE } from '../../../lib/lake/tables.ts';

/**
 * A program of its own, so that its heap can be bounded: reads an answer twice, as the exporter does, and prints how
 * that ended. Arguments: detail or legacy, then the answer in three parts, of which the middle is repeated, and how
 * many MB it is then.
 */
const [kind, start = '', repeated = '', end = '', megabytes] = process.argv.slice(2);
const count = Math.floor((Number(megabytes) * 1_000_000) / Buffer.byteLength(repeated));
const middle = Buffer.alloc(count * Buffer.byteLength(repeated), repeated);
const body = Buffer.concat([Buffer.from(start), middle, Buffer.from(end)]);

let requests = 0;
// On a busy machine an answer may take longer to read than a server keeps a connection by default.
const server = createServer({ keepAliveTimeout: 0 }, (_request, response) => {
  requests += 1;
  response.writeHead(200).end(body);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const rut = '219999830019';
const token = 'eyJhbGciOi/JSUzI1NiJ9.e30+.c2lnbmF0dXJl';
const pool = new ConnectionPool();
const session = openApiSession({
  address: new URL(`http://127.0.0.1:${port}/`),
  pool,
  retryPolicy: { ...DEFAULT_RETRY_POLICY, maxTries: 1 },
});
const client = companyClient(session, rut, { current: async () => token, renew: async () => token }, 4);

/** The details of a unit are in memory together. */
const rows = new ReceiptRows(RECIBIDOS_DETALLE, rut);
async function read(): Promise<string> {
  if (kind === 'legacy') {
    const { ids } = await readLegacyList(client, 'recibidos', {});
    return `${ids.length} rows`;
  }
  rows.append(await readDetail(client, 'recibidos', 7n));
  return `${rows.table.name} ${rows.conversionErrors}`;
}

const explained = (error: unknown) => (error instanceof Error ? error.message : 'no error');
const outcomes =
  kind === 'legacy'
    ? [await read().catch(explained), await read().catch(explained)]
    : await Promise.all([read().catch(explained), read().catch(explained)]);
await pool.close();
server.close();
process.stdout.write(JSON.stringify({ outcomes, requests, hash: rows.sorted().contentHash().length }));
