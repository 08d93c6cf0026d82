import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { S3Store } from '../../lib/lake/store/s3.ts';
import { openLeases } from '../../lib/run/leases.ts';
import { clientSettings } from '../support/aws/aws-server.ts';
import { StandInBucket } from '../support/aws/bucket.ts';
import { startAwsStandIn } from '../support/aws/stand-in.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const NIGHTLY = '20261120020000-nocturna-recibidos';
const OTHER_NIGHTLY = '20261120030000-nocturna-emitidos';
const WEEKLY = '20261122050000-semanal';
const BACKFILL = '20261119180000-0a1b2c3d';
const OTHER_BACKFILL = '20261119190000-4e5f6a7b';
const RUT = '219999830019';
const OTHER_RUT = '211003420017';
const QUARTER_MS = 15 * 60_000;
const MINUTE_MS = 60_000;

/** A lake with this many leases. Each worker process has its own. */
function world(most: number) {
  const clock = new FakeClock();
  const store = new MemoryStore(() => clock.now());
  const process = () => openLeases(store, { most, clock });
  const acquire = (runId: string, remainingMs = QUARTER_MS, rut = RUT) =>
    process().acquire({ runId, rut }, remainingMs);
  /** Asks twice whether the lease is wanted, as its holder does between pages. */
  const pausesAfter = async (lease: { isWanted(): boolean } | undefined, passedMs: number) => {
    await clock.advance(passedMs);
    lease?.isWanted();
    await settled();
    return lease?.isWanted();
  };
  return { clock, store, process, acquire, pausesAfter };
}

describe('leases', () => {
  it('never exceed their number over all runs, however many ask at once', async () => {
    const { acquire, store } = world(3);
    const runs = [NIGHTLY, OTHER_NIGHTLY, NIGHTLY, OTHER_NIGHTLY, NIGHTLY, OTHER_NIGHTLY, NIGHTLY];
    const given = await Promise.all(runs.map((runId) => acquire(runId)));
    expect(given.filter((lease) => lease !== undefined)).toHaveLength(3);
    expect([...store.objects.keys()].sort()).toEqual([
      '.leases/0',
      '.leases/1',
      '.leases/2',
      '.leases/waiting-nightly',
    ]);
  });

  it('are free again when they are released, and where their invocation died, once it could live no more', async () => {
    const { acquire, clock } = world(1);
    const lease = await acquire(BACKFILL);
    expect(await acquire(BACKFILL)).toBeUndefined();
    await lease?.release();
    expect(await acquire(BACKFILL, QUARTER_MS)).toBeDefined();
    await clock.advance(QUARTER_MS);
    expect(await acquire(BACKFILL)).toBeUndefined();
    await clock.advance(MINUTE_MS);
    expect(await acquire(BACKFILL)).toBeDefined();
  });

  it('are never released by an earlier holder that is late', async () => {
    const { acquire, clock } = world(1);
    const late = await acquire(BACKFILL);
    await clock.advance(QUARTER_MS + MINUTE_MS);
    expect(await acquire(OTHER_BACKFILL)).toBeDefined();
    await late?.release();
    expect(await acquire(BACKFILL)).toBeUndefined();
  });

  it('are not taken from the next holder by a release that S3 gets twice, since its answer was lost', async () => {
    const standIn = await startAwsStandIn();
    const client = new S3Client(clientSettings(standIn));
    onTestFinished(async () => {
      client.destroy();
      await standIn.close();
    });
    standIn.s3.buckets.set('lake', new StandInBucket());
    const store = new S3Store(client, { bucket: 'lake', prefix: '' });
    const acquire = (runId: string) =>
      openLeases(store, { most: 1, clock: new FakeClock() }).acquire({ runId, rut: RUT }, QUARTER_MS);
    const first = await acquire(BACKFILL);
    let next: ReturnType<typeof acquire> | undefined;
    standIn.disturb = ({ method }) => {
      if (next !== undefined || method === 'HEAD') return undefined;
      next = settled().then(() => acquire(OTHER_BACKFILL));
      return 'cut after';
    };
    await first?.release();
    expect(await next).toBeDefined();
    expect(await acquire(BACKFILL)).toBeUndefined();
  });

  it('are still found if one of two was taken meanwhile', async () => {
    const { acquire } = world(2);
    await acquire(BACKFILL);
    expect(await acquire(NIGHTLY)).toBeDefined();
    expect(await acquire(NIGHTLY)).toBeUndefined();
  });

  it('of a dead worker are ended by the next one of the same company and run, and no others', async () => {
    const { acquire, process } = world(3);
    await acquire(BACKFILL);
    await acquire(BACKFILL, QUARTER_MS, OTHER_RUT);
    await acquire(OTHER_BACKFILL);
    const successor = process();
    await successor.endThoseOf({ runId: BACKFILL, rut: RUT });
    expect(await successor.acquire({ runId: BACKFILL, rut: RUT }, QUARTER_MS)).toBeDefined();
    expect(await acquire(BACKFILL)).toBeUndefined();
  });

  it('are seen to be lost by a holder that asks a second later, before it goes on', async () => {
    const { acquire, process, clock } = world(1);
    const held = await acquire(BACKFILL);
    await held?.look();
    await process().endThoseOf({ runId: BACKFILL, rut: RUT });
    await acquire(OTHER_BACKFILL);
    await clock.advance(1000);
    await held?.look();
    expect(held?.lost.aborted).toBe(true);
    await held?.release();
    expect(await acquire(BACKFILL)).toBeUndefined();
  });

  it('are not given up where they cannot be looked at', async () => {
    const { acquire, store, clock } = world(1);
    const held = await acquire(BACKFILL);
    store.find = async () => {
      throw new Error('S3 is away');
    };
    await clock.advance(1000);
    await held?.look();
    expect(held?.lost.aborted).toBe(false);
  });

  it('that cannot be released are no error: they end by themselves', async () => {
    const { acquire, store } = world(1);
    const lease = await acquire(BACKFILL);
    store.replace = async () => {
      throw new Error('S3 is away');
    };
    await expect(lease?.release()).resolves.toBeUndefined();
  });
});

describe('a nightly run that waits', () => {
  it('makes a backfill pause within seconds, and then has the lease', async () => {
    const { acquire, pausesAfter } = world(1);
    const held = await acquire(BACKFILL);
    expect(await pausesAfter(held, 30_000)).toBe(false);
    expect(await acquire(NIGHTLY)).toBeUndefined();
    expect(await pausesAfter(held, 30_000)).toBe(true);
    await held?.release();
    // Even if the backfill asks first.
    expect(await acquire(BACKFILL)).toBeUndefined();
    expect(await acquire(NIGHTLY)).toBeDefined();
  });

  it('lets the backfill go on in what it does not use, once it has not asked for a while', async () => {
    const { acquire, clock } = world(2);
    const [first, second] = [await acquire(BACKFILL), await acquire(BACKFILL)];
    await acquire(NIGHTLY);
    await Promise.all([first?.release(), second?.release()]);
    expect(await acquire(NIGHTLY)).toBeDefined();
    expect(await acquire(BACKFILL)).toBeUndefined();
    await clock.advance(3 * MINUTE_MS);
    expect(await acquire(BACKFILL)).toBeDefined();
    expect(await acquire(BACKFILL)).toBeUndefined();
  });

  it('goes before the weekly run, and that before a backfill, but not the other way round', async () => {
    const { acquire, pausesAfter } = world(3);
    const [backfill, weekly, nightly] = [
      await acquire(BACKFILL),
      await acquire(WEEKLY),
      await acquire(NIGHTLY),
    ];
    await acquire(OTHER_BACKFILL);
    expect(await pausesAfter(weekly, 30_000)).toBe(false);
    await acquire(WEEKLY);
    expect(await pausesAfter(backfill, 30_000)).toBe(true);
    expect(await pausesAfter(nightly, 30_000)).toBe(false);
  });

  it('is looked for now and then, not with every question', async () => {
    const { acquire, store, clock } = world(1);
    const held = await acquire(BACKFILL);
    let looks = 0;
    const { find } = store;
    store.find = (key) => {
      looks += 1;
      return find.call(store, key);
    };
    for (let question = 0; question < 1000; question += 1) {
      held?.isWanted();
      await clock.advance(60);
    }
    // Two ranks go before it; each is looked for every 20 of these 60 seconds.
    expect(looks).toBeGreaterThan(3);
    expect(looks).toBeLessThanOrEqual(6);
  });

  it('does not fail the work when a check for it fails', async () => {
    const { acquire, store, pausesAfter } = world(1);
    const held = await acquire(BACKFILL);
    await acquire(NIGHTLY);
    const { find } = store;
    store.find = async () => {
      throw new Error('S3 is away');
    };
    expect(await pausesAfter(held, 30_000)).toBe(false);
    store.find = find;
    expect(await pausesAfter(held, 30_000)).toBe(true);
  });
});

describe('runs of the same rank', () => {
  it('do not interrupt each other, and take turns when a worker’s time is up', async () => {
    const { acquire, pausesAfter } = world(1);
    const held = await acquire(BACKFILL);
    expect(await held?.shouldGiveWay()).toBe(false);
    await acquire(BACKFILL);
    expect(await held?.shouldGiveWay()).toBe(false);
    await acquire(OTHER_BACKFILL);
    expect(await pausesAfter(held, 30_000)).toBe(false);
    expect(await held?.shouldGiveWay()).toBe(true);
    await held?.release();
    expect(await acquire(OTHER_BACKFILL)).toBeDefined();
  });
});
