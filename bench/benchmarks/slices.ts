import { atMost, type Benchmark, count, seconds } from '../benchmark.ts';
import { provingPages } from '../pages.ts';
import { DAY, measureExport, withFolder, withSandbox } from '../processes.ts';

const RECEIPTS = 250_000;
const LATENCY_MS = 50;
const LATENCY_PER_PAGE_MS = 1;
const MAX_IN_FLIGHT = 8;

/** A list whose pages get slower with depth, as with offset paging. */
export const slices: Benchmark = {
  name: 'slices',
  run: () =>
    withSandbox(
      {
        receiptsPerDay: RECEIPTS,
        behaviour: { latencyMs: LATENCY_MS, latencyPerPageMs: LATENCY_PER_PAGE_MS },
      },
      ({ url }) =>
        withFolder(async (lake) => {
          const { wallMs, requests, receipts } = await measureExport({ url, lake, from: DAY });
          if (receipts !== RECEIPTS) throw new Error(`${receipts} receipts came`);
          // Paging straight through is calculated, not run: it takes at least the sum of its latencies.
          const straightMs =
            provingPages(RECEIPTS).reduce(
              (sum, { pageNumber }) => sum + LATENCY_MS + LATENCY_PER_PAGE_MS * pageNumber,
              0,
            ) / MAX_IN_FLIGHT;
          return [
            atMost(
              0.5,
              wallMs / straightMs,
              `a day of 250,000, 50 ms + 1 ms per page number: wall in slices against the least that straight paging takes (${seconds(straightMs)})`,
              `${seconds(wallMs)} for ${count(requests)} requests`,
            ),
          ];
        }),
    ),
};
