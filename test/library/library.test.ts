import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as library from '../../lib/library/index.ts';
import * as cdk from '../../lib/stack/index.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { startHttpServer } from '../support/api/http-server.ts';
import { TokenServer } from '../support/companies/token-server.ts';
import { settled } from '../support/fake-clock.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { endOf } from '../support/program/run-program.ts';
import { samplesOf } from '../support/samples.ts';

const DAY = '2026-11-19';
const FILTERS = { FechaDesde: DAY, FechaHasta: DAY };

const COMPANY = { rut: '219999830019', token: 'a-token' };

/** The address of a service that has receipts with these ids. */
async function serviceWithIds(ids: readonly string[]): Promise<string> {
  const server = await startHttpServer(({ path, query }) => {
    if (!path.endsWith('/emitidos')) return { body: `{"id":${path.split('/').at(-1)},"whole":true}` };
    const [pageNumber, size] = [Number(query.get('pageNumber')), Number(query.get('pageSize'))];
    const items = ids.slice((pageNumber - 1) * size, pageNumber * size).map((id) => `{"id":${id}}`);
    return { body: `{"page_number":${pageNumber},"page_size":${items.length},"items":[${items}]}` };
  });
  return server.address.href;
}

type Method = (...given: readonly unknown[]) => Promise<unknown>;
type Loose = Record<'list' | 'first' | 'detail' | 'legacyList', Method>;

/** As plain JavaScript sees it: with any arguments. */
function loose(api: library.ReceiptsApi): Loose {
  const method =
    (name: keyof Loose): Method =>
    (...given) =>
      Reflect.apply(api[name], api, given);
  return {
    list: method('list'),
    first: method('first'),
    detail: method('detail'),
    legacyList: method('legacyList'),
  };
}

const sandbox = await startSandbox({
  receiptsPerDay: 40,
  behaviour: { lateArrivals: false, statusFlips: false },
});
const [company] = sandbox.companies.filter(({ rut }) => rut === '219999830019');
if (company === undefined) throw new Error('The sandbox has no such company');
const api = new library.ReceiptsApi({ address: sandbox.url, rut: company.rut, token: company.token });
afterAll(async () => {
  await api.close();
  await sandbox.close();
});

it('the package exports this, and nothing else', () => {
  expect(Object.keys(library).sort()).toEqual([
    'ApiError',
    'CfeLakeError',
    'ExactNumber',
    'HttpStatusError',
    'InvalidDayError',
    'InvalidFilterError',
    'LakeReader',
    'NoAnswerError',
    'ReceiptsApi',
    'UnauthorizedError',
    'WrongArgumentError',
    'exportDays',
    'parseExactJson',
  ]);
  expect(Object.keys(cdk)).toEqual(['CfeLake']);
});

describe('ReceiptsApi', () => {
  it('reads a list to its end, and proves it', async () => {
    const { items, isProved } = await api.list('emitidos', FILTERS);
    expect(isProved).toBe(true);
    expect(items.length).toBeGreaterThan(0);
    expect(await api.legacyList('emitidos', FILTERS)).toHaveLength(items.length);
  });

  it('accepts the filters of a list, and refuses others', async () => {
    const all = await api.list('emitidos', FILTERS);
    const some = await api.list('emitidos', { ...FILTERS, TipoComprobante: [101] });
    expect(some.items.length).toBeLessThan(all.items.length);
    expect(some.items.every(({ tipo_comprobante }) => tipo_comprobante === 101)).toBe(true);
    await expect(api.list('recibidos', { ...FILTERS, FechaDesde: 'yesterday' })).rejects.toThrow(
      library.InvalidFilterError,
    );
  });

  it('looks at the first rows, and says whether there are more', async () => {
    const { items, hasMore } = await api.first('recibidos', FILTERS, 2);
    expect({ count: items.length, hasMore }).toEqual({ count: 2, hasMore: true });
  });

  it('reads a receipt whole', async () => {
    const { items } = await api.first('emitidos', FILTERS, 1);
    const id = String(items[0]?.id);
    expect(await api.detail('emitidos', id)).toMatchObject({ id: items[0]?.id });
    await expect(api.detail('emitidos', 1n)).rejects.toMatchObject({ name: 'HttpStatusError', status: 404 });
  });

  it('names and reads receipts whose ids are past 2^53', async () => {
    const ids = ['9007199254740993', '9223372036854775807', '7'];
    const large = new library.ReceiptsApi({ ...COMPANY, address: await serviceWithIds(ids) });
    onTestFinished(() => large.close());
    const { items } = await large.list('emitidos', FILTERS);
    expect(items.map(({ id }) => `${id}`)).toEqual(ids);
    const whole = await Promise.all(items.map(({ id }) => large.detail('emitidos', id)));
    expect(whole.map((detail) => JSON.stringify(detail))).toEqual(
      ids.map((id) => `{"id":${id},"whole":true}`),
    );
  });

  it('asks once more with a new token, and then says that it was refused', async () => {
    const tokens = ['an-old-token', 'no-better-token'];
    const given: string[] = [];
    const options = { address: sandbox.url, rut: '219999830019' };
    const refused = new library.ReceiptsApi({
      ...options,
      token: async () => {
        const token = tokens[given.length] ?? 'none-any-more';
        given.push(token);
        return token;
      },
    });
    const error: unknown = await refused.first('emitidos', FILTERS, 1).catch((reason: unknown) => reason);
    await refused.close();
    expect(error).toBeInstanceOf(library.UnauthorizedError);
    expect(String(error)).not.toMatch(/token-|-token/);
    expect(given).toEqual(tokens);
  });

  it.each<[string, (given: Loose) => unknown, string]>([
    ['no direction', ({ list }) => list(), "The direction must be 'recibidos' or 'emitidos'"],
    ['a day as filters', ({ first }) => first('emitidos', DAY, 5), 'The filters must be an object'],
    ['null as filters', ({ legacyList }) => legacyList('emitidos', null), 'The filters must be an object'],
    ['no limit', ({ first }) => first('emitidos', {}), 'The limit must be an integer from 1 to'],
    ['a word as id', ({ detail }) => detail('emitidos', 'A-7'), 'The id must be an integer of up to 64 bits'],
    ['a rounded id', ({ detail }) => detail('emitidos', 2 ** 53), 'The id must be an integer'],
    ['no signal', ({ list }) => list('emitidos', {}, 'stop'), 'The signal must be an AbortSignal'],
  ])('says what a wrong argument must be: %s', async (_what, call, expected) => {
    const error: unknown = await Promise.resolve(call(loose(api))).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(library.CfeLakeError);
    expect(error).toMatchObject({ name: 'WrongArgumentError', message: expect.stringContaining(expected) });
  });

  const WHOLE = { ...COMPANY, address: 'https://a.example' };
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'The options must be an object'],
    ['a number as RUT', { ...WHOLE, rut: 219999830019 }, 'The rut must be text'],
    ['an empty token', { ...WHOLE, token: '' }, 'The token must be text'],
    ['none at once', { ...WHOLE, requestsAtOnce: 0 }, 'requestsAtOnce must be an integer'],
    ['more time than a timer has', { ...WHOLE, requestTimeoutMs: 2 ** 31 }, 'from 1 to 2147483647'],
  ])('says what a wrong option must be: %s', (_what, options, expected) => {
    const make = () => Reflect.construct(library.ReceiptsApi, [options]);
    expect(make).toThrow(expect.objectContaining({ name: 'WrongArgumentError' }));
    expect(make).toThrow(expected);
  });

  it('says what the function of a token must give', async () => {
    const address = await serviceWithIds(['7']);
    const api = Reflect.construct(library.ReceiptsApi, [
      { ...COMPANY, address, token: async () => undefined },
    ]);
    onTestFinished(() => api.close());
    await expect(api.first('emitidos', {}, 1)).rejects.toThrow('The token must be text');
  });

  it('sends no token where anybody could read it', () => {
    const options = { address: 'http://api.example.invalid', rut: '219999830019', token: 'a-token' };
    expect(() => new library.ReceiptsApi(options)).toThrow(/https:\/\//);
  });
});

/** One that the sandbox's login takes. */
async function refreshToken(login = sandbox.login): Promise<string> {
  const body = JSON.stringify({ grant_type: 'password', ...login });
  const answer: unknown = await (await fetch(login.tokenUrl, { method: 'POST', body })).json();
  return Object(answer).refresh_token;
}

/** The samples of the document that import the library. They name a service, a lake and a token. */
async function runSample(start: string, address: string, lake: string): Promise<unknown> {
  const document = await readFile('docs/library.md', 'utf8');
  const sample = samplesOf(document).find((code) => code.startsWith(start)) ?? '';
  const code = sample
    .replace("'cfe-lake'", `'${new URL('../../lib/library/index.ts', import.meta.url)}'`)
    .replace('https://…', address)
    .replace("'./lake'", `'${lake}'`);
  const token = sandbox.companies.find(({ rut }) => rut === COMPANY.rut)?.token ?? '';
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
    env: { ...process.env, CFE_TOKEN: token },
  });
  return await endOf(child);
}

describe('exportDays', () => {
  let lake: string;
  let options: library.ExportDaysOptions;
  beforeAll(() => {
    const companies = sandbox.companies.slice(0, 2).map(({ rut, token }) => ({ rut, token }));
    options = { api: sandbox.url, companies, lake: '', from: DAY, to: DAY };
  });
  beforeEach(async () => {
    lake = join(newFolder(), 'lake');
    options = { ...options, lake };
  });

  it('exports and publishes, tells its progress, and finds nothing to do the second time', async () => {
    const progress: string[] = [];
    const onProgress = ({ ended, total }: { ended: number; total: number }) =>
      progress.push(`${ended} of ${total}`);
    const { units, problems, isComplete, runId } = await library.exportDays({ ...options, onProgress });
    expect({ problems, isComplete, progress }).toEqual({
      problems: [],
      isComplete: true,
      progress: ['1 of 4', '2 of 4', '3 of 4', '4 of 4'],
    });
    const places = units.map(({ rut, direction, day }) => `${rut} ${direction} ${day}`);
    expect(places).toEqual([...places].sort());
    const sql = 'SELECT rut, direccion, fecha, filas FROM exportaciones ORDER BY ALL';
    const reader = new library.LakeReader(lake);
    expect(await reader.rows(`SELECT DISTINCT corrida FROM exportaciones`)).toEqual([{ corrida: runId }]);
    expect(await reader.rows(sql)).toEqual(
      units.map(({ rut, direction, day, receipts }) => ({
        rut,
        direccion: direction,
        fecha: day,
        filas: receipts,
      })),
    );
    const [received] = await reader.rows('SELECT count(*) AS n FROM recibidos');
    const listed = units.filter(({ direction }) => direction === 'recibidos');
    expect(received?.n).toBe(listed.reduce((sum, { receipts = 0 }) => sum + receipts, 0));
    const again = await library.exportDays(options);
    expect(new Set(again.units.map(({ state }) => state))).toEqual(new Set(['sin_cambios']));
  });

  it('logs in for companies without a token, and hands over a refresh token that came anew', async () => {
    const companies = sandbox.companies.slice(0, 2).map(({ rut }) => ({ rut }));
    const done = await library.exportDays({ ...options, companies: { login: sandbox.login, companies } });
    expect(done.isComplete).toBe(true);
    const first = await refreshToken();
    const given = { login: { tokenUrl: sandbox.login.tokenUrl, refreshToken: first }, companies };
    await expect(library.exportDays({ ...options, companies: given })).rejects.toMatchObject({
      name: 'WrongInputError',
      message: expect.stringContaining('give onRefreshToken'),
    });
    const stored: string[] = [];
    const replaced: string[] = [];
    const onRefreshToken = (token: string, before: string) => {
      stored.push(token);
      replaced.push(before);
    };
    expect(await library.exportDays({ ...options, companies: given, onRefreshToken })).toMatchObject({
      isComplete: true,
    });
    expect(stored).toEqual([expect.not.stringContaining(first)]);
    const login = { ...given.login, refreshToken: stored[0] };
    const copies = companies.map(({ rut }) => ({ rut, login }));
    expect(await library.exportDays({ ...options, companies: copies, onRefreshToken })).toMatchObject({
      isComplete: true,
    });
    expect(new Set(stored).size).toBe(3);
    expect(replaced.slice(0, 2)).toEqual([first, stored[0]]);
  });

  it('hands over the refresh token of a login that an abort falls into, before it throws', async () => {
    const server = await TokenServer.start(systemClock);
    const abortion = new AbortController();
    const reason = new Error('interrupted');
    server.beforeAnswer = async () => {
      abortion.abort(reason);
      for (let turn = 0; turn < 20_000; turn += 1) await settled();
    };
    const stored: string[] = [];
    const login = { tokenUrl: server.url, refreshToken: server.refreshToken };
    const exported = library.exportDays({
      ...options,
      companies: { login, companies: [{ rut: COMPANY.rut }] },
      onRefreshToken: (token) => void stored.push(token),
      signal: abortion.signal,
    });
    await expect(exported).rejects.toBe(reason);
    expect(stored).toEqual(['refresh-token-1']);
  });

  it('offers a refresh token again that could not be stored, and sends none before; its error tells no token', async () => {
    const server = await TokenServer.start(systemClock);
    const offered: string[][] = [];
    const login = { tokenUrl: server.url, refreshToken: server.refreshToken, scope: 'rut' };
    const companies = sandbox.companies.slice(0, 2).map(({ rut }) => ({ rut }));
    const waits = vi.spyOn(systemClock, 'sleep').mockImplementation(() => settled());
    onTestFinished(() => waits.mockRestore());
    const { units } = await library.exportDays({
      ...options,
      companies: { login, companies },
      onRefreshToken: (...tokens) => {
        offered.push(tokens);
        if (offered.length === 1) throw new Error(`Duplicate entry '${tokens[0]}'`);
      },
    });
    expect(offered.slice(0, 2)).toEqual(Array(2).fill(['refresh-token-1', 'refresh-token-0']));
    expect(server.asked.map(({ refresh_token }) => refresh_token)).toEqual(
      server.asked.map((_, index) => `refresh-token-${index}`),
    );
    const errors = units.flatMap(({ error }) => error ?? []);
    expect(errors.join('\n')).not.toContain('refresh-token-');
  });

  it('offers what could not be stored in the end, and what another login gave all the same', async () => {
    const waits = vi.spyOn(systemClock, 'sleep').mockImplementation(() => settled());
    onTestFinished(() => waits.mockRestore());
    const servers = await Promise.all([TokenServer.start(systemClock), TokenServer.start(systemClock)]);
    const companies = sandbox.companies.slice(0, 2).map(({ rut }, index) => ({
      rut,
      login: { tokenUrl: servers[index]?.url ?? '', refreshToken: 'refresh-token-0' },
    }));
    const stored: string[] = [];
    let offeredCount = 0;
    await library.exportDays({
      ...options,
      companies,
      onRefreshToken: (token) => {
        offeredCount += 1;
        if (offeredCount === 1) throw new Error('busy');
        stored.push(token);
      },
    });
    for (const server of servers) expect(stored).toContain(server.refreshToken);
  });

  it('offers what could not be stored again, though the export is aborted', async () => {
    const waits = vi.spyOn(systemClock, 'sleep').mockImplementation(() => settled());
    onTestFinished(() => waits.mockRestore());
    const server = await TokenServer.start(systemClock);
    const abortion = new AbortController();
    const reason = new Error('interrupted');
    const offered: string[] = [];
    const login = { tokenUrl: server.url, refreshToken: server.refreshToken };
    const exported = library.exportDays({
      ...options,
      companies: { login, companies: [{ rut: COMPANY.rut }] },
      onRefreshToken: (token) => {
        offered.push(token);
        if (offered.length > 1) return;
        abortion.abort(reason);
        throw new Error('busy');
      },
      signal: abortion.signal,
    });
    await expect(exported).rejects.toBe(reason);
    expect(offered).toEqual(['refresh-token-1', 'refresh-token-1']);
  });

  it('waits for a callback that hangs for a while, and exports the companies of other logins', async () => {
    vi.spyOn(systemClock, 'sleep').mockImplementation(() => settled());
    onTestFinished(() => void vi.restoreAllMocks());
    const server = await TokenServer.start(systemClock);
    const { tokenUrl } = sandbox.login;
    const logins = [
      { tokenUrl: server.url, refreshToken: 'refresh-token-0' },
      { tokenUrl, refreshToken: await refreshToken() },
    ];
    const [hanging = '', other = ''] = sandbox.companies.map(({ rut }) => rut);
    const stored: string[] = [];
    const { units, problems } = await library.exportDays({
      ...options,
      companies: [hanging, other].map((rut, index) => ({ rut, login: logins[index] })),
      onRefreshToken: (token, replaced) => {
        if (replaced === 'refresh-token-0') return new Promise(() => undefined);
        stored.push(token);
      },
    });
    expect(stored).toHaveLength(1);
    const failed = units.filter(({ state }) => state === 'fallido');
    expect(new Set(failed.map(({ rut }) => rut))).toEqual(new Set([hanging]));
    expect(problems).toEqual([expect.stringContaining(`of RUT ${hanging} is stored nowhere`)]);
  });

  it('calls for one login at a time: who stores all of them in one file loses none', async () => {
    const servers = await Promise.all([TokenServer.start(systemClock), TokenServer.start(systemClock)]);
    let [calls, most] = [0, 0];
    const abortion = new AbortController();
    const exported = library.exportDays({
      ...options,
      companies: sandbox.companies.slice(0, 2).map(({ rut }, index) => ({
        rut,
        login: { tokenUrl: servers[index]?.url ?? '', refreshToken: 'refresh-token-0' },
      })),
      onRefreshToken: async () => {
        calls += 1;
        most = Math.max(most, calls);
        for (let turn = 0; turn < 2_000; turn += 1) await settled();
        calls -= 1;
        if (servers.every(({ asked }) => asked.length > 0)) abortion.abort(new Error('enough'));
      },
      signal: abortion.signal,
    });
    await expect(exported).rejects.toThrow('enough');
    expect(most).toBe(1);
  });

  it('ends once it is aborted, though a callback hangs; one that ends late has stored its token', async () => {
    vi.spyOn(systemClock, 'sleep').mockImplementation(() => settled());
    onTestFinished(() => void vi.restoreAllMocks());
    const endings: (() => void)[] = [];
    const outcome = async (isLate: boolean) => {
      const server = await TokenServer.start(systemClock);
      const abortion = new AbortController();
      return await library
        .exportDays({
          ...options,
          companies: [{ rut: COMPANY.rut, login: { tokenUrl: server.url, refreshToken: 'refresh-token-0' } }],
          onRefreshToken: () => {
            abortion.abort(new Error('interrupted'));
            if (isLate) endings.shift()?.();
            return new Promise((resolve) => endings.push(resolve));
          },
          signal: abortion.signal,
        })
        .catch((error: unknown) => error);
    };
    expect(await outcome(false)).toMatchObject({ code: 'REFRESH_TOKEN_NOT_STORED' });
    endings.length = 0;
    expect(await outcome(true)).toMatchObject({ message: 'interrupted' });
  });

  it('says of a callback that failed that it did, and nothing of the API', async () => {
    vi.spyOn(systemClock, 'sleep').mockImplementation(() => settled());
    onTestFinished(() => void vi.restoreAllMocks());
    const server = await TokenServer.start(systemClock);
    const login = { tokenUrl: server.url, refreshToken: 'refresh-token-0', scope: 'rut' };
    const { units } = await library.exportDays({
      ...options,
      companies: { login, companies: [{ rut: COMPANY.rut }] },
      onRefreshToken: () => {
        throw new Error('busy');
      },
    });
    expect(server.asked).toHaveLength(1);
    for (const { error } of units) {
      expect(error).toContain('the new refresh token could not be stored: onRefreshToken failed');
      expect(error).toContain('called again before this login is asked');
      expect(error).not.toMatch(/no answer from the API|API is down|has answered nothing|the network/);
    }
  });

  it('exports all companies though a callback throws once: those with tokens of their own, and then the others', async () => {
    const now = systemClock.now.bind(systemClock);
    let sleptMs = 0;
    vi.spyOn(systemClock, 'now').mockImplementation(() => now() + sleptMs);
    vi.spyOn(systemClock, 'sleep').mockImplementation(async (ms) => {
      await settled();
      sleptMs += ms;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const service = await startSandbox({ companyCount: 9, receiptsPerDay: 1 });
    onTestFinished(() => service.close());
    const { url, companies } = service;
    const login = { tokenUrl: service.login.tokenUrl, refreshToken: await refreshToken(service.login) };
    let callCount = 0;
    const { units, isComplete } = await library.exportDays({
      ...options,
      api: url,
      companies: {
        login,
        // More than a trial asks at once come before the others.
        companies: companies.map(({ rut, token }, index) => (index < 6 ? { rut } : { rut, token })),
      },
      onRefreshToken: () => {
        callCount += 1;
        if (callCount === 1) throw new Error('busy');
      },
    });
    expect(units.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(isComplete).toBe(true);
  });

  it('tells whose refresh token is stored nowhere, and neither that token nor what the callback said', async () => {
    const waits = vi.spyOn(systemClock, 'sleep').mockImplementation(() => settled());
    onTestFinished(() => waits.mockRestore());
    const servers = await Promise.all([TokenServer.start(systemClock), TokenServer.start(systemClock)]);
    const [one, other] = servers.map(({ url }) => ({ tokenUrl: url, refreshToken: 'refresh-token-0' }));
    const [shared = '', own = ''] = sandbox.companies.map(({ rut }) => rut);
    const onRefreshToken = (token: string) => {
      throw new Error(`Duplicate entry '${token}'`);
    };
    const done = await library.exportDays({
      ...options,
      companies: { login: one, companies: [{ rut: shared }, { rut: own, login: other }] },
      onRefreshToken,
    });
    expect(done).toMatchObject({
      isComplete: false,
      problems: [
        expect.stringMatching(
          `^The new refresh token of the shared login and of RUT ${own} is stored nowhere: onRefreshToken failed.`,
        ),
      ],
    });
    expect(JSON.stringify(done)).not.toMatch(/refresh-token-|Duplicate/);
  });

  it('is not complete where all was read, and a new refresh token is stored nowhere', async () => {
    vi.spyOn(systemClock, 'sleep').mockImplementation(() => settled());
    const times = vi.spyOn(systemClock, 'now');
    onTestFinished(() => void vi.restoreAllMocks());
    let offeredCount = 0;
    const done = await library.exportDays({
      ...options,
      companies: {
        login: { tokenUrl: sandbox.login.tokenUrl, refreshToken: await refreshToken() },
        companies: [{ rut: COMPANY.rut }],
      },
      onRefreshToken: () => {
        offeredCount += 1;
        if (offeredCount > 1) throw new Error('busy');
        // Soon the token is to be renewed, and still serves.
        times.mockImplementation(() => Date.now() + 11.5 * 3_600_000);
      },
    });
    expect(offeredCount).toBeGreaterThan(1);
    expect(done).toMatchObject({ isComplete: false, problems: [expect.stringContaining('stored nowhere')] });
    expect(new Set(done.units.map(({ state }) => state))).not.toContain('fallido');
  });

  it('throws that a refresh token is stored nowhere where an abort ends the export, with its reason', async () => {
    const waits = vi.spyOn(systemClock, 'sleep').mockImplementation(() => settled());
    onTestFinished(() => waits.mockRestore());
    const server = await TokenServer.start(systemClock);
    const abortion = new AbortController();
    const reason = new Error('interrupted');
    const exported = library.exportDays({
      ...options,
      companies: [{ rut: COMPANY.rut, login: { tokenUrl: server.url, refreshToken: 'refresh-token-0' } }],
      onRefreshToken: () => {
        abortion.abort(reason);
        throw new Error('busy');
      },
      signal: abortion.signal,
    });
    await expect(exported).rejects.toMatchObject({
      code: 'REFRESH_TOKEN_NOT_STORED',
      message: expect.stringContaining(`of RUT ${COMPANY.rut} is stored nowhere`),
      cause: reason,
    });
  });

  it('reads what it is asked for: a direction, and whole receipts', async () => {
    const { units } = await library.exportDays({
      ...options,
      directions: ['emitidos'],
      details: ['emitidos'],
    });
    expect(units.map(({ direction, detailState }) => `${direction} ${detailState}`)).toEqual(
      Array(2).fill('emitidos completo'),
    );
  });

  it('keeps the trouble of one company to itself, and its token out of the results', async () => {
    const [good, bad] = sandbox.companies;
    if (good === undefined || bad === undefined) throw new Error('The sandbox has two companies');
    const token = 'a-secret-token';
    const done = await library.exportDays({ ...options, companies: [good, { ...bad, token }] });
    const failed = done.units.filter(({ state }) => state === 'fallido');
    expect(failed.map(({ rut, error }) => ({ rut, isNamed: error !== undefined }))).toEqual(
      Array(2).fill({ rut: bad.rut, isNamed: true }),
    );
    expect(done).toMatchObject({ isComplete: false, problems: [] });
    expect(JSON.stringify(done)).not.toContain(token);
  });

  it('ends when it is told to, with the reason', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const asked = library.exportDays({
      ...options,
      signal: stop.signal,
      onProgress: () => stop.abort(reason),
    });
    await expect(asked).rejects.toBe(reason);
    await expect(library.exportDays(options)).resolves.toMatchObject({ isComplete: true });
  });

  it('mixes no receipts of another service into a lake', async () => {
    await library.exportDays(options);
    const other = await serviceWithIds([]);
    await expect(library.exportDays({ ...options, api: other })).rejects.toMatchObject({
      name: 'OtherSourceError',
    });
  });

  it('refuses an option that it does not know, which would be without effect', async () => {
    const withOther = (other: object) =>
      Reflect.apply(library.exportDays, undefined, [{ ...options, ...other }]);
    await expect(withOther({ detail: ['emitidos'] })).rejects.toMatchObject({
      code: 'WRONG_ARGUMENT',
      message: 'The options have no member "detail". Did you mean details?',
    });
    const token = 'a-secret-token-of-a-company-1234567890';
    await expect(withOther({ [token]: true })).rejects.toThrow(
      /^The options have a member that is not known\. They are api, /,
    );
  });

  const OTHER_DETAILS = { directions: ['emitidos'], details: ['recibidos'] };
  it.each<[string, object | undefined, string, string]>([
    ['nothing', undefined, 'WrongArgumentError', 'The options must be an object'],
    ['no API', { api: undefined }, 'WrongArgumentError', 'The api must be text'],
    ['an API in the clear', { api: 'http://a.example' }, 'WrongInputError', 'unencrypted'],
    ['no companies', { companies: [] }, 'WrongInputError', '"companies" is empty'],
    ['a token alone', { companies: 'a-secret' }, 'WrongInputError', '"companies" must be a list'],
    ['a wrong RUT', { companies: [{ rut: 'a-secret', token: 'b' }] }, 'WrongInputError', 'the RUT is not'],
    ['no day', { from: undefined }, 'InvalidDayError', 'from must be a calendar day'],
    ['days reversed', { from: '2026-11-20' }, 'InvalidDayError', 'from must not be after to'],
    ['the wrong century', { from: '1926-11-19' }, 'InvalidDayError', 'from 2012-01-01'],
    ['another direction', { directions: ['issued'] }, 'WrongArgumentError', 'must be an array'],
    ['details of no list', OTHER_DETAILS, 'WrongArgumentError', 'The details must be an array of emitidos'],
    ['no signal', { signal: 'stop' }, 'WrongArgumentError', 'The signal must be an AbortSignal'],
    ['no listener', { onProgress: true }, 'WrongArgumentError', 'onProgress must be a function'],
  ])('says what a wrong option must be: %s', async (_what, given, name, expected) => {
    const asked = Reflect.apply(library.exportDays, undefined, [given && { ...options, ...given }]);
    const error: unknown = await asked.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(library.CfeLakeError);
    expect(error).toMatchObject({ name, message: expect.stringContaining(expected) });
    expect(String(error)).not.toContain('a-secret');
  });

  it('is used as docs/library.md shows, as are the lake and the API', async () => {
    const exported = await runSample('import { exportDays', sandbox.url, lake);
    expect(exported).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^1 of 4\n/) });
    expect(exported).toMatchObject({ stdout: expect.stringMatching(/\ntrue \[\]\n$/) });
    const asked = await runSample('import { type ExactNumber, LakeReader', sandbox.url, lake);
    const three = /^(\d+ of 2026-11-1[89]: \d+\.\d\d\n){3}2 \d+\n$/;
    expect(asked).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(three) });
    const listed = await runSample('import { ReceiptsApi', sandbox.url, lake);
    const receipts = /^(\d+: .+, \S+ \S+\n)+\{"id":\d+,.*\}\ntrue\n$/;
    expect(listed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(receipts) });
  });
});

describe('LakeReader', () => {
  let folder: string;
  beforeAll(async () => {
    folder = sharedFolder();
    const { code } = await runMain('export', '--date', DAY, '--lake', folder);
    expect(code).toBe(0);
  });

  it('answers SQL, amounts to the cent', async () => {
    const lake = new library.LakeReader(folder);
    const sql = "SELECT sum(totales_total) AS total, count(*) AS n FROM recibidos WHERE moneda = 'UYU'";
    const { columns, rows, lagNote } = await lake.query(sql, { from: DAY, to: DAY });
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(['total DECIMAL(38,2)', 'n BIGINT']);
    expect(rows[0]?.[0]).toMatch(/^-?\d+\.\d\d$/);
    expect(lagNote).toBeUndefined();
  });

  it('gives rows by name: whole numbers and booleans as such, decimals and days as text', async () => {
    const lake = new library.LakeReader(folder);
    const sql = `SELECT 7::INTEGER AS few, 9007199254740993 AS many, 1234.50::DECIMAL(17,2) AS amount, 0.5::DOUBLE AS half,
      DATE '2026-11-19' AS day, TIMESTAMP '2026-11-19 10:00:00' AS moment, true AS yes, NULL AS none, 'a' AS word`;
    const [row] = await lake.rows(sql);
    const many = new library.ExactNumber('9007199254740993');
    const others = { few: 7, amount: '1234.50', half: 0.5, yes: true, none: null, word: 'a' };
    expect(row).toEqual({ ...others, many, day: '2026-11-19', moment: '2026-11-19 10:00:00' });
    expect(`${row?.many}`).toBe('9007199254740993');
    expect(JSON.stringify(row)).toContain('"many":9007199254740993,"amount":"1234.50"');
  });

  it('refuses rows by name where two columns have the same one', async () => {
    const asked = new library.LakeReader(folder).rows('SELECT 1 AS a, 2 AS a');
    await expect(asked).rejects.toThrow('Two columns are named a: name one of them with AS.');
  });

  it('refuses a bound that is no day: as text it would leave days out in silence', async () => {
    const lake = new library.LakeReader(folder);
    const asked = lake.query('SELECT count(*) FROM recibidos', { from: '2026-11-5' });
    await expect(asked).rejects.toMatchObject({
      name: 'InvalidDayError',
      message: "from must be a calendar day, YYYY-MM-DD, not '2026-11-5'.",
    });
    const reversed = lake.query('SELECT count(*) FROM recibidos', { from: '2026-11-30', to: '2026-11-01' });
    await expect(reversed).rejects.toThrow('from must not be after to: from 2026-11-30, to 2026-11-01.');
  });

  it('says what a wrong argument must be', async () => {
    expect(() => Reflect.construct(library.LakeReader, [])).toThrow('The address must be text');
    const lake = new library.LakeReader(folder);
    const query = (...given: readonly unknown[]) => Reflect.apply(lake.query, lake, given);
    await expect(query()).rejects.toThrow('The question must be text');
    await expect(query('SELECT 1', DAY)).rejects.toThrow('The days must be an object');
    // All days would be read.
    await expect(query('SELECT 1', { desde: DAY })).rejects.toThrow(
      'a member that is not known. They are from, to.',
    );
    await expect(query('SELECT 1', null)).rejects.toMatchObject({ name: 'WrongArgumentError' });
  });

  it('ends what is under way when it is closed, and answers nothing more', async () => {
    const lake = new library.LakeReader(folder);
    const long = lake.query(
      'SELECT count(*) FROM range(3000000) a, range(3000000) b WHERE a.range <> b.range',
    );
    const ended = expect(long).rejects.toMatchObject({
      code: 'WRONG_INPUT',
      message: /LakeReader is closed/,
    });
    await lake.close();
    await ended;
    await expect(lake.query('SELECT 1')).rejects.toThrow('The LakeReader is closed: make another one');
    await lake.close();
  });

  it('says where there is no lake', async () => {
    await expect(
      new library.LakeReader(join(folder, 'none')).query('SELECT 1 FROM recibidos'),
    ).rejects.toThrow(/There is no lake/);
  });
});
