import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Breaker } from '../../lib/api/breaker.ts';
import { companyClient } from '../../lib/api/client.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { exportPart } from '../../lib/run/export-part.ts';
import { type ProveRunTools, proveRun, type RunToProve } from '../../lib/run/prove-run.ts';
import { type Clock, systemClock } from '../../lib/time/clock.ts';
import { DIRECTIONS } from '../../lib/units/unit.ts';
import { DEFAULT_BEHAVIOUR, type SandboxBehaviour, type SandboxOptions } from '../../sandbox/behaviour.ts';
import { always, refusing, status500 } from '../support/api/faults.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { startWorker } from '../support/run/sandbox-run.ts';

const NOW_MS = Date.parse('2026-12-20T05:00:00Z');
const DAYS = { from: '2026-12-17', to: '2026-12-19' } as const;
const BEFORE = { from: '2026-12-10', to: '2026-12-19' } as const;

type Lake = Awaited<ReturnType<typeof startLake>>;
type LakeOptions = SandboxOptions & { isEmpty?: boolean };
/** Lakes by what they were made with. No test changes them. */
const lakes = new Map<string, Promise<Lake>>();
afterAll(async () => {
  for (const lake of lakes.values()) await (await lake).close();
});
afterEach(() => void vi.useRealTimers());

/** A lake that an earlier run has filled, unless told otherwise, and its service. */
async function startLake({ isEmpty = false, ...options }: LakeOptions) {
  const store = new MemoryStore(() => NOW_MS);
  const worker = await startWorker(store, { companyCount: 2, receiptsPerDay: 30, ...options });
  const { sandbox, tools } = worker;
  const clock: Clock = { ...systemClock, now: () => NOW_MS };
  const session = { ...tools.session, clock };
  const run = { runId: 'before', runDay: '2026-12-20', ...BEFORE, part: 1 } as const;
  for (const { rut } of isEmpty ? [] : sandbox.companies)
    await exportPart({ ...run, rut, companiesAtOnce: 1, directions: [...DIRECTIONS] }, { ...tools, session });
  await publishLagging(store, writeWithHyparquet);
  return { ...worker, store, session };
}

/** What start-run proves the service of such a lake with. */
async function world(options: LakeOptions = {}) {
  const name = JSON.stringify(options);
  const starting = lakes.get(name) ?? startLake(options);
  lakes.set(name, starting);
  const { sandbox, store, session, tools } = await starting;
  sandbox.behave({ ...DEFAULT_BEHAVIOUR, ...options.behaviour });
  sandbox.resetStats();
  let openApis = 0;
  const toolsWith = (changes: { store?: LakeStore } = {}): ProveRunTools => ({
    store,
    remainingMs: () => 100_000,
    openApi: async () => {
      openApis += 1;
      const { clock } = session;
      const opened = { ...session, breaker: new Breaker({ clock, mostTries: 0 }) };
      return {
        clock,
        clientOf: (rut) => companyClient(opened, rut, tools.tokensOf(rut), 2),
        close: async () => {
          openApis -= 1;
        },
      };
    },
    ...changes,
  });
  const ruts = sandbox.companies.map(({ rut }) => rut).sort();
  const asked: RunToProve = { ruts, days: DAYS, directions: DIRECTIONS };
  return { sandbox, store, asked, toolsWith, openApis: () => openApis };
}

/** The store, with some of its methods replaced. */
const changed = (store: LakeStore, methods: Partial<LakeStore>): LakeStore =>
  Object.assign(Object.create(store), methods);

describe('proveRun', () => {
  it('proves lists as wide as those of the run, with the day after them, in three requests at most for each direction', async () => {
    const { sandbox, asked, toolsWith, openApis } = await world();
    const { facts, faults, requests } = await proveRun(asked, toolsWith());
    expect(facts).toMatchObject({ recibidos: { provedWidthDays: 5 }, emitidos: { provedWidthDays: 5 } });
    expect(faults).toEqual([]);
    expect(requests).toBe(sandbox.stats().requests);
    expect(requests).toBeLessThanOrEqual(6);
    expect(openApis()).toBe(0);
  });

  it('asks the companies for rows where the lake is empty, and finds no fault where none has any', async () => {
    const filled = await world({ isEmpty: true, receiptsPerDay: 150 });
    const { facts } = await proveRun(filled.asked, filled.toolsWith());
    expect(facts?.recibidos.provedWidthDays).toBeGreaterThanOrEqual(3);
    const narrow = await world({ isEmpty: true, behaviour: { maxRangeDays: 2, overRange: '400' } });
    const { facts: ofNarrow } = await proveRun(narrow.asked, narrow.toolsWith());
    expect(ofNarrow).toMatchObject({ recibidos: { provedWidthDays: 2 } });
    const idle = await world({ isEmpty: true, receiptsPerDay: 0 });
    const proved = await proveRun(idle.asked, idle.toolsWith());
    expect(proved).toMatchObject({ facts: { recibidos: { provedWidthDays: 1 } }, faults: [] });
  });

  it('takes another company where the API refuses the token of the witness', async () => {
    const { sandbox, asked, toolsWith } = await world();
    sandbox.behave({ intercept: refusing(asked.ruts[0]) });
    expect(await proveRun(asked, toolsWith())).toMatchObject({
      facts: { recibidos: { provedWidthDays: 5 }, emitidos: { provedWidthDays: 5 } },
      faults: [],
    });
  });

  it('proves nothing, and says why, where the API refuses every token, fails, or the lake cannot be read', async () => {
    const { sandbox, store, asked, toolsWith } = await world();
    const isAwayToList = () => {
      throw new Error('S3 is away');
    };
    const cases: [Partial<SandboxBehaviour>, ProveRunTools, RegExp][] = [
      [{ intercept: always({ status: 401, body: '{}' }) }, toolsWith(), /the API refused the token/],
      [{ intercept: always(status500) }, toolsWith(), /status 500/],
      [{}, toolsWith({ store: changed(store, { list: isAwayToList }) }), /S3 is away/],
    ];
    for (const [behaviour, tools, reason] of cases) {
      sandbox.behave({ ...DEFAULT_BEHAVIOUR, ...behaviour });
      const proved = await proveRun(asked, tools);
      expect(proved.facts).toBeUndefined();
      expect(proved.faults.map(({ direction }) => direction)).toEqual(DIRECTIONS);
      for (const fault of proved.faults) expect(fault.reason).toMatch(reason);
    }
    // Days that cannot be read are no witness, but the companies can still be asked.
    const isAway = () => Promise.reject(new Error('S3 is away'));
    const { facts } = await proveRun(asked, toolsWith({ store: changed(store, { open: isAway }) }));
    expect(facts?.recibidos.provedWidthDays).toBeGreaterThanOrEqual(3);
  });

  it('asks no more companies once the API is down, and takes that for no refusal of wide lists', async () => {
    const { sandbox, asked, toolsWith } = await world({ companyCount: 20, isEmpty: true });
    sandbox.behave({ intercept: always(status500) });
    expect((await proveRun(asked, toolsWith())).facts).toBeUndefined();
    expect(sandbox.stats().requests).toBeLessThan(2 * asked.ruts.length);
  });

  it('never rejects: where the API cannot even be opened, that is the fault', async () => {
    const { asked, toolsWith } = await world();
    const openApi = () => {
      throw new Error('certificates are not checked');
    };
    expect(await proveRun(asked, { ...toolsWith(), openApi })).toEqual({
      facts: undefined,
      requests: 0,
      faults: asked.directions.map((direction) => ({ direction, reason: 'certificates are not checked' })),
    });
  });

  it('ends after 60 % of the time that is left, whoever does not answer', async () => {
    const { sandbox, store, asked, toolsWith, openApis } = await world();
    const never = () => new Promise<never>(() => undefined);
    for (const [behaviour, tools] of [
      [{ intercept: always('hang') }, toolsWith()],
      [{}, toolsWith({ store: changed(store, { open: never }) })],
    ] satisfies [Partial<SandboxBehaviour>, ProveRunTools][]) {
      sandbox.behave({ ...DEFAULT_BEHAVIOUR, ...behaviour });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const proving = proveRun(asked, tools);
      let hasEnded = false;
      void proving.finally(() => {
        hasEnded = true;
      });
      await vi.advanceTimersByTimeAsync(59_999);
      expect({ hasEnded, openApis: openApis() }).toEqual({ hasEnded: false, openApis: 1 });
      await vi.advanceTimersByTimeAsync(1);
      const { facts, faults } = await proving;
      expect(facts).toBeUndefined();
      expect(faults.map(({ reason }) => reason)).toEqual(
        asked.directions.map(() => expect.stringMatching(/^The service was not proved within 60 seconds/)),
      );
      expect(openApis()).toBe(0);
      vi.useRealTimers();
    }
  });
});
