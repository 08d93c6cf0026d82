import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Printer } from '../cli/printer.ts';
import { readSettingsFile, SETTINGS_FILE } from '../stack/read-settings.ts';
import { readCdkWords, runCdk } from './run-cdk.ts';

/** The stack's name within the app (bin/app.ts), which is its template's. */
const TEMPLATE = 'CfeLake.template.json';
const DEFAULT_OUTPUT = 'cdk.out';
/** Where no setting says which API: a template can be made without one, a deployment can't. */
export const EXAMPLE_ADDRESS = 'https://api.example.invalid';

interface SynthTools {
  /** Of the project. */
  folder: string;
  stdout: Printer;
  run?: typeof runCdk;
}

/** Makes the template, without an account, and says where it is and what it is. Gives CDK's exit code. Throws SettingsError. */
export async function synth(
  words: readonly string[],
  { folder, stdout, run = runCdk }: SynthTools,
): Promise<number> {
  const { context } = readCdkWords(words);
  const file = await readSettingsFile(folder);
  const isAddressGiven = { ...file, ...context }.apiAddress !== undefined;
  const example = isAddressGiven ? [] : ['-c', `apiAddress=${EXAMPLE_ADDRESS}`];
  const code = await run(['synth', '--quiet', ...example, ...words], process.env, folder);
  if (code !== 0) return code;
  const output = outputOf(words);
  const { size } = await stat(resolve(folder, output, TEMPLATE));
  const deployed = file === undefined ? 'the default settings' : `the settings of ${SETTINGS_FILE}`;
  const once = Object.keys(context);
  const differs = isAddressGiven
    ? []
    : [`But its API is an example, ${EXAMPLE_ADDRESS}: npm run settings asks for yours.`];
  stdout.write(
    [
      `The template is ${join(output, TEMPLATE)} (${(size / 1024).toFixed(0)} KB); the Lambdas' code lies beside it.`,
      `It is what npm run deploy would send, with ${deployed}${once.length > 0 ? ` and -c ${once.join(', ')}` : ''}.`,
      ...differs,
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
