import { startSandbox } from '../../lib/sandbox/sandbox.ts';

/** A sandbox in a process of its own; its options come as JSON, its address goes out as a line. */
const options = JSON.parse(process.argv[2] ?? '{}');
const { activeRut, ...rest } = options;
const sandbox = await startSandbox({
  ...rest,
  // A platform has many companies and few that are active.
  receiptsPerDay:
    activeRut === undefined
      ? rest.receiptsPerDay
      : (rut: string) => (Number(rut.slice(0, 11)) % 20 === 0 ? rest.receiptsPerDay : 0),
});
process.stdout.write(`${sandbox.url}\n`);
process.on('message', (message) => {
  if (message === 'stats') process.send?.(sandbox.stats());
});
process.once('disconnect', () => sandbox.close());
