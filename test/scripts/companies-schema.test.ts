import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseCompanies } from '../../lib/companies/company.ts';
import { companiesJsonSchema } from '../../scripts/companies-schema.ts';

const RUT = '219999830019';
const tokenUrl = 'https://login.example/token';

describe('docs/companies.schema.json', () => {
  it('is made from what the program checks', async () => {
    const text = `${JSON.stringify(companiesJsonSchema(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../docs/companies.schema.json');
  });

  const accepts = new Ajv({ strict: false }).compile(companiesJsonSchema());
  const user = { tokenUrl, username: 'ana', password: 'p' };
  it.each<[object, boolean]>([
    [{ companies: [{ rut: RUT, token: 't', name: 'Ñandú' }] }, true],
    [{ $schema: 'x', api: 'https://api.example', login: user, companies: [{ rut: RUT }] }, true],
    [{ login: { ...user, body: 'form', scope: 'rut' }, companies: [{ rut: RUT, login: user }] }, true],
    [{ login: { ...user, pasword: 'p' }, companies: [{ rut: RUT }] }, false],
    [{ login: { username: 'ana', password: 'p' }, companies: [{ rut: RUT }] }, false],
    [{ login: { ...user, passwordFrom: 'vault' }, companies: [{ rut: RUT }] }, false],
    [{ login: { ...user, body: 'xml' }, companies: [{ rut: RUT }] }, false],
    [{ companies: [{ rut: 219_999_830_019, token: 't' }] }, false],
    [{ companies: [], api: 'https://api.example' }, false],
    [{ other: 1, companies: [{ rut: RUT, token: 't' }] }, false],
  ])('agrees with the program about %j: %s', (json, isRight) => {
    expect(accepts(json)).toBe(isRight);
    expect(parseCompanies(json, 'FILE').problems.length === 0).toBe(isRight);
  });
});
