import * as v from 'valibot';
import type { JsonSchema } from './setting-kinds.ts';
import { SettingsSchema } from './settings.ts';
import { jsonOf } from './settings-json-schema.ts';

/** Of these the construct has props of CDK's own kinds: `name`, `bucket`, `removalPolicy`. */
const OTHERWISE: readonly string[] = ['stackName', 'bucketName', 'bucketKeyArn', 'removalPolicy'];

/** lib/stack/settings.generated.ts: the settings as props of the construct, their descriptions as its docs. */
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
