import { describe, expect, it } from 'vitest';
import { exportCompany } from '../../lib/export/company.ts';
import type { ExportTools } from '../../lib/export/export-tools.ts';
import { addDays, daysBetween } from '../../lib/time/days.ts';
import { planUnits, type UnitResult } from '../../lib/units/unit.ts';
import { DAY, FakeTokens, freePermits, newClient, RUT } from '../support/api/api-client.ts';
import { type ServedApi, servedApi } from '../support/api/fake-api.ts';
import { oneIn } from '../support/campaign.ts';
import { exportTools } from '../support/export/export-tools.ts';
import { HurriedClock, settled } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const DAYS = daysBetween(addDays(DAY, -9), DAY);
const DIRECTIONS = ['recibidos', 'emitidos'] as const;
const TIMES = ['00:00:00', '09:30:00', '22:15:00'] as const;

function toolsFor(server: ServedApi, tokens = new FakeTokens('one')): ExportTools {
  const clock = new HurriedClock();
  return exportTools({
    client: newClient(server.address, { clock, tokens, maxInFlight: 4 }),
    store: new MemoryStore(() => clock.now()),
    run: { id: '20261120020000-nocturna', day: '2026-11-20' },
    clock,
  });
}

/** Puts this many receipts on every day and the day before, in both lists, from midnight to the evening. */
function fill(server: ServedApi, perDay: number, timeOf = (row: number) => TIMES[row % TIMES.length]): void {
  for (const direction of DIRECTIONS) {
    server.lists[direction] = [addDays(DAY, -10), ...DAYS].flatMap((day, index) =>
      Array.from({ length: perDay }, (_, row) => ({
        id: index * 10_000 + row + 1,
        fecha_emision: `${day}T${timeOf(row)}`,
      })),
    );
  }
}

function states(results: readonly UnitResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of results) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

const NOTHING = { results: [], cut: [], uncounted: { requests: 0, retries: 0, pages: 0 } };

describe('a company', () => {
  it('has every unit exported once, within its permits', async () => {
    const server = await servedApi();
    fill(server, 130);
    const tools = toolsFor(server);
    const units = planUnits(RUT, DIRECTIONS, DAYS);
    const ended: UnitResult[] = [];
    const { results, remaining } = await exportCompany(units, tools, { onUnitEnd: (r) => ended.push(r) });
    expect({ results: results.length, remaining, ended }).toEqual({
      results: 20,
      remaining: [],
      ended: results,
    });
    expect(new Set(results.map(({ direction, day }) => `${direction} ${day}`)).size).toBe(20);
    expect(states(results)).toEqual({ exportado: 20 });
    expect(new Set(results.map(({ receipts }) => receipts))).toEqual(new Set([130]));
    expect(server.maxInFlight()).toBeLessThanOrEqual(4);
    expect(results.reduce((sum, { requests }) => sum + requests, 0)).toBe(server.requests.length);
    expect(await freePermits(tools.client)).toBe(4);
  });

  it.each(
    oneIn(2, [
      [500, 4],
      [403, 0],
      [403, 4],
      [404, 9],
    ] as const),
  )('has one broken day fail alone, of status %i, as day %i of ten', async (status, index) => {
    const server = await servedApi();
    fill(server, 3);
    const broken = DAYS[index] ?? '';
    server.statusFor = (_path, query) => {
      const [from, to] = [query.get('FechaDesde') ?? '', query.get('FechaHasta') ?? ''];
      return from <= broken && broken <= to ? status : undefined;
    };
    const { results } = await exportCompany(planUnits(RUT, DIRECTIONS, DAYS), toolsFor(server));
    expect(states(results)).toEqual({ exportado: 18, fallido: 2 });
    const failed = results.filter(({ state }) => state === 'fallido');
    for (const result of failed)
      expect(result).toMatchObject({ day: broken, error: expect.stringContaining(broken) });
  });

  it('has the day before a broken one fail too, if rows at midnight do not tell whether its own list is whole', async () => {
    const server = await servedApi();
    fill(server, 3, () => '00:00:00');
    const [before = '', broken = ''] = DAYS.slice(3);
    server.statusFor = (_path, query) => {
      const [from, to] = [query.get('FechaDesde') ?? '', query.get('FechaHasta') ?? ''];
      return from <= broken && broken <= to ? 500 : undefined;
    };
    const { results } = await exportCompany(planUnits(RUT, ['recibidos'], DAYS), toolsFor(server));
    const failed = results.filter(({ state }) => state === 'fallido');
    expect(failed.map(({ day }) => day).sort()).toEqual([before, broken]);
    expect(failed.find(({ day }) => day === before)?.error).toContain(before);
  });

  it('has all units empty where it has no receipts, and says so of each', async () => {
    const server = await servedApi();
    const tools = toolsFor(server);
    const { results } = await exportCompany(planUnits(RUT, DIRECTIONS, DAYS), tools);
    expect(states(results)).toEqual({ vacio: 20 });
    for (const result of results) expect(result).toMatchObject({ receipts: 0, isStable: true });
    expect(results.reduce((sum, { requests }) => sum + requests, 0)).toBe(server.requests.length);
  });

  it('has all units fail where its token is refused or cannot be had, and nothing is thrown', async () => {
    const server = await servedApi();
    fill(server, 3);
    server.statusFor = () => 401;
    const refused = await exportCompany(planUnits(RUT, DIRECTIONS, DAYS), toolsFor(server));
    expect(states(refused.results)).toEqual({ fallido: 20 });
    // No day is asked for alone: once for each direction.
    expect(server.requests).toHaveLength(2);
    await exportCompany(planUnits(RUT, DIRECTIONS, DAYS.slice(0, 1)), toolsFor(server));
    expect(server.requests).toHaveLength(2 + 2);

    const tokens = new FakeTokens('one');
    tokens.current = () => Promise.reject(new Error('the secret is gone'));
    const without = await exportCompany(planUnits(RUT, DIRECTIONS, DAYS), toolsFor(server, tokens));
    expect(states(without.results)).toEqual({ fallido: 20 });
    expect(new Set(without.results.map(({ error }) => error))).toEqual(new Set(['the secret is gone']));
  });

  it.each([403, 404])(
    'is asked for three days a direction, each with the next one and alone, where the API answers %i',
    async (status) => {
      const server = await servedApi();
      fill(server, 3);
      server.statusFor = () => status;
      const { results } = await exportCompany(planUnits(RUT, DIRECTIONS, DAYS), toolsFor(server));
      expect(states(results)).toEqual({ fallido: 20 });
      expect(server.requests.length).toBe(2 * 3 * 2);
    },
  );

  it('has all its permits taken by other lists while the units of one are stored', {
    timeout: 20_000,
  }, async () => {
    const server = await servedApi();
    fill(server, 1_001);
    const tools = toolsFor(server);
    const allTaken = Promise.withResolvers<void>();
    let isStoring = false;
    let held = 0;
    const { store } = tools;
    const replace = store.replace.bind(store);
    store.replace = async (...values) => {
      const isFirst = !isStoring;
      isStoring = true;
      if (isFirst) await allTaken.promise;
      return await replace(...values);
    };
    // Once the first unit is being stored, answers wait until as many requests are in flight as allowed.
    server.statusFor = async () => {
      if (!isStoring) return undefined;
      held += 1;
      if (held === 4) allTaken.resolve();
      await allTaken.promise;
      return undefined;
    };
    const { results } = await exportCompany(planUnits(RUT, ['recibidos'], DAYS), tools);
    expect(states(results)).toEqual({ exportado: 10 });
    expect(server.maxInFlight()).toBe(4);
  });

  it('without units requests nothing', async () => {
    const server = await servedApi();
    expect(await exportCompany([], toolsFor(server))).toEqual({ ...NOTHING, remaining: [] });
    expect(server.requests).toEqual([]);
  });
});

it('when time is up, no list is begun, and the rest is handed back: together they are all units', async () => {
  const server = await servedApi();
  fill(server, 1_500);
  const units = planUnits(RUT, DIRECTIONS, DAYS);
  let endedCount = 0;
  const tools = { ...toolsFor(server), isTimeUp: () => endedCount >= 1 };
  const { results, remaining } = await exportCompany(units, tools, {
    onUnitEnd: () => {
      endedCount += 1;
    },
  });
  expect(results.length).toBeGreaterThanOrEqual(1);
  expect(remaining.length).toBeGreaterThan(0);
  const keyOf = ({ direction, day }: { direction: string; day: string }) => `${direction} ${day}`;
  expect([...results.map(keyOf), ...remaining.map(keyOf)].sort()).toEqual(units.map(keyOf).sort());
});

it('when the signal comes, what is under way is given up and handed back, and no permit is lost', async () => {
  const server = await servedApi();
  fill(server, 2_000);
  const units = planUnits(RUT, ['recibidos'], DAYS);
  let answered = 0;
  let open = () => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  server.statusFor = async () => {
    answered += 1;
    if (answered > 80) await held;
    return undefined;
  };
  const abort = new AbortController();
  const tools = { ...toolsFor(server), signal: abort.signal };
  const exporting = exportCompany(units, tools);
  while (answered < 84) await settled();
  abort.abort(new Error('interrupted'));
  const { results, remaining } = await exporting;
  open();
  expect(results.filter(({ state }) => state === 'fallido')).toEqual([]);
  const days = [...results, ...remaining].map(({ day }) => day);
  expect(days.sort()).toEqual(units.map(({ day }) => day).sort());
  expect(remaining.length).toBeGreaterThan(0);
  expect(await freePermits(tools.client)).toBe(4);
});
