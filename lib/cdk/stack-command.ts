import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { Printer } from '../cli/printer.ts';
import { UsageError } from '../cli/usage.ts';
import { findPlace, type Place } from './account.ts';
import { runBootstrap, runCdk } from './run-cdk.ts';
import { environmentOf, readCdkWords } from './words.ts';

const COMMANDS = ['bootstrap', 'deploy', 'diff', 'destroy'] as const;

/** `destroy` needs no settings but the stack's name; CDK makes the template all the same. */
const ANY_ADDRESS = ['-c', 'apiAddress=https://api.example.invalid'];

/**
 * A command of CDK for this stack, after a look at where it goes: what is missing is said in a second, before the
 * template is made. Gives CDK's exit code. Throws UsageError, DeploymentError and BootstrapMissingError.
 */
export async function stackCommand(typed: readonly string[], stderr: Printer): Promise<number> {
  const [name, ...words] = typed;
  const command = COMMANDS.find((known) => known === name);
  if (command === undefined) throw new UsageError(`Say one of npm run ${COMMANDS.join(', npm run ')}.`);
  const given = readCdkWords(words);
  if (words.includes('--help') || words.includes('-h')) return await runCdk([command, ...words], process.env);
  const env = environmentOf(given, process.env);
  // The clients of this process look there.
  Object.assign(process.env, env);
  const client = new CloudFormationClient({ maxAttempts: 3 });
  const place = await findPlace(client, given.toolkitStackName, command === 'deploy');
  stderr.write(`${describePlace(place)}\n`);
  if (command === 'bootstrap') return await runBootstrap(words, env);
  const more = command === 'destroy' && given.context.apiAddress === undefined ? ANY_ADDRESS : [];
  return await runCdk([command, ...more, ...words], env);
}

function describePlace({ account, region }: Place): string {
  return account === undefined ? `AWS, region ${region}` : `AWS account ${account}, region ${region}`;
}
