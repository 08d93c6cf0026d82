import { describe, expect, it } from 'vitest';
import type { CompanyList } from '../../lib/companies/secrets-manager.ts';
import { type FactsByDirection, factsMessage, newFacts } from '../../lib/export/reading/service-facts.ts';
import type { RunInput } from '../../lib/run/messages.ts';
import type { RunToProve } from '../../lib/run/prove-run.ts';
import type { Holder } from '../../lib/run/shares.ts';
import { type StartRunTools, startRun } from '../../lib/run/start-run.ts';
import { FIRST_DAY } from '../../lib/time/days.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { rutsOf } from '../support/ruts.ts';

const A = '211003420017';
const B = '219999830019';
const C = '214844360018';
const NOW = Date.parse('2026-11-20T06:30:00Z');

function tools(companies: Partial<CompanyList> = {}) {
  const started: RunInput[] = [];
  const lake = new MemoryStore(() => NOW);
  return {
    lake,
    started,
    clock: new FakeClock(NOW),
    firstDay: FIRST_DAY,
    shares: { night: 6, backfill: 2, requestsPerSecond: undefined },
    remainingMs: () => 120_000,
    hasEnded: async (_holder: Holder) => true,
    listCompanies: async (): Promise<CompanyList> => ({
      ruts: [A, B],
      problems: [],
      expiries: new Map(),
      ...companies,
    }),
    claimLake: async () => undefined,
    prove: async (_run: RunToProve): Promise<FactsByDirection | undefined> => newFacts(),
    startExecution: async (input: RunInput) => {
      started.push(input);
      return { arn: `arn:${input.runId}`, isRepeated: false };
    },
  };
}

const SCHEDULED = {
  origen: 'programado',
  nombre: 'nocturna',
  direcciones: ['recibidos', 'emitidos'],
  dias: 65,
  programado: '2026-11-20T05:00:00Z',
  ejecucion: 'd32c5kddcf5bb8c3',
};

describe('startRun', () => {
  it('starts a run of all companies on schedule, and counts its units', async () => {
    const given = tools();
    expect(await startRun(SCHEDULED, given)).toEqual({
      corrida: '20261120020000-nocturna',
      empresas: 2,
      unidades: 2 * 2 * 65,
      ejecucion: 'arn:20261120020000-nocturna',
      problemas: [],
      avisos: [],
      repetida: false,
    });
    expect(given.started).toEqual([
      {
        runId: '20261120020000-nocturna',
        runDay: '2026-11-20',
        from: '2026-09-16',
        to: '2026-11-19',
        older: null,
        directions: ['recibidos', 'emitidos'],
        details: null,
        service: factsMessage(newFacts(), NOW),
        companiesAtOnce: 2,
        ruts: [A, B],
      },
    ]);
  });

  it('proves the service for the run, and gives its workers the facts, or null if that failed', async () => {
    const asked: RunToProve[] = [];
    const facts = newFacts();
    facts.recibidos.provedWidthDays = 66;
    const given = tools();
    const prove = async (run: RunToProve) => {
      asked.push(run);
      return facts;
    };
    await startRun(SCHEDULED, { ...given, prove });
    const days = { from: '2026-09-16', to: '2026-11-19' };
    expect(asked).toEqual([{ ruts: [A, B], days, directions: ['recibidos', 'emitidos'] }]);
    const byHand = { desde: '2026-01-01', hasta: '2026-03-31' };
    await startRun(byHand, { ...given, prove: async () => undefined });
    expect(given.started.map(({ service }) => service)).toEqual([factsMessage(facts, NOW), null]);
  });

  it('starts nothing beside a run of its kind that is under way, nor asks the API, and everything once that has ended', async () => {
    const asked: string[] = [];
    const given = {
      ...tools(),
      hasEnded: async ({ name, untilMs }: Holder) => {
        asked.push(name);
        expect(untilMs).toBe(NOW + 120_000 + 60_000);
        return false;
      },
    };
    const byHand = { desde: '2026-01-01', hasta: '2026-03-31' };
    const { corrida } = await startRun(byHand, given);
    // A night has a share of its own.
    await startRun(SCHEDULED, given);
    const prove = () => Promise.reject(new Error('asked'));
    await expect(startRun(byHand, { ...given, prove })).rejects.toThrow(
      `Run ${corrida} is under way (one run by hand at a time), so no run was started.`,
    );
    const otherNight = { ...SCHEDULED, programado: '2026-11-20T06:00:00Z' };
    await expect(startRun(otherNight, { ...given, prove })).rejects.toMatchObject({
      name: 'RunUnderWayError',
      runId: '20261120030000-nocturna',
      otherId: '20261120020000-nocturna',
    });
    expect(asked).toEqual([corrida, '20261120020000-nocturna']);
    expect(given.started).toHaveLength(2);
    await startRun(byHand, { ...given, hasEnded: async () => true });
    expect(given.started).toHaveLength(3);
  });

  it('reads older days in the same run, and proves lists as wide as its widest days in a row', async () => {
    const given = tools({ ruts: rutsOf(9) });
    const asked: RunToProve[] = [];
    const prove = async (run: RunToProve) => {
      asked.push(run);
      return undefined;
    };
    const event = { ...SCHEDULED, dias: 3, edades: { desde: 66, hasta: 400 } };
    expect(await startRun(event, { ...given, prove })).toMatchObject({ unidades: 9 * 2 * (3 + 11) });
    expect(given.started).toMatchObject([
      {
        from: '2026-11-17',
        to: '2026-11-19',
        older: { from: '2026-01-17', to: '2026-01-27' },
        companiesAtOnce: 6,
      },
    ]);
    expect(asked).toMatchObject([{ days: { from: '2026-01-17', to: '2026-01-27' } }]);
  });

  it('starts a run of some companies by hand', async () => {
    const given = tools();
    const event = {
      desde: '2026-01-01',
      hasta: '2026-03-31',
      ruts: [B],
      direcciones: ['emitidos'],
      detalles: ['emitidos'],
    };
    expect(await startRun(event, given)).toMatchObject({ empresas: 1, unidades: 90 });
    expect(given.started).toMatchObject([
      { ruts: [B], directions: ['emitidos'], details: ['emitidos'], from: '2026-01-01' },
    ]);
  });

  it('starts nothing when a company that was asked for has no usable entry', async () => {
    const given = tools({
      problems: [{ source: 'secret s', entry: 3, rut: C, reason: 'the token is empty' }],
    });
    const event = { desde: '2026-01-01', hasta: '2026-01-01', ruts: [A, C] };
    await expect(startRun(event, given)).rejects.toThrow(
      `No run was started: 1 of "ruts" have no usable entry in the secrets: ${C}; secret s, entry 3, RUT ${C}: the token is empty.`,
    );
    expect(given.started).toEqual([]);
  });

  it('starts nothing when no company has a usable entry', async () => {
    const problems = Array.from({ length: 7 }, (_, index) => ({
      source: 'secret s',
      entry: index + 1,
      reason: 'no token',
    }));
    const given = tools({ ruts: [], problems });
    await expect(startRun(SCHEDULED, given)).rejects.toThrow(
      /^No company has a usable entry in the secrets, so no run was started\. secret s, entry 1: no token; .*; and 2 more$/,
    );
    expect(given.started).toEqual([]);
  });

  it('refuses more units than one run can count before anything is started, and says how to split it', async () => {
    const many = (companyCount: number) => tools({ ruts: rutsOf(companyCount) });
    const year = { desde: '2025-01-01', hasta: '2025-12-31' };
    const given = many(2_000);
    await expect(startRun(year, given)).rejects.toThrow(
      /^2000 companies × 2 directions × 365 days are 1460000 units, more than the 800000 of one run.* at most 200 days/,
    );
    expect({ started: given.started, objects: given.lake.objects.size }).toEqual({ started: [], objects: 0 });
    expect(await startRun({ desde: '2025-01-01', hasta: '2025-07-19' }, many(2_000))).toMatchObject({
      unidades: 800_000,
    });
    await expect(startRun({ desde: '2025-01-01', hasta: '2025-07-20' }, many(2_000))).rejects.toThrow(
      '804000 units',
    );
  });
});

describe('a company that the last run had', () => {
  const lost = (rut: string) => expect.stringContaining(`RUT ${rut}: the last run had this company`);
  const list = (ruts: CompanyList['ruts'], problems: CompanyList['problems'] = []) => ({
    listCompanies: async () => ({ ruts, problems, expiries: new Map() }),
  });
  const startOn = (day: string, given: StartRunTools) => {
    const clock = new FakeClock(Date.parse(`${day}T06:30:00Z`));
    return startRun({ ...SCHEDULED, programado: `${day}T05:00:00Z` }, { ...given, clock });
  };

  it('is reported once when it is no longer in any secret, whatever the reason', async () => {
    const given = tools({ ruts: [A, B, C] });
    expect((await startOn('2026-11-20', given)).problemas).toEqual([]);
    const without = { ...given, ...list([B]) };
    expect((await startOn('2026-11-21', without)).problemas).toEqual([lost(A), lost(C)]);
    expect((await startOn('2026-11-22', without)).problemas).toEqual([]);
    expect((await startOn('2026-11-23', given)).problemas).toEqual([]);
    expect(given.started.map(({ ruts }) => ruts.length)).toEqual([3, 1, 1, 3]);
  });

  it('is reported again when the run could not be started', async () => {
    const given = tools();
    await startRun(SCHEDULED, given);
    const failing = { ...given, ...list([A]), startExecution: () => Promise.reject(new Error('throttled')) };
    await expect(startOn('2026-11-21', failing)).rejects.toThrow('throttled');
    const again = { ...given, ...list([A]) };
    expect((await startOn('2026-11-21', again)).problemas).toEqual([lost(B)]);
  });

  it('is not reported twice where its entry is wrong, nor missed by a run of some companies', async () => {
    const given = tools();
    await startRun(SCHEDULED, given);
    const byHand = { desde: '2026-01-01', hasta: '2026-01-01', ruts: [A] };
    expect((await startRun(byHand, given)).problemas).toEqual([]);
    const bad = list([A], [{ source: 'secret s', entry: 2, rut: B, reason: 'the token is empty' }]);
    expect((await startOn('2026-11-21', { ...given, ...bad })).problemas).toEqual([
      `secret s, entry 2, RUT ${B}: the token is empty`,
    ]);
  });

  it('does not keep a run from starting where what was kept cannot be read', async () => {
    const given = tools();
    await startRun(SCHEDULED, given);
    given.lake.objects.clear();
    await given.lake.replace(
      '.source/companies.json',
      (async function* () {
        yield Buffer.from('{');
      })(),
      {
        metadata: {},
        expected: undefined,
      },
    );
    expect((await startOn('2026-11-21', given)).problemas).toEqual([]);
    expect((await startOn('2026-11-22', { ...given, ...list([A]) })).problemas).toEqual([lost(B)]);
  });
});
