import { createInterface } from 'node:readline/promises';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { awsConnections } from '../aws-connections.ts';
import type { Printer } from '../cli/printer.ts';
import { didYouMean, nearest, UsageError } from '../cli/usage.ts';
import {
  type GivenSettings,
  readSettings,
  readSettingsFile,
  SETTING_NAMES,
  SETTINGS_FILE,
  SettingsError,
  typedValue,
  writeSettingsFile,
} from '../stack/read-settings.ts';
import type { Settings } from '../stack/settings.ts';
import { findPlace, type Place, RISKS, readDeployedShape, refuseRiskyChanges } from './preflight.ts';
import {
  type CdkWords,
  EXAMPLE_ADDRESS,
  environmentOf,
  exampleAddress,
  readCdkWords,
  runBootstrap,
  runCdk,
  synth,
} from './run-cdk.ts';

const COMMANDS = ['settings', 'synth', 'bootstrap', 'deploy', 'diff', 'destroy'] as const;

export interface StackTerminal {
  stdout: Printer;
  stderr: Printer;
  /** Runs CDK; in tests, something else. */
  run?: typeof runCdk;
}

/**
 * Runs a CDK command for this stack, after checking the account, the region and what is deployed there. So it takes a
 * second, not a synthesis, to say what is missing or would do harm. Returns CDK's exit code. Throws UsageError,
 * SettingsError, DeploymentError, WrongInputError and ChangeRefusedError.
 */
export async function stackCommand(
  typed: readonly string[],
  { stdout, stderr, run = runCdk }: StackTerminal,
): Promise<number> {
  const [name, ...words] = typed;
  const command = COMMANDS.find((known) => known === name);
  if (command === undefined) throw new UsageError(`Run one of npm run ${COMMANDS.join(', npm run ')}.`);
  const folder = process.cwd();
  if (command === 'settings') {
    await settingsCommand(words, { folder, ask: askAtTerminal(), stdout });
    return 0;
  }
  if (command === 'synth' && !words.includes('--help')) return await synth(words, { folder, stdout, run });
  if (words.includes('--help') || words.includes('-h')) return await run([command, ...words], process.env);
  const given = readCdkWords(words);
  checkAccepted(given);
  const env = environmentOf(given, process.env);
  // The AWS clients of this process read it.
  Object.assign(process.env, env);
  const client = new CloudFormationClient({ maxAttempts: 3, requestHandler: awsConnections() });
  const place = await findPlace(client, given.toolkitStackName, command === 'deploy');
  stderr.write(`${describePlace(place)}\n`);
  if (command === 'bootstrap') return await runBootstrap(given.words, env);

  if (command === 'destroy') {
    const file = await readSettingsFile(folder);
    // It needs no settings but the stack's name; CDK makes the template all the same.
    readSettings(given.context, { apiAddress: EXAMPLE_ADDRESS, ...file });
    return await run([command, ...exampleAddress({ ...file, ...given.context }), ...given.words], env);
  }
  const settings = await settingsFor(given, folder, { stdout, stderr });
  if (command === 'deploy') {
    refuseRiskyChanges(settings, await readDeployedShape(client, settings.stackName), given.accepted);
  }
  return await run([command, ...given.words], env);
}

/** From the file and from `-c`. If there is no file yet, asks for its settings first. */
async function settingsFor(
  { context }: CdkWords,
  folder: string,
  { stdout, stderr }: StackTerminal,
): Promise<Settings> {
  const ask = askAtTerminal();
  if (
    (await readSettingsFile(folder)) === undefined &&
    context.apiAddress === undefined &&
    ask !== undefined
  ) {
    await settingsCommand([], { folder, ask, stdout });
  }
  const settings = readSettings(context, await readSettingsFile(folder));
  const once = Object.keys(context).filter((name) => SETTING_NAMES.includes(name));
  if (once.length > 0) {
    stderr.write(
      `For this deployment only: ${once.join(', ')}. The next one without -c goes back to ${SETTINGS_FILE}; ` +
        'npm run settings -- name=value keeps a setting.\n',
    );
  }
  return settings;
}

function checkAccepted({ accepted }: CdkWords): void {
  const wrong = accepted.find((word) => !RISKS.some((risk) => risk === word));
  if (wrong !== undefined) throw new UsageError(`--accept takes ${RISKS.join(' or ')}.`);
}

function describePlace({ account, region }: Place): string {
  return account === undefined ? `AWS, region ${region}` : `AWS account ${account}, region ${region}`;
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

/** Asks a question. An empty answer keeps `standing`. */
type Ask = (question: string, standing: string) => Promise<string>;

/**
 * Writes settings, each as `name=value`, into the file; an empty value removes one. Without any, asks for the few
 * that matter. Writes nothing unless all are valid. Throws SettingsError, and UsageError if there is nobody to ask.
 */
export async function settingsCommand(
  words: readonly string[],
  { folder, ask, stdout }: { folder: string; ask: Ask | undefined; stdout: Printer },
): Promise<void> {
  const standing = await readSettingsFile(folder);
  const given = words.length > 0 ? changesIn(words) : await askAll(ask, standing);
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

function changesIn(words: readonly string[]): GivenSettings {
  return Object.fromEntries(
    words.map((word) => {
      const [name = '', ...rest] = word.split('=');
      if (rest.length === 0)
        throw new UsageError('Run npm run settings -- name=value, or without words to be asked.');
      if (!SETTING_NAMES.includes(name)) {
        const meant = didYouMean(nearest(name, SETTING_NAMES));
        throw new SettingsError([`${name}: there is no such setting.${meant}`], 'The settings', UNCHANGED);
      }
      return [name, typedValue(name, rest.join('='))];
    }),
  );
}

async function askAll(ask: Ask | undefined, standing: GivenSettings = {}): Promise<GivenSettings> {
  if (ask === undefined) {
    throw new UsageError(
      'This is not a terminal, so give the settings: npm run settings -- apiAddress=https://… alarmEmail=you@example.com',
    );
  }
  const answers: Record<string, unknown> = {};
  for (const [name, question] of QUESTIONS) {
    const answer = (await ask(question, String(standing[name] ?? ''))).trim();
    if (answer !== '') answers[name] = typedValue(name, answer);
  }
  return answers;
}

function askAtTerminal(): Ask | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (question, standing) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(`${question}${standing === '' ? '' : ` [${standing}]`}: `);
    } finally {
      lines.close();
    }
  };
}
