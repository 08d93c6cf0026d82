import { availableParallelism } from 'node:os';
import { exporting } from './benchmarks/export.ts';
import { dlt, peers } from './benchmarks/peers.ts';
import { publishing } from './benchmarks/publishing.ts';

/** `npm run bench [-- NAME…]`: runs all benchmarks, or these, and prints their rows of docs/benchmarks.md. */
const BENCHMARKS = { export: exporting, publishing, peers, dlt };

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  const names = Object.keys(BENCHMARKS).join(', ');
  process.stderr.write(`There is no benchmark ${unknown.join(', ')}; there are ${names}.\n`);
  process.exit(2);
}
const measuredOn = `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores`;
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  for await (const { target, measured, ratio, isMet = true } of run()) {
    process.stdout.write(`| ${[name, target, measured, ratio, measuredOn].join(' | ')} |\n`);
    if (!isMet) process.exitCode = 1;
  }
}
