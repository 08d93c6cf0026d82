import { addDays } from '../../lib/time/days.ts';
import { type Benchmark, type Line, megabytes, seconds } from '../benchmark.ts';
import { dltVersion, measureDlt } from '../peers/dlt.ts';
import { DAY, measure, measureExport, withFolder, withSandbox } from '../processes.ts';
import type { Figures } from '../workloads/figures.ts';

const DAYS = 100;
const RECEIPTS_PER_DAY = 1_000;
const RECEIPTS = DAYS * RECEIPTS_PER_DAY;
/** How dlt is run: as its documentation shows, and with the days in parts that are read at the same time. */
const DLT_RUNS = [
  { how: 'rest_api as documented', ranges: 1, threads: 1 },
  { how: 'rest_api, 20 ranges, 8 threads', ranges: 20, threads: 8 },
];

/** The same 100,000 receipts over 100 days, by others. */
export const peers: Benchmark = {
  name: 'peers',
  run: async () => {
    const lines: Line[] = [];
    for (const latencyMs of [50, 0]) {
      await withSandbox({ receiptsPerDay: RECEIPTS_PER_DAY, behaviour: { latencyMs } }, async ({ url }) => {
        lines.push(...(await byAll(url, latencyMs)));
      });
    }
    return lines;
  },
};

async function byAll(url: string, latencyMs: number): Promise<Line[]> {
  const from = addDays(DAY, 1 - DAYS);
  const days = Array.from({ length: DAYS }, (_, index) => addDays(from, index));
  const own = await withFolder((lake) => measureExport({ url, lake, from, to: DAY }));
  const script = await withFolder((lake) => measure('sequential-parquetjs', { url, lake, days }));
  const what = `100,000 receipts over 100 days, ${latencyMs === 0 ? 'no latency' : `${latencyMs} ms`}`;
  const lines = [
    peerLine(`${what}: cfe-lake`, own, own),
    peerLine('the same: a sequential script with stock parquetjs-lite', script, own),
  ];
  const version = dltVersion();
  if (version === undefined) {
    return [...lines, { target: 'the same: dlt', measured: 'skipped: python3 has no dlt here', ratio: '–' }];
  }
  for (const { how, ranges, threads } of DLT_RUNS) {
    const figures = await withFolder((lake) => measureDlt({ url, lake, from, to: DAY, ranges, threads }));
    if (figures.receipts !== RECEIPTS) throw new Error(`dlt stored ${figures.receipts} receipts`);
    lines.push(peerLine(`the same: dlt ${version}, ${how}`, figures, own));
  }
  return lines;
}

function peerLine(target: string, { wallMs, cpuMs, peakMemoryMb }: Figures, own: Figures): Line {
  return {
    target,
    measured: `wall ${seconds(wallMs)}, CPU ${seconds(cpuMs)}, ${megabytes(peakMemoryMb)}`,
    ratio: `${(wallMs / own.wallMs).toFixed(1)} × cfe-lake's wall`,
  };
}
