import { Agent } from 'undici';
import { sandboxCompanies } from '../../lib/sandbox/companies.ts';
import { daysBetween } from '../../lib/time/days.ts';
import { report } from './figures.ts';

/** The floor: the same pages, fetched in parallel and JSON.parse-d (or not), and thrown away. */
const options = JSON.parse(process.argv[2] ?? '{}');
const [company] = sandboxCompanies(1);
const dispatcher = new Agent({ connections: null });
await report(async () => {
  const pages = daysBetween(options.from, options.to).flatMap((day) =>
    Array.from({ length: options.pagesPerDay }, (_, index) => ({ day, number: index + 1 })),
  );
  let receipts = 0;
  const requests = pages.length;
  const work = async () => {
    for (let page = pages.pop(); page !== undefined; page = pages.pop()) {
      const { body } = await dispatcher.request({
        origin: options.url,
        path: `/v2/consulta/comprobantes/recibidos?FechaDesde=${page.day}&FechaHasta=${page.day}&PageNumber=${page.number}&PageSize=100`,
        method: 'GET',
        headers: { authorization: `Bearer ${company?.token}`, 'x-emisor': company?.rut ?? '' },
      });
      const text = await body.text();
      if (options.isParsed) receipts += JSON.parse(text).items.length;
    }
  };
  await Promise.all(Array.from({ length: options.maxInFlight }, work));
  await dispatcher.close();
  return { requests, receipts, bytes: 0 };
});
