import { execFileSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HANDLERS } from '../../lib/system/program.ts';
import { BUNDLE_FILE, bundleHandlers } from '../../scripts/bundle.ts';
import { atMost, type Benchmark, type Line, median } from '../benchmark.ts';
import { withFolder } from '../processes.ts';

const IMPORTS = 7;

/** As in Lambda, for handlers that read their environment when they are imported. */
const ENVIRONMENT = {
  AWS_REGION: 'sa-east-1',
  API_ADDRESS: 'https://api.example.invalid',
  COMPANIES_SECRET: 'cfe-lake/companies',
  LAKE_BUCKET: 'lake',
  COMPANIES_AT_ONCE: '6',
  BACKFILL_COMPANIES_AT_ONCE: '2',
  REQUESTS_PER_COMPANY: '8',
  MAX_ROWS_PER_LIST: '1000000',
  MAX_DETAILS_PER_UNIT: '10000',
  FIRST_DAY: '2012-01-01',
  STATE_MACHINE_ARN: 'arn:aws:states:sa-east-1:123456789012:stateMachine:cfe-lake',
};

/** Size of each function's bundle, and the time that a fresh process takes to import it. */
export const bundles: Benchmark = {
  name: 'bundles',
  run: () =>
    withFolder(async (folder) => {
      await bundleHandlers(folder);
      const lines: Line[] = [];
      for (const name of HANDLERS) {
        const file = join(folder, name, BUNDLE_FILE);
        const kilobytes = Math.round((await stat(file)).size / 1000);
        const importMs = Math.round(coldImportMs(file));
        const [limitKb, limitMs] = name === 'export-company' ? [700, 150] : [1000, undefined];
        lines.push(
          atMost(1, kilobytes / limitKb, `${name}: size ≤ ${limitKb} KB minified`, `${kilobytes} KB`),
        );
        lines.push(
          limitMs === undefined
            ? { target: `${name}: cold import`, measured: `${importMs} ms`, ratio: '' }
            : atMost(1, importMs / limitMs, `${name}: cold import ≤ ${limitMs} ms`, `${importMs} ms`),
        );
      }
      return lines;
    }),
};

function coldImportMs(file: string): number {
  const url = JSON.stringify(pathToFileURL(file).href);
  const script = `const start = performance.now(); await import(${url}); console.log(performance.now() - start); process.exit(0);`;
  const words = ['--input-type=module', '-e', script];
  const env = { ...process.env, ...ENVIRONMENT };
  return median(
    Array.from({ length: IMPORTS }, () =>
      Number(execFileSync(process.execPath, words, { env, encoding: 'utf8' })),
    ),
  );
}
