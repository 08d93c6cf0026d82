import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { SETTING_NAMES, SettingsError } from './read-settings.ts';
import { JSON_SCHEMA_FILE } from './settings-json-schema.ts';

/** Where the settings of the stack stand, in the project's folder: one file, to be kept under version control. */
export const SETTINGS_FILE = 'cfe-lake.config.json';

export type GivenSettings = Readonly<Record<string, unknown>>;

const ObjectText = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown()));
const CdkJsonText = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ context: v.optional(v.record(v.string(), v.unknown()), {}) }),
);

/**
 * The settings of the file, as they stand there; undefined when there is no file. Throws SettingsError for a file
 * that holds anything else, and when cdk.json holds settings too: nobody could say which of the two is meant.
 */
export async function readSettingsFile(folder: string): Promise<GivenSettings | undefined> {
  const cdkJson = v.safeParse(CdkJsonText, await textOf(join(folder, 'cdk.json')));
  const misplaced = Object.keys(cdkJson.success ? cdkJson.output.context : {}).filter((name) =>
    SETTING_NAMES.has(name),
  );
  const problems = misplaced.map((name) => `${name}: stands in cdk.json; it belongs into ${SETTINGS_FILE}`);
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
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
