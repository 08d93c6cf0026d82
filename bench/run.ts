import { readFile, writeFile } from 'node:fs/promises';
import { textTable } from '../lib/text/text-table.ts';
import type { Benchmark } from './benchmark.ts';
import { bundles } from './benchmarks/bundles.ts';
import { bytes } from './benchmarks/bytes.ts';
import { ceiling } from './benchmarks/ceiling.ts';
import { companies } from './benchmarks/companies.ts';
import { hundredDays, oneDay } from './benchmarks/latency.ts';
import { memory } from './benchmarks/memory.ts';
import { dlt, peers } from './benchmarks/peers.ts';
import { publishing, year } from './benchmarks/publishing.ts';
import { withTable } from './document.ts';

/** `npm run bench [-- NAME…]`: runs all benchmarks, or these, and replaces their rows in docs/benchmarks.md. */
const BENCHMARKS: readonly Benchmark[] = [
  ceiling,
  oneDay,
  hundredDays,
  memory,
  bytes,
  companies,
  bundles,
  publishing,
  year,
  peers,
  dlt,
];
const DOCUMENT = new URL('../docs/benchmarks.md', import.meta.url);
const HEADINGS = ['benchmark', 'what', 'measured', 'ratio'] as const;

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
if (unknown.length > 0) {
  const names = BENCHMARKS.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no benchmark ${unknown.join(', ')}; there are ${names}.\n`);
  process.exit(2);
}
const rows: string[][] = [];
let areAllMet = true;
for (const benchmark of BENCHMARKS) {
  if (asked.length > 0 && !asked.includes(benchmark.name)) continue;
  process.stderr.write(`${benchmark.name} …\n`);
  for (const { target, measured, ratio, isMet = true } of await benchmark.run()) {
    rows.push([benchmark.name, target, measured, ratio]);
    areAllMet &&= isMet;
  }
}
process.stdout.write(`${textTable(HEADINGS, rows, [])}\n`);
await writeFile(
  DOCUMENT,
  withTable(
    await readFile(DOCUMENT, 'utf8'),
    HEADINGS,
    rows,
    BENCHMARKS.map(({ name }) => name),
  ),
);
if (!areAllMet) process.exitCode = 1;
