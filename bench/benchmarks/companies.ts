import { addDays } from '../../lib/time/days.ts';
import { atMost, type Benchmark, count, seconds } from '../benchmark.ts';
import { DAY, measureExport, withFolder, withSandbox } from '../processes.ts';

const LATENCY_MS = 50;
const IN_FLIGHT = 64;
const COMPANIES = 1_000;
const ACTIVE = 50;

/** A platform's night: many companies, most of them idle. Then the same night again. */
export const companies: Benchmark = {
  name: 'companies',
  run: () =>
    withSandbox(
      {
        companyCount: COMPANIES,
        activeEvery: COMPANIES / ACTIVE,
        receiptsPerDay: 60,
        behaviour: { latencyMs: LATENCY_MS },
      },
      ({ url, stats }) =>
        withFolder(async (lake) => {
          const run = () =>
            measureExport({
              url,
              lake,
              from: addDays(DAY, -2),
              to: DAY,
              directions: ['recibidos', 'emitidos'],
              companyCount: COMPANIES,
              companiesAtOnce: IN_FLIGHT,
              maxInFlight: 8,
              maxInFlightInAll: IN_FLIGHT,
            });
          const first = await run();
          const { maxInFlight } = await stats();
          const again = await run();
          const limitMs = (first.requests * LATENCY_MS) / IN_FLIGHT;
          const activeUnits = ACTIVE * 2 * 3;
          // Two per idle list, four per list of two pages, and a few to prove the service.
          const needed = 4_300;
          return [
            atMost(
              1.6,
              first.wallMs / limitMs,
              `1,000 companies, 950 idle, 2 directions, 3 days, 50 ms, 64 in flight (${maxInFlight} seen): wall against requests × latency / 64 (${seconds(limitMs)})`,
              `${seconds(first.wallMs)} (start-up ${seconds(first.startUpMs)} more)`,
            ),
            atMost(
              1,
              first.requests / needed,
              `the same: requests ≤ ${count(needed)}`,
              count(first.requests),
            ),
            {
              target: 'the same night again, nothing changed: objects written besides the audit',
              measured: `${count(again.written)} (wall ${seconds(again.wallMs)})`,
              ratio: `${again.written} (≤ 0)`,
              isMet: again.written === 0 && first.written === activeUnits,
            },
          ];
        }),
    ),
};
