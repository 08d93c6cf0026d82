import { argv, stderr, stdout } from 'node:process';
import { uiValues } from '../lib/query/named-queries.ts';
import { isDay, uruguayDay } from '../lib/time/days.ts';

/**
 * `npm run check:dates -- [YYYY-MM-DD]`: what the program must know by a day (default: today), and does not. From
 * 1 December it says what will be missing, with exit code 0; from the day on which it is needed, exit code 1. No part of
 * `npm test`: the same commit must not turn red by itself.
 */
const [, , day = uruguayDay(Date.now())] = argv;

/** Why the values of the UI do not reach to the end of this year. */
function missingUi(year: number): string[] {
  const known = uiValues().map(([knownYear]) => knownYear);
  if (known.includes(year)) return [];
  return [
    `lib/query/named/_vigente.sql has no UI of ${year}, and judges its e-Tickets with the UI of ${Math.max(...known)}. ` +
      `Add that of 31 December ${year - 1} to its first lines, and to docs/e-tickets.md.`,
  ];
}

if (!isDay(day)) {
  stderr.write(`${JSON.stringify(day)} is not a day: npm run check:dates -- 2026-12-01\n`);
  process.exitCode = 2;
} else {
  const year = Number(day.slice(0, 4));
  const needed = missingUi(year);
  const soon = day >= `${year}-12-01` ? missingUi(year + 1) : [];
  for (const text of needed) stderr.write(`Needed since ${year}-01-01: ${text}\n`);
  for (const text of soon) stdout.write(`Needed from ${year + 1}-01-01: ${text}\n`);
  if (needed.length + soon.length === 0) stdout.write(`Nothing is missing on ${day}.\n`);
  if (needed.length > 0) process.exitCode = 1;
}
