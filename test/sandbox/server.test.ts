import { describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { always } from '../support/api/faults.ts';
import { newSandbox, sharedSandbox } from '../support/sandbox.ts';
import { ask, DAY, idsOf, LEGACY, LIST, NOW, pageOf, rutOf, truthOf, until } from './support.ts';

const FIRST = pageOf('emitidos', 1, 100);

const sandbox = await sharedSandbox({ now: NOW });

describe('authentication', () => {
  const bearer = (company: number): string => `Bearer ${sandbox.companies[company]?.token}`;
  const paths = (): string[] => [
    FIRST,
    `${LIST.recibidos}/1`,
    `${LEGACY.emitidos}?FechaDesde=${DAY}&FechaHasta=${DAY}`,
  ];

  it.each([
    ['no token', ''],
    ['no bearer', 'Basic abc'],
    ['an empty token', 'Bearer '],
    ['a wrong token', 'Bearer abc'],
  ])('%s is 401', async (_name, authorization) => {
    for (const path of paths()) {
      const { status, json } = await ask(sandbox, path, { headers: { authorization } });
      expect(status).toBe(401);
      expect([{}, { error: 'token inválido' }]).toContainEqual(json);
    }
  });

  it("another company's token is 401", async () => {
    const { status, json } = await ask(sandbox, FIRST, { headers: { authorization: bearer(1) } });
    expect({ status, members: Object.keys(json) }).toEqual({ status: 401, members: ['error'] });
  });

  it.each(['', 'abc', '210303670014', '12', '2199998300199'])('X-Emisor %s is 400', async (emisor) => {
    for (const path of paths()) {
      const { status, json } = await ask(sandbox, path, { headers: { 'x-emisor': emisor } });
      expect({ status, message: typeof json.message }).toEqual({ status: 400, message: 'string' });
    }
  });

  it('X-Emisor may be a number that lost its leading zero', async () => {
    const company = sandboxCompanies(60).findIndex(({ rut }) => rut.startsWith('0'));
    const larger = await newSandbox({ now: NOW, companyCount: 60, receiptsPerDay: 3 });
    const headers = { 'x-emisor': rutOf(larger, company).slice(1) };
    expect(idsOf((await ask(larger, FIRST, { company, headers })).rows)).toHaveLength(3);
  });

  it('a company unknown to the sandbox is 401', async () => {
    expect((await ask(sandbox, FIRST, { headers: { 'x-emisor': '211003420017' } })).status).toBe(401);
  });

  it('each company sees its own receipts', async () => {
    for (const company of [0, 1, 2, 3]) {
      const { rows } = await ask(sandbox, FIRST, { company });
      expect(idsOf(rows)).toEqual(idsOf(truthOf(sandbox, 'emitidos', company).slice(0, 100)));
    }
  });
});

describe('the server', () => {
  it('answers 404 for any other address and method', async () => {
    for (const path of [
      '/',
      '/v2/consulta/comprobantes',
      '/v1/consulta/comprobantes/emitidos',
      `${LEGACY.emitidos}/1`,
    ])
      expect((await ask(sandbox, path)).status).toBe(404);
    expect((await ask(sandbox, FIRST, { method: 'POST' })).status).toBe(404);
  });

  it('counts requests by kind and status, and the most in flight', async () => {
    const sandbox = await newSandbox({ now: NOW, behaviour: { intercept: always('hang') } });
    const client = new AbortController();
    const unanswered = [0, 0, 1].map((company) =>
      ask(sandbox, FIRST, { company, signal: client.signal }).catch(() => undefined),
    );
    await until(() => sandbox.stats().requests === 3);
    client.abort();
    await Promise.all(unanswered);
    await until(() => sandbox.stats().byStatus[0] === 3);
    sandbox.behave(DEFAULT_BEHAVIOUR);
    for (const path of [FIRST, `${LIST.emitidos}/1`, `${LEGACY.emitidos}?FechaDesde=x`])
      await ask(sandbox, path);
    expect(sandbox.stats()).toEqual({
      requests: 6,
      listRequests: 4,
      logins: 0,
      detailRequests: 1,
      byStatus: { 0: 3, 200: 1, 404: 1, 400: 1 },
      maxInFlight: 3,
      maxInFlightByRut: { [rutOf(sandbox, 0)]: 2, [rutOf(sandbox, 1)]: 1 },
    });
    sandbox.resetStats();
    expect(sandbox.stats()).toMatchObject({
      requests: 0,
      byStatus: {},
      maxInFlight: 0,
      maxInFlightByRut: {},
    });
  });

  it('agrees with another of the same seed, whatever the number of companies', async () => {
    const [one, other, third] = await Promise.all([
      newSandbox({ now: NOW, seed: 'x' }),
      newSandbox({ now: NOW, seed: 'x', companyCount: 50 }),
      newSandbox({ now: NOW, seed: 'y' }),
    ]);
    const texts = await Promise.all(
      [one, other, third].map(async (sandbox) => (await ask(sandbox, FIRST)).text),
    );
    expect(texts[1]).toBe(texts[0]);
    expect(texts[2]).not.toBe(texts[0]);
  });

  it('makes single pages of a million receipts a day without making the day', async () => {
    const sandbox = await newSandbox({ now: NOW, receiptsPerDay: 1_000_000 });
    const { rows } = await ask(sandbox, pageOf('emitidos', 10_000, 100));
    expect(rows).toHaveLength(100);
    expect((await ask(sandbox, pageOf('emitidos', 10_001, 100))).rows).toEqual([]);
    const detail = await ask(sandbox, `${LIST.emitidos}/${rows[99]?.id}`);
    expect(detail.json.numero).toBe(rows[99]?.numero);
  });

  it('refuses an unknown day or company, and an invalid time', () => {
    expect(() => sandbox.truth(rutOf(sandbox), 'emitidos', '19/11/2026')).toThrow(RangeError);
    expect(() => sandbox.truth('211003420017', 'emitidos', DAY)).toThrow(RangeError);
    expect(() => sandbox.setNow('yesterday')).toThrow(RangeError);
  });
});
