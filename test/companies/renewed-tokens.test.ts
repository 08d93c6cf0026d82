import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeProblems } from '../../lib/companies/company.ts';
import { readRenewedTokens, refusalOf, renewTokens } from '../../lib/companies/renewed-tokens.ts';
import { listCompanies, secretTokenSource } from '../../lib/companies/secrets-manager.ts';
import { clientSettings } from '../support/aws/aws-server.ts';
import { startAwsStandIn } from '../support/aws/stand-in.ts';
import { PASSWORD, TokenServer } from '../support/companies/token-server.ts';
import { HurriedClock, settled } from '../support/fake-clock.ts';
import { rutsOf } from '../support/ruts.ts';

const [A, B] = ['219999830019', '214844360018'];
const [COMPANIES, LOGIN, TOKENS] = ['cfe-lake/companies', 'cfe-lake/login', 'cfe-lake/tokens'];
const MINUTE_MS = 60_000;
let clock: HurriedClock;
let server: TokenServer;

const aws = await startAwsStandIn();
const client = new SecretsManagerClient(clientSettings(aws));
afterAll(async () => {
  client.destroy();
  await aws.close();
});
beforeEach(async () => {
  aws.secrets.secrets.clear();
  aws.secrets.denied.clear();
  aws.secrets.failedMoves = 0;
  clock = new HurriedClock();
  aws.secrets.now = () => clock.now();
  aws.secrets.forgetVersions();
  server = await TokenServer.start(clock);
  server.lifeSeconds = 12 * 3_600;
});

const put = (name: string, value: unknown) =>
  aws.secrets.answer(
    'PutSecretValue',
    JSON.stringify({ SecretId: name, SecretString: JSON.stringify(value) }),
  );
const text = (name: string) => aws.secrets.secrets.get(name)?.SecretString ?? '';
const login = (more: object = {}) =>
  put(LOGIN, { tokenUrl: server.url, username: 'ana', password: PASSWORD, ...more });
const renew = () => renewTokens({ client, loginSecret: LOGIN, tokensSecret: TOKENS }, clock);
const source = (rut = A) => secretTokenSource(client, COMPANIES, rut, { tokensSecret: TOKENS });

describe('renew-tokens', () => {
  it('says that there is no secret of the login, or that it may not be read', async () => {
    expect(await renew()).toEqual({ renewed: 0, failure: expect.stringContaining(`no secret ${LOGIN}`) });
    aws.secrets.denied.add(LOGIN);
    await expect(renew()).rejects.toThrow(`The secret ${LOGIN} could not be read (AccessDeniedException).`);
  });

  it('logs in once no more than half of the life is left, twice a day with tokens of twelve hours', async () => {
    login();
    for (let minutes = 0; minutes < 24 * 60; minutes += 15) {
      await renew();
      const [token] = (await readRenewedTokens(client, TOKENS)).tokens;
      expect(token && token.endsAtMs - clock.now()).toBeGreaterThan(5.8 * 3_600_000);
      await clock.advance(15 * MINUTE_MS);
    }
    expect(server.asked).toHaveLength(4);
    expect(text(LOGIN)).toContain(PASSWORD);
    expect(text(TOKENS)).not.toMatch(/QXZJ|refresh/);
  });

  it('stores a refresh token that came anew before its tokens, and nothing else of the secret changes', async () => {
    login({ refreshToken: server.refreshToken });
    const before = text(LOGIN);
    await renew();
    expect(text(LOGIN)).toBe(before.replace('refresh-token-0', 'refresh-token-1'));
    // As if it had ended before the tokens were written.
    aws.secrets.secrets.delete(TOKENS);
    expect(await renew()).toEqual({ renewed: 1 });
    expect(server.asked.map(({ grant_type }) => grant_type)).toEqual(['refresh_token', 'refresh_token']);
  });

  it('makes a refresh token the current one that an earlier invocation could not, and sends none before', async () => {
    login({ refreshToken: server.refreshToken, username: undefined, password: undefined });
    aws.secrets.failedMoves = 2;
    await expect(renew()).rejects.toThrow('InternalServiceError');
    await expect(renew()).rejects.toThrow('InternalServiceError');
    expect(server.asked).toHaveLength(1);
    expect(text(LOGIN)).toContain('refresh-token-0');
    expect(await renew()).toEqual({ renewed: 1 });
    expect(server.asked.map(({ refresh_token }) => refresh_token)).toEqual([
      'refresh-token-0',
      'refresh-token-1',
    ]);
    expect(text(LOGIN)).toContain('refresh-token-2');
  });

  it('has stored a refresh token that another invocation made the current one meanwhile', async () => {
    login({ refreshToken: server.refreshToken, username: undefined, password: undefined });
    const answer = aws.secrets.answer.bind(aws.secrets);
    const moves = vi.spyOn(aws.secrets, 'answer').mockImplementation((operation, body) => {
      if (operation === 'UpdateSecretVersionStage') answer(operation, body);
      return answer(operation, body);
    });
    onTestFinished(() => moves.mockRestore());
    expect(await renew()).toEqual({ renewed: 1 });
    expect(server.asked).toHaveLength(1);
    expect(text(LOGIN)).toContain('refresh-token-1');
  });

  it('takes up no refresh token that does not follow the one that a person wrote since', async () => {
    const writeByHand = async () => {
      await server.answer({ grant_type: 'password', password: PASSWORD });
      login({ refreshToken: server.refreshToken, username: undefined, password: undefined });
    };
    await writeByHand();
    aws.secrets.failedMoves = 1;
    await expect(renew()).rejects.toThrow('InternalServiceError');
    for (const what of ['one that was never current', 'one that was']) {
      await writeByHand();
      expect([what, await renew()]).toEqual([what, { renewed: 1 }]);
    }
    expect(server.asked.flatMap(({ refresh_token }) => refresh_token ?? [])).toEqual(
      [1, 3, 5].map((number) => `refresh-token-${number}`),
    );
  });

  it.each([
    ['gives the next one, to both', { password: PASSWORD }, 0],
    ['would: without it somebody has to log in', { username: undefined, password: undefined }, 1],
  ])(
    'where AWS calls twice at once and the service withdraws what was sent twice, a password %s',
    async (_what, more, failureCount) => {
      server.isReuseDetected = true;
      login({ refreshToken: server.refreshToken, ...more });
      server.beforeAnswer = async () => {
        while (server.asked.length < 2) await settled();
      };
      const renewals = await Promise.all([renew(), renew()]);
      const failures = renewals.flatMap(({ failure }) => failure ?? []);
      expect(failures).toEqual(Array(failureCount).fill(expect.stringContaining('was refused (status 400)')));
      await clock.advance(7 * 3_600_000);
      const later = await renew();
      expect(later.failure === undefined ? 0 : 1).toBe(failureCount);
      if (failureCount === 0) expect(text(LOGIN)).toContain(server.refreshToken);
    },
  );

  it('never overwrites what a person writes meanwhile, and logs in with that', async () => {
    login({ refreshToken: server.refreshToken, password: 'an old one' });
    server.beforeAnswer = async () => {
      server.beforeAnswer = async () => undefined;
      login({ refreshToken: 'by hand' });
    };
    expect(await renew()).toEqual({ renewed: 1 });
    expect(server.asked.map(({ grant_type }) => grant_type)).toEqual([
      'refresh_token',
      'refresh_token',
      'password',
    ]);
    expect(JSON.parse(text(LOGIN))).toMatchObject({ password: PASSWORD, refreshToken: server.refreshToken });
  });

  it.each([
    ['as it is', {}, ['refresh-token-0']],
    ['with another scope', { scope: 'other' }, ['refresh-token-0', 'refresh-token-1']],
  ])(
    'keeps the next refresh token in what a person writes meanwhile with the one that was sent, %s, and sends none twice',
    async (_what, more, sent) => {
      const byToken = { username: undefined, password: undefined };
      server.isReuseDetected = true;
      login({ refreshToken: server.refreshToken, ...byToken });
      server.beforeAnswer = async () => {
        if (server.asked.length === 1) login({ refreshToken: 'refresh-token-0', ...byToken, ...more });
      };
      expect(await renew()).toEqual({ renewed: 1 });
      expect(server.asked.map(({ refresh_token }) => refresh_token)).toEqual(sent);
      expect(JSON.parse(text(LOGIN))).toEqual({
        tokenUrl: server.url,
        refreshToken: server.refreshToken,
        ...more,
      });
      // What it gave is of the login as it is written now.
      expect(server.asked.at(-1)).toMatchObject(more);
      expect(await renew()).toEqual({ renewed: 0 });
    },
  );

  it.each([
    ['as it is', {}],
    ['with another scope', { scope: 'other' }],
  ])(
    'keeps the next refresh token that an earlier invocation could not in what a person wrote since with the one that was sent, %s',
    async (_what, more) => {
      const byToken = { username: undefined, password: undefined };
      server.isReuseDetected = true;
      login({ refreshToken: server.refreshToken, ...byToken });
      aws.secrets.failedMoves = 1;
      await expect(renew()).rejects.toThrow('InternalServiceError');
      login({ refreshToken: 'refresh-token-0', ...byToken, ...more });
      expect(await renew()).toEqual({ renewed: 1 });
      expect(server.asked.map(({ refresh_token }) => refresh_token)).toEqual([
        'refresh-token-0',
        'refresh-token-1',
      ]);
      expect(JSON.parse(text(LOGIN))).toEqual({
        tokenUrl: server.url,
        refreshToken: server.refreshToken,
        ...more,
      });
    },
  );

  it('keeps it whatever else was wrong in what they wrote first', async () => {
    const file = { refreshToken: server.refreshToken, username: undefined, password: undefined };
    login(file);
    server.beforeAnswer = async () => {
      server.beforeAnswer = async () => undefined;
      login({ ...file, scpe: 'other' });
    };
    expect(await renew()).toMatchObject({ renewed: 0, failure: expect.stringContaining('"scpe"') });
    login(file);
    expect(await renew()).toEqual({ renewed: 1 });
    expect(server.asked.map(({ refresh_token }) => refresh_token)).toEqual([
      'refresh-token-0',
      'refresh-token-1',
    ]);
  });

  it('sends what came of a refresh token to no other address than gave it', async () => {
    const byToken = { username: undefined, password: undefined };
    login({ refreshToken: server.refreshToken, ...byToken });
    await renew();
    const other = await TokenServer.start(clock);
    login({ tokenUrl: other.url, refreshToken: 'refresh-token-0', ...byToken });
    await renew();
    expect(other.asked.map(({ refresh_token }) => refresh_token)).toEqual(['refresh-token-0']);
  });

  it('gives up on a secret that is written each time before it is stored, sends none twice, and leaves it as it is', async () => {
    server.isReuseDetected = true;
    const write = () => login({ refreshToken: 'refresh-token-0', username: undefined, password: undefined });
    write();
    const answer = aws.secrets.answer.bind(aws.secrets);
    const moves = vi.spyOn(aws.secrets, 'answer').mockImplementation((operation, body) => {
      if (operation === 'UpdateSecretVersionStage') write();
      return answer(operation, body);
    });
    onTestFinished(() => moves.mockRestore());
    expect(await renew()).toEqual({
      renewed: 0,
      failure: expect.stringContaining('the secret of the login was written by others all the time'),
    });
    expect(server.asked).toHaveLength(1);
    expect(text(LOGIN)).toContain('refresh-token-0');
  });

  it('tells of a refusal each time, but tries it again only after an hour or with another secret', async () => {
    login({ password: 'wrong' });
    const refused = {
      renewed: 0,
      failure: expect.stringContaining('the login was refused (status 400). Check'),
    };
    for (let minutes = 0; minutes < 60; minutes += 15) {
      expect(await renew()).toEqual(refused);
      await clock.advance(15 * MINUTE_MS);
    }
    expect(server.asked).toHaveLength(1);
    expect(await renew()).toEqual(refused);
    expect(server.asked).toHaveLength(2);
    login();
    expect(await renew()).toEqual({ renewed: 1 });
    expect(await renew()).toEqual({ renewed: 0 });
  });

  it('says that the login is down once its token is about to end', async () => {
    login();
    await renew();
    server.status = 503;
    await clock.advance(7 * 3_600_000);
    expect(await renew()).toEqual({ renewed: 0 });
    await clock.advance(4.5 * 3_600_000);
    expect(await renew()).toEqual({ renewed: 0, failure: expect.stringContaining('status 503') });
    expect(text(TOKENS)).toContain('access-token-1');
  });

  it.each<[unknown, string]>([
    ['no object', 'must be JSON'],
    [{ tokenUrl: 'https://a.example' }, 'has nothing to log in with'],
    [
      { tokenUrl: 'https://a.example', username: 'a', passwordFrom: 'env:A' },
      'must have the password itself',
    ],
    [{ tokenUrl: 'https://a.example', username: 'a', password: 'b', scope: 'rut' }, 'needs "ruts"'],
    [{ tokenUrl: 'https://a.example', username: 'a', password: 'b', ruts: [A] }, 'needs "ruts"'],
    [{ tokenUrl: 'https://a.example', refreshToken: 'a', ruts: ['1'], scope: 'rut' }, 'must be JSON'],
  ])('says what is wrong with the secret: %j', async (value, failure) => {
    put(LOGIN, value);
    expect(await renew()).toEqual({ renewed: 0, failure: expect.stringContaining(failure) });
  });

  it('asks for a token of each company where the scope is its RUT', async () => {
    login({ scope: 'rut', ruts: [A, B] });
    put(COMPANIES, { companies: [{ rut: A }, { rut: B }] });
    expect(await renew()).toEqual({ renewed: 2 });
    for (const rut of [A, B])
      expect(await source(rut).current()).toMatch(new RegExp(`^access-token-[12]-${rut}$`));
  });

  it('asks for all others where one company is refused alone, which it names, and that one once an hour', async () => {
    const ruts = rutsOf(4);
    const [, refusedRut = '', , laterRut = ''] = ruts;
    server.lifeSeconds = 3_600;
    server.refusedScopes.add(refusedRut);
    login({ scope: 'rut', ruts });
    const asked = (rut: string) => server.asked.filter(({ scope }) => scope === rut).length;
    for (let minutes = 0; minutes < 24 * 60; minutes += 15) {
      if (minutes === 90) server.refusedScopes.add(laterRut);
      const { failure } = await renew();
      expect(failure).toContain(`no token for RUT ${refusedRut} (status 400)`);
      const { tokens, ...stored } = await readRenewedTokens(client, TOKENS);
      expect(refusalOf({ tokens, ...stored })).toBe(failure);
      const live = tokens.filter(({ endsAtMs }) => endsAtMs > clock.now() + 20 * MINUTE_MS);
      expect(live.map(({ rut }) => rut)).toEqual(expect.arrayContaining([ruts[0], ruts[2]]));
      await clock.advance(15 * MINUTE_MS);
    }
    expect([asked(refusedRut), asked(laterRut)]).toEqual([24, expect.any(Number)]);
    expect(asked(laterRut)).toBeLessThan(30);
    put(COMPANIES, { companies: ruts.map((rut) => ({ rut })) });
    const { problems } = await listCompanies(client, COMPANIES, undefined, TOKENS);
    expect(describeProblems(problems)).toEqual([
      expect.stringMatching(new RegExp(`RUT ${refusedRut}: .*no token for RUT ${refusedRut} \\(status 400`)),
    ]);
    server.refusedScopes.clear();
    login({ scope: 'rut', ruts });
    expect(await renew()).not.toHaveProperty('failure');
  });

  it.each([
    ['the first', 0],
    ['the last', 2],
  ])(
    'asks for all others where %s company is refused and the answer does not say why',
    async (_which, at) => {
      const ruts = rutsOf(3);
      const refusedRut = ruts[at];
      server.beforeAnswer = async () => {
        server.status = server.asked.at(-1)?.scope === refusedRut ? 403 : undefined;
      };
      server.lifeSeconds = 3_600;
      login({ scope: 'rut', ruts });
      for (let minutes = 0; minutes < 4 * 60; minutes += 15) {
        expect(await renew()).toMatchObject({
          failure: expect.stringContaining(`RUT ${refusedRut}: the login was refused (status 403)`),
        });
        const { tokens } = await readRenewedTokens(client, TOKENS);
        const live = tokens.filter(({ endsAtMs }) => endsAtMs > clock.now() + 20 * MINUTE_MS);
        expect(new Set(live.map(({ rut }) => rut))).toEqual(
          new Set(ruts.filter((rut) => rut !== refusedRut)),
        );
        await clock.advance(15 * MINUTE_MS);
      }
      expect(server.asked.filter(({ scope }) => scope === refusedRut)).toHaveLength(4);
    },
  );

  it.each([3_900, 4_200, 4_500])(
    'never leaves a company without a token because two others are refused, with tokens of %i seconds',
    async (lifeSeconds) => {
      const ruts = rutsOf(4);
      const good = ruts.slice(2);
      server.beforeAnswer = async () => {
        const { scope = '' } = server.asked.at(-1) ?? {};
        server.status =
          clock.now() > startMs + 5 * MINUTE_MS && !good.some((rut) => rut === scope) ? 401 : undefined;
      };
      const startMs = clock.now();
      server.lifeSeconds = lifeSeconds;
      login({ scope: 'rut', ruts });
      for (let minutes = 0; minutes < 12 * 60; minutes += 15) {
        await renew();
        const { tokens } = await readRenewedTokens(client, TOKENS);
        const live = tokens.filter(({ endsAtMs }) => endsAtMs > clock.now());
        expect(live.map(({ rut }) => rut)).toEqual(expect.arrayContaining(good));
        await clock.advance(15 * MINUTE_MS);
      }
      expect(server.asked.filter(({ scope }) => scope === ruts[0]).length).toBeLessThan(36);
    },
  );

  it('keeps what a slow login gave by the time that the function must end, and asks for the others next', async () => {
    const ruts = rutsOf(40);
    server.beforeAnswer = async () => await clock.advance(10_000);
    login({ scope: 'rut', ruts });
    const first = await renew();
    expect(first).toEqual({ renewed: 25, failure: expect.stringContaining('The others are next') });
    expect(await renew()).toEqual({ renewed: 15 });
    expect((await readRenewedTokens(client, TOKENS)).tokens).toHaveLength(40);
  });

  it('stores the tokens that fit, names the companies of the others, and asks for those once an hour', async () => {
    const ruts = rutsOf(30);
    server.padding = 'x'.repeat(2_500);
    login({ scope: 'rut', ruts });
    const { failure = '' } = await renew();
    const { tokens } = await readRenewedTokens(client, TOKENS);
    expect(tokens.map(({ rut }) => rut)).toEqual(ruts.slice(0, tokens.length));
    expect(tokens.length).toBeGreaterThan(20);
    const named = [...failure.matchAll(/RUT (\d+): one secret has no room for its token/g)].map(
      ([, rut]) => rut,
    );
    expect(named).toEqual(ruts.slice(tokens.length));
    expect(await renew()).toEqual({ renewed: 0, failure });
  });

  it.each([401, 404, 503])('keeps 40 living tokens while the login answers with %i', async (status) => {
    const ruts = rutsOf(40);
    server.padding = 'x'.repeat(1_300 - 'access-token-40-'.length - A.length);
    login({ scope: 'rut', ruts });
    await renew();
    server.status = status;
    for (let minutes = 0; minutes < 11 * 60; minutes += 15) {
      await clock.advance(15 * MINUTE_MS);
      await renew();
    }
    expect((await readRenewedTokens(client, TOKENS)).tokens).toHaveLength(40);
    expect(Buffer.byteLength(text(TOKENS))).toBeLessThan(65_536);
  });

  it('leaves the others theirs where one token is longer than the secret', async () => {
    const ruts = rutsOf(9);
    login({ scope: 'rut', ruts });
    await renew();
    const [long] = rutsOf(10).slice(-1);
    server.beforeAnswer = async () => {
      server.padding = server.asked.at(-1)?.scope === long ? 'x'.repeat(70_000) : '';
    };
    await clock.advance(7 * 3_600_000);
    login({ scope: 'rut', ruts: [long, ...ruts] });
    expect(await renew()).toEqual({
      renewed: 10,
      failure: expect.stringContaining(`RUT ${long}: one secret`),
    });
    expect((await readRenewedTokens(client, TOKENS)).tokens.map(({ rut }) => rut)).toEqual(ruts);
  });

  it('renews all tokens that were given before somebody changed the secret', async () => {
    const ruts = rutsOf(3);
    login({ scope: 'rut', ruts });
    await renew();
    await clock.advance(15 * MINUTE_MS);
    expect(await renew()).toEqual({ renewed: 0 });
    login({ scope: 'rut', ruts });
    expect(await renew()).toEqual({ renewed: 3 });
    login({ refreshToken: server.refreshToken });
    expect(await renew()).toEqual({ renewed: 1 });
    expect(await renew()).toEqual({ renewed: 0 });
  });

  it.each([
    ['another user', { username: 'eva' }],
    ['the same', {}],
  ])('renews all with what is written while it is at it: %s', async (_what, more) => {
    const ruts = rutsOf(10);
    login({ scope: 'rut', ruts });
    server.beforeAnswer = async () => {
      if (server.asked.length === 5) login({ scope: 'rut', ruts, ...more });
    };
    await renew();
    await clock.advance(15 * MINUTE_MS);
    await renew();
    const asked = server.asked.slice(5).map(({ scope }) => scope);
    expect(asked.toSorted()).toEqual(ruts);
    expect(await renew()).toEqual({ renewed: 0 });
  });

  it('tries the password that is written while the one before is refused, at once', async () => {
    login({ password: 'wrong' });
    server.beforeAnswer = async () => {
      if (server.asked.length === 1) login();
    };
    expect(await renew()).toEqual({ renewed: 1 });
    expect(server.asked).toHaveLength(2);
  });

  it('holds no refusal of before against the login that is written meanwhile', async () => {
    const ruts = rutsOf(5);
    const more = { scope: 'rut', ruts };
    login(more);
    for (const rut of ruts) server.refusedScopes.add(rut);
    server.beforeAnswer = async () => {
      if (server.asked.length !== 3) return;
      server.refusedScopes.clear();
      login({ ...more, username: 'eva' });
    };
    await renew();
    await clock.advance(15 * MINUTE_MS);
    await renew();
    expect((await readRenewedTokens(client, TOKENS)).tokens).toHaveLength(5);
  });

  it.each([429, 503])(
    'lets one company that is throttled alone, with %i, keep no other from its token',
    async (status) => {
      const ruts = rutsOf(40);
      const [, , , alone] = ruts;
      server.lifeSeconds = 3_600;
      server.beforeAnswer = async () => {
        const isAlone = server.asked.at(-1)?.scope === alone;
        server.status = isAlone ? status : undefined;
        server.retryAfterSeconds = isAlone ? 60 : undefined;
      };
      login({ scope: 'rut', ruts });
      for (let minutes = 0; minutes < 5 * 60; minutes += 15) {
        await renew();
        const { tokens } = await readRenewedTokens(client, TOKENS);
        if (minutes > 15) {
          expect(tokens).toHaveLength(39);
          for (const { endsAtMs } of tokens) expect(endsAtMs).toBeGreaterThan(clock.now() + 15 * MINUTE_MS);
        }
        await clock.advance(15 * MINUTE_MS);
      }
    },
  );

  it.each([20, 10])(
    'keeps forty tokens of an hour fresh where the login gives %i a minute',
    async (count) => {
      server.lifeSeconds = 3_600;
      let given: number[] = [];
      server.beforeAnswer = async () => {
        const minute = Math.floor(clock.now() / MINUTE_MS);
        given = given.filter((one) => one === minute);
        const isFree = given.length < count;
        server.status = isFree ? undefined : 429;
        server.retryAfterSeconds = isFree ? undefined : 60 - Math.floor((clock.now() % MINUTE_MS) / 1_000);
        if (isFree) given.push(minute);
      };
      login({ scope: 'rut', ruts: rutsOf(40) });
      for (let minutes = 0; minutes < 3 * 60; minutes += 15) {
        await renew();
        const { tokens } = await readRenewedTokens(client, TOKENS);
        if (minutes > 0) expect(tokens).toHaveLength(40);
        if (minutes > 15)
          for (const { endsAtMs } of tokens) expect(endsAtMs).toBeGreaterThan(clock.now() + 15 * MINUTE_MS);
        await clock.advance(15 * MINUTE_MS);
      }
    },
  );

  it.each([1, 2, 3, 4, 15])(
    'sends a password that is wrong, and written after %i, five times in an hour',
    async (count) => {
      const more = { scope: 'rut', ruts: rutsOf(20) };
      login(more);
      const isWrong = () => server.asked.at(-1)?.password === 'wrong';
      server.beforeAnswer = async () => {
        server.status = isWrong() ? 401 : undefined;
        if (server.asked.length === count) login({ ...more, password: 'wrong' });
      };
      for (let minutes = 0; minutes < 60; minutes += 15) {
        await renew();
        await clock.advance(15 * MINUTE_MS);
      }
      expect(server.asked.filter(({ password }) => password === 'wrong').length).toBeLessThanOrEqual(5);
    },
  );

  it.each([1, 5, 15])(
    'sends a password that a code refuses once, where it is written after %i',
    async (count) => {
      const more = { scope: 'rut', ruts: rutsOf(20) };
      login(more);
      server.beforeAnswer = async () => {
        if (server.asked.length === count) login({ ...more, password: 'wrong' });
      };
      for (let minutes = 0; minutes < 60; minutes += 15) {
        await renew();
        await clock.advance(15 * MINUTE_MS);
      }
      expect(server.asked.filter(({ password }) => password === 'wrong')).toHaveLength(1);
    },
  );

  it.each([
    ['does not answer', undefined],
    ['asks to wait', 86_400],
  ])('asks for three at most where the login %s, others each time', async (_what, retryAfterSeconds) => {
    login({ scope: 'rut', ruts: rutsOf(40) });
    server.status = 503;
    server.retryAfterSeconds = retryAfterSeconds;
    for (let minutes = 0; minutes < 60; minutes += 15) {
      expect(await renew()).toEqual({ renewed: 0, failure: expect.stringContaining('status 503') });
      await clock.advance(15 * MINUTE_MS);
    }
    // Seven times more in each, after waits.
    expect(server.asked).toHaveLength(retryAfterSeconds === undefined ? 40 : 12);
    expect(new Set(server.asked.map(({ scope }) => scope)).size).toBeGreaterThan(8);
  });

  it.each([15, 16, 17, 18, 19])(
    'asks nobody twice in vain where the login gives a token in %i seconds',
    async (seconds) => {
      let givenAtMs = Number.NEGATIVE_INFINITY;
      const given: (string | undefined)[] = [];
      server.beforeAnswer = async () => {
        await clock.advance(500);
        const isFree = clock.now() - givenAtMs >= seconds * 1_000;
        server.status = isFree ? undefined : 429;
        if (!isFree) return;
        givenAtMs = clock.now();
        given.push(server.asked.at(-1)?.scope);
      };
      login({ scope: 'rut', ruts: rutsOf(40) });
      await renew();
      expect(new Set(given).size).toBe(given.length);
    },
  );

  it('leaves the tokens of before in use until the login, written for other tokens, has given one', async () => {
    login();
    await renew();
    const before = (await readRenewedTokens(client, TOKENS)).tokens;
    login({ scope: 'rut', ruts: [A, B], password: 'wrong' });
    expect(await renew()).toMatchObject({ renewed: 0 });
    expect((await readRenewedTokens(client, TOKENS)).tokens).toEqual(before);
    login({ scope: 'rut', ruts: [A, B, A] });
    expect(await renew()).toEqual({ renewed: 2 });
    expect((await readRenewedTokens(client, TOKENS)).tokens.map(({ rut }) => rut)).toEqual([A, B]);
  });

  it.each([500, 429])(
    'asks for a company that is new beside four that are answered with %i',
    async (status) => {
      const ruts = rutsOf(7);
      const [anew = '', ...others] = ruts;
      login({ scope: 'rut', ruts: others });
      await renew();
      const failing = new Set(others.slice(0, 4).map(String));
      server.beforeAnswer = async () => {
        server.status = failing.has(server.asked.at(-1)?.scope ?? '') ? status : undefined;
      };
      login({ scope: 'rut', ruts });
      for (let times = 0; times < 3; times += 1) {
        await renew();
        await clock.advance(15 * MINUTE_MS);
      }
      const { tokens } = await readRenewedTokens(client, TOKENS);
      expect(tokens.map(({ rut }) => rut)).toContain(anew);
    },
  );

  it('takes no code for a refusal of all while others have a token of the same secret', async () => {
    const ruts = rutsOf(3);
    const [refused = ''] = ruts;
    server.lifeSeconds = 3_600;
    login({ scope: 'rut', ruts: ruts.slice(1) });
    await renew();
    server.beforeAnswer = async () => {
      const isRefused = server.asked.at(-1)?.scope === refused;
      server.status = isRefused ? 400 : undefined;
      server.body = isRefused ? '{"error":"invalid_grant"}' : undefined;
    };
    login({ scope: 'rut', ruts });
    for (let minutes = 0; minutes < 6 * 60; minutes += 15) {
      await renew();
      const { tokens } = await readRenewedTokens(client, TOKENS);
      const live = tokens.filter(({ endsAtMs }) => endsAtMs > clock.now());
      expect(live.map(({ rut }) => rut)).toEqual(expect.arrayContaining(ruts.slice(1)));
      await clock.advance(15 * MINUTE_MS);
    }
  });

  it.each<[string, (written: object) => unknown, string[]]>([
    ['its notes', (written) => ({ ...written, refused: { version: 'one' } }), [A, B]],
    ['all of it', () => 'no object', [B]],
  ])(
    'takes tokens whose secret has another shape, %s, for what they are, and writes it anew',
    async (_what, change, ruts) => {
      put(COMPANIES, { companies: [{ rut: A }, { rut: B, token: 'own' }] });
      login();
      await renew();
      put(TOKENS, change(JSON.parse(text(TOKENS))));
      const list = await listCompanies(client, COMPANIES, undefined, TOKENS);
      expect(list.ruts.toSorted()).toEqual(ruts.toSorted());
      await clock.advance(7 * 3_600_000);
      expect(await renew()).toEqual({ renewed: 1 });
      expect((await listCompanies(client, COMPANIES, undefined, TOKENS)).problems).toEqual([]);
    },
  );

  it.each([undefined, '{"error":"invalid_grant"}'])(
    'leaves no company without its token because others are added that are refused: %s',
    async (body) => {
      const ruts = rutsOf(20);
      const good = ruts.slice(10);
      server.lifeSeconds = 3_600;
      server.beforeAnswer = async () => {
        const isRefused = !good.some((rut) => rut === server.asked.at(-1)?.scope);
        server.status = isRefused ? 401 : undefined;
        server.body = isRefused ? body : undefined;
      };
      login({ scope: 'rut', ruts: good });
      for (let minutes = 0; minutes < 8 * 60; minutes += 15) {
        if (minutes === 4 * 60) login({ scope: 'rut', ruts });
        await renew();
        await clock.advance(15 * MINUTE_MS);
        const { tokens } = await readRenewedTokens(client, TOKENS);
        const live = tokens.filter(({ endsAtMs }) => endsAtMs >= clock.now()).map(({ rut }) => rut);
        expect(live).toEqual(expect.arrayContaining(good));
      }
    },
  );

  it('says nothing of a company that the login has no more, whose token had no room', async () => {
    const ruts = rutsOf(12);
    server.padding = 'x'.repeat(6_000);
    login({ scope: 'rut', ruts: ruts.slice(0, 9) });
    await renew();
    server.refusedScopes.add(ruts[11] ?? '');
    login({ scope: 'rut', ruts: ruts.slice(3) });
    for (let times = 0; times < 4; times += 1) {
      const { failure } = await renew();
      expect(failure).not.toMatch(new RegExp(ruts.slice(0, 3).join('|')));
      await clock.advance(15 * MINUTE_MS);
    }
    server.refusedScopes.clear();
    await clock.advance(60 * MINUTE_MS);
    expect(await renew()).not.toHaveProperty('failure');
  });

  it('keeps what was given before AWS fails', async () => {
    login({ scope: 'rut', ruts: rutsOf(5) });
    server.beforeAnswer = async () => {
      if (server.asked.length === 3) aws.secrets.denied.add(LOGIN);
    };
    await expect(renew()).rejects.toThrow('could not be read (AccessDeniedException)');
    expect((await readRenewedTokens(client, TOKENS)).tokens).toHaveLength(3);
  });

  it('tries again at once what passes by, and asks for two companies at most meanwhile', async () => {
    const ruts = rutsOf(30);
    login({ scope: 'rut', ruts });
    server.status = 404;
    expect(await renew()).toEqual({ renewed: 0, failure: expect.stringContaining('status 404') });
    expect(server.asked).toHaveLength(2);
    server.status = undefined;
    await clock.advance(15 * MINUTE_MS);
    expect(await renew()).toEqual({ renewed: 30 });
  });

  it.each([401, 404])(
    'is asked two times at first, and five an hour, where it gives nobody a token and does not say why: %i',
    async (status) => {
      login({ scope: 'rut', ruts: rutsOf(9) });
      server.status = status;
      const counts: number[] = [];
      for (let minutes = 0; minutes < 120; minutes += 15) {
        const before = server.asked.length;
        expect(await renew()).toEqual({ renewed: 0, failure: expect.stringContaining(`status ${status}`) });
        counts.push(server.asked.length - before);
        await clock.advance(15 * MINUTE_MS);
      }
      expect(counts).toEqual([2, 1, 1, 1, 1, 1, 1, 1]);
      server.status = undefined;
      await clock.advance(60 * MINUTE_MS);
      expect(await renew()).toEqual({ renewed: 9 });
    },
  );

  it.each([0, 1, 2, 3, 4, 5])(
    'gives the others theirs where half of the companies are refused at once and no answer says why, %i hours later',
    async (hours) => {
      const ruts = rutsOf(12);
      const good = ruts.slice(6);
      server.lifeSeconds = 2 * 3_600;
      await clock.advance(hours * 60 * MINUTE_MS);
      login({ scope: 'rut', ruts });
      await renew();
      server.beforeAnswer = async () => {
        const { scope = '' } = server.asked.at(-1) ?? {};
        server.status = good.some((rut) => rut === scope) ? undefined : 401;
      };
      for (let minutes = 0; minutes < 4 * 60; minutes += 15) {
        await clock.advance(15 * MINUTE_MS);
        await renew();
        const { tokens } = await readRenewedTokens(client, TOKENS);
        const live = tokens.filter(({ endsAtMs }) => endsAtMs > clock.now());
        expect(live.map(({ rut }) => rut)).toEqual(expect.arrayContaining(good));
      }
    },
  );

  it('asks for no other company once the password is wrong', async () => {
    login({ scope: 'rut', ruts: [A, B] });
    await renew();
    login({ scope: 'rut', ruts: [A, B], password: 'wrong' });
    await clock.advance(7 * 3_600_000);
    for (let times = 0; times < 4; times += 1) {
      expect(await renew()).toEqual({ renewed: 0, failure: expect.stringContaining('Check its user') });
      await clock.advance(15 * MINUTE_MS);
    }
    expect(server.asked).toHaveLength(3);
  });

  it.each([
    ['40 companies, each with a token of six hours', 40, 21_600],
    ['one token for all, of 30 minutes', 0, 1_800],
  ])('stays within the limits of AWS for days: %s', async (_, companyCount, lifeSeconds) => {
    server.lifeSeconds = lifeSeconds;
    server.padding = 'x'.repeat(900);
    login(companyCount === 0 ? {} : { scope: 'rut', ruts: rutsOf(companyCount) });
    for (let minutes = 0; minutes < 26 * 60; minutes += 15) {
      expect(await renew()).not.toHaveProperty('failure');
      const { tokens } = await readRenewedTokens(client, TOKENS);
      expect(tokens).toHaveLength(Math.max(companyCount, 1));
      for (const { endsAtMs } of tokens) expect(endsAtMs).toBeGreaterThan(clock.now() + 5 * MINUTE_MS);
      await clock.advance(15 * MINUTE_MS);
    }
  });

  it.each([3_600, 900, undefined])(
    'keeps a refresh token that rotates for days, of a login of one token for all that lives %s seconds',
    async (lifeSeconds) => {
      server.lifeSeconds = lifeSeconds;
      login({ refreshToken: server.refreshToken, password: undefined, username: undefined });
      for (let minutes = 0; minutes < 2 * 24 * 60; minutes += 15) {
        expect(await renew()).not.toHaveProperty('failure');
        await clock.advance(15 * MINUTE_MS);
      }
    },
  );

  it.each<[string, number, (index: number) => number | undefined]>([
    ['one company is answered with 404', 3_600, (index) => (index === 0 ? 404 : undefined)],
    ['one login in 97 is answered with 503', 1_800, () => (server.asked.length % 97 === 0 ? 503 : undefined)],
    ['one login in 97 is answered with 404', 3_600, () => (server.asked.length % 97 === 0 ? 404 : undefined)],
    ['one login in 97 is answered with 403', 3_600, () => (server.asked.length % 97 === 0 ? 403 : undefined)],
    ['four companies are answered with 429', 1_800, (index) => (index < 1 || index > 6 ? 429 : undefined)],
  ])(
    'never leaves a company that it may read without a token for days: %s',
    async (_what, lifeSeconds, status) => {
      const ruts = rutsOf(10);
      server.lifeSeconds = lifeSeconds;
      server.beforeAnswer = async () => {
        server.status = status(ruts.findIndex((rut) => server.asked.at(-1)?.scope === String(rut)));
      };
      login({ scope: 'rut', ruts });
      await renew();
      for (let minutes = 0; minutes < 26 * 60; minutes += 15) {
        await renew();
        const { tokens } = await readRenewedTokens(client, TOKENS);
        const live = tokens.filter(({ endsAtMs }) => endsAtMs > clock.now() + 5 * MINUTE_MS);
        expect(live.map(({ rut }) => rut)).toEqual(expect.arrayContaining(ruts.slice(1, 7)));
        await clock.advance(15 * MINUTE_MS);
      }
    },
  );

  it.each([1, 3])(
    'keeps forty tokens of an hour fresh where the login gives one in %i seconds',
    async (seconds) => {
      server.lifeSeconds = 3_600;
      let givenAtMs = Number.NEGATIVE_INFINITY;
      server.beforeAnswer = async () => {
        const isFree = clock.now() - givenAtMs >= seconds * 1_000;
        server.status = isFree ? undefined : 429;
        if (isFree) givenAtMs = clock.now();
      };
      const ruts = rutsOf(40);
      login({ scope: 'rut', ruts });
      for (let minutes = 0; minutes < 6 * 60; minutes += 15) {
        expect(await renew()).not.toHaveProperty('failure');
        const { tokens } = await readRenewedTokens(client, TOKENS);
        expect(tokens).toHaveLength(40);
        for (const { endsAtMs } of tokens) expect(endsAtMs).toBeGreaterThan(clock.now() + 15 * MINUTE_MS);
        await clock.advance(15 * MINUTE_MS);
      }
    },
  );

  it.each([
    [{ ruts: rutsOf(41) }, 'a token of each of 41 companies, and AWS keeps at most 40'],
    [{ ruts: [A], refreshToken: 'a-token' }, 'with a refresh token'],
  ])(
    'refuses what AWS cannot keep, by name and before any login, and check says so',
    async (more, reason) => {
      login({ scope: 'rut', ...more });
      put(COMPANIES, { companies: [{ rut: A }, { rut: B, token: 'own' }] });
      for (let times = 0; times < 144; times += 1) {
        expect(await renew()).toEqual({ renewed: 0, failure: expect.stringContaining(reason) });
        await clock.advance(15 * MINUTE_MS);
      }
      expect(server.asked).toEqual([]);
      const { problems } = await listCompanies(client, COMPANIES, undefined, TOKENS);
      expect(describeProblems(problems)).toEqual([expect.stringContaining(reason)]);
      login({ scope: 'rut', ruts: [A] });
      expect(await renew()).toEqual({ renewed: 1 });
      expect(await readRenewedTokens(client, TOKENS)).not.toHaveProperty('refused');
    },
  );

  it('names for check what keeps it from giving more tokens while the last one lives', async () => {
    login();
    put(COMPANIES, { companies: [{ rut: A }] });
    await renew();
    login({ scope: 'rut', ruts: [A], refreshToken: 'a-token' });
    await renew();
    const { renewed, loginProblem } = await listCompanies(client, COMPANIES, undefined, TOKENS);
    expect({ size: renewed?.size, loginProblem }).toEqual({
      size: 1,
      loginProblem: expect.stringContaining('with a refresh token'),
    });
  });
});

describe('the companies of the login', () => {
  it('have its token, those with one of their own do not, and after a refusal it is read again', async () => {
    put(COMPANIES, {
      companies: [
        { rut: A, name: 'Ñandú' },
        { rut: B, token: 'own' },
      ],
    });
    login();
    await renew();
    const tokens = source();
    expect({
      renewed: await tokens.current(),
      own: await source(B).current(),
      companyName: tokens.companyName,
    }).toEqual({ renewed: 'access-token-1', own: 'own', companyName: 'Ñandú' });
    await clock.advance(6 * 3_600_000);
    await renew();
    expect(await tokens.renew('access-token-1')).toBe('access-token-2');
    const { ruts, problems, renewed } = await listCompanies(client, COMPANIES, undefined, TOKENS);
    expect({ ruts, problems, renewed: [...(renewed?.keys() ?? [])] }).toEqual({
      ruts: [B, A],
      problems: [],
      renewed: [A],
    });
  });

  it('are left out in one line, with the reason, if the login is refused', async () => {
    put(COMPANIES, { companies: [{ rut: A }, { rut: B }] });
    login({ password: 'wrong' });
    await renew();
    const { ruts, problems } = await listCompanies(client, COMPANIES, undefined, TOKENS);
    expect({ ruts, problems: describeProblems(problems) }).toEqual({
      ruts: [],
      problems: [
        expect.stringMatching(
          /^secret cfe-lake\/companies, RUT \d+ and 1 more: .*the login was refused \(status 400\)/,
        ),
      ],
    });
  });

  it('are left out, by name, where the stack has no login: what to set is said', async () => {
    put(COMPANIES, { companies: [{ rut: A }, { rut: B, token: 'own' }] });
    const { ruts, problems } = await listCompanies(client, COMPANIES);
    expect({ ruts, problems: describeProblems(problems) }).toEqual({
      ruts: [B],
      problems: [
        expect.stringMatching(
          `RUT ${A}: the entry has no token, and the stack has no login: .*"login": true`,
        ),
      ],
    });
    await expect(secretTokenSource(client, COMPANIES, A).current()).rejects.toThrow('"login": true');
  });

  it('are left out, by name, while the secret of its tokens may not be read, and the others are not', async () => {
    put(COMPANIES, { companies: [{ rut: A }, { rut: B, token: 'own' }] });
    login();
    await renew();
    aws.secrets.denied.add(TOKENS);
    expect(await listCompanies(client, COMPANIES, undefined, TOKENS)).toMatchObject({
      ruts: [B],
      problems: [
        { rut: A, reason: expect.stringContaining(`${TOKENS} could not be read (AccessDeniedException)`) },
      ],
    });
    await expect(source().current()).rejects.toThrow(`${TOKENS} could not be read`);
    expect(await source(B).current()).toBe('own');
  });

  it('are waited for, as all are, while AWS answers nothing', async () => {
    put(COMPANIES, { companies: [{ rut: A }, { rut: B, token: 'own' }] });
    const answer = aws.secrets.answer.bind(aws.secrets);
    const failing = vi.spyOn(aws.secrets, 'answer').mockImplementation((operation, body) => {
      return operation === 'GetSecretValue'
        ? { status: 400, headers: {}, body: '{"__type":"InternalServiceError"}' }
        : answer(operation, body);
    });
    onTestFinished(() => failing.mockRestore());
    await expect(listCompanies(client, COMPANIES, undefined, TOKENS)).rejects.toThrow('InternalServiceError');
  });

  it('are left out, by name, until the login gives a token', async () => {
    put(COMPANIES, { companies: [{ rut: A }, { rut: B, token: 'own' }] });
    const list = await listCompanies(client, COMPANIES, undefined, TOKENS);
    expect(list).toMatchObject({
      ruts: [B],
      problems: [{ rut: A, reason: expect.stringContaining('the login has given none') }],
    });
    await expect(source().current()).rejects.toThrow(
      `RUT ${A}: the entry has no token, and the login has given none`,
    );
  });
});
