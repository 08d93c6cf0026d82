import { openApiSession } from '../../lib/api/access.ts';
import { companyClient } from '../../lib/api/client.ts';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { apiPages } from '../../lib/api/list/page-request.ts';
import { parseApiAddress } from '../../lib/text/api-address.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { DAY } from '../processes.ts';
import { report } from './figures.ts';

/** Asks for the same page over and over, with as many requests in flight as a company may have. */
const options: { url: string; seconds: number } = JSON.parse(process.argv[2] ?? '{}');
const { rut = '', token = '' } = sandboxCompanies(1)[0] ?? {};
const pool = new ConnectionPool();
const session = openApiSession({ address: parseApiAddress(options.url), pool });
const tokens = { current: async () => token, renew: async () => token };
const client = companyClient(session, rut, tokens, 8);
await report(async () => {
  const tally = { requests: 0, retries: 0, pages: 0 };
  const source = apiPages(client, 'recibidos', { FechaDesde: DAY, FechaHasta: DAY }, tally);
  const endMs = performance.now() + options.seconds * 1000;
  const work = async () => {
    while (performance.now() < endMs) await source.read({ pageNumber: 1, pageSize: 10, start: 0 });
  };
  await Promise.all(Array.from({ length: client.governor.maxInFlight }, work));
  await pool.close();
  return { requests: tally.requests };
});
