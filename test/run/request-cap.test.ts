import { EventEmitter } from 'node:events';
import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openApiSession, paced } from '../../lib/api/access.ts';
import { companyClient } from '../../lib/api/client.ts';
import type { ConnectionPool } from '../../lib/api/connection-pool.ts';
import {
  companiesAtOnce,
  giveBack,
  requestsPerSecondOf,
  type Shares,
  takeShare,
} from '../../lib/run/shares.ts';
import { withScopedSignal } from '../../lib/system/concurrency.ts';
import { anyRequest, FakeTokens } from '../support/api/api-client.ts';
import { mostWithin } from '../support/api/sent-times.ts';
import { campaign } from '../support/campaign.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const RUN_MS = 40_000;
const NIGHT = '20261120020000-nocturna';
const BACKFILL = '20261119180000-0a1b2c3d';

interface Service {
  perSecond: number;
  night: number;
  backfill: number;
  /** Companies of the night and of a backfill at the same time. */
  companies: readonly [number, number];
  /** How often somebody checks, or starts a run, at the same time. */
  starts: number;
  maxInFlight: number;
  /** The longest that each of these takes; most take no time. */
  connectMs: number;
  flushMs: number;
  answerMs: number;
  /** Of 100 requests and invocations. */
  faults: number;
  seed: number;
}

const service: fc.Arbitrary<Service> = fc.record({
  perSecond: fc.integer({ min: 1, max: 40 }),
  night: fc.integer({ min: 1, max: 12 }),
  backfill: fc.integer({ min: 1, max: 6 }),
  companies: fc.tuple(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 16 })),
  starts: fc.integer({ min: 0, max: 4 }),
  maxInFlight: fc.integer({ min: 1, max: 8 }),
  connectMs: fc.constantFrom(0, 50, 8_000),
  flushMs: fc.constantFrom(0, 30),
  answerMs: fc.constantFrom(0, 100, 2_000),
  faults: fc.constantFrom(0, 3, 15),
  seed: fc.integer({ min: 1, max: 2_147_483_646 }),
});

/** Plays a night, a backfill and start-runs at the same time, and returns when each request was sent. */
async function sentBy(asked: Service): Promise<{ sentMs: number[]; most: number }> {
  const { perSecond, night, backfill } = asked;
  const shares: Shares = { night, backfill, requestsPerSecond: perSecond };
  const clock = new FakeClock();
  const store = new MemoryStore(() => clock.now());
  const untilMs = clock.now() + RUN_MS;
  let state = asked.seed;
  const upTo = (most: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * (most + 1));
  };
  const rarelyUpTo = (most: number) => (upTo(3) === 0 ? upTo(most) : 0);
  const isFault = () => upTo(99) < asked.faults;
  const sentMs: number[] = [];

  async function serve(request: EventEmitter, isDestroyed: () => boolean): Promise<void> {
    await clock.sleep(rarelyUpTo(asked.connectMs));
    if (isDestroyed()) return;
    if (isFault()) {
      // Sometimes it was sent, and sometimes not.
      if (isFault()) sentMs.push(clock.monotonicMs());
      request.emit('error', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
      return;
    }
    sentMs.push(clock.monotonicMs());
    await clock.sleep(rarelyUpTo(asked.flushMs));
    request.emit('finish');
    await clock.sleep(upTo(asked.answerMs));
    const statusCode = isFault() ? [429, 503, 500, 401][upTo(3)] : 200;
    const headers = { 'content-type': 'application/json', 'retry-after': '1' };
    request.emit('response', Object.assign(Readable.from([Buffer.from('{}')]), { statusCode, headers }));
  }

  const pool: Pick<ConnectionPool, 'get'> = {
    get: () => {
      let isDestroyed = false;
      const destroy = () => {
        isDestroyed = true;
      };
      const request = Object.assign(new EventEmitter(), { destroy });
      void serve(request, () => isDestroyed);
      return request as unknown as ClientRequest;
    },
  };
  const session = openApiSession({ address: new URL('https://api.invalid'), pool, clock, random: () => 0.5 });

  /** One invocation: of a worker, or of start-run. */
  async function invoke(number: number, requestsPerSecond: number | undefined): Promise<void> {
    const client = companyClient(
      paced(session, requestsPerSecond),
      '219999830019',
      new FakeTokens('one', 'two'),
      asked.maxInFlight,
    );
    await withScopedSignal(async (signal) => {
      const requests = Array.from({ length: 1 + upTo(20) }, () =>
        client.get(anyRequest({ signal })).catch(() => undefined),
      );
      if (number % 2 === 0) void client.askOnce('recibidos', signal).catch(() => undefined);
      // Some end before all is answered: their time is up, or they die.
      await (isFault() ? Promise.race([clock.sleep(upTo(3_000)), ...requests]) : Promise.all(requests));
    });
  }

  /** A run, as the map of its execution exports it: so many companies at a time, one invocation after the other. */
  async function play(runId: string, companyCount: number): Promise<void> {
    const count = companiesAtOnce(runId, companyCount, shares);
    const pace = requestsPerSecondOf(shares, { runId, companiesAtOnce: count });
    const place = async (number: number) => {
      while (clock.now() < untilMs) await invoke(number, pace);
    };
    await Promise.all(Array.from({ length: count }, (_, number) => place(number)));
  }

  async function start(number: number): Promise<void> {
    while (clock.now() < untilMs) {
      const ownRun = { name: `start-${number}-${clock.now()}`, untilMs: clock.now() + 120_000 };
      const other = await takeShare(store, 'start', ownRun, (holder) => holder.untilMs <= clock.now());
      if (other === undefined) await invoke(number, requestsPerSecondOf(shares));
      await giveBack(store, 'start', ownRun);
      await clock.sleep(1 + upTo(50));
    }
  }

  const working = Promise.all([
    play(NIGHT, asked.companies[0]),
    play(BACKFILL, asked.companies[1]),
    ...Array.from({ length: asked.starts }, (_, number) => start(number)),
  ]);
  let isOver = false;
  void working.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await settled();
    await clock.advance(500);
  }
  await working;
  const atOnce = [NIGHT, BACKFILL].map((run, index) =>
    companiesAtOnce(run, asked.companies[index] ?? 0, shares),
  );
  return { sentMs, most: 10 * perSecond + atOnce.reduce((sum, count) => sum + count) + 1 };
}

describe('a cap of requests a second', () => {
  it('is kept in any 10 seconds by a night, a backfill, checks and starts at once, however long what takes, and whoever dies', async () => {
    await fc.assert(
      fc.asyncProperty(service, async (played) => {
        const { sentMs, most } = await sentBy(played);
        expect(sentMs.length).toBeGreaterThan(0);
        expect(mostWithin(10_000, sentMs)).toBeLessThanOrEqual(most);
      }),
      { numRuns: campaign({ quick: 9, long: 300 }) },
    );
  });

  it('is used whole where there is enough to ask', async () => {
    const fast = { connectMs: 0, flushMs: 0, answerMs: 20, faults: 0, seed: 7 } as const;
    const { sentMs } = await sentBy({
      ...fast,
      perSecond: 27,
      night: 6,
      backfill: 2,
      companies: [9, 9],
      starts: 2,
      maxInFlight: 8,
    });
    const most = mostWithin(10_000, sentMs);
    expect(most).toBeGreaterThan(230);
    expect(most).toBeLessThanOrEqual(279);
  });
});
