import { expect, it, vi } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { Breaker, type Wait } from '../../lib/api/breaker.ts';
import { DEFAULT_RETRY_POLICY } from '../../lib/api/retry.ts';
import { newRun } from '../../lib/export/run.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { daysBetween } from '../../lib/time/days.ts';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { newPool } from '../support/api/api-client.ts';
import { always, hangingFor, html502, status429 } from '../support/api/faults.ts';
import { oneIn } from '../support/campaign.ts';
import { companiesOf, exportRun } from '../support/export/export-run.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { newSandbox } from '../support/sandbox.ts';

const DAYS = daysBetween('2026-11-10', '2026-11-19');
const OUTAGE_MS = 180_000;

it.each(
  oneIn(2, [
    ['a refusal', status429()],
    ['a connection reset', 'reset'],
    ['a bad gateway', html502],
    ['a refusal for a minute', status429('60')],
  ] as const),
)(
  'an API that is down, or refuses all, for three minutes in the middle of a run costs no day, and is told (%s)',
  async (fault, answer) => {
    const sandbox = await newSandbox({ seed: 3 });
    sandbox.setNow('2026-11-20T06:00:00');
    const clock = new FakeClock(Date.UTC(2026, 10, 20, 9));
    const waits: Wait[] = [];
    let answers = 0;
    let isOver = false;
    let downSinceMs: number | undefined;
    let firstToldMs: number | undefined;
    const run = exportRun({
      run: newRun(clock.now()),
      companies: companiesOf(sandbox),
      directions: ['recibidos', 'emitidos'],
      days: DAYS,
      session: openApiSession({
        address: new URL(sandbox.url),
        pool: newPool(),
        clock,
        breaker: new Breaker({
          clock,
          onWait: (wait) => {
            firstToldMs ??= clock.monotonicMs() - (downSinceMs ?? 0);
            waits.push(wait);
          },
        }),
        onAnswer: () => {
          answers += 1;
          if (answers !== 20) return;
          downSinceMs = clock.monotonicMs();
          sandbox.behave({ intercept: always(answer) });
        },
      }),
      store: new MemoryStore(() => 0),
      writer: writeWithHyparquet,
      maxInFlight: 4,
      companiesAtOnce: 3,
    }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      for (let turn = 0; turn < 10; turn += 1) await settled();
      if (clock.sleeperCount > 0) await clock.advance(1000);
      if (downSinceMs === undefined || clock.monotonicMs() < downSinceMs + OUTAGE_MS) continue;
      downSinceMs = undefined;
      sandbox.behave({ intercept: DEFAULT_BEHAVIOUR.intercept });
    }
    const results = await run;
    expect(results.filter(({ state }) => state === 'fallido')).toEqual([]);
    expect(results).toHaveLength(sandbox.companies.length * 2 * DAYS.length);
    for (const { rut, direction, day, receipts } of results)
      expect(receipts ?? 0, `${rut} ${direction} ${day}`).toBe(
        [...sandbox.truth(rut, direction, day)].length,
      );
    expect(waits.length).toBeGreaterThanOrEqual(3);
    expect(waits.length).toBeLessThanOrEqual(7);
    for (const { isRefusal } of waits) expect(isRefusal).toBe(fault.startsWith('a refusal'));
    // Nobody waits long in silence.
    expect(firstToldMs).toBeLessThan(30_000);
  },
);

it('a company that never answers keeps the others waiting only until the time to prove the service is up', async () => {
  const sandbox = await newSandbox({ seed: 3 });
  sandbox.setNow('2026-11-20T06:00:00');
  const [timeUp, interruption] = [new AbortController(), new AbortController()];
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeUp.signal);
  const companies = companiesOf(sandbox);
  const ruts = companies.map(({ rut }) => rut);
  const others = ruts.slice(1);
  sandbox.behave({ intercept: hangingFor(ruts.slice(0, 1), () => timeUp.abort()) });
  const read = new Set<string>();
  const run = exportRun({
    run: newRun(Date.now()),
    companies,
    directions: ['recibidos'],
    days: ['2026-11-19'],
    session: openApiSession({ address: new URL(sandbox.url), pool: newPool() }),
    store: new MemoryStore(() => 0),
    writer: writeWithHyparquet,
    maxInFlight: 4,
    companiesAtOnce: companies.length,
    signal: interruption.signal,
    onUnitEnd: ({ rut, state }) => {
      if (state !== 'fallido') read.add(rut);
      if (read.size === others.length) interruption.abort(new Error('seen enough'));
    },
  });
  await run.catch(() => undefined);
  expect([...read].sort()).toEqual(others.sort());
});

it('a company that never answers is given up after three of its days', async () => {
  const sandbox = await newSandbox({ seed: 3 });
  sandbox.setNow('2026-11-20T06:00:00');
  const asked: string[] = [];
  sandbox.behave({
    intercept: ({ search }) => {
      asked.push(`${search.get('FechaDesde')}–${search.get('FechaHasta')}`);
      return 'hang';
    },
  });
  const results = await exportRun({
    run: newRun(Date.now()),
    companies: companiesOf(sandbox).slice(0, 1),
    directions: ['recibidos'],
    days: daysBetween('2026-09-16', '2026-11-19'),
    session: openApiSession({
      address: new URL(sandbox.url),
      pool: newPool(),
      requestTimeoutMs: 50,
      retryPolicy: { ...DEFAULT_RETRY_POLICY, maxTries: 1 },
    }),
    store: new MemoryStore(() => 0),
    writer: writeWithHyparquet,
    maxInFlight: 4,
    companiesAtOnce: 1,
  });
  expect(results.map(({ state }) => state)).toEqual(Array.from({ length: 65 }, () => 'fallido'));
  expect(asked.at(-1)).toBe('2026-11-17–2026-11-17');
});

it('companies that never answer, more than one of them, keep nobody else from being read', async () => {
  const sandbox = await newSandbox({ seed: 3 });
  sandbox.setNow('2026-11-20T06:00:00');
  const companies = companiesOf(sandbox);
  const silent = companies.slice(0, 2).map(({ rut }) => rut);
  sandbox.behave({ intercept: hangingFor(silent) });
  const results = await exportRun({
    run: newRun(Date.now()),
    companies,
    directions: ['recibidos'],
    days: daysBetween('2026-11-17', '2026-11-19'),
    session: openApiSession({
      address: new URL(sandbox.url),
      pool: newPool(),
      requestTimeoutMs: 400,
      retryPolicy: { ...DEFAULT_RETRY_POLICY, maxTries: 2 },
      breaker: new Breaker({ clock: systemClock }),
    }),
    store: new MemoryStore(() => 0),
    writer: writeWithHyparquet,
    maxInFlight: 4,
    companiesAtOnce: companies.length,
  });
  const failed = new Set(results.flatMap(({ rut, state }) => (state === 'fallido' ? [rut] : [])));
  expect(failed).toEqual(new Set(silent));
});
