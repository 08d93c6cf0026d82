import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { exportInTurn } from '../../lib/run/export-part.ts';
import { openLeases } from '../../lib/run/leases.ts';
import { type CompanyEvent, CompanyEventSchema } from '../../lib/run/messages.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { newWorker } from '../support/run/sandbox-run.ts';

const NIGHTLY = '20261220020000-nocturna-recibidos';
const OTHER = { runId: NIGHTLY, rut: '211003420017' };
const EVENT: CompanyEvent = {
  corrida: '20261219180000-0a1b2c3d',
  dia: '2026-12-19',
  desde: '2026-11-01',
  hasta: '2026-11-10',
  direcciones: ['recibidos', 'emitidos'],
  rut: '219999830019',
  parte: 1,
};

async function world() {
  const { sandbox, tools } = await newWorker({ receiptsPerDay: 150 });
  const clock = new FakeClock();
  const locks = new MemoryStore(() => clock.now());
  const leases = openLeases(locks, { most: 1, clock });
  return { sandbox, tools: { ...tools, leases }, clock, locks, leases };
}

const leasesHeld = ({ objects }: MemoryStore) =>
  [...objects].filter(([key, { found }]) => /^\.leases\/\d+$/.test(key) && found.metadata.until !== '0')
    .length;
/** The state of an execution is JSON. */
const asEvent = (answer: unknown) => v.parse(CompanyEventSchema, JSON.parse(JSON.stringify(answer)));

describe('exportInTurn', () => {
  it('exports while it holds the lease, and releases it', async () => {
    const { tools, locks } = await world();
    const { answer, part } = await exportInTurn(EVENT, tools);
    expect(part?.results).toHaveLength(20);
    expect(answer).not.toHaveProperty('espera_s');
    expect(leasesHeld(locks)).toBe(0);
  });

  it('asks the API for nothing without a lease, and answers the same event, to be sent after a wait', async () => {
    const { sandbox, tools, leases } = await world();
    await leases.acquire(OTHER, 600_000);
    const { answer, part } = await exportInTurn(EVENT, tools);
    expect(part).toBeUndefined();
    expect(sandbox.stats().requests).toBe(0);
    expect(answer.espera_s).toBeGreaterThanOrEqual(180);
    expect(answer.espera_s).toBeLessThanOrEqual(270);
    expect(asEvent(answer)).toEqual({
      ...EVENT,
      detalles: null,
      pendientes: null,
      fallidas: null,
      parte: 2,
      muertes: { seguidas: 0 },
    });
  });

  it('pauses for a run that goes before, and loses nothing of what it had read', async () => {
    const { sandbox, tools, clock, leases } = await world();
    // The nightly run asks once the backfill has read some pages; half a minute later the backfill pauses.
    let questions = 0;
    const nightlyComes = async () => {
      expect(await leases.acquire(OTHER, 600_000)).toBeUndefined();
      await clock.advance(30_000);
    };
    const remainingMs = () => {
      questions += 1;
      if (questions === 8) void nightlyComes();
      return 600_000;
    };
    const first = await exportInTurn(EVENT, { ...tools, remainingMs });
    expect(first.answer.pendientes).not.toBeNull();
    expect(first.answer.espera_s).toBeGreaterThanOrEqual(180);
    const pagesBefore = sandbox.stats().listRequests;
    expect(pagesBefore).toBeGreaterThan(0);

    const waiting = await exportInTurn(asEvent(first.answer), tools);
    expect(waiting.part).toBeUndefined();
    expect(sandbox.stats().listRequests).toBe(pagesBefore);
    const nightly = await leases.acquire(OTHER, 600_000);
    await nightly?.release();
    await clock.advance(180_000);

    const second = await exportInTurn(asEvent(waiting.answer), tools);
    expect(second.answer).toMatchObject({ pendientes: null, fallidas: null });
    const units = [first, second].flatMap(({ part }) => part?.results ?? []);
    expect(new Set(units.map(({ direction, day }) => `${direction} ${day}`)).size).toBe(20);
    expect(units.map(({ state }) => state)).toEqual(Array(20).fill('exportado'));
  });

  it('takes the place of the worker that died before it, and counts that one as an invocation', async () => {
    const { tools, leases, locks } = await world();
    await leases.acquire({ runId: EVENT.corrida, rut: EVENT.rut }, 600_000);
    expect((await exportInTurn(EVENT, tools)).answer.espera_s).toBeDefined();
    const { answer, part } = await exportInTurn({ ...EVENT, muertes: { seguidas: 2 } }, tools);
    expect(part?.results).toHaveLength(20);
    expect(answer).toMatchObject({ parte: 4, muertes: { seguidas: 0 }, pendientes: null });
    expect(leasesHeld(locks)).toBe(0);
  });

  it('fails all units after three deaths, asks for nothing and leaves the place to others', async () => {
    const { sandbox, tools, leases, locks } = await world();
    await leases.acquire({ runId: EVENT.corrida, rut: EVENT.rut }, 600_000);
    const event = { ...EVENT, muertes: { seguidas: 3, error: 'Runtime.ExitError' } };
    const { answer, part } = await exportInTurn(event, tools);
    expect(part).toBeUndefined();
    expect(answer).toMatchObject({
      pendientes: null,
      fallidas: { recibidos: ['2026-11-01..2026-11-10'], emitidos: ['2026-11-01..2026-11-10'] },
      muertes: { seguidas: 0 },
    });
    expect(answer).not.toHaveProperty('espera_s');
    expect([sandbox.stats().requests, leasesHeld(locks)]).toEqual([0, 0]);
    const later = {
      ...event,
      pendientes: { recibidos: ['2026-11-02'] },
      fallidas: { emitidos: ['2026-11-03'] },
    };
    expect((await exportInTurn(later, tools)).answer.fallidas).toEqual({
      recibidos: ['2026-11-02'],
      emitidos: ['2026-11-03'],
    });
  });

  it('stops before its next request once another worker has its lease', async () => {
    const { sandbox, tools, leases, clock } = await world();
    let asked = 0;
    const counting = {
      ...tools.session,
      onAnswer: () => {
        asked += 1;
        // After the second answer: the state machine took the worker for dead.
        if (asked === 2) void replaced();
      },
    };
    let requestsThen = 0;
    const replaced = async () => {
      await leases.endThoseOf({ runId: EVENT.corrida, rut: EVENT.rut });
      await clock.advance(1000);
      requestsThen = sandbox.stats().requests;
    };
    const { answer } = await exportInTurn(EVENT, { ...tools, session: counting, maxInFlight: 1 });
    expect(answer.pendientes).not.toBeNull();
    // One may have been on its way.
    expect(sandbox.stats().requests).toBeLessThanOrEqual(requestsThen + 1);
    expect(requestsThen).toBeGreaterThan(0);
  });

  it('releases the lease when the work fails', async () => {
    const { tools, locks } = await world();
    const store = Object.assign(Object.create(tools.store), {
      replace: () => Promise.reject(new Error('S3 is away')),
    });
    await expect(exportInTurn(EVENT, { ...tools, store })).rejects.toThrow('S3 is away');
    expect(leasesHeld(locks)).toBe(0);
  });
});
