import { describe, expect, it } from 'vitest';
import { describeProblem, parseCompanies, parseCompaniesText } from '../../lib/companies/company.ts';
import { readLogin } from '../../lib/companies/login.ts';

const tokenUrl = 'https://login.example/token';
const user = { tokenUrl, username: 'ana', password: 'a secret, ñ' };
const RUT = '219999830019';

describe('a login', () => {
  it.each<[string, object]>([
    ['a user', user],
    ['a refresh token', { tokenUrl, refreshToken: 'r' }],
    ['a client', { tokenUrl, clientId: 'c', clientSecret: 's' }],
    ['a password from elsewhere', { tokenUrl, username: 'ana', passwordFrom: 'env:CFE_PASSWORD' }],
    ['a form and a scope', { ...user, body: 'form', scope: 'rut' }],
    ['this machine', { ...user, tokenUrl: 'http://127.0.0.1:8787/token' }],
  ])('may be of %s', (_, given) => {
    const { login, reasons } = readLogin(given);
    expect(reasons).toEqual([]);
    expect(login).toMatchObject({ tokenUrl: new URL('tokenUrl' in given ? String(given.tokenUrl) : '') });
    expect(JSON.stringify(login)).not.toContain('a secret');
  });

  it.each<[string, unknown, string]>([
    ['no object', 'a', 'must be an object'],
    ['no address at all', { username: 'a', password: 'b' }, 'has no "tokenUrl"'],
    ['an address in the clear', { ...user, tokenUrl: 'http://login.example' }, 'unencrypted'],
    [
      'an address with a password',
      { ...user, tokenUrl: 'https://a:b@login.example' },
      'must not hold a user',
    ],
    ['a member that is misspelt', { ...user, pasword: 'x' }, 'not known, "pasword". Did you mean password?'],
    ['a user without password', { tokenUrl, username: 'ana' }, '"username" and "password" together'],
    ['two passwords', { ...user, passwordFrom: 'env:A' }, 'keep one of them'],
    ['half a client', { tokenUrl, clientId: 'c' }, '"clientId" and "clientSecret" together'],
    ['a client and a user', { ...user, clientId: 'c', clientSecret: 's' }, 'keep one of them'],
    ['nothing to log in with', { tokenUrl }, 'has nothing to log in with'],
    ['a body of another kind', { ...user, body: 'xml' }, '"body" must be "json" or "form"'],
    [
      'a password from nowhere',
      { tokenUrl, username: 'a', passwordFrom: 'vault' },
      '"env:NAME" or "file:PATH"',
    ],
    [
      'a refresh token that none can be',
      { tokenUrl, refreshToken: 'a secret ñ' },
      '"refreshToken" has a character that no refresh token has',
    ],
    ['an empty password', { ...user, password: '' }, '"password" is empty'],
  ])('with %s is refused', (_, given, reason) => {
    const { login, reasons } = readLogin(given);
    expect(login).toBeUndefined();
    expect(reasons.join('; ')).toContain(reason);
    expect(reasons.join('; ')).not.toContain('a secret');
  });
});

describe('the companies of a login', () => {
  const problems = (json: unknown) => parseCompanies(json, 'FILE').problems.map(describeProblem);

  it('need no token, and may have one or a login of their own', () => {
    const ownLogin = { ...user, username: 'eva' };
    const json = {
      login: user,
      companies: [
        { rut: RUT },
        { rut: '214844360018', token: 't' },
        { rut: '218617380010', login: ownLogin },
      ],
    };
    const { companies, login } = parseCompanies(json, 'FILE');
    expect(problems(json)).toEqual([]);
    expect(
      companies.map(({ token, login: ownLogin }) => [token?.reveal(), ownLogin?.username?.reveal()]),
    ).toEqual([
      [undefined, undefined],
      ['t', undefined],
      [undefined, 'eva'],
    ]);
    expect(login?.username?.reveal()).toBe('ana');
  });

  it.each<[object, string]>([
    [
      { companies: [{ rut: RUT }] },
      'FILE, entry 1, RUT 219999830019: the entry has no "token", and there is no "login"',
    ],
    [{ companies: [{ rut: RUT, token: 't', login: user }] }, 'a token and a login: keep one of them'],
    [{ companies: [{ rut: RUT, login: { tokenUrl } }] }, 'its login has nothing to log in with'],
    [
      { login: { ...user, user: 'x' }, companies: [{ rut: RUT, token: 't' }] },
      'its "login" has a member that is not known, "user"',
    ],
  ])('are told what is wrong: %j', (json, problem) => {
    expect(problems(json).join('; ')).toContain(problem);
  });

  it('are refused with a member of the login that is there twice', () => {
    const json = `{"login":{"tokenUrl":"${tokenUrl}","username":"a","password":"b","password":"c"},"companies":[{"rut":"${RUT}"}]}`;
    const { problems: found } = parseCompaniesText(json, 'FILE');
    expect(found.map(describeProblem)).toEqual([
      'FILE: the key "password" appears 2 times: keep one of them',
    ]);
  });

  it('have none beside them in AWS, where the login is a secret of its own', () => {
    const inSecret = (json: unknown) =>
      parseCompanies(json, 'secret x', 'elsewhere').problems.map(describeProblem).join('; ');
    expect(inSecret({ companies: [{ rut: RUT }] })).toBe('');
    expect(inSecret({ login: user, companies: [{ rut: RUT }] })).toContain('the setting "login" names');
    expect(inSecret({ companies: [{ rut: RUT, login: user }] })).toContain('the setting "login" names');
  });
});
