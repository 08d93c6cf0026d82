import { CfeLakeError } from '../../../lib/system/errors.ts';
import { readListFile, readRatesFile } from '../../../lib/verify/official/list-file.ts';
import { mostMegabytes } from '../program/most-memory.ts';

/**
 * Reads a file as a list and as rates, and prints what one took: seconds of a processor, and the most memory. On a machine
 * that is slower than one that a person has, where a million short rows take a second at most, they are the seconds of that
 * one. Only what the reader itself refuses is no failure.
 */
const [, , file = ''] = process.argv;
const begin = process.cpuUsage();
for (let row = 0; row < 1_000_000; row += 1)
  `15/10/2026;111;A;1;214844360018;UYU;1,50${row}`.split(';').map((cell) => cell.trim());
const yardstickMicros = Math.max(1e6, microsSince(begin));

const options = { sheet: undefined, signal: new AbortController().signal };
const beginOfReading = process.cpuUsage();
for (const read of [readListFile, readRatesFile])
  await read(file, options).catch((error: unknown) => {
    if (!(error instanceof CfeLakeError)) throw error;
  });
const seconds = microsSince(beginOfReading) / 2 / yardstickMicros;
process.stdout.write(JSON.stringify({ seconds, megabytes: mostMegabytes() }));

function microsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
