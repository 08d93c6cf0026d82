import { format, inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Company } from '../../lib/companies/company.ts';
import { Token, tokenExpiry } from '../../lib/companies/token.ts';
import { anyText } from '../support/texts.ts';

const SECRET = 'QXZJKWQXZJKWQXZJKW';
const token = new Token(SECRET);
const company: Company = { rut: '211003420017', token, name: 'Ñandú S.A.' };

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
])('a token is not in %s', (_, printed) => {
  expect(printed).not.toContain(SECRET);
});

const HEADER = base64url('{"alg":"RS256","typ":"JWT"}');

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function jwt(payload: string): Token {
  return new Token(`${HEADER}.${base64url(payload)}.c2lnbmF0dXJl`);
}

describe('tokenExpiry', () => {
  it("is a JWT's exp, in seconds since the epoch", () => {
    expect(tokenExpiry(jwt('{"exp":1795000000}'))).toEqual(new Date('2026-11-18T11:06:40Z'));
  });

  it.each([
    ['no exp', '{"sub":"x"}'],
    ['an exp of text', '{"exp":"1795000000"}'],
    ['an exp beyond any date', '{"exp":1e300}'],
    ['a payload that is not JSON', '{"exp":'],
  ])('is undefined with %s', (_, payload) => {
    expect(tokenExpiry(jwt(payload))).toBeUndefined();
  });

  it.each([
    '',
    'opaque',
    '..',
    'a.%%%.c',
    `${HEADER}.${base64url('{"exp":1}')}`,
    // Of five parts: it is encrypted.
    `${HEADER}.${base64url('{"exp":1795000000}')}.x.y.z`,
  ])('is undefined for what is no JWT: %s', (text) => {
    expect(tokenExpiry(new Token(text))).toBeUndefined();
  });

  it('never throws, and returns only real dates', () => {
    const part = fc.oneof(anyText(), fc.json().map(base64url));
    const text = fc.oneof(
      fc.string(),
      fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.')),
    );
    const exp = fc.double().map((seconds) => jwt(`{"exp":${Number.isFinite(seconds) ? seconds : '"NaN"'}}`));
    fc.assert(
      fc.property(
        fc.oneof(
          text.map((written) => new Token(written)),
          exp,
        ),
        (token) => {
          const expiry = tokenExpiry(token);
          expect(expiry === undefined || !Number.isNaN(expiry.getTime())).toBe(true);
        },
      ),
    );
  });
});
