import { join } from 'node:path';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import {
  type GivenSettings,
  readSettings,
  readSettingsFile,
  SETTING_NAMES,
  SETTINGS_FILE,
} from '../../stack/read-settings.ts';
import { awsConnections } from '../../system/aws-connections.ts';
import { WrongInputError } from '../../system/errors.ts';
import { askAtTerminal } from '../main.ts';
import type { Printer } from '../printer.ts';
import { type CdkWords, environmentOf, readCdkWords, runCdk } from './cdk.ts';
import { findPlace, RISKS, readDeployedShape, refuseRiskyChanges } from './preflight.ts';
import { settingsCommand } from './settings-command.ts';

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
