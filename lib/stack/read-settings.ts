import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { hasCode, messageOf, systemFaultOf, WrongInputError } from '../system/errors.ts';
import { decodedText, NOT_UTF_8 } from '../text/decoded-text.ts';
import {
  contradictionsIn,
  PropsSchema,
  type Settings,
  SettingsSchema,
  type StackSettings,
} from './settings.ts';

/** The file with the stack's settings, in the project's folder. It belongs under version control. */
export const SETTINGS_FILE = 'cfe-lake.config.json';

/** Invalid settings; the message has a line for each problem. */
export class SettingsError extends WrongInputError {
  override name = 'SettingsError';
  override readonly isMultiline = true;
  readonly problems: readonly string[];

  constructor(
    problems: readonly string[],
    what = 'The settings of the stack',
    where = `They are in ${SETTINGS_FILE}; \`-c name=value\` is for one time. `,
  ) {
    super(
      [
        `${what} are wrong:`,
        ...problems.map((problem) => `  ${problem}`),
        `${where}docs/settings.md lists them all.`,
      ].join('\n'),
    );
    this.problems = problems;
  }
}

export type GivenSettings = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, v.GenericSchema>> = SettingsSchema.entries;

/** The settings in CDK's context, `-c name=value`: its own keys contain `:`, `/` or `-`, and `accept` is no setting. */
export function settingsIn(context: GivenSettings): GivenSettings {
  return Object.fromEntries(
    Object.entries(context).filter(([key]) => /^[a-z][A-Za-z]*$/.test(key) && key !== 'accept'),
  );
}

/** Checks the settings of CDK's context and of the file; the context wins. Throws a SettingsError with every problem. */
export function readSettings(context: GivenSettings, file: GivenSettings = {}): StackSettings {
  const { output, problems } = check(SettingsSchema, { ...file, ...settingsIn(context) });
  if (output !== undefined && problems.length === 0) return output;
  throw new SettingsError(problems);
}

/** Checks the props of the construct at `path`. Throws a SettingsError that lists every problem. */
export function readProps(props: GivenSettings, path: string, contradictions: readonly string[]): Settings {
  const given = Object.entries(props).filter(([, value]) => value !== undefined);
  const { output, problems } = check(PropsSchema, Object.fromEntries(given));
  if (output !== undefined && problems.length + contradictions.length === 0) return output;
  throw new SettingsError([...problems, ...contradictions], `The props of CfeLake (${path})`, '');
}

type Checks<Checked> = v.GenericSchema<unknown, Checked> & { entries: object };

function check<Checked extends Settings>(schema: Checks<Checked>, given: GivenSettings) {
  const typed = Object.entries(given).map(([name, value]) => [name, typedValue(name, value)]);
  const { success, output, issues = [] } = v.safeParse(schema, Object.fromEntries(typed));
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(schema.entries, name));
  const problems = new Set([
    ...unknown.map((name) => `${name}: there is no such setting`),
    ...issues.map((issue) => `${v.getDotPath(issue)?.split('.')[0]}: ${issue.message}`),
    ...(success ? contradictionsIn(output) : []),
  ]);
  return { output: success ? output : undefined, problems: [...problems] };
}

/** A number or boolean where text can't be meant: `-c name=value` gives text only. */
function typedValue(name: string, value: unknown): unknown {
  const kind = KINDS[name];
  if (typeof value !== 'string' || (kind !== undefined && v.is(kind, value))) return value;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  return value === 'true' || value === 'false' ? value === 'true' : value;
}

const JsonObject = v.pipe(
  v.string(),
  v.parseJson(),
  v.check((value) => !Array.isArray(value)),
  v.record(v.string(), v.unknown()),
);
const CdkJson = v.pipe(JsonObject, v.object({ context: v.record(v.string(), v.unknown()) }));

/**
 * The settings in the file, unparsed; none without a file. Throws SettingsError if the file holds anything else, or if
 * cdk.json holds settings too: it would be unclear which ones count.
 */
export async function readSettingsFile(folder: string): Promise<GivenSettings> {
  const cdkJson = v.safeParse(CdkJson, await textOf(join(folder, 'cdk.json')));
  const misplaced = Object.keys(KINDS).filter((name) => cdkJson.success && name in cdkJson.output.context);
  if (misplaced.length > 0) {
    throw new SettingsError(
      misplaced.map((name) => `${name}: is in cdk.json; it belongs in ${SETTINGS_FILE}`),
    );
  }
  const text = await textOf(join(folder, SETTINGS_FILE));
  if (text === undefined) return {};
  const parsed = v.safeParse(JsonObject, text);
  if (!parsed.success) {
    throw new SettingsError([`${SETTINGS_FILE}: must be one JSON object, {"apiAddress": "https://…"}`]);
  }
  const { $schema: _, ...settings } = parsed.output;
  return settings;
}

/** The file's text, if there is a file. Throws SettingsError for one that is not UTF-8. */
async function textOf(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new SettingsError([`${basename(file)}: ${systemFaultOf(error)?.reason ?? messageOf(error)}`]);
  });
  const text = bytes && decodedText(bytes);
  if (bytes !== undefined && text === undefined) throw new SettingsError([`${basename(file)}: ${NOT_UTF_8}`]);
  return text;
}
