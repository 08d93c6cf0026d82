import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Printer } from '../cli/printer.ts';
import { readSettingsFile, SETTINGS_FILE } from '../stack/read-settings.ts';

/** The words after `npm run deploy --`. They are CDK's, but a few matter before CDK is called. */
export interface CdkWords {
  /** Passed on to CDK as typed. */
  words: readonly string[];
  /** Settings for this call only, `-c name=value`. Later ones win, as in CDK. */
  context: Readonly<Record<string, string>>;
  profile: string | undefined;
  region: string | undefined;
  toolkitStackName: string;
  /** Values of `--accept`, our own option: risky changes that are meant. */
  accepted: readonly string[];
}

const DEFAULT_TOOLKIT_STACK = 'CDKToolkit';

/** Parses the words as CDK does: `-c a=b`, `-ca=b`, `--context a=b`, `--context=a=b`. */
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

function valuesOf(words: readonly string[], option: string, letter?: string): string[] {
  return words.flatMap((word, index) => {
    if (word === option || word === letter) return words[index + 1] ?? [];
    if (word.startsWith(`${option}=`)) return word.slice(option.length + 1);
    if (letter !== undefined && word.startsWith(letter) && !word.startsWith('--'))
      return word.slice(letter.length);
    return [];
  });
}

/** The environment that the words ask for: the same for CDK and for the checks before it. */
export function environmentOf(
  { profile, region }: Pick<CdkWords, 'profile' | 'region'>,
  environment: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  // CDK and the AWS CLI read AWS_DEFAULT_REGION, the SDK does not. All must use the same region.
  const AWS_REGION = region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION;
  return {
    ...environment,
    ...(AWS_REGION !== undefined && { AWS_REGION }),
    ...(profile !== undefined && { AWS_PROFILE: profile }),
  };
}

const CDK_PROGRAM = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');

/** The account and region that the caller is signed in to. */
const HERE = 'aws://unknown-account/unknown-region';
/** The same as in our cdk.json, for a folder without one. */
const QUIET = ['--no-notices', '--no-version-reporting'];

/** Runs a CDK command in this terminal. Returns its exit code. */
export async function runCdk(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd?: string,
): Promise<number> {
  const child = spawn(process.execPath, [CDK_PROGRAM, ...words], { env, cwd, stdio: 'inherit' });
  // Ctrl-C reaches CDK too, which handles it.
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
 * Given an app, `cdk bootstrap` synthesises it to learn account and region, which needs all settings. So it is run in
 * an empty folder, where it uses the environment that it is given.
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

/** The stack's name within the app (bin/app.ts), which is its template's. */
const TEMPLATE = 'CfeLake.template.json';
const DEFAULT_OUTPUT = 'cdk.out';
/** Stands for the API's address where no setting gives it: a template can be made without it, a deployment can't. */
export const EXAMPLE_ADDRESS = 'https://api.example.invalid';

/** The words that give CDK the example's address, if no setting gives another. */
export function exampleAddress(settings: Readonly<Record<string, unknown>>): string[] {
  return settings.apiAddress === undefined ? ['-c', `apiAddress=${EXAMPLE_ADDRESS}`] : [];
}

/**
 * Makes the template, without an account, and prints its path, size and settings. `folder`: of the project. Returns
 * CDK's exit code. Throws SettingsError.
 */
export async function synth(
  words: readonly string[],
  { folder, stdout, run }: { folder: string; stdout: Printer; run: typeof runCdk },
): Promise<number> {
  const { context } = readCdkWords(words);
  const file = await readSettingsFile(folder);
  const example = exampleAddress({ ...file, ...context });
  const code = await run(['synth', '--quiet', ...example, ...words], process.env, folder);
  if (code !== 0) return code;
  const output = outputOf(words);
  const { size } = await stat(resolve(folder, output, TEMPLATE));
  const deployed = file === undefined ? 'the default settings' : `the settings of ${SETTINGS_FILE}`;
  const once = Object.keys(context);
  const isExample = example.length > 0;
  stdout.write(
    [
      `The template is ${join(output, TEMPLATE)} (${(size / 1024).toFixed(0)} KB); the Lambdas' code lies beside it.`,
      `It is what npm run deploy would send, with ${deployed}${once.length > 0 ? ` and -c ${once.join(', ')}` : ''}.`,
      ...(isExample
        ? [`But its API is an example, ${EXAMPLE_ADDRESS}: npm run settings asks for yours.`]
        : []),
      '',
    ].join('\n'),
  );
  return 0;
}

function outputOf(words: readonly string[]): string {
  const index = words.findIndex((word) => /^(-o|--output)(=|$)/.test(word));
  const [, inline] = words[index]?.split('=') ?? [];
  return index === -1 ? DEFAULT_OUTPUT : (inline ?? words[index + 1] ?? DEFAULT_OUTPUT);
}
