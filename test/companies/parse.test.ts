import { describe, expect, it } from 'vitest';
import { describeProblem, parseCompanies, parseCompaniesText } from '../../lib/companies/company.ts';

const A = '211003420017';
const B = '219999830019';
const C = '214844360018';

/** The parsed companies, with tokens revealed and problems in words. */
function read({ companies, problems }: ReturnType<typeof parseCompanies>) {
  return {
    companies: companies.map(({ rut, token, ...rest }) => ({ rut, token: token?.reveal(), ...rest })),
    problems: problems.map(describeProblem),
  };
}

const parsed = (json: unknown) => read(parseCompanies(json, 'secret x'));
const problemsOf = (json: unknown) => parsed(json).problems;

describe('parseCompanies', () => {
  it('reads a list of companies, with and without names, and ignores what else an entry says', () => {
    const companies = [
      { rut: A, token: 't1', name: 'Ñandú' },
      { rut: B, token: 't2' },
    ];
    const json = { companies: companies.map((entry) => ({ ...entry, since: 2020 })) };
    expect(parsed(json)).toEqual({ companies, problems: [] });
  });

  it('reads a plain map from RUT to token', () => {
    const { companies, problems } = parsed({ [B]: 't2', [A]: 't1' });
    expect({ companies: companies.map(({ rut, token }) => [rut, token]), problems }).toEqual({
      companies: [
        [B, 't2'],
        [A, 't1'],
      ],
      problems: [],
    });
  });

  it('returns the good companies beside bad ones, and names each bad one', () => {
    const json = {
      companies: [
        { rut: '210303670014', token: 'x' },
        { rut: A, token: 't' },
        { rut: B, token: '' },
        'c',
        { rut: C, token: 'u' },
      ],
    };
    expect(parsed(json)).toEqual({
      companies: [
        { rut: A, token: 't' },
        { rut: C, token: 'u' },
      ],
      problems: [
        'secret x, entry 1, RUT 210303670014: the RUT is not valid: its check digit is wrong; look for a typing error',
        `secret x, entry 3, RUT ${B}: the token is empty`,
        'secret x, entry 4: the entry must be an object',
      ],
    });
  });

  it.each<[string, unknown, string]>([
    [
      'a RUT as a number',
      { rut: 211003420017, token: 't' },
      `RUT ${A}: the RUT must be text: put it in quotes`,
    ],
    ['no RUT', { token: 't' }, 'entry 1: the entry has no "rut"'],
    ['no token', { rut: A }, `RUT ${A}: the entry has no "token"`],
    ['neither', {}, 'the entry has no "rut"'],
    ['a token of null', { rut: A, token: null }, 'the token must be text'],
    ['a token with a line break', { rut: A, token: 'abc\n' }, 'the token has a character that no token has'],
    [
      'a token with its scheme',
      { rut: A, token: 'Bearer abc' },
      'the token has a character that no token has',
    ],
    ['a name that is a number', { rut: A, token: 't', name: 5 }, 'the name must be text'],
    [
      'a token in place of a name',
      { rut: A, token: 't', name: `Bearer ${'x'.repeat(40)}` },
      'the name has 40 characters without a space: is it a token?',
    ],
    ['null', null, 'the entry must be an object'],
    ['a list', [], 'the entry has no "rut"'],
  ])('refuses an entry with %s', (_, entry, message) => {
    expect(problemsOf({ companies: [entry] })).toEqual([expect.stringContaining(message)]);
    expect(parsed({ companies: [entry, { rut: B, token: 'u' }] }).companies).toEqual([
      { rut: B, token: 'u' },
    ]);
  });

  it('refuses a RUT that is in the list twice, and keeps the first', () => {
    const json = {
      companies: [
        { rut: A, token: 'first' },
        { rut: B, token: 'u' },
        { rut: A, token: 'second' },
      ],
    };
    const { companies, problems } = parsed(json);
    expect(companies.map(({ token }) => token)).toEqual(['first', 'u']);
    expect(problems).toEqual([`secret x, entry 3, RUT ${A}: entry 1 has the same RUT: keep one of them`]);
  });

  it.each([null, 5, 'text', [], [{ rut: A, token: 't' }], {}])('finds no companies in %j', (json) => {
    expect(problemsOf(json)).toEqual([
      expect.stringMatching(/^secret x: it holds no companies: write \{"companies"/),
    ]);
  });

  it('refuses an empty list and a "companies" that is no list', () => {
    expect(problemsOf({ companies: [] })).toEqual(['secret x: "companies" is empty']);
    expect(problemsOf({ companies: { [A]: 't' } })).toEqual(['secret x: "companies" must be a list']);
  });

  it('reads the address that the tokens are for, and refuses an impossible one', () => {
    const parsed = (api: unknown, entry = {}) =>
      parseCompanies({ api, companies: [{ rut: A, token: 't', ...entry }] }, 'secret x');
    expect(parsed('https://api.example.com/base').api?.href).toBe('https://api.example.com/base');
    expect(read(parsed('https://me:s3cret@api.example.com')).problems).toEqual([
      'secret x: its "api" is not the address of an API: it must not hold a user name or a password',
    ]);
    expect(read(parsed(['https://a.example'])).problems).toEqual([
      'secret x: its "api" must be text: "https://…"',
    ]);
    expect(read(parsed(undefined, { api: 'https://a.example' })).problems).toEqual([
      `secret x, entry 1, RUT ${A}: "api" belongs beside "companies" and applies to all of them: give another API a file of its own`,
    ]);
  });

  it('refuses companies outside the list, rather than ignoring them', () => {
    const { companies, problems } = parsed({ companies: [{ rut: A, token: 't' }], [B]: 'u' });
    expect(companies).toEqual([{ rut: A, token: 't' }]);
    expect(problems).toEqual([
      'secret x: it has keys beside "companies", "api" and "login" (1): move them into the list',
    ]);
  });

  it.each([
    ['its own word in Spanish', { empresas: [{ rut: A, token: 't' }] }],
    ['a name of its own', { clientes: [{ rut: A, token: 't' }], api: 'https://api.example.com' }],
  ])('asks whether companies was meant by %s', (_, json) => {
    const { companies, problems } = parsed(json);
    expect(companies).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('Did you mean companies?')]);
  });

  it('takes a RUT for no misspelled list, whatever its token is', () => {
    expect(problemsOf({ [A]: { token: 't' }, '21 10': ['t'] })).toEqual([
      `secret x, entry 1, RUT ${A}: the token must be text`,
      expect.stringContaining('entry 2'),
    ]);
  });

  it('repeats no name in place of companies that may be a token', () => {
    const token = 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln';
    expect(problemsOf({ [token]: [A] }).join()).not.toContain(token);
  });
});

describe('a source whose api is not plain', () => {
  const list = `"companies": [{"rut": "${A}", "token": "t1"}, {"rut": "${B}", "token": "t2"}]`;
  const entry = (more: string) => `{"companies": [{"rut": "${A}", "token": "t1"}, ${more}]}`;

  it.each([
    ['no address', `{"api": "api.example.com", ${list}}`],
    ['empty', `{"api": "", ${list}}`],
    ['null', `{"api": null, ${list}}`],
    ['an object', `{"api": {"url": "https://api.example.com"}, ${list}}`],
    ['unencrypted', `{"api": "http://api.example.com", ${list}}`],
    ['with a password', `{"api": "https://me:s3cret@api.example.com", ${list}}`],
    ['written twice', `{"api": "https://one.example", ${list}, "api": "https://two.example"}`],
    [
      'written twice, once with an escape',
      `{"api": "https://one.example", ${list}, "\\u0061pi": "https://two.example"}`,
    ],
    ['under a longer name', `{"apiAddress": "https://api.example.com", ${list}}`],
    ['under another name', `{"url": "https://api.example.com", ${list}}`],
    ['beside RUTs', `{"api": "https://api.example.com", "${A}": "t1", "${B}": "t2"}`],
    ['within one entry', entry(`{"rut": "${B}", "token": "t2", "api": "https://api.example.com"}`)],
    ['within an entry of its own', entry('{"api": "https://api.example.com"}')],
  ])('gives no token to anybody: %s', (_, text) => {
    const { companies, problems } = read(parseCompaniesText(text, 'secret x'));
    expect(companies).toEqual([]);
    expect(problems.join()).toMatch(/api|address/i);
    expect(problems.join()).not.toMatch(/t1|t2|s3cret/);
  });
});

describe('parseCompaniesText', () => {
  const problemsOfText = (text: string) => read(parseCompaniesText(text, 'f.json')).problems;

  it('says where text is not JSON, if JSON.parse knows', () => {
    expect(problemsOfText(`{\n  "${A}": "t",\n}`)).toEqual([
      expect.stringMatching(/^f\.json: it is not JSON \(line 3, column 1\): write \{/),
    ]);
    expect(problemsOfText('')).toEqual([expect.stringMatching(/^f\.json: it is not JSON: write \{/)]);
  });

  it.each([
    // Of two keys, JSON.parse would silently drop one.
    [`{"${A}": "t1", "${B}": "t2", "${A}" : "t3"}`, `f.json, RUT ${A}: the key "${A}"`],
    [
      `{"companies": [{"rut": "${A}", "token": "t"}], "companies": [{"rut": "${A}", "token": "t"}]}`,
      'f.json: the key "companies"',
    ],
    [`{"companies": [{"rut": "${A}", "token": "t", "tok\\u0065n": "u"}]}`, 'f.json: the key "token"'],
    [`{"companies": [{"rut": "${A}", "rut": "${B}", "token": "t"}]}`, 'f.json: the key "rut"'],
  ])('finds what is said twice: %s', (text, key) => {
    expect(problemsOfText(text)).toEqual([`${key} appears 2 times: keep one of them`]);
  });

  it('does not mistake values for keys', () => {
    const json = {
      companies: [
        { rut: A, token: 't', name: A },
        { rut: B, token: `"${A}":`, name: `"${A}": "${A}":` },
      ],
    };
    expect(problemsOfText(JSON.stringify(json))).toEqual([]);
  });
});
