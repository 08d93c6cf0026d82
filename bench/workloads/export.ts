import { openApiSession } from '../../lib/api/access.ts';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { WRITERS } from '../../lib/cli/commands/export.ts';
import { exportPlanned, newRun } from '../../lib/export/run.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { parseApiAddress } from '../../lib/text/api-address.ts';
import { daysBetween } from '../../lib/time/days.ts';
import { planUnits } from '../../lib/units/unit.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { report } from './figures.ts';

/** An export by cfe-lake, run as the command line does. */
const options = JSON.parse(process.argv[2] ?? '{}');
const pool = new ConnectionPool();
const writer = await WRITERS.hyparquet();
const companies = sandboxCompanies(options.companyCount ?? 1).map(({ rut, token }) => ({
  rut,
  tokens: { current: async () => token, renew: async () => token },
}));
const directions = options.directions ?? ['recibidos'];
const days = daysBetween(options.from, options.to);
const store = new FolderStore(options.lake);
await report(async () => {
  const run = newRun(Date.now());
  const results = await exportPlanned({
    run,
    companies,
    unitsOf: (rut) => planUnits(rut, directions, days),
    session: openApiSession({ address: parseApiAddress(options.url), pool }),
    store,
    writer,
    maxInFlight: 8,
    maxInFlightInAll: options.maxInFlightInAll,
    companiesAtOnce: options.companiesAtOnce ?? 1,
  });
  await pool.close();
  if (options.isPublished) await publishLagging(store, writer);
  const sum = (pick: (result: (typeof results)[number]) => number) =>
    results.reduce((total, result) => total + pick(result), 0);
  const failed = results.filter(({ state }) => state === 'fallido');
  for (const { error } of failed.slice(0, 3)) process.stderr.write(`${error}\n`);
  return {
    requests: sum(({ requests }) => requests),
    receipts: sum(({ receipts }) => receipts ?? 0),
    failed: failed.length,
    written: results.filter(({ state }) => state === 'exportado').length,
  };
});
