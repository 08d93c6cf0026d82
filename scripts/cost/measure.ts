import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiSession } from '../../lib/api/access.ts';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { DEFAULT_MAX_DETAILS_PER_UNIT } from '../../lib/export/export-tools.ts';
import { factsMessage, noFacts, type ServiceFacts } from '../../lib/export/reading/facts.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { exportPart } from '../../lib/run/export-part.ts';
import type { CompanyEvent } from '../../lib/run/messages.ts';
import { type Clock, systemClock } from '../../lib/time/clock.ts';
import type { Direction } from '../../lib/units/unit.ts';
import type { SandboxOptions } from '../../sandbox/behaviour.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { CountingStore } from './counting-store.ts';
import type { Figures, Measurements } from './measurements.ts';

const API_LATENCY_MS = 150;
const S3_LATENCY_MS = 30;
/** The stack's default. */
const REQUESTS_IN_FLIGHT = 8;
const TODAY = '2026-11-20';
const NIGHT = `${TODAY}T02:00:00`;
const NEXT_NIGHT = '2026-11-21T02:00:00';
const DAYS = { desde: '2026-11-17', hasta: '2026-11-19' } as const;
/** Receipts per unit. The cases are made of these sizes. */
export const UNIT_SIZES = [10, 50, 5_000] as const;
/** Units of at most this many receipts are read in lists of many days. */
const SMALL_UNIT = 50;
/** With details, each receipt is a request. */
export const DETAILED_SIZE = 500;

const WEEKS = { desde: '2026-09-16', hasta: '2026-11-19' } as const;
/** What start-run proves where a company has receipts in the evening: an idle company's empty lists are then believed. */
const PROVED: ServiceFacts = {
  ...noFacts(),
  provedWidthDays: 367,
  isEndDateInclusive: true,
  isMidnightInclusive: true,
  longestPage: 100,
};

type Days = Pick<CompanyEvent, 'desde' | 'hasta' | 'direcciones'>;

/** One company's worker, sandbox and lake, all in this process. */
interface Bench {
  export(days: Days, details?: readonly Direction[]): Promise<Figures>;
  setNow(localDateTime: string): void;
  close(): Promise<void>;
}

/** Runs the worker's own code against the sandbox, over HTTP, with the latencies of an API and of S3. */
export async function measure(): Promise<Measurements> {
  const active: Measurements['active'] = {};
  for (const size of UNIT_SIZES) {
    const nights = await measureNights(size);
    active[String(size)] = size > SMALL_UNIT ? nights : { ...nights, weekly: await measureWeekly(size) };
  }
  const detailed = { [String(DETAILED_SIZE)]: await measureNights(DETAILED_SIZE, ['recibidos']) };
  const year: Days = { desde: '2025-11-20', hasta: '2026-11-19', direcciones: ['recibidos'] };
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores (${process.arch}), Node ${process.versions.node}`,
    apiLatencyMs: API_LATENCY_MS,
    s3LatencyMs: S3_LATENCY_MS,
    requestsInFlight: REQUESTS_IN_FLIGHT,
    active,
    detailed,
    idle: {
      nightly: await withBench(0, (bench) => bench.export({ ...DAYS, direcciones: ['recibidos'] })),
      weekly: await withBench(0, (bench) =>
        bench.export({ ...WEEKS, direcciones: ['recibidos', 'emitidos'] }),
      ),
    },
    sparseYear: await withBench(
      (_rut, _direction, day) => (day.endsWith('5') ? 10 : 0),
      (bench) => bench.export(year),
    ),
  };
}

/** Exports the same days into an empty lake, and again one night later. */
async function measureNights(
  receiptsPerDay: number,
  details?: readonly Direction[],
): Promise<Measurements['active'][string]> {
  return await withBench(receiptsPerDay, async (bench) => {
    const first = await bench.export({ ...DAYS, direcciones: ['recibidos'] }, details);
    bench.setNow(NEXT_NIGHT);
    return { first, again: await bench.export({ ...DAYS, direcciones: ['recibidos'] }, details) };
  });
}

/** Exports one direction of the weekly days, which are already in the lake. */
async function measureWeekly(receiptsPerDay: number): Promise<Figures> {
  return await withBench(receiptsPerDay, async (bench) => {
    await bench.export({ ...WEEKS, direcciones: ['recibidos'] });
    bench.setNow(NEXT_NIGHT);
    return await bench.export({ ...WEEKS, direcciones: ['recibidos'] });
  });
}

async function withBench<Result>(
  receiptsPerDay: SandboxOptions['receiptsPerDay'],
  use: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const bench = await openBench(receiptsPerDay);
  try {
    return await use(bench);
  } finally {
    await bench.close();
  }
}

async function openBench(receiptsPerDay: SandboxOptions['receiptsPerDay']): Promise<Bench> {
  const behaviour = { latencyMs: API_LATENCY_MS };
  const sandbox = await startSandbox({ now: NIGHT, companyCount: 1, receiptsPerDay, behaviour });
  const [company] = sandbox.companies;
  if (company === undefined) throw new Error('The sandbox has no company.');
  const { rut, token } = company;
  const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-cost-'));
  const pool = new ConnectionPool();
  let nowMs = epochOf(NIGHT);
  const clock: Clock = { ...systemClock, now: () => nowMs };
  const session = openApiSession({ address: new URL(sandbox.url), pool, clock });
  const tokens = { current: async () => token, renew: async () => token };
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  let runs = 0;
  return {
    setNow: (localDateTime) => {
      sandbox.setNow(localDateTime);
      nowMs = epochOf(localDateTime);
    },
    export: async (days, directions = []) => {
      runs += 1;
      const store = new CountingStore(new FolderStore(folder), S3_LATENCY_MS, systemClock);
      const servicio = factsMessage({ recibidos: PROVED, emitidos: PROVED }, nowMs);
      const event = { corrida: `cost-${runs}`, dia: TODAY, ...days, servicio, rut, parte: 1 } as const;
      const timing = startTiming();
      const { results, answer } = await exportPart(event, {
        session,
        store,
        writer: writeWithHyparquet,
        tokensOf: () => tokens,
        maxInFlight: REQUESTS_IN_FLIGHT,
        shares: { night: 1, backfill: 1, requestsPerSecond: undefined },
        details: { directions, maxPerUnit: DEFAULT_MAX_DETAILS_PER_UNIT },
        remainingMs: () => 3_600_000,
      });
      if (answer.fallidas !== null) throw new Error('Units failed; what was measured says nothing.');
      return {
        units: results.length,
        receipts: sum(results.map(({ receipts = 0 }) => receipts)),
        requests: sum(results.map(({ requests }) => requests)),
        s3Writes: store.writes,
        s3Reads: store.reads,
        bytes: sum(results.map(({ bytes }) => bytes)) + store.detailBytes,
        ...timing(),
      };
    },
    close: async () => {
      await pool.destroy();
      await sandbox.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The moment of a local date-time in Uruguay. */
function epochOf(localDateTime: string): number {
  return Date.parse(`${localDateTime}-03:00`);
}

function startTiming(): () => Pick<Figures, 'wallMs' | 'cpuMs'> {
  const began = { wall: performance.now(), cpu: process.cpuUsage() };
  return () => {
    const cpu = process.cpuUsage(began.cpu);
    const wallMs = Math.round(performance.now() - began.wall);
    return { wallMs, cpuMs: Math.round((cpu.user + cpu.system) / 1000) };
  };
}
