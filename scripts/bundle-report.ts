import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metafile } from 'esbuild';
import { HANDLERS } from '../lib/system/program.ts';
import { BUNDLE_FILE, bundleFile, handlerFile } from './bundle.ts';

/**
 * Prints the size of each function's bundle, its largest parts, and the time that a fresh process takes to import it.
 * Fails if a bundle is too big. The time depends on the machine and has no limit.
 */
const MAX_BYTES = 1_000_000;
const IMPORTS = 7;

/** As in Lambda, for handlers that read their environment when they are imported. */
const ENVIRONMENT = {
  AWS_REGION: 'sa-east-1',
  API_ADDRESS: 'https://api.example.invalid',
  COMPANIES_SECRET: 'cfe-lake/companies',
  LAKE_BUCKET: 'lake',
  COMPANIES_AT_ONCE: '8',
  REQUESTS_PER_COMPANY: '8',
  MAX_ROWS_PER_LIST: '1000000',
  MAX_DETAILS_PER_UNIT: '10000',
  FIRST_DAY: '2012-01-01',
  STATE_MACHINE_ARN: 'arn:aws:states:sa-east-1:123456789012:stateMachine:cfe-lake',
};

function coldImportMs(file: string): number {
  const url = JSON.stringify(pathToFileURL(file).href);
  const script = `const start = performance.now(); await import(${url}); console.log(performance.now() - start); process.exit(0);`;
  const times = Array.from({ length: IMPORTS }, () => {
    const env = { ...process.env, ...ENVIRONMENT };
    return Number(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' }),
    );
  });
  return times.sort((a, b) => a - b)[Math.floor(IMPORTS / 2)] ?? Number.NaN;
}

/** The largest packages, as `name 12 KB`. */
function biggestParts({ outputs }: Metafile): string {
  const bytesOf = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs),
  )) {
    const part = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? 'cfe-lake';
    bytesOf.set(part, (bytesOf.get(part) ?? 0) + bytesInOutput);
  }
  const biggest = [...bytesOf].sort(([, a], [, b]) => b - a).slice(0, 5);
  return biggest.map(([part, bytes]) => `${part} ${inKb(bytes)}`).join(', ');
}

function inKb(bytes: number): string {
  return `${Math.round(bytes / 1000)} KB`;
}

const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-bundles-'));
try {
  console.log(`Node ${process.version}, median of ${IMPORTS} imports; at most ${inKb(MAX_BYTES)}\n`);
  for (const name of HANDLERS) {
    const file = join(folder, name, BUNDLE_FILE);
    const metafile = await bundleFile(handlerFile(name), file);
    const { size } = await stat(file);
    const isTooBig = size > MAX_BYTES;
    const verdict = isTooBig ? '  TOO BIG' : '';
    console.log(
      `${name.padEnd(15)} ${inKb(size).padStart(7)}  import ${coldImportMs(file).toFixed(0)} ms${verdict}`,
    );
    console.log(`  ${biggestParts(metafile)}`);
    if (isTooBig) process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true });
}
