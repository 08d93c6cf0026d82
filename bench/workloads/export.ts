import { keepCompiledModules } from '../../lib/system/program.ts';

// As in bin/cfe-lake.ts, so that this measures what a user runs.
keepCompiledModules();
const { WRITERS } = await import('../../lib/cli/commands/export.ts');
const { openApiSession } = await import('../../lib/api/access.ts');
const { ConnectionPool } = await import('../../lib/api/connection-pool.ts');
const { exportPlanned, newRun } = await import('../../lib/export/run.ts');
const { FolderStore } = await import('../../lib/lake/store/folder.ts');
const { sandboxCompanies } = await import('../../sandbox/generator/parties.ts');
const { parseApiAddress } = await import('../../lib/text/api-address.ts');
const { daysBetween } = await import('../../lib/time/days.ts');
const { planUnits } = await import('../../lib/units/unit.ts');
const { report } = await import('./figures.ts');

/** An export by cfe-lake, run as the command line does. */
const options = JSON.parse(process.argv[2] ?? '{}');
const pool = new ConnectionPool();
const writer = await WRITERS.hyparquet();
const companies = sandboxCompanies(1).map(({ rut, token }) => ({
  rut,
  tokens: { current: async () => token, renew: async () => token },
}));
const days = daysBetween(options.from, options.to ?? options.from);
const store = new FolderStore(options.lake);
await report(async () => {
  const run = newRun(Date.now());
  const results = await exportPlanned({
    run,
    companies,
    unitsOf: (rut) => planUnits(rut, ['recibidos'], days),
    session: openApiSession({ address: parseApiAddress(options.url), pool }),
    store,
    writer,
    maxInFlight: 8,
    companiesAtOnce: 1,
  });
  await pool.close();
  const sum = (pick: (result: (typeof results)[number]) => number) =>
    results.reduce((total, result) => total + pick(result), 0);
  const failed = results.filter(({ state }) => state === 'fallido');
  for (const { error } of failed.slice(0, 3)) process.stderr.write(`${error}\n`);
  return {
    requests: sum(({ requests }) => requests),
    receipts: sum(({ receipts }) => receipts ?? 0),
    bytes: sum(({ bytes }) => bytes),
    failed: failed.length,
    written: results.filter(({ state }) => state === 'exportado').length,
  };
});
