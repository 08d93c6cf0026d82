import { addDays } from '../../lib/time/days.ts';
import { atMost, type Benchmark, median, megabytes } from '../benchmark.ts';
import { DAY, measureExport, withFolder, withSandbox } from '../processes.ts';

/** Enough for a run's memory to reach its plateau. */
const FEW_UNITS = 50;
const MANY_UNITS = 500;
const RUNS = 3;

/** Peak memory of one large unit, and of several at the same time. */
export const memory: Benchmark = {
  name: 'memory',
  run: async () => {
    const peak = (receiptsPerDay: number, days: number) =>
      withSandbox({ receiptsPerDay }, ({ url }) =>
        withFolder(async (lake) => {
          const from = addDays(DAY, 1 - days);
          return (await measureExport({ url, lake, from, to: DAY })).peakMemoryMb;
        }),
      );
    const typical = async (receiptsPerDay: number, days: number) => {
      const peaks = [];
      for (let run = 0; run < RUNS; run += 1) peaks.push(await peak(receiptsPerDay, days));
      return median(peaks);
    };
    const small = await peak(100_000, 1);
    const large = await peak(250_000, 1);
    const fewUnits = await typical(10_000, FEW_UNITS);
    const manyUnits = await typical(10_000, MANY_UNITS);
    const severalLarge = await peak(250_000, 4);
    return [
      atMost(
        1,
        large / 400,
        'one unit of 250,000 receipts: peak memory against 400 MB (fits a Lambda of 512 MB)',
        megabytes(large),
      ),
      atMost(3, large / small, `the same against a unit of 100,000 (${megabytes(small)})`, megabytes(large)),
      atMost(
        1.15,
        manyUnits / fewUnits,
        `${MANY_UNITS} units of 10,000 against ${FEW_UNITS} (${megabytes(fewUnits)}): memory does not grow with units`,
        megabytes(manyUnits),
      ),
      atMost(1, severalLarge / 400, 'four units of 250,000 at once: the same', megabytes(severalLarge)),
    ];
  },
};
