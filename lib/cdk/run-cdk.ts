import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The words after `npm run deploy --`: CDK's own, of which a few matter before CDK is called. */
export interface CdkWords {
  /** What CDK is given, as it was typed. */
  words: readonly string[];
  /** Settings for this one time, `-c name=value`; later ones win, as in CDK. */
  context: Readonly<Record<string, string>>;
  profile: string | undefined;
  region: string | undefined;
  toolkitStackName: string;
  /** Changes that are meant, whatever they mean; ours, not CDK's. */
  accepted: readonly string[];
}

const DEFAULT_TOOLKIT_STACK = 'CDKToolkit';

/** Takes the words apart as CDK does: `-c a=b`, `-ca=b`, `--context a=b`, `--context=a=b`. */
export function readCdkWords(words: readonly string[]): CdkWords {
  const context: Record<string, string> = {};
  for (const pair of valuesOf(words, '--context', '-c')) {
    const equals = pair.indexOf('=');
    if (equals > 0) context[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  return {
    words: words.filter((word, index) => !/^--accept(=|$)/.test(word) && words[index - 1] !== '--accept'),
    context,
    profile: valuesOf(words, '--profile').at(-1),
    region: valuesOf(words, '--region').at(-1),
    toolkitStackName: valuesOf(words, '--toolkit-stack-name').at(-1) ?? DEFAULT_TOOLKIT_STACK,
    accepted: valuesOf(words, '--accept'),
  };
}

/** Every value that an option is given. */
function valuesOf(words: readonly string[], option: string, letter?: string): string[] {
  return words.flatMap((word, index) => {
    if (word === option || word === letter) return words[index + 1] ?? [];
    if (word.startsWith(`${option}=`)) return word.slice(option.length + 1);
    if (letter !== undefined && word.startsWith(letter) && !word.startsWith('--'))
      return word.slice(letter.length);
    return [];
  });
}

/** The environment in which the words are meant: for CDK and for what is asked before it alike. */
export function environmentOf(
  { profile, region }: Pick<CdkWords, 'profile' | 'region'>,
  environment: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  // CDK and the AWS CLI know AWS_DEFAULT_REGION, the SDK does not: all must mean the same region.
  const AWS_REGION = region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION;
  return {
    ...environment,
    ...(AWS_REGION !== undefined && { AWS_REGION }),
    ...(profile !== undefined && { AWS_PROFILE: profile }),
  };
}

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
