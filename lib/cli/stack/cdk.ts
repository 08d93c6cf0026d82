import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

/** The words after `npm run deploy --`. They are CDK's, but a few matter before CDK is called. */
export interface CdkWords {
  /** Passed on to CDK as typed. */
  words: readonly string[];
  /** Settings for this call only, `-c name=value`. Later ones win, as in CDK. */
  context: Readonly<Record<string, string>>;
  profile: string | undefined;
  region: string | undefined;
  toolkitStackName: string;
  /** Where `synth` writes. */
  output: string;
  /** Values of `--accept`, our own option: risky changes that are meant. */
  accepted: readonly string[];
  isHelp: boolean;
}

/** Parses the words as CDK does. */
export function readCdkWords(typed: readonly string[]): CdkWords {
  const { values, tokens } = parseArgs({
    args: [...typed],
    options: {
      context: { type: 'string', short: 'c', multiple: true },
      profile: { type: 'string' },
      region: { type: 'string' },
      'toolkit-stack-name': { type: 'string', default: 'CDKToolkit' },
      output: { type: 'string', short: 'o', default: 'cdk.out' },
      accept: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
    // All other options are CDK's alone.
    strict: false,
    tokens: true,
  });
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const texts = (given: readonly unknown[] = []) => given.flatMap((value) => text(value) ?? []);
  const ours = tokens.flatMap((token) =>
    token.kind === 'option' && token.name === 'accept'
      ? [token.index, ...(token.inlineValue === false ? [token.index + 1] : [])]
      : [],
  );
  const context = texts(values.context)
    .map((pair) => pair.replace(/^=/, ''))
    .map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)] as const);
  return {
    words: typed.filter((_, index) => !ours.includes(index)),
    context: Object.fromEntries(context),
    profile: text(values.profile),
    region: text(values.region),
    toolkitStackName: String(values['toolkit-stack-name']),
    output: String(values.output),
    accepted: texts(values.accept),
    isHelp: values.help === true,
  };
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

/** Runs a CDK command in this terminal. Returns its exit code. */
export async function runCdk(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [CDK_PROGRAM, ...words], { env, stdio: 'inherit' });
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
