import { addDays } from '../../lib/time/days.ts';
import { atMost, type Benchmark, median, seconds } from '../benchmark.ts';
import { DAY, measure, measureExport, withFolder, withSandbox } from '../processes.ts';

const RUNS = 5;
/** With our own encoders, one day took 1.87 times the floor. With the library's it may take 1.45 times that. */
const MOST = 2.7;

/** CPU time of an export against fetching and parsing alone, measured in turns. */
function cpuOf(name: string, days: number): Benchmark {
  const receiptsPerDay = 100_000 / days;
  return {
    name,
    run: () =>
      withSandbox({ receiptsPerDay }, async ({ url }) => {
        const from = addDays(DAY, 1 - days);
        const everyDay = Array.from({ length: days }, (_, index) => addDays(from, index));
        const fetch = (pages: 'plain' | 'proving') =>
          measure('fetch-pages', {
            url,
            days: everyDay,
            pages,
            receiptsPerDay,
            maxInFlight: 8,
            isParsed: true,
          });
        const exports = [];
        const same = [];
        const plain = [];
        for (let run = 0; run < RUNS; run += 1) {
          same.push(await fetch('proving'));
          exports.push(await withFolder((lake) => measureExport({ url, lake, from, to: DAY })));
          plain.push(await fetch('plain'));
        }
        const cpu = (figures: readonly { cpuMs: number }[]) => median(figures.map(({ cpuMs }) => cpuMs));
        const what = `100,000 receipts over ${days === 1 ? 'one day' : `${days} days`}, no latency: CPU of the whole process`;
        const wall = median(exports.map(({ wallMs }) => wallMs));
        return [
          atMost(
            MOST,
            cpu(exports) / cpu(same),
            `${what} against fetching the same pages and JSON.parse (${seconds(cpu(same))})`,
            `${seconds(cpu(exports))} (wall ${seconds(wall)})`,
          ),
          {
            target: `the same against pages that don't overlap (${seconds(cpu(plain))})`,
            measured: seconds(cpu(exports)),
            ratio: (cpu(exports) / cpu(plain)).toFixed(2),
          },
        ];
      }),
  };
}

export const cpu = cpuOf('cpu', 1);
export const cpuManyDays = cpuOf('cpu-many-days', 100);
