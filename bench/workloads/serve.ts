import type { Rut } from '../../lib/units/rut.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';

/** Runs a sandbox in a separate process. Takes its options as JSON and prints its address. */
const { activeEvery, ...options } = JSON.parse(process.argv[2] ?? '{}');
// A platform has many companies, few of them active.
const active = new Set(
  sandboxCompanies(options.companyCount)
    .filter((_, position) => activeEvery !== undefined && position % activeEvery === 0)
    .map(({ rut }) => rut),
);
const sandbox = await startSandbox({
  now: '2026-12-20T03:00:00',
  longAmounts: true,
  ...options,
  // Only times show that a list includes its last day; of dates alone, each list is asked a day more.
  behaviour: { issueTimes: true, ...options.behaviour },
  receiptsPerDay:
    activeEvery === undefined
      ? options.receiptsPerDay
      : (rut: Rut) => (active.has(rut) ? options.receiptsPerDay : 0),
});
process.once('disconnect', () => sandbox.close());
process.stdout.write(`${sandbox.url}\n`);
