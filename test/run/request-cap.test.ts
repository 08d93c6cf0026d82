import { EventEmitter } from 'node:events';
import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApiSession, paced } from '../../lib/api/access.ts';
import { companyClient } from '../../lib/api/client.ts';
import type { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { openLeases } from '../../lib/run/leases.ts';
import { withScopedSignal } from '../../lib/system/concurrency.ts';
import { anyRequest, FakeTokens } from '../support/api/api-client.ts';
import { mostWithin } from '../support/api/sent-times.ts';
import { campaign } from '../support/campaign.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const RUN_MS = 40_000;
const INVOCATION_MS = 120_000;
const RUNS = ['20261120020000-nocturna-recibidos', '20261122050000-semanal', '20261119180000-0a1b2c3d'];

interface Service {
  perSecond: number;
  places: number;
  /** Who asks for places: workers of several runs, and start-run. */
  workers: number;
  maxInFlight: number;
  /** The longest that each of these takes; most take no time. */
  lookMs: number;
  connectMs: number;
  flushMs: number;
  answerMs: number;
  /** Of 100 requests and invocations. */
  faults: number;
  seed: number;
}

const service: fc.Arbitrary<Service> = fc.record({
  perSecond: fc.integer({ min: 1, max: 40 }),
  places: fc.integer({ min: 1, max: 12 }),
  workers: fc.integer({ min: 1, max: 16 }),
  maxInFlight: fc.integer({ min: 1, max: 8 }),
  lookMs: fc.constantFrom(0, 20, 3_000),
  connectMs: fc.constantFrom(0, 50, 8_000),
  flushMs: fc.constantFrom(0, 30),
  answerMs: fc.constantFrom(0, 100, 2_000),
  faults: fc.constantFrom(0, 3, 15),
  seed: fc.integer({ min: 1, max: 2_147_483_646 }),
});

/** Plays workers that take places in turn, and returns when each request was sent. */
async function sentBy({
  perSecond,
  workers,
  ...asked
}: Service): Promise<{ sentMs: number[]; places: number }> {
  const places = Math.min(asked.places, perSecond);
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
  const session = { address: new URL('https://api.invalid'), pool, clock } as unknown as ApiSession;

  async function work(number: number): Promise<void> {
    const owner = { runId: RUNS[number % RUNS.length] ?? '', rut: String(number) };
    while (clock.now() < untilMs) {
      const leases = openLeases(store, { most: places, clock });
      await leases.endThoseOf(owner);
      const lease = await leases.tryAcquire(owner, INVOCATION_MS);
      if (lease === undefined) {
        await clock.sleep(1 + upTo(50));
        continue;
      }
      const ofPlace = paced(
        { ...session, beforeRequest: () => clock.sleep(rarelyUpTo(asked.lookMs)) },
        perSecond / places,
      );
      const client = companyClient(ofPlace, '219999830019', new FakeTokens('one', 'two'), asked.maxInFlight);
      await withScopedSignal(async (signal) => {
        const requests = Array.from({ length: 1 + upTo(20) }, () =>
          client.get(anyRequest({ signal })).catch(() => undefined),
        );
        if (number % 2 === 0) void client.askOnce('recibidos', signal).catch(() => undefined);
        // Some end before all is answered, as at a pause.
        await (isFault() ? Promise.race([clock.sleep(upTo(3_000)), ...requests]) : Promise.all(requests));
      });
      // Who dies releases nothing; its successor ends the lease.
      if (!isFault()) await lease.release();
    }
  }

  const working = Promise.all(Array.from({ length: workers }, (_, number) => work(number)));
  let isOver = false;
  void working.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await settled();
    await clock.advance(500);
  }
  await working;
  return { sentMs, places };
}

describe('a cap of requests a second', () => {
  it('is kept in any 10 seconds, whoever asks, however long what takes, and whoever dies', async () => {
    await fc.assert(
      fc.asyncProperty(service, async (played) => {
        const { sentMs, places } = await sentBy(played);
        expect(sentMs.length).toBeGreaterThan(0);
        expect(mostWithin(10_000, sentMs)).toBeLessThanOrEqual(10 * played.perSecond + places);
        // Why it is so: no place sends more than one in any time that is shorter than its pace.
        const paceMs = (1000 * places) / played.perSecond;
        for (const paces of [0, 1, 3]) {
          expect(mostWithin((paces + 0.99) * paceMs, sentMs)).toBeLessThanOrEqual((paces + 1) * places);
        }
      }),
      { numRuns: campaign({ quick: 9, long: 300 }) },
    );
  });

  it('is used whole where there is enough to ask', async () => {
    const fast = { lookMs: 0, connectMs: 0, flushMs: 0, answerMs: 20, faults: 0, seed: 7 };
    const { sentMs } = await sentBy({ perSecond: 20, places: 8, workers: 8, maxInFlight: 8, ...fast });
    const most = mostWithin(10_000, sentMs);
    expect(most).toBeGreaterThan(170);
    expect(most).toBeLessThanOrEqual(208);
  });
});
