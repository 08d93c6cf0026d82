import { afterEach, describe, expect, it, vi } from 'vitest';
import { Breaker } from '../../lib/api/breaker.ts';
import { companyClient } from '../../lib/api/client.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { exportPart } from '../../lib/run/export-part.ts';
import { type ProveRunTools, proveRun, type RunToProve } from '../../lib/run/prove-run.ts';
import { type Clock, systemClock } from '../../lib/time/clock.ts';
import type { SandboxOptions } from '../../sandbox/behaviour.ts';
import { always, refusing, status500 } from '../support/api/faults.ts';
import { newWorker } from '../support/run/sandbox-run.ts';

const NOW_MS = Date.parse('2026-12-20T05:00:00Z');
const DAYS = { from: '2026-12-17', to: '2026-12-19' } as const;
const BEFORE = { desde: '2026-12-10', hasta: '2026-12-19' } as const;

/** A lake that an earlier run has filled, unless told otherwise, and what start-run proves the service with. */
async function world({ isLakeEmpty = false, ...options }: SandboxOptions & { isLakeEmpty?: boolean } = {}) {
  const {
    sandbox,
    store,
    tools: worker,
  } = await newWorker({ companyCount: 2, receiptsPerDay: 30, ...options });
  const clock: Clock = { ...systemClock, now: () => NOW_MS };
  const ruts = sandbox.companies.map(({ rut }) => rut).sort();
  const run = { corrida: 'before', dia: '2026-12-20', ...BEFORE, parte: 1 } as const;
  for (const rut of isLakeEmpty ? [] : ruts) {
    const session = { ...worker.session, clock };
    await exportPart({ ...run, rut, direcciones: ['recibidos', 'emitidos'] }, { ...worker, session });
  }
  await publishLagging(store, writeWithHyparquet, { nowMs: NOW_MS });
  sandbox.resetStats();
  let openApis = 0;
  const toolsWith = (changes: { store?: LakeStore; clock?: Clock } = {}): ProveRunTools => ({
    store,
    remainingMs: () => 100_000,
    openApi: async () => {
      openApis += 1;
      const session = { ...worker.session, clock, breaker: new Breaker({ clock, mostTries: 0 }), ...changes };
      return {
        clock: session.clock,
        clientOf: (rut) => companyClient(session, rut, worker.tokensOf(rut), 2),
        close: async () => {
          openApis -= 1;
        },
      };
    },
    ...changes,
  });
  const asked: RunToProve = { ruts, days: DAYS, directions: ['recibidos', 'emitidos'] };
  return { sandbox, store, asked, toolsWith, openApis: () => openApis };
}

afterEach(() => {
  vi.useRealTimers();
});

/** The store, with some of its methods replaced. */
const changed = (store: LakeStore, methods: Partial<LakeStore>): LakeStore =>
  Object.assign(Object.create(store), methods);

describe('proveRun', () => {
  it('proves lists as wide as those of the run, with the day after them, in a request or two for each direction', async () => {
    const { sandbox, asked, toolsWith, openApis } = await world();
    const { facts, faults, requests } = await proveRun(asked, toolsWith());
    expect(facts).toMatchObject({ recibidos: { provedWidthDays: 4 }, emitidos: { provedWidthDays: 4 } });
    expect(faults).toEqual([]);
    expect(requests).toBe(sandbox.stats().requests);
    expect(requests).toBeLessThanOrEqual(4);
    expect(openApis()).toBe(0);
  });

  it('knows by the lake on which page a long list ends', async () => {
    const { asked, toolsWith } = await world({ receiptsPerDay: 150 });
    const { facts, requests } = await proveRun(asked, toolsWith());
    expect(facts).toMatchObject({ recibidos: { provedWidthDays: 4 }, emitidos: { provedWidthDays: 4 } });
    // The first page and the last of one list in each direction.
    expect(requests).toBe(4);
  });

  it('asks the companies for rows where the lake is empty, and finds no fault where none has any', async () => {
    const filled = await world({ isLakeEmpty: true, receiptsPerDay: 150 });
    const { facts } = await proveRun(filled.asked, filled.toolsWith());
    expect(facts?.recibidos.provedWidthDays).toBeGreaterThanOrEqual(3);
    const narrow = await world({ isLakeEmpty: true, behaviour: { maxRangeDays: 2, overRange: '400' } });
    const { facts: ofNarrow } = await proveRun(narrow.asked, narrow.toolsWith());
    expect(ofNarrow).toMatchObject({ recibidos: { provedWidthDays: 2, widestDays: 2 } });
    const idle = await world({ isLakeEmpty: true, receiptsPerDay: 0 });
    const proved = await proveRun(idle.asked, idle.toolsWith());
    expect(proved).toMatchObject({ facts: { recibidos: { provedWidthDays: 1 } }, faults: [] });
  });

  it('looks for a witness among the days that the lake has, however wide the run is', async () => {
    const { store, asked, toolsWith } = await world();
    let opened = 0;
    const counting = changed(store, {
      open: (key) => {
        opened += 1;
        return store.open(key);
      },
    });
    const decade = { ...asked, days: { from: '2016-12-20', to: '2026-12-19' } } as const;
    const { facts } = await proveRun(decade, toolsWith({ store: counting }));
    expect(facts).toMatchObject({ recibidos: { provedWidthDays: 10 }, emitidos: { provedWidthDays: 10 } });
    // A witness is looked for among ten days, and those between its own are counted.
    expect(opened).toBeLessThan(2 * 2 * 10);
  });

  it('takes another company where the API refuses the token of the witness', async () => {
    const { sandbox, asked, toolsWith } = await world();
    sandbox.behave({ intercept: refusing(asked.ruts[0]) });
    expect(await proveRun(asked, toolsWith())).toMatchObject({
      facts: { recibidos: { provedWidthDays: 4 }, emitidos: { provedWidthDays: 4 } },
      faults: [],
    });
  });

  it('proves nothing, and says why, where the API refuses every token, fails, or the lake cannot be read', async () => {
    const refused = await world({ companyCount: 1 });
    refused.sandbox.behave({ intercept: refusing(refused.asked.ruts[0]) });
    const failing = await world();
    failing.sandbox.behave({ intercept: always(status500) });
    const unread = await world();
    const isAway = () => Promise.reject(new Error('S3 is away'));
    const isAwayToList = () => {
      throw new Error('S3 is away');
    };
    const { store } = unread;
    const cases: [RunToProve, ProveRunTools, RegExp][] = [
      [refused.asked, refused.toolsWith(), /the API refused the token/],
      [failing.asked, failing.toolsWith(), /status 500/],
      [unread.asked, unread.toolsWith({ store: changed(store, { list: isAwayToList }) }), /S3 is away/],
    ];
    for (const [asked, tools, reason] of cases) {
      const proved = await proveRun(asked, tools);
      expect(proved.facts).toBeUndefined();
      expect(proved.faults.map(({ direction }) => direction)).toEqual(['recibidos', 'emitidos']);
      for (const fault of proved.faults) expect(fault.reason).toMatch(reason);
    }
    // Days that cannot be read are no witness, but the companies can still be asked.
    const { facts } = await proveRun(
      unread.asked,
      unread.toolsWith({ store: changed(store, { open: isAway }) }),
    );
    expect(facts?.recibidos.provedWidthDays).toBeGreaterThanOrEqual(3);
  });

  it('asks no more companies once the API is down, and takes that for no refusal of wide lists', async () => {
    const { sandbox, asked, toolsWith } = await world({ companyCount: 20, isLakeEmpty: true });
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
    const api = await world();
    api.sandbox.behave({ intercept: always('hang') });
    const lake = await world();
    const never = () => new Promise<never>(() => undefined);
    for (const [{ asked, toolsWith, openApis }, changes] of [
      [api, {}],
      [lake, { store: changed(lake.store, { open: never }) }],
    ] as const) {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const proving = proveRun(asked, toolsWith(changes));
      let hasEnded = false;
      void proving.finally(() => {
        hasEnded = true;
      });
      await vi.advanceTimersByTimeAsync(59_999);
      expect([hasEnded, openApis()]).toEqual([false, 1]);
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
