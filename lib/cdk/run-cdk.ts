import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CDK_PROGRAM = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');

/** Whatever account and region one is signed in to. */
const HERE = 'aws://unknown-account/unknown-region';
/** What cdk.json says of these, where there is no cdk.json. */
const QUIET = ['--no-notices', '--no-version-reporting'];

/** Runs CDK's own command to its end, on this terminal. Gives its exit code. */
export async function runCdk(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd?: string,
): Promise<number> {
  const child = spawn(process.execPath, [CDK_PROGRAM, ...words], { env, cwd, stdio: 'inherit' });
  // Ctrl-C reaches CDK as well, which ends in its own way.
  const wait = () => undefined;
  process.on('SIGINT', wait);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
    });
  } finally {
    process.off('SIGINT', wait);
  }
}

/**
 * `cdk bootstrap` makes the stack anew to learn its account and region, and needs all settings for it. Where it finds
 * no app it takes those that it is given.
 */
export async function runBootstrap(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-bootstrap-'));
  try {
    const places = words.some((word) => word.startsWith('aws://')) ? [] : [HERE];
    const quietEnv = { ...env, CDK_DISABLE_CLI_TELEMETRY: 'true' };
    return await runCdk(['bootstrap', ...places, ...QUIET, ...words], quietEnv, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
