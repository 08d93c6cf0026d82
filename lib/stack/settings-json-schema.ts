import * as v from 'valibot';
import { type JsonSchema, jsonOfKind } from './setting-kinds.ts';
import { SettingsSchema } from './settings.ts';

/** From the project's folder. */
export const JSON_SCHEMA_FILE = 'docs/cfe-lake.config.schema.json';

/** For an editor: what may stand in the settings' file, with each setting's default and meaning. */
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

/** What the kind of a setting says; a default and a description stand around it. */
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
