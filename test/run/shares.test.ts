import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StaleObjectError } from '../../lib/lake/store/store.ts';
import {
  companiesAtOnce,
  giveBack,
  type Holder,
  requestsPerSecondOf,
  type Share,
  takeShare,
} from '../../lib/run/shares.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const NIGHT = '20261120020000-nocturna';
const BACKFILL = '20261119180000-0a1b2c3d';

describe('the shares of requests', () => {
  const shares = fc.record({
    night: fc.integer({ min: 1, max: 40 }),
    backfill: fc.integer({ min: 1, max: 40 }),
    requestsPerSecond: fc.integer({ min: 1, max: 100 }),
  });

  it('are never more than all together, however many companies the night and the backfill have', () => {
    const companies = fc.integer({ min: 1, max: 60 });
    fc.assert(
      fc.property(shares, companies, companies, (given, ofNight, ofBackfill) => {
        const sum = [
          { runId: NIGHT, count: ofNight },
          { runId: BACKFILL, count: ofBackfill },
        ].reduce((total, { runId, count }) => {
          const atOnce = companiesAtOnce(runId, count, given);
          expect(atOnce).toBeGreaterThanOrEqual(1);
          expect(atOnce).toBeLessThanOrEqual(Math.min(count, given.requestsPerSecond));
          return total + atOnce * (requestsPerSecondOf(given, { runId, companiesAtOnce: atOnce }) ?? 0);
        }, requestsPerSecondOf(given) ?? 0);
        expect(sum).toBeLessThanOrEqual(given.requestsPerSecond * (1 + 1e-9));
      }),
    );
  });

  it('are R ÷ (c + b + 1), and larger for a night of few companies', () => {
    const given = { night: 6, backfill: 2, requestsPerSecond: 18 };
    const ofNight = (atOnce: number) => requestsPerSecondOf(given, { runId: NIGHT, companiesAtOnce: atOnce });
    expect({ six: ofNight(6), one: ofNight(1), all: requestsPerSecondOf(given) }).toEqual({
      six: 2,
      one: 4.5,
      all: 2,
    });
    expect(requestsPerSecondOf(given, { runId: BACKFILL, companiesAtOnce: 2 })).toBe(2);
    expect(requestsPerSecondOf({ ...given, requestsPerSecond: undefined })).toBeUndefined();
  });
});

describe('a share', () => {
  const holder = (name: string, untilMs = 1_000): Holder => ({ name, untilMs });
  const take = (store: MemoryStore, share: Share, name: string, ended: readonly string[] = []) =>
    takeShare(store, share, holder(name), (other) => ended.includes(other.name));

  it('is taken if nobody has it, if it is one’s own, and from a holder that has ended; each has its own', async () => {
    const store = new MemoryStore(() => 0);
    expect(await take(store, 'night', 'a')).toBeUndefined();
    expect(await take(store, 'night', 'a')).toBeUndefined();
    expect(await take(store, 'night', 'b')).toEqual(holder('a'));
    expect(await take(store, 'backfill', 'b')).toBeUndefined();
    expect(await take(store, 'night', 'c', ['a'])).toBeUndefined();
    expect(await take(store, 'night', 'd', ['a'])).toEqual(holder('c'));
  });

  it('is given back by its holder alone', async () => {
    const store = new MemoryStore(() => 0);
    await take(store, 'start', 'a');
    await giveBack(store, 'start', holder('b'));
    expect(await take(store, 'start', 'b')).toEqual(holder('a'));
    await giveBack(store, 'start', holder('a'));
    expect(await takeShare(store, 'start', holder('b'), ({ untilMs }) => untilMs === 0)).toBeUndefined();
  });

  it('is had by one of all that want it at once, in whatever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 5 }), async (scheduler, count) => {
        const store = new MemoryStore(() => 0);
        const slow: MemoryStore = Object.assign(Object.create(store), {
          open: scheduler.scheduleFunction((key: string) => store.open(key)),
          replace: scheduler.scheduleFunction((...given: Parameters<MemoryStore['replace']>) =>
            store.replace(...given),
          ),
        });
        await take(store, 'night', 'ended');
        const names = Array.from({ length: count }, (_, number) => `run-${number}`);
        const taking = Promise.all(names.map((name) => take(slow, 'night', name, ['ended'])));
        await scheduler.waitFor(taking);
        const has = (await taking).flatMap((other, index) => (other === undefined ? [names[index]] : []));
        expect(has).toHaveLength(1);
        for (const other of await taking) expect(other?.name ?? has[0]).toBe(has[0]);
      }),
    );
  });

  it('is one’s own although the answer to the write was lost, and the SDK wrote again', async () => {
    const store = new MemoryStore(() => 0);
    const losing: MemoryStore = Object.assign(Object.create(store), {
      replace: async (...given: Parameters<MemoryStore['replace']>) => {
        await store.replace(...given);
        throw new StaleObjectError(given[0]);
      },
    });
    expect(await take(losing, 'night', 'a')).toBeUndefined();
    expect(await take(store, 'night', 'b')).toEqual(holder('a'));
  });

  it('is nobody’s to take where its object says nothing', async () => {
    const store = new MemoryStore(() => 0);
    const text = (async function* () {
      yield Buffer.from('{}');
    })();
    await store.replace('.runs/night', text, { metadata: {}, expected: undefined });
    await expect(take(store, 'night', 'a')).rejects.toThrow('if none is RUNNING, remove that object');
  });
});
