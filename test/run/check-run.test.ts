import { describe, expect, it } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { companyClient } from '../../lib/api/client.ts';
import type { CompanyList } from '../../lib/companies/secrets-manager.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { checkRun } from '../../lib/run/checks.ts';
import type { SandboxOptions } from '../../sandbox/behaviour.ts';
import { FakeTokens, newPool } from '../support/api/api-client.ts';
import { refusing } from '../support/api/faults.ts';
import { HurriedClock } from '../support/fake-clock.ts';
import { markDays } from '../support/lake/marked-days.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { newSandbox } from '../support/sandbox.ts';
import { putUnit, RUTS } from '../support/units.ts';

const NOW_MS = Date.parse('2026-12-20T05:00:00Z');

async function world(options: SandboxOptions = {}, list: Partial<CompanyList> = {}) {
  const sandbox = await newSandbox({
    now: '2026-12-20T02:00:00',
    companyCount: 2,
    receiptsPerDay: 150,
    ...options,
  });
  const ruts = sandbox.companies.map(({ rut }) => rut).sort();
  const session = openApiSession({
    address: new URL(sandbox.url),
    pool: newPool(),
    clock: new HurriedClock(),
  });
  let openApis = 0;
  const tools = {
    listCompanies: async () => ({ ruts, problems: [], expiries: new Map<string, Date>(), ...list }),
    openApi: async () => {
      openApis += 1;
      const clientOf = (rut: string) => {
        const token = sandbox.companies.find((company) => company.rut === rut)?.token ?? 'stale';
        return companyClient(session, rut, new FakeTokens(token), 2);
      };
      const close = async () => {
        openApis -= 1;
      };
      return { clientOf, clock: session.clock, close };
    },
    lake: new MemoryStore(() => NOW_MS),
    signal: new AbortController().signal,
    nowMs: NOW_MS,
    remainingMs: () => 120_000,
  };
  const countOf = (rut: string, direction: 'recibidos' | 'emitidos') =>
    [...sandbox.truth(rut, direction, '2026-12-19')].length;
  return { sandbox, ruts, tools, countOf, openApis: () => openApis };
}

describe('checkRun', () => {
  it('counts companies and reads yesterday of the first, in both directions', async () => {
    const { tools, ruts, countOf, openApis } = await world();
    const [rut = ''] = ruts;
    expect(await checkRun({ comprobar: {} }, tools)).toEqual({
      empresas: 2,
      problemas: [],
      vencimientos: [],
      sin_vencimiento: 2,
      lectura: {
        rut,
        fecha: '2026-12-19',
        recibidos: countOf(rut, 'recibidos'),
        emitidos: countOf(rut, 'emitidos'),
        incompleta: false,
      },
      sin_publicar: [],
    });
    expect(countOf(rut, 'recibidos')).toBeGreaterThan(100);
    expect(openApis()).toBe(0);
  });

  it('names days of the last weeks that lack what was exported, unless a mark says that they are to be published', async () => {
    const { tools } = await world();
    const [rut] = RUTS;
    for (const day of ['2026-10-01', '2026-12-01', '2026-12-02', '2026-12-19'] as const)
      await putUnit(tools.lake, RECIBIDOS, day, rut, [1]);
    await markDays(tools.lake, 'run-1', ['2026-12-02']);
    const { sin_publicar } = await checkRun({ comprobar: {} }, tools);
    expect(sin_publicar).toEqual(['recibidos 2026-12-01', 'recibidos 2026-12-19']);
    tools.lake.listFingerprints = () => {
      throw new Error('no permission');
    };
    expect(await checkRun({ comprobar: {} }, tools)).toMatchObject({ sin_publicar: undefined });
  });

  it('reads the company that is named, and tells the soonest expiries, the rest only as a number', async () => {
    const { tools, ruts } = await world();
    const [first = '', second = ''] = ruts;
    const expiries = new Map([[second, new Date('2026-12-21T00:00:00Z')]]);
    const list = async () => ({
      ruts,
      problems: [{ source: 'secret s', reason: 'it is cut off' }],
      expiries,
    });
    const found = await checkRun({ comprobar: { rut: second } }, { ...tools, listCompanies: list });
    expect(found).toMatchObject({
      problemas: ['secret s: it is cut off'],
      vencimientos: [{ rut: second, vence: '2026-12-21T00:00:00.000Z' }],
      sin_vencimiento: 1,
      lectura: { rut: second },
    });
    expect(first).not.toBe(second);
  });

  it('says why the day could not be read, without the token', async () => {
    const { tools, sandbox, ruts, openApis } = await world();
    const [rut = ''] = ruts;
    sandbox.behave({ intercept: refusing(rut) });
    const { lectura } = await checkRun({ comprobar: {} }, tools);
    expect(lectura.error).toMatch(
      /^recibidos of \d+, days 2026-12-19\.\.2026-12-20, page 1: the API refused the token/,
    );
    for (const { token } of sandbox.companies) expect(JSON.stringify(lectura)).not.toContain(token);
    expect(openApis()).toBe(0);
  });

  it('reads the day as a night does, where the service leaves out the last one', async () => {
    const { tools, countOf, ruts } = await world({ behaviour: { upperBound: 'exclusive' } });
    const [rut = ''] = ruts;
    const { lectura } = await checkRun({ comprobar: {} }, tools);
    expect(lectura).toMatchObject({
      recibidos: countOf(rut, 'recibidos'),
      emitidos: countOf(rut, 'emitidos'),
      incompleta: false,
    });
  });

  it('asks for nothing while other runs have all the places that may, and says so', async () => {
    const { tools, sandbox } = await world();
    const openApi = async () => undefined;
    const { lectura } = await checkRun({ comprobar: {} }, { ...tools, openApi });
    expect(lectura).toMatchObject({ ocupada: true, incompleta: false });
    expect(lectura.error).toBeUndefined();
    expect(sandbox.stats().requests).toBe(0);
  });

  it('gives up on an API that does not answer', async () => {
    const { tools } = await world();
    const signal = AbortSignal.abort(new Error('after 45 seconds'));
    const { lectura } = await checkRun({ comprobar: {} }, { ...tools, signal });
    expect(lectura.error).toMatch(/^The API did not answer in time/);
  });

  it('stops after half a minute, and says that it did', async () => {
    const { tools } = await world({ receiptsPerDay: 3_000, companyCount: 1 });
    let asked = 0;
    const remainingMs = () => {
      asked += 1;
      return asked > 6 ? 80_000 : 120_000;
    };
    const { lectura } = await checkRun({ comprobar: {} }, { ...tools, remainingMs });
    expect(lectura.incompleta).toBe(true);
    expect(lectura.recibidos).toBeUndefined();
  });

  it('refuses a company that no secret has, and an event with more in it, and asks the API for nothing', async () => {
    const problems = [{ source: 'secret s', reason: 'it is empty' }];
    const { tools, sandbox } = await world({}, { problems });
    await expect(checkRun({ comprobar: { rut: '210303670014' } }, tools)).rejects.toThrow(
      'must be a valid RUT',
    );
    await expect(checkRun({ comprobar: { rut: '211003420017' } }, tools)).rejects.toThrow(
      'Nothing was read: no company with RUT 211003420017 has a usable entry in the secrets; secret s: it is empty.',
    );
    await expect(checkRun({ comprobar: {}, desde: '2026-01-01' }, tools)).rejects.toThrow('desde');
    expect(sandbox.stats().requests).toBe(0);
  });
});
