import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { hasCode, WrongInputError } from '../errors.ts';
import { type Settings, SettingsSchema } from './settings.ts';

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

export const SETTING_NAMES: ReadonlySet<string> = new Set(Object.keys(SettingsSchema.entries));

/** CDK's own context keys contain `:`, `/` or `-`; a plain word is meant as one of our settings. */
const LOOKS_LIKE_A_SETTING = /^[a-z][A-Za-z]*$/;

/**
 * Reads the settings from the app's context and the file; the context wins. Throws a SettingsError that lists every
 * problem.
 */
export function readSettings(
  context: Readonly<Record<string, unknown>>,
  file: Readonly<Record<string, unknown>> = {},
): Settings {
  const given = { ...file, ...context };
  const unknown = Object.keys(context).filter(
    (key) => LOOKS_LIKE_A_SETTING.test(key) && !SETTING_NAMES.has(key),
  );
  const problems = unknown.map((key) => `${key}: there is no such setting`);
  const parsed = v.safeParse(SettingsSchema, given);
  if (parsed.success) problems.push(...contradictionsIn(parsed.output));
  if (parsed.success && problems.length === 0) return parsed.output;
  for (const issue of parsed.issues ?? []) {
    const name = String(issue.path?.[0].key);
    const isMissing = !Object.hasOwn(given, name);
    problems.push(`${name}: ${isMissing ? MISSING : issue.message}`);
  }
  throw new SettingsError([...new Set(problems)]);
}

/** Reads the settings from the props of the construct at `path`. Throws a SettingsError that lists every problem. */
export function readProps(props: Readonly<Record<string, unknown>>, path: string): Settings {
  try {
    return readSettings(Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined)));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const problems = error.problems.map((problem) => problem.replace(/^stackName:/, 'name:'));
    throw new SettingsError(problems, `The props of CfeLake (${path})`, 'docs/settings.md lists them all.');
  }
}

function contradictionsIn({ bucketName, bucketKeyArn, useKms }: Settings): string[] {
  if (bucketName === undefined && bucketKeyArn !== undefined)
    return ['bucketKeyArn: is the key of an existing bucket: give bucketName too'];
  if (bucketName !== undefined && useKms)
    return ['useKms: is for a bucket that the stack creates: for the key of bucketName, give bucketKeyArn'];
  return [];
}

const MISSING = 'is missing; give it once: npm run settings -- apiAddress=https://api.your-provider.example';

/** The file with the stack's settings, in the project's folder. It belongs under version control. */
export const SETTINGS_FILE = 'cfe-lake.config.json';
/** From the project's folder. */
const JSON_SCHEMA_FILE = 'docs/cfe-lake.config.schema.json';

export type GivenSettings = Readonly<Record<string, unknown>>;

const ObjectText = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown()));
const CdkJsonText = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ context: v.optional(v.record(v.string(), v.unknown()), {}) }),
);

/**
 * The settings in the file, unparsed; undefined without a file. Throws SettingsError if the file holds anything else,
 * or if cdk.json holds settings too: it would be unclear which ones count.
 */
export async function readSettingsFile(folder: string): Promise<GivenSettings | undefined> {
  const cdkJson = v.safeParse(CdkJsonText, await textOf(join(folder, 'cdk.json')));
  const misplaced = Object.keys(cdkJson.success ? cdkJson.output.context : {}).filter((name) =>
    SETTING_NAMES.has(name),
  );
  const problems = misplaced.map((name) => `${name}: is in cdk.json; it belongs in ${SETTINGS_FILE}`);
  const text = await textOf(join(folder, SETTINGS_FILE));
  if (text === undefined) {
    if (problems.length > 0) throw new SettingsError(problems);
    return undefined;
  }
  const parsed = v.safeParse(ObjectText, text);
  if (!parsed.success || text.trim().startsWith('[')) {
    throw new SettingsError([
      ...problems,
      `${SETTINGS_FILE}: must be one JSON object, {"apiAddress": "https://…"}`,
    ]);
  }
  const { $schema: _, ...settings } = parsed.output;
  const unknown = Object.keys(settings).filter((name) => !SETTING_NAMES.has(name));
  problems.push(...unknown.map((name) => `${name}: there is no such setting`));
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
}

export async function writeSettingsFile(folder: string, settings: GivenSettings): Promise<void> {
  const json = { $schema: `./${JSON_SCHEMA_FILE}`, ...settings };
  await writeFile(join(folder, SETTINGS_FILE), `${JSON.stringify(json, null, 2)}\n`);
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
