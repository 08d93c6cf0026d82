import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import type { Day } from '../../lib/time/days.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { plainPages } from '../pages.ts';
import { report } from './figures.ts';

/** Pages without overlaps are fetched in parallel, and thrown away. */
const options: {
  url: string;
  day: Day;
  receiptsPerDay: number;
  maxInFlight: number;
} = JSON.parse(process.argv[2] ?? '{}');
const [company] = sandboxCompanies(1);
const pool = new ConnectionPool();
await report(async () => {
  const { day } = options;
  const waiting = plainPages(options.receiptsPerDay);
  const requests = waiting.length;
  const work = async () => {
    for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
      const path = `/v2/consulta/comprobantes/recibidos?FechaDesde=${day}&FechaHasta=${day}&PageNumber=${page.pageNumber}&PageSize=${page.pageSize}`;
      const headers = { authorization: `Bearer ${company?.token}`, 'x-emisor': company?.rut ?? '' };
      const [response] = await once(pool.get(options.url + path, headers), 'response');
      await textOf(response);
    }
  };
  await Promise.all(Array.from({ length: options.maxInFlight }, work));
  await pool.close();
  return { requests };
});
