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
const [seconds, megabytes] = [(user + system) / 2e6, process.resourceUsage().maxRSS / 1024];
process.stdout.write(JSON.stringify({ seconds, megabytes }));
