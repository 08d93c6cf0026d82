import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addDays, uruguayDay } from '../../lib/time/days.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { INTEGRATION } from './integration-stack.ts';

/**
 * `npm run prove:account`: deploys the integration stack to the account and region of AWS's own settings, exports a week
 * of invented receipts twice, compares what the lake holds with what the sandbox serves, and removes everything. With
 * `--remove`, it only does the last. Exits with 1 at the first thing that fails, and leaves the stack to be looked at.
 */
const CDK = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const APP = ['--app', `"${process.execPath}" "${fileURLToPath(new URL('app.ts', import.meta.url))}"`];
const folder = mkdtempSync(join(tmpdir(), 'prove-account-'));

function step(what: string, program: string, words: readonly string[]): void {
  process.stdout.write(`\n== ${what}\n`);
  const { status } = spawnSync(process.execPath, [program, ...words], { cwd: CHECKOUT, stdio: 'inherit' });
  if (status === 0) return;
  process.stdout.write(
    `\nFAILED: ${what}. The stack ${INTEGRATION} may be there still, and costs some 0.50 USD a day: look at it, then ` +
      'remove it with npm run prove:account -- --remove\n',
  );
  rmSync(folder, { recursive: true });
  process.exit(1);
}

const cdk = (what: string, ...words: string[]) => step(what, CDK, [...words, ...APP]);
const cli = (what: string, ...words: string[]) => step(what, join(CHECKOUT, 'bin/cfe-lake.ts'), words);

if (!process.argv.includes('--remove')) {
  const outputs = join(folder, 'outputs.json');
  cdk('deploy', 'deploy', '--outputs-file', outputs);
  const { LakeBucket, ApiAddress } = JSON.parse(readFileSync(outputs, 'utf8'))[INTEGRATION];
  const lake = ['--lake', `s3://${LakeBucket}`];
  const companies = sandboxCompanies();
  const file = join(folder, 'sandbox.companies.json');
  writeFileSync(file, JSON.stringify({ api: ApiAddress, companies }), { mode: 0o600 });
  const today = uruguayDay(Date.now());
  const days = ['--from', addDays(today, -7), '--to', addDays(today, -1)];
  const stack = ['--stack', INTEGRATION];
  // The first one has receipts on every day.
  cli('check', 'check', ...stack, '--rut', companies[0]?.rut ?? '');
  cli('a week', 'backfill', ...stack, ...days);
  cli('the same week again: exportado 0', 'backfill', ...stack, ...days);
  cli('verify: the lake is what the sandbox serves', 'verify', ...lake, '--companies', file, ...days);
  cli('runs', 'runs', ...stack);
}
cdk('destroy: everything', 'destroy', '--force');
rmSync(folder, { recursive: true });
process.stdout.write(
  '\nAll of it works in this account. What is left is CDK itself (CDKToolkit), and perhaps the log of the function that emptied the bucket.\n',
);
