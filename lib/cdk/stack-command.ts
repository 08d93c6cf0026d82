import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { Printer } from '../cli/printer.ts';
import { UsageError } from '../cli/usage.ts';
import { readSettings, readSettingsFile, SETTING_NAMES, SETTINGS_FILE } from '../stack/read-settings.ts';
import type { Settings } from '../stack/settings.ts';
import { findPlace, type Place, RISKS, readDeployedShape, refuseRiskyChanges } from './preflight.ts';
import {
  type CdkWords,
  EXAMPLE_ADDRESS,
  environmentOf,
  readCdkWords,
  runBootstrap,
  runCdk,
  synth,
} from './run-cdk.ts';
import { askAtTerminal, settingsCommand } from './settings-command.ts';

const COMMANDS = ['settings', 'synth', 'bootstrap', 'deploy', 'diff', 'destroy'] as const;

/** `destroy` needs no settings but the stack's name; CDK makes the template all the same. */
const ANY_ADDRESS = { apiAddress: EXAMPLE_ADDRESS };

export interface StackTerminal {
  stdout: Printer;
  stderr: Printer;
  /** Runs CDK; in tests, something else. */
  run?: typeof runCdk;
}

/**
 * Runs a CDK command for this stack, after checking the account, the region and what is deployed there. So it takes a
 * second, not a synthesis, to say what is missing or would do harm. Returns CDK's exit code. Throws UsageError,
 * SettingsError, DeploymentError, BootstrapMissingError and ChangeRefusedError.
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
  const client = new CloudFormationClient({ maxAttempts: 3 });
  const place = await findPlace(client, given.toolkitStackName, command === 'deploy');
  stderr.write(`${describePlace(place)}\n`);
  if (command === 'bootstrap') return await runBootstrap(given.words, env);

  if (command === 'destroy') {
    const file = await readSettingsFile(folder);
    readSettings(given.context, { ...ANY_ADDRESS, ...file });
    const isGiven = { ...file, ...given.context }.apiAddress !== undefined;
    const more = isGiven ? [] : ['-c', `apiAddress=${ANY_ADDRESS.apiAddress}`];
    return await run([command, ...more, ...given.words], env);
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
  const once = Object.keys(context).filter((name) => SETTING_NAMES.has(name));
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
