import { toJsonSchema } from '@valibot/to-json-schema';
import { LoginSchema } from '../lib/companies/login.ts';

/** What an editor shows of each member of a login. */
const LOGIN: Readonly<Record<keyof typeof LoginSchema.entries, string>> = {
  tokenUrl: 'Where tokens are asked for: https, or http on this machine',
  username: 'The user; with password or passwordFrom',
  password: 'Its password',
  passwordFrom: 'Where the password is instead: env:NAME or file:PATH',
  refreshToken: 'Asked with first, before the password; replaced in this file when a new one comes',
  clientId: 'With clientSecret, in place of a user: client credentials',
  clientSecret: 'The secret of that client',
  body: 'How it is sent',
  scope: 'Sent as it is; "rut" asks for a token of each company, with its RUT',
};

/** The JSON Schema of a companies file, for editors. */
export function companiesJsonSchema(): object {
  // Addresses and RUTs are also checked by functions, which have no JSON Schema.
  const { $schema, ...login } = toJsonSchema(LoginSchema, { typeMode: 'input', errorMode: 'ignore' });
  const described = Object.entries(LOGIN).map(([name, description]) => {
    const property = login.properties?.[name];
    return [name, { description, ...(typeof property === 'object' && property) }];
  });
  const token = { type: 'string', pattern: '^[\\x21-\\x7e]+$' };
  return {
    $schema,
    title: 'Companies of cfe-lake, with their tokens or a login',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      api: {
        description: 'Base address of the query API',
        type: 'string',
        pattern: '^https?:\\/\\/[^@?#]+$',
      },
      login: {
        $ref: '#/definitions/login',
        description: 'For all companies that have neither a token nor a login',
      },
      companies: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            rut: { description: '12 digits', type: 'string', pattern: '^\\d{12}$' },
            token: { description: 'Its access token', ...token },
            login: { $ref: '#/definitions/login', description: 'Its own' },
            name: { description: 'For people to read', type: 'string' },
          },
          required: ['rut'],
        },
      },
    },
    required: ['companies'],
    additionalProperties: false,
    definitions: { login: { ...login, properties: Object.fromEntries(described) } },
  };
}
