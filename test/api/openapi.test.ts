import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const DOCUMENT = new URL('openapi.yaml', import.meta.url);

const text = await readFile(DOCUMENT, 'utf8');
const document = parse(text);
const validator = schemaValidator();

/** A validator of the document's own schemas, in JSON Schema's 2020-12 dialect, which OpenAPI 3.1 uses. */
function schemaValidator(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true });
  addFormats.default(ajv);
  return ajv.addVocabulary(['components']).addSchema({ $id: 'document', components: document.components });
}

function isValidAs(schema: string, value: unknown): boolean {
  return validator.validate({ $ref: `document#/components/schemas/${schema}` }, value);
}

describe('openapi.yaml', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const openApi = new Validator();
    expect(await openApi.validate(text)).toEqual({ valid: true });
    expect(openApi.version).toBe('3.1');
  });

  it('holds only valid JSON schemas', () => {
    const names = Object.keys(document.components.schemas);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const ref = { $ref: `document#/components/schemas/${name}` };
      expect(() => validator.compile(ref), name).not.toThrow();
    }
  });
});

describe.each(['ReceivedSummary', 'IssuedSummary', 'ReceivedDetail', 'IssuedDetail'])('%s', (schema) => {
  it('needs nothing but an integer id', () => {
    expect(isValidAs(schema, { id: 1 })).toBe(true);
    expect(isValidAs(schema, {})).toBe(false);
    expect(isValidAs(schema, { id: null })).toBe(false);
    expect(isValidAs(schema, { id: '1' })).toBe(false);
    expect(isValidAs(schema, { id: 1.5 })).toBe(false);
  });

  it('accepts null for every other field that it names', () => {
    const { properties } = document.components.schemas[schema] as { properties: Record<string, object> };
    const row = Object.fromEntries(Object.keys(properties).map((name) => [name, null]));
    expect(isValidAs(schema, { ...row, id: 1 })).toBe(true);
  });

  it('knows local date-times with and without fraction, and no zone', () => {
    for (const fecha_firma of [
      '2026-11-19T09:15:30',
      '2026-11-19T09:15:30.1',
      '2026-11-19T09:15:30.1234567',
    ]) {
      expect(isValidAs(schema, { id: 1, fecha_firma }), fecha_firma).toBe(true);
    }
    for (const fecha_firma of ['2026-11-19', '2026-11-19T09:15:30Z', '2026-11-19T09:15:30-03:00', 5]) {
      expect(isValidAs(schema, { id: 1, fecha_firma }), `${fecha_firma}`).toBe(false);
    }
  });
});

it.each(['ReceivedPage', 'IssuedPage'])(
  'the page envelope %s has items, page_number and page_size',
  (schema) => {
    const page = { items: [{ id: 1 }], page_number: 1, page_size: 1 };
    expect(isValidAs(schema, page)).toBe(true);
    for (const missing of Object.keys(page)) {
      expect(isValidAs(schema, { ...page, [missing]: undefined }), missing).toBe(false);
    }
    expect(isValidAs(schema, [{ id: 1 }])).toBe(false);
    expect(isValidAs(schema, { ...page, items: [{}] })).toBe(false);
  },
);
