import { startSandbox } from '../../sandbox/sandbox.ts';

/** Runs a sandbox in a separate process. Takes its options as JSON and prints its address. */
const sandbox = await startSandbox({
  now: '2026-12-20T03:00:00',
  longAmounts: true,
  ...JSON.parse(process.argv[2] ?? '{}'),
});
// The channel tells when nobody needs it any more.
process.on('message', () => {});
process.once('disconnect', () => sandbox.close());
process.stdout.write(`${sandbox.url}\n`);
