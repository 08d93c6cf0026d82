import * as v from 'valibot';
import { type JsonSchema, jsonOfKind } from '../lib/stack/setting-kinds.ts';
import { SettingsSchema } from '../lib/stack/settings.ts';

/** The JSON Schema of the settings file, for editors, with each setting's default and description. */
export function settingsJsonSchema(): JsonSchema {
  const properties = Object.entries(SettingsSchema.entries).map(([name, schema]): [string, JsonSchema] => {
    const value = v.getDefault(schema);
    return [
      name,
      {
        description: v.getDescription(schema),
        ...jsonOf(schema),
        ...(value !== undefined && name !== 'apiAddress' && { default: value }),
      },
    ];
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Settings of the cfe-lake stack',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
    required: ['apiAddress'],
    additionalProperties: false,
  };
}

/** The JSON Schema of a setting's kind, unwrapped from its default and description. */
export function jsonOf(schema: object): JsonSchema {
  const own = jsonOfKind(schema);
  if (own !== undefined) return own;
  if ('wrapped' in schema && isObject(schema.wrapped)) return jsonOf(schema.wrapped);
  if ('pipe' in schema && Array.isArray(schema.pipe) && isObject(schema.pipe[0]))
    return jsonOf(schema.pipe[0]);
  throw new TypeError('A setting is of no kind of setting-kinds.ts');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Settings for which the construct has props with CDK's own types: `name`, `bucket`, `removalPolicy`. */
const OTHERWISE: readonly string[] = ['stackName', 'bucketName', 'bucketKeyArn', 'removalPolicy'];

/**
 * Text of lib/stack/settings.generated.ts: the settings as props of the construct, with their descriptions as docs.
 */
export function settingsInterface(): string {
  const props = Object.entries(SettingsSchema.entries)
    .filter(([name]) => !OTHERWISE.includes(name))
    .flatMap(([name, schema]) => {
      const value = v.getDefault(schema);
      const isNeeded = name === 'apiAddress';
      return [
        '  /**',
        `   * ${v.getDescription(schema)}.`,
        ...(isNeeded ? [] : [`   * @default ${value === undefined ? '-' : JSON.stringify(value)}`]),
        '   */',
        `  readonly ${name}${isNeeded ? '' : '?'}: ${typeOf(jsonOf(schema))};`,
      ];
    });
  return [
    '// Made by `npx vitest run test/infra/settings.test.ts --update` from lib/stack/settings.ts.',
    '',
    '/** The settings of a CfeLake. */',
    'export interface CfeLakeSettings {',
    ...props,
    '}',
    '',
  ].join('\n');
}

function typeOf(json: JsonSchema): string {
  if (Array.isArray(json.enum)) return json.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(json.anyOf)) return json.anyOf.map(typeOf).join(' | ');
  if (json.type === 'array') return `readonly (${typeOf(itemsOf(json))})[]`;
  if (json.type === 'integer') return 'number';
  if (json.type === 'boolean' || json.type === 'string') return json.type;
  throw new TypeError('A kind of setting has a JSON Schema that has no type here');
}

function itemsOf({ items }: JsonSchema): JsonSchema {
  return typeof items === 'object' && items !== null ? { ...items } : {};
}

const INTRODUCTION = `# Settings of the stack

Only \`apiAddress\` is required. Settings are kept in \`cfe-lake.config.json\`, in the project's folder, where every deployment finds them; keep the file under version control.

- \`npm run settings\` asks for the few that matter.
- \`npm run settings -- nightlyDays=5\` sets one, \`npm run settings -- nightlyDays=\` removes it.
- An editor that knows JSON Schema completes and checks the file.
- \`npm run deploy -- -c nightlyDays=5\` is for one deployment: it wins over the file, and the next deployment without it goes back.

An invalid value stops the deployment before it begins, with one line for each.

A deployment is refused, with the reason, if it would change the encryption or the bucket of an existing lake, or create a second stack beside an existing one. \`--accept\` allows it.

cdk.json has CDK's own flags and no settings. Times are Uruguayan time (America/Montevideo).
`;

/** Text of docs/settings.md: every setting with its default and description. */
export function settingsPage(): string {
  const rows = Object.entries(SettingsSchema.entries).map(([name, schema]) => {
    return `| \`${name}\` | ${shownDefault(name, v.getDefault(schema))} | ${v.getDescription(schema)} |`;
  });
  return [INTRODUCTION, '| Setting | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

function shownDefault(name: string, value: unknown): string {
  if (name === 'apiAddress') return 'none: give it';
  return value === undefined ? '' : `\`${String(value)}\``;
}
