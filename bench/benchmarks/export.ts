import { addDays } from '../../lib/time/days.ts';
import { atMost, count, type Line, median, megabytes, seconds } from '../benchmark.ts';
import { DAY, type ExportOptions, measureExport, withFolder, withSandbox } from '../processes.ts';

const LATENCY_MS = 50;
const RUNS = 3;
/** A Lambda of 512 MB has this much for the worker. */
const MEMORY_MB = 400;

/** Time and requests of an export at a latency, and its peak memory. */
export async function* exporting(): AsyncGenerator<Line> {
  yield* atLatency('100,000 receipts over one day, 50 ms', 1, 1_200);
  yield* atLatency('100,000 receipts over 100 days, 50 ms', 100, 1_200);
  yield* platformNight();
  yield* memory();
}

/** What is measured against what the export's own requests take, 8 at a time. */
async function* atLatency(what: string, days: number, mostRequests: number): AsyncGenerator<Line> {
  const served = { receiptsPerDay: 100_000 / days, behaviour: { latencyMs: LATENCY_MS } };
  const exported = { from: addDays(DAY, 1 - days), isPublished: true };
  const runs = await withSandbox(served, ({ url }) => repeated(url, exported));
  const wallMs = median(runs.map((run) => run.wallMs));
  const requests = median(runs.map((run) => run.requests));
  const limitMs = (requests * LATENCY_MS) / 8;
  yield atMost(
    1.25,
    wallMs / limitMs,
    `${what}, 8 in flight: wall with publishing, against its requests (${seconds(limitMs)})`,
    seconds(wallMs),
  );
  yield requestsAtMost(mostRequests, requests);
}

/** Many companies, most of them idle. Then the same night again. */
async function* platformNight(): AsyncGenerator<Line> {
  const [companyCount, activeCount, inFlight] = [1_000, 50, 64];
  const activeEvery = companyCount / activeCount;
  const behaviour = { latencyMs: LATENCY_MS };
  const options = {
    from: addDays(DAY, -2),
    directions: ['recibidos', 'emitidos'],
    companyCount,
    companiesAtOnce: inFlight,
    maxInFlightInAll: inFlight,
  };
  const [first, again] = await withSandbox(
    { companyCount, activeEvery, receiptsPerDay: 60, behaviour },
    ({ url }) =>
      withFolder(async (lake) => {
        const night = () => measureExport({ url, lake, ...options });
        return [await night(), await night()] as const;
      }),
  );
  const limitMs = (first.requests * LATENCY_MS) / inFlight;
  const what = '1,000 companies, 950 idle, 2 directions, 3 days, 50 ms, 64 in flight';
  yield atMost(
    1.6,
    first.wallMs / limitMs,
    `${what}: wall against its requests (${seconds(limitMs)})`,
    seconds(first.wallMs),
  );
  // Two per idle list, four per list of two pages, and a few to prove the service.
  yield requestsAtMost(4_300, first.requests);
  yield {
    target: 'the same night again, nothing changed: objects written besides the audit',
    measured: `${count(again.written)} (wall ${seconds(again.wallMs)})`,
    ratio: `${again.written} (≤ 0)`,
    isMet: again.written === 0 && first.written === activeCount * 2 * 3,
  };
}

/** Peak memory of one large unit, of several at the same time, and of many. */
async function* memory(): AsyncGenerator<Line> {
  const peak = (receiptsPerDay: number, days: number, runs = 1) =>
    withSandbox({ receiptsPerDay }, async ({ url }) => {
      const figures = await repeated(url, { from: addDays(DAY, 1 - days) }, runs);
      return median(figures.map(({ peakMemoryMb }) => peakMemoryMb));
    });
  const within = (what: string, peakMb: number) =>
    atMost(1, peakMb / MEMORY_MB, `${what}: peak memory against ${MEMORY_MB} MB`, megabytes(peakMb));
  yield within('one unit of 250,000 receipts', await peak(250_000, 1));
  yield within('four units of 250,000 at once', await peak(250_000, 4));
  const [few, many] = [await peak(10_000, 50, RUNS), await peak(10_000, 500, RUNS)];
  const target = `500 units of 10,000 against 50 (${megabytes(few)}): memory does not grow with units`;
  yield atMost(1.15, many / few, target, megabytes(many));
}

function requestsAtMost(most: number, sent: number): Line {
  return atMost(1, sent / most, `the same: requests ≤ ${count(most)}`, count(sent));
}

async function repeated(url: string, options: Pick<ExportOptions, 'from' | 'isPublished'>, runs = RUNS) {
  const figures = [];
  for (let run = 0; run < runs; run += 1)
    figures.push(await withFolder((lake) => measureExport({ url, lake, ...options })));
  return figures;
}
