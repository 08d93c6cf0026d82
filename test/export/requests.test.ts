import { expect, it, onTestFinished } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { exportCompany } from '../../lib/export/company.ts';
import { newRun } from '../../lib/export/run.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { addDays, daysBetween } from '../../lib/time/days.ts';
import { planUnits } from '../../lib/units/unit.ts';
import { DAY, FakeTokens, freePermits, newClient, newPool, RUT } from '../support/api/api-client.ts';
import { type ServedApi, servedApi } from '../support/api/fake-api.ts';
import { campaign } from '../support/campaign.ts';
import { exportRun } from '../support/export/export-run.ts';
import { exportTools } from '../support/export/export-tools.ts';
import { HurriedClock } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

/**
 * A server with this many receipts on each of the last days, and of `daysSince`. Each call of `exported` is a new run over
 * them.
 */
async function worldOf(dayCount: number, perDay: number, { daysSince = 0, hourOf = anyHour } = {}) {
  const server = await servedApi();
  const days = daysBetween(addDays(DAY, 1 - dayCount), DAY);
  // Older days have receipts too, as those of any company that has been read before.
  fill(server, daysBetween(addDays(DAY, 1 - 2 * dayCount), addDays(DAY, daysSince)), perDay, hourOf);
  const clock = new HurriedClock(Date.parse(`${addDays(DAY, 1 + daysSince)}T03:00:00-03:00`));
  const store = new MemoryStore(() => clock.now());
  const exported = async () => {
    server.requests.length = 0;
    // Of its own: between two runs, the server may close connections that were idle too long.
    const pool = newPool();
    const run = newRun(clock.now());
    const results = await exportRun({
      run,
      companies: [{ rut: RUT, tokens: new FakeTokens('one') }],
      directions: ['recibidos'],
      days,
      session: openApiSession({ address: server.address, pool, clock }),
      store,
      writer: writeWithHyparquet,
      maxInFlight: 8,
      companiesAtOnce: 1,
    });
    await publishLagging(store, writeWithHyparquet);
    expect(results.map(({ day }) => day).sort()).toEqual(days);
    for (const { receipts, error } of results)
      expect({ receipts, error }).toEqual({ receipts: perDay, error: undefined });
    expect(results.reduce((sum, { requests }) => sum + requests, 0)).toBe(server.requests.length);
    return server.requests.length;
  };
  return { exported, server };
}

const anyHour = (row: number) => (23 + 13 * row) % 24;

function fill(
  server: ServedApi,
  days: readonly string[],
  perDay: number,
  hourOf: (row: number) => number,
): void {
  server.lists.recibidos = days.flatMap((day, index) =>
    Array.from({ length: perDay }, (_, row) => ({
      id: index * 10_000 + row + 1,
      fecha_emision: `${day}T${String(hourOf(row)).padStart(2, '0')}:30:00`,
    })),
  );
}

// The counts of docs/decisions/0014-ranges-of-days.md: each run begins with a proof, whose requests are counted too.
it.each([
  [3, 20, 10, 6],
  [65, 3, 12, 8],
  [65, 60, 64, 57],
  [3, 1_000, 48, 45],
  ...campaign<number[][]>({ quick: [], long: [[100, 1_000, 1_200, 1_195]] }),
])(
  '%d days with %d receipts each take at most %d requests at first, then %d',
  async (dayCount, perDay, first, again) => {
    const { exported } = await worldOf(dayCount, perDay);
    const counts = [await exported(), await exported()];
    expect(counts[0]).toBeLessThanOrEqual(first);
    expect(counts[1]).toBeLessThanOrEqual(again);
  },
);

it('reads a long day once, though its evening is at its end and the next day is as long', async () => {
  const hourOf = (row: number) => Math.floor(row / 125);
  const { exported } = await worldOf(1, 3_000, { daysSince: 2, hourOf });
  // 35 pages that prove its end, and what proves that lists include their last day.
  expect(await exported()).toBeLessThanOrEqual(70);
});

it('leaves no request behind that would be sent again after all are counted', async () => {
  const { server, exported, testEnd } = await worldAtMidnight();
  // Of the two pages of a day and the next that are asked for at once, one is refused and the other one takes longer.
  server.statusFor = (_path, query) => {
    if (query.get('FechaHasta') === DAY) return undefined;
    return query.get('PageNumber') === '1' ? 422 : testEnd;
  };
  const { results, free } = await exported();
  expect(results).toMatchObject([{ receipts: 160, requests: server.requests.length }]);
  expect(free).toBe(8);
});

/** 160 receipts of one day, all at its first moment. `testEnd` settles when the running test ends. */
async function worldAtMidnight() {
  const server = await servedApi();
  server.lists.recibidos = Array.from({ length: 160 }, (_, row) => ({
    id: row,
    numero: row,
    fecha_emision: `${DAY}T00:00:00`,
  }));
  const { promise: testEnd, resolve: endTest } = Promise.withResolvers<undefined>();
  onTestFinished(() => endTest(undefined));
  const clock = new HurriedClock();
  const store = new MemoryStore(() => clock.now());
  let runs = 0;
  const exported = async () => {
    runs += 1;
    const client = newClient(server.address, { clock });
    const run = { id: `run-${runs}`, day: '2026-11-20' } as const;
    const tools = exportTools({ client, store, run, clock });
    const { results } = await exportCompany(planUnits(RUT, ['recibidos'], [DAY]), tools);
    return { results, free: await freePermits(client) };
  };
  return { server, exported, testEnd };
}
