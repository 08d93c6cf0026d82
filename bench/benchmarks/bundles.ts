import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atMost, type Benchmark, type Line } from '../benchmark.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/bundle-report.ts', import.meta.url));
const LINE = /^([\w-]+) +(\d+) KB +import (\d+) ms/gm;

/** Size and import time of the Lambdas' bundles, from scripts/bundle-report.ts. */
export const bundles: Benchmark = {
  name: 'bundles',
  run: async () => {
    const report = execFileSync(process.execPath, [SCRIPT], { encoding: 'utf8' });
    return [...report.matchAll(LINE)].flatMap(([, name = '', kilobytes = '', importMs = '']): Line[] => {
      const measured = `${kilobytes} KB, ${importMs} ms`;
      if (name !== 'export-company')
        return [{ target: `${name}: size and cold import`, measured, ratio: '' }];
      return [
        atMost(1, Number(kilobytes) / 1000, `${name}: size ≤ 1 MB minified`, `${kilobytes} KB`),
        atMost(1, Number(importMs) / 150, `${name}: cold import ≤ 150 ms`, `${importMs} ms`),
      ];
    });
  },
};
