import type { Day } from '../../lib/time/days.ts';
import { type Benchmark, count } from '../benchmark.ts';
import { DAY, measure, withSandbox } from '../processes.ts';

const NEEDED_PER_SECOND = 64 / 0.05;

/** The sandbox's own throughput: the other benchmarks must not measure it. */
export const ceiling: Benchmark = {
  name: 'ceiling',
  run: () =>
    withSandbox({ receiptsPerDay: 100_000 }, async ({ url }) => {
      const ask = (pages: number, day: Day) =>
        measure('fetch-pages', { url, day, receiptsPerDay: pages * 100, maxInFlight: 64 });
      await ask(1000, DAY);
      const full = await ask(1000, DAY);
      const empty = await ask(4000, '2011-01-01');
      const perSecond = ({ requests, wallMs }: { requests: number; wallMs: number }) =>
        (requests / wallMs) * 1000;
      return [
        {
          target: "sandbox's own ceiling: full pages a second (8 in flight at 50 ms ask for 160)",
          measured: count(Math.round(perSecond(full))),
          ratio: `${(perSecond(full) / 160).toFixed(1)} × what is asked`,
        },
        {
          target: "sandbox's own ceiling: empty pages a second (64 in flight at 50 ms ask for 1,280)",
          measured: count(Math.round(perSecond(empty))),
          ratio: `${(perSecond(empty) / NEEDED_PER_SECOND).toFixed(1)} × what is asked`,
        },
      ];
    }),
};
