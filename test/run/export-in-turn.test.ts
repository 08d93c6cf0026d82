import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { exportInTurn } from '../../lib/run/export-part.ts';
import { openLeases } from '../../lib/run/leases.ts';
import { type CompanyEvent, CompanyEventSchema } from '../../lib/run/messages.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { newWorker } from '../support/run/sandbox-run.ts';

const NIGHTLY = '20261220020000-nocturna-recibidos';
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
  [...objects.values()].filter(({ found }) => found.metadata.until !== '0').length;
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
    await leases.acquire(NIGHTLY, 600_000);
    const { answer, part } = await exportInTurn(EVENT, tools);
    expect(part).toBeUndefined();
    expect(sandbox.stats().requests).toBe(0);
    expect(answer.espera_s).toBeGreaterThanOrEqual(180);
    expect(answer.espera_s).toBeLessThanOrEqual(270);
    expect(asEvent(answer)).toEqual({ ...EVENT, detalles: null, pendientes: null, fallidas: null, parte: 2 });
  });

  it('pauses for a run that goes before, and loses nothing of what it had read', async () => {
    const { sandbox, tools, clock, leases } = await world();
    // The nightly run asks once the backfill has read some pages; half a minute later the backfill pauses.
    let questions = 0;
    const nightlyComes = async () => {
      expect(await leases.acquire(NIGHTLY, 600_000)).toBeUndefined();
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
    const nightly = await leases.acquire(NIGHTLY, 600_000);
    await nightly?.release();
    await clock.advance(180_000);

    const second = await exportInTurn(asEvent(waiting.answer), tools);
    expect(second.answer).toMatchObject({ pendientes: null, fallidas: null });
    const units = [first, second].flatMap(({ part }) => part?.results ?? []);
    expect(new Set(units.map(({ direction, day }) => `${direction} ${day}`)).size).toBe(20);
    expect(units.map(({ state }) => state)).toEqual(Array(20).fill('exportado'));
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
