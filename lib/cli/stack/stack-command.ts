import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import {
  type GivenSettings,
  readSettings,
  readSettingsFile,
  SETTING_NAMES,
  SETTINGS_FILE,
  SettingsError,
  typedValue,
  writeSettingsFile,
} from '../../stack/read-settings.ts';
import { awsConnections } from '../../system/aws-connections.ts';
import { WrongInputError } from '../../system/errors.ts';
import { didYouMean, nearest } from '../../text/typed-words.ts';
import type { Terminal } from '../command.ts';
import { askAtTerminal } from '../main.ts';
import type { Printer } from '../printer.ts';
import { findPlace, RISKS, readDeployedShape, refuseRiskyChanges } from './preflight.ts';

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

const COMMANDS = ['settings', 'synth', 'bootstrap', 'deploy', 'diff', 'destroy'] as const;

export interface StackTerminal {
  stdout: Printer;
  stderr: Printer;
  /** Runs CDK; in tests, something else. */
  run?: typeof runCdk;
}

/**
 * Runs a CDK command for this stack, after checking the account, the region and what is deployed there. So it takes a
 * second, not a synthesis, to say what is missing or would do harm. Returns CDK's exit code. Throws WrongInputError,
 * SettingsError, DeploymentError and WrongInputError.
 */
export async function stackCommand(
  [name, ...typed]: readonly string[],
  { stdout, stderr, run = runCdk }: StackTerminal,
): Promise<number> {
  const command = COMMANDS.find((known) => known === name);
  if (command === undefined) throw new WrongInputError(`Run one of npm run ${COMMANDS.join(', npm run ')}.`);
  const folder = process.cwd();
  const ask = process.stderr.isTTY ? askAtTerminal(new AbortController().signal) : undefined;
  if (command === 'settings') {
    await settingsCommand(typed, { folder, ask, stdout });
    return 0;
  }
  const given = readCdkWords(typed);
  const { words, context, toolkitStackName, accepted } = given;
  if (given.isHelp) return await run([command, ...words], process.env);
  if (command === 'synth') return await synth(given, await readSettingsFile(folder), stdout, run);
  if (accepted.some((word) => !RISKS.some((risk) => risk === word)))
    throw new WrongInputError(`--accept takes ${RISKS.join(' or ')}.`);
  const env = environmentOf(given, process.env);
  // The AWS clients of this process read it.
  Object.assign(process.env, env);
  const client = new CloudFormationClient({ maxAttempts: 3, requestHandler: awsConnections() });
  const { account, region } = await findPlace(client, toolkitStackName, command === 'deploy');
  stderr.write(`AWS${account === undefined ? '' : ` account ${account}`}, region ${region}\n`);
  if (command === 'bootstrap') return await run(bootstrapWords(words), env);

  let file = await readSettingsFile(folder);
  if (command === 'destroy') {
    // It needs no settings but the stack's name; CDK makes the template all the same.
    readSettings(context, { apiAddress: EXAMPLE_ADDRESS, ...file });
    return await run([command, ...exampleAddress({ ...file, ...context }), ...words], env);
  }
  if (file === undefined && context.apiAddress === undefined && ask !== undefined) {
    await settingsCommand([], { folder, ask, stdout });
    file = await readSettingsFile(folder);
  }
  const settings = readSettings(context, file);
  const once = Object.keys(context).filter((key) => SETTING_NAMES.includes(key));
  if (once.length > 0) {
    stderr.write(
      `For this deployment only: ${once.join(', ')}. The next one without -c goes back to ${SETTINGS_FILE}; ` +
        'npm run settings -- name=value keeps a setting.\n',
    );
  }
  if (command === 'deploy')
    refuseRiskyChanges(settings, await readDeployedShape(client, settings.stackName), accepted);
  return await run([command, ...words], env);
}

/** Given an app, CDK would synthesise it to learn account and region, and that needs all settings. */
function bootstrapWords(words: readonly string[]): string[] {
  const isPlaceTyped = words.some((word) => word.startsWith('aws://'));
  // The account and region that the caller is signed in to.
  return [
    'bootstrap',
    '--app',
    '',
    ...(isPlaceTyped ? [] : ['aws://unknown-account/unknown-region']),
    ...words,
  ];
}

/** The stack's name within the app (bin/app.ts), which is its template's. */
const TEMPLATE = 'CfeLake.template.json';
/** Stands for the API's address where no setting gives it: a template can be made without it, a deployment can't. */
const EXAMPLE_ADDRESS = 'https://api.example.invalid';

/** The words that give CDK the example's address, if no setting gives another. */
function exampleAddress({ apiAddress }: GivenSettings): string[] {
  return apiAddress === undefined ? ['-c', `apiAddress=${EXAMPLE_ADDRESS}`] : [];
}

/** Makes the template, without an account, and says where it is and with which settings. Returns CDK's exit code. */
async function synth(
  { words, context, output }: CdkWords,
  file: GivenSettings | undefined,
  stdout: Printer,
  run: typeof runCdk,
): Promise<number> {
  const example = exampleAddress({ ...file, ...context });
  const code = await run(['synth', '--quiet', ...example, ...words], process.env);
  if (code !== 0) return code;
  const once = Object.keys(context).map((name) => `, -c ${name}`);
  stdout.write(
    `The template is ${join(output, TEMPLATE)}; the Lambdas' code lies beside it.\n` +
      `It is what npm run deploy would send, with ${file === undefined ? 'the default settings' : `the settings of ${SETTINGS_FILE}`}${once.join('')}.\n`,
  );
  if (example.length > 0)
    stdout.write(`But its API is an example, ${EXAMPLE_ADDRESS}: npm run settings asks for yours.\n`);
  return 0;
}

/** Settings that matter on the first day, or are hard to change later. */
const QUESTIONS = [
  ['apiAddress', 'Address of the query API, https://…'],
  ['alarmEmail', 'E-mail address for alarms (empty: none)'],
  ['details', 'Also read receipts in full: recibidos, emitidos, recibidos,emitidos or off (empty: off)'],
  [
    'useKms',
    "Encrypt the lake with a key of the stack's own, true or false; hard to change later (empty: false)",
  ],
] as const;

/**
 * Writes settings, each as `name=value`, into the file; an empty value removes one. Without any, asks for the few
 * that matter. Writes nothing unless all are valid. Throws SettingsError, and WrongInputError if there is nobody to ask.
 */
export async function settingsCommand(
  words: readonly string[],
  { folder, ask, stdout }: { folder: string; ask: Terminal['ask']; stdout: Printer },
): Promise<void> {
  const standing = await readSettingsFile(folder);
  const given = words.length > 0 ? changesIn(words, standing) : await askAll(ask, standing);
  const settings = Object.fromEntries(
    Object.entries({ ...standing, ...given }).filter(([, value]) => value !== ''),
  );
  try {
    readSettings({}, settings);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError(error.problems, 'The settings', UNCHANGED);
  }
  await writeSettingsFile(folder, settings);
  const lines = Object.entries(settings).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
  stdout.write(`${SETTINGS_FILE}, for every deployment from now on:\n${lines.join('\n')}\n`);
}

const UNCHANGED = 'Nothing was changed. docs/settings.md lists them all.';

function changesIn(words: readonly string[], standing: GivenSettings = {}): GivenSettings {
  return Object.fromEntries(
    words.map((word) => {
      const [name = '', ...rest] = word.split('=');
      if (rest.length === 0)
        throw new WrongInputError('Run npm run settings -- name=value, or without words to be asked.');
      // One that there is no more can still be removed.
      const isRemoval = rest.join('=') === '' && name in standing;
      if (!SETTING_NAMES.includes(name) && !isRemoval) {
        const meant = didYouMean(nearest(name, SETTING_NAMES));
        throw new SettingsError([`${name}: there is no such setting.${meant}`], 'The settings', UNCHANGED);
      }
      return [name, typedValue(name, rest.join('='))];
    }),
  );
}

async function askAll(ask: Terminal['ask'], standing: GivenSettings = {}): Promise<GivenSettings> {
  if (ask === undefined) {
    throw new WrongInputError(
      'This is not a terminal, so give the settings: npm run settings -- apiAddress=https://… alarmEmail=you@example.com',
    );
  }
  const answers: Record<string, unknown> = {};
  for (const [name, question] of QUESTIONS) {
    // An empty answer keeps what stands.
    const kept = standing[name] === undefined ? '' : ` [${standing[name]}]`;
    const answer = (await ask(`${question}${kept}: `)).trim();
    if (answer !== '') answers[name] = typedValue(name, answer);
  }
  return answers;
}
