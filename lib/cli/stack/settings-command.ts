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
import { WrongInputError } from '../../system/errors.ts';
import { didYouMean, nearest } from '../../text/typed-words.ts';
import type { Terminal } from '../command.ts';
import type { Printer } from '../printer.ts';

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
        throw new WrongInputError('Run npm run settings -- name=value, or without words to be asked.');
      if (!SETTING_NAMES.includes(name)) {
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
