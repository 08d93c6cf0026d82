import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { hasCode, WrongInputError } from '../system/errors.ts';
import { decodedText, NOT_UTF_8 } from '../text/decoded-text.ts';
import { contradictionsIn, replacementOf, type Settings, SettingsSchema } from './settings.ts';

const IN_THE_FILE =
  'They are in cfe-lake.config.json (npm run settings); `-c name=value` is for one deployment. docs/settings.md lists them all.';

/** Invalid settings; the message has a line for each problem. */
export class SettingsError extends WrongInputError {
  override name = 'SettingsError';
  override readonly isMultiline = true;
  readonly problems: readonly string[];

  constructor(problems: readonly string[], what = 'The settings of the stack', where = IN_THE_FILE) {
    super([`${what} are wrong:`, ...problems.map((problem) => `  ${problem}`), where].join('\n'));
    this.problems = problems;
  }
}

export type GivenSettings = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, v.GenericSchema>> = SettingsSchema.entries;
export const SETTING_NAMES: readonly string[] = Object.keys(KINDS);

/** CDK's own context keys contain `:`, `/` or `-`; a plain word is meant as one of our settings. */
const LOOKS_LIKE_A_SETTING = /^[a-z][A-Za-z]*$/;

/**
 * Reads the settings from the app's context and the file; the context wins. Throws a SettingsError that lists every
 * problem.
 */
export function readSettings(context: GivenSettings, file: GivenSettings = {}): Settings {
  const names = [
    ...Object.keys(file),
    ...Object.keys(context).filter((key) => LOOKS_LIKE_A_SETTING.test(key)),
  ];
  const unknown = names.filter((name) => !SETTING_NAMES.includes(name));
  const all = { ...file, ...context };
  const given = Object.entries(all).map(([name, value]) => [name, typedValue(name, value)]);
  const parsed = v.safeParse(SettingsSchema, Object.fromEntries(given));
  const problemOf = (name = '', problem: string) => replacementOf(name, all) ?? `${name}: ${problem}`;
  const problems = new Set([
    ...unknown.map((name) => problemOf(name, 'there is no such setting')),
    ...(parsed.success
      ? contradictionsIn(parsed.output)
      : parsed.issues.map((issue) => problemOf(v.getDotPath(issue)?.split('.')[0], issue.message))),
  ]);
  if (parsed.success && problems.size === 0) return parsed.output;
  throw new SettingsError([...problems]);
}

/** Reads the settings from the props of the construct at `path`. Throws a SettingsError that lists every problem. */
export function readProps(props: GivenSettings, path: string): Settings {
  try {
    return readSettings(Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined)));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const problems = error.problems.map((problem) => problem.replace(/^stackName:/, 'name:'));
    throw new SettingsError(problems, `The props of CfeLake (${path})`, 'docs/settings.md lists them all.');
  }
}

/** A number or boolean where text can't be meant: `-c name=value` and the command line give text only. */
export function typedValue(name: string, value: unknown): unknown {
  const kind = KINDS[name];
  if (typeof value !== 'string' || (kind !== undefined && v.is(kind, value))) return value;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  return value === 'true' || value === 'false' ? value === 'true' : value;
}

/** The file with the stack's settings, in the project's folder. It belongs under version control. */
export const SETTINGS_FILE = 'cfe-lake.config.json';
/** From the project's folder. */
const JSON_SCHEMA_FILE = 'docs/cfe-lake.config.schema.json';

const JsonObject = v.pipe(
  v.string(),
  v.parseJson(),
  v.check((value) => !Array.isArray(value)),
  v.record(v.string(), v.unknown()),
);
const CdkJson = v.pipe(JsonObject, v.object({ context: v.record(v.string(), v.unknown()) }));

/**
 * The settings in the file, unparsed; undefined without a file. Throws SettingsError if the file holds anything else,
 * or if cdk.json holds settings too: it would be unclear which ones count.
 */
export async function readSettingsFile(folder: string): Promise<GivenSettings | undefined> {
  const cdkJson = v.safeParse(CdkJson, await textOf(join(folder, 'cdk.json')));
  const misplaced = SETTING_NAMES.filter((name) => cdkJson.success && name in cdkJson.output.context);
  if (misplaced.length > 0) {
    throw new SettingsError(
      misplaced.map((name) => `${name}: is in cdk.json; it belongs in ${SETTINGS_FILE}`),
    );
  }
  const text = await textOf(join(folder, SETTINGS_FILE));
  if (text === undefined) return undefined;
  const parsed = v.safeParse(JsonObject, text);
  if (!parsed.success) {
    throw new SettingsError([`${SETTINGS_FILE}: must be one JSON object, {"apiAddress": "https://…"}`]);
  }
  const { $schema: _, ...settings } = parsed.output;
  return settings;
}

export async function writeSettingsFile(folder: string, settings: GivenSettings): Promise<void> {
  const json = { $schema: `./${JSON_SCHEMA_FILE}`, ...settings };
  await writeFile(join(folder, SETTINGS_FILE), `${JSON.stringify(json, null, 2)}\n`);
}

/** Undefined without a file. Throws SettingsError for one that is not UTF-8. */
async function textOf(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  const text = bytes && decodedText(bytes);
  if (bytes !== undefined && text === undefined) throw new SettingsError([`${basename(file)}: ${NOT_UTF_8}`]);
  return text;
}
