import { keepCompiledModules } from '../../lib/program.ts';

// As in bin/cfe-lake.ts, so that this measures what a user runs.
keepCompiledModules();
const { openApiSession, parseApiAddress } = await import('../../lib/api/access.ts');
const { ConnectionPool } = await import('../../lib/api/connection-pool.ts');
const { exportRun, newRun } = await import('../../lib/export/run.ts');
const { loadWriter } = await import('../../lib/lake/parquet/writers.ts');
const { FolderStore } = await import('../../lib/lake/store/folder.ts');
const { sandboxCompanies } = await import('../../lib/sandbox/companies.ts');
const { daysBetween } = await import('../../lib/time/days.ts');
const { report } = await import('./figures.ts');

/** An export by cfe-lake, run as the command line does. */
const options = JSON.parse(process.argv[2] ?? '{}');
const pool = new ConnectionPool();
const writer = await loadWriter(options.writer ?? 'hyparquet');
const companies = sandboxCompanies(options.companyCount ?? 1).map(({ rut, token }) => ({
  rut,
  tokens: { current: async () => token, renew: async () => token },
}));
await report(async () => {
  const results = await exportRun({
    run: newRun(Date.now()),
    companies,
    directions: options.directions ?? ['recibidos'],
    days: daysBetween(options.from, options.to ?? options.from),
    session: openApiSession({ address: parseApiAddress(options.url), pool }),
    store: new FolderStore(options.lake),
    writer,
    maxInFlight: options.maxInFlight ?? 8,
    maxInFlightInAll: options.maxInFlightInAll,
    companiesAtOnce: options.companiesAtOnce ?? 1,
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
