import { existsSync, readFileSync } from 'node:fs';
import { CfeLakeError } from '../../../lib/system/errors.ts';
import { readListFile, readRatesFile } from '../../../lib/verify/official/list-file.ts';

/** Reads a file as a list and as rates, and prints what that took. Only what the reader itself refuses is no failure. */
const [, , file = ''] = process.argv;
const options = { sheet: undefined, signal: new AbortController().signal };
for (const read of [readListFile, readRatesFile])
  await read(file, options).catch((error: unknown) => {
    if (!(error instanceof CfeLakeError)) throw error;
  });
const { user, system } = process.cpuUsage();
const [seconds, megabytes] = [(user + system) / 2e6, mostMegabytes()];
process.stdout.write(JSON.stringify({ seconds, megabytes }));

/** On Linux of this program alone: the other figure begins with what its parent had. */
function mostMegabytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const [, kilobytes = process.resourceUsage().maxRSS] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
  return Number(kilobytes) / 1024;
}
