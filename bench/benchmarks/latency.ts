import { addDays } from '../../lib/time/days.ts';
import { atMost, type Benchmark, count, type Line, median, seconds } from '../benchmark.ts';
import { plainPages, provingPages } from '../pages.ts';
import { DAY, measureExport, withFolder, withSandbox } from '../processes.ts';

const LATENCY_MS = 50;
const MAX_IN_FLIGHT = 8;
const RUNS = 3;
/** For 1,000 full pages: includes overlaps, proofs of the ends, and requests that find out how long the lists are. */
const MOST_REQUESTS = 1_200;

function limitMs(requests: number): number {
  return (requests * LATENCY_MS) / MAX_IN_FLIGHT;
}

/** 100,000 receipts over this many days, at 50 ms per request. */
function atLatency(name: string, days: number): Benchmark {
  const receiptsPerDay = 100_000 / days;
  return {
    name,
    run: () =>
      withSandbox({ receiptsPerDay, behaviour: { latencyMs: LATENCY_MS } }, async ({ url }) => {
        const runs = [];
        const published = [];
        const from = addDays(DAY, 1 - days);
        const measured = (isPublished: boolean) =>
          withFolder((lake) => measureExport({ url, lake, from, to: DAY, isPublished }));
        for (let run = 0; run < RUNS; run += 1) {
          runs.push(await measured(false));
          published.push(await measured(true));
        }
        const wallMs = median(runs.map((run) => run.wallMs));
        const publishedMs = median(published.map((run) => run.wallMs));
        const startUpMs = median(runs.map((run) => run.startUpMs));
        const sent = median(runs.map(({ requests }) => requests));
        // Several days are read in one list: the number of requests is a separate target.
        const needed = days === 1 ? provingPages(receiptsPerDay).length : sent;
        const pages = plainPages(100_000).length;
        const what = `100,000 receipts over ${days === 1 ? 'one day' : `${days} days`}, 50 ms, 8 in flight`;
        return [
          atMost(
            1.25,
            wallMs / limitMs(needed),
            `${what}: wall against the ${count(needed)} requests that ${days === 1 ? 'the proof needs' : 'were sent'} (${seconds(limitMs(needed))})`,
            `${seconds(wallMs)} for ${count(sent)} requests (start-up ${seconds(startUpMs)} more)`,
          ),
          ...(days === 1
            ? []
            : [atMost(1, sent / MOST_REQUESTS, `the same: requests ≤ ${count(MOST_REQUESTS)}`, count(sent))]),
          {
            target: 'the same, with the tables published as on the command line',
            measured: seconds(publishedMs),
            ratio: (publishedMs / limitMs(needed)).toFixed(2),
          },
          {
            target: `the same against pages that don't overlap (${count(pages)}, ${seconds(limitMs(pages))}): what the proof costs`,
            measured: seconds(wallMs),
            ratio: (wallMs / limitMs(pages)).toFixed(2),
          } satisfies Line,
        ];
      }),
  };
}

export const oneDay = atLatency('one-day', 1);
export const hundredDays = atLatency('hundred-days', 100);
