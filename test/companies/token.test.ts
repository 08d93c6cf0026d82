import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Company } from '../../lib/companies/company.ts';
import { Token } from '../../lib/companies/token.ts';

const SECRET = 'QXZJKWQXZJKWQXZJKW';
const token = new Token(SECRET);
const company: Company = { rut: '211003420017', token, name: 'Ñandú S.A.' };

describe('Token', () => {
  it('gives the token when asked for it', () => {
    expect(token.reveal()).toBe(SECRET);
  });

  it.each([
    ['a template', `${token}`],
    ['a concatenation', `Bearer ${String(token)}`],
    ['JSON', JSON.stringify(company)],
    ['inspect', inspect(company, { depth: null, showHidden: true })],
    [
      'inspect without custom printing',
      inspect(company, { customInspect: false, showHidden: true, depth: null }),
    ],
    ['console formatting', format('%s %o %O %j', token, token, company, company)],
    ['its keys', JSON.stringify([Reflect.ownKeys(token), Object.entries(token)])],
    ['a copy', inspect({ ...company, token: { ...token } })],
    ['a structured clone', inspect(structuredClone(company))],
    ['an error with it as cause', inspect(new Error('x', { cause: company }))],
  ])('is not in %s', (_, printed) => {
    expect(printed).not.toContain(SECRET);
  });

  it('shows that there is one', () => {
    expect(inspect(company)).toBe("{ rut: '211003420017', token: [token], name: 'Ñandú S.A.' }");
    expect(JSON.stringify({ token })).toBe('{"token":"[token]"}');
  });
});
