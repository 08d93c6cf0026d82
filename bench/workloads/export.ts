import { Agent } from 'undici';
import { parseApiAddress } from '../../lib/api/address.ts';
import { openApiSession } from '../../lib/export/company-session.ts';
import { exportRun, newRun } from '../../lib/export/run.ts';
import { loadWriter } from '../../lib/lake/parquet/writers.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { sandboxCompanies } from '../../lib/sandbox/companies.ts';
import { daysBetween } from '../../lib/time/days.ts';
import { report } from './figures.ts';

/** What cfe-lake itself does: the same run as the command line's. */
const options = JSON.parse(process.argv[2] ?? '{}');
const dispatcher = new Agent({ connections: null });
const writer = await loadWriter(options.writer ?? 'hyparquet');
await report(async () => {
  const results = await exportRun({
    run: newRun(Date.now()),
    companies: sandboxCompanies(options.companyCount).map(({ rut, token }) => ({
      rut,
      tokens: { current: async () => token, renew: async () => token },
    })),
    directions: options.directions,
    days: daysBetween(options.from, options.to),
    session: openApiSession({ address: parseApiAddress(options.url), dispatcher }),
    store: new FolderStore(options.lake),
    writer,
    maxInFlight: options.maxInFlight,
    companiesAtOnce: options.companiesAtOnce ?? 1,
  });
  await dispatcher.close();
  const sum = (pick: (result: (typeof results)[number]) => number) =>
    results.reduce((total, result) => total + pick(result), 0);
  return {
    requests: sum(({ solicitudes }) => solicitudes),
    receipts: sum(({ filas }) => filas ?? 0),
    bytes: sum(({ bytes }) => bytes),
    failed: results.filter(({ estado }) => estado === 'fallido').length,
  };
});
