import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import type { Day } from '../../lib/time/days.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { PAGES } from '../pages.ts';
import { report } from './figures.ts';

/** The floor: pages are fetched in parallel, parsed with JSON.parse (or not), and thrown away. */
const options: {
  url: string;
  days: Day[];
  /** Which pages of each day to fetch: see bench/pages.ts. */
  pages: 'plain' | 'proving';
  receiptsPerDay: number;
  maxInFlight: number;
  isParsed: boolean;
} = JSON.parse(process.argv[2] ?? '{}');
const [company] = sandboxCompanies(1);
const pool = new ConnectionPool();
await report(async () => {
  const pages = PAGES[options.pages](options.receiptsPerDay);
  const waiting = options.days.flatMap((day) => pages.map((page) => ({ day, ...page }))).reverse();
  let receipts = 0;
  const requests = waiting.length;
  const work = async () => {
    for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
      const path = `/v2/consulta/comprobantes/recibidos?FechaDesde=${page.day}&FechaHasta=${page.day}&PageNumber=${page.pageNumber}&PageSize=${page.pageSize}`;
      const headers = { authorization: `Bearer ${company?.token}`, 'x-emisor': company?.rut ?? '' };
      const [response] = await once(pool.get(options.url + path, headers), 'response');
      const text = await textOf(response);
      if (options.isParsed) receipts += JSON.parse(text).items.length;
    }
  };
  await Promise.all(Array.from({ length: options.maxInFlight }, work));
  await pool.close();
  return { requests, receipts };
});
