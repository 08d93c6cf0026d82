import { addDays } from '../../lib/time/days.ts';
import { atMost, type Benchmark, type Line, median, megabytes, seconds } from '../benchmark.ts';
import { dltVersion, measureDlt } from '../peers/dlt.ts';
import { DAY, measure, measureExport, withFolder, withSandbox } from '../processes.ts';
import type { Figures } from '../workloads/figures.ts';

const DAYS = 100;
const RECEIPTS_PER_DAY = 1_000;
const RECEIPTS = DAYS * RECEIPTS_PER_DAY;
const FROM = addDays(DAY, 1 - DAYS);
const WORKERS = 8;
/** Runs of cfe-lake and of the script that is closest to it, in turns. */
const RUNS = 5;
/** Ways to run dlt: as documented, and with the days in parts that are read in parallel. */
const DLT_RUNS = [
  { how: 'rest_api as documented', ranges: 1, threads: 1 },
  { how: 'rest_api, 20 ranges, 8 threads', ranges: 20, threads: 8 },
];

/** 100,000 receipts over 100 days, exported with the tables published, and read by a script, pair by pair. */
export const peers = benchmarkAt('peers', async (url, what, latencyMs) => {
  const days = Array.from({ length: DAYS }, (_, index) => addDays(FROM, index));
  const owns: Figures[] = [];
  const scripts: Figures[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    scripts.push(
      await withFolder((lake) => measure('days-in-parallel', { url, lake, days, workers: WORKERS })),
    );
    owns.push(await measureOwn(url, true));
  }
  const pair = (target: string, bound: number, of: (figures: Figures) => number, text: typeof seconds) =>
    atMost(
      bound,
      median(owns.map((own, run) => of(own) / of(scripts[run] ?? own))),
      target,
      `${text(median(owns.map(of)))} against ${text(median(scripts.map(of)))}`,
    );
  const script = `a careful script by hand (pages, exact amounts, hyparquet-writer, one file), ${WORKERS} days at a time`;
  return [
    pair(`${what}: CPU against ${script}`, 1.6, ({ cpuMs }) => cpuMs, seconds),
    pair('the same: wall', latencyMs === 0 ? 1.7 : 1.15, ({ wallMs }) => wallMs, seconds),
    pair('the same: peak memory', 1, ({ peakMemoryMb }) => peakMemoryMb, megabytes),
  ];
});

/** The same receipts read by dlt. If it is not installed, its rows in the table stay. */
export const dlt = benchmarkAt('dlt', async (url, what) => {
  const version = dltVersion();
  if (version === undefined) {
    process.stderr.write('skipped: python3 has no dlt here\n');
    return [];
  }
  const own = await measureOwn(url);
  const lines = [peerLine(`${what}: cfe-lake`, own, own)];
  for (const { how, ranges, threads } of DLT_RUNS) {
    const figures = await withFolder((lake) =>
      measureDlt({ url, lake, from: FROM, to: DAY, ranges, threads }),
    );
    if (figures.receipts !== RECEIPTS) throw new Error(`dlt stored ${figures.receipts} receipts`);
    lines.push(peerLine(`the same: dlt ${version}, ${how}`, figures, own));
  }
  return lines;
});

function benchmarkAt(
  name: string,
  linesOf: (url: string, what: string, latencyMs: number) => Promise<Line[]>,
): Benchmark {
  return {
    name,
    run: async () => {
      const lines: Line[] = [];
      for (const latencyMs of [50, 0]) {
        const what = `100,000 receipts over ${DAYS} days, ${latencyMs === 0 ? 'no latency' : `${latencyMs} ms`}`;
        await withSandbox({ receiptsPerDay: RECEIPTS_PER_DAY, behaviour: { latencyMs } }, async ({ url }) => {
          lines.push(...(await linesOf(url, what, latencyMs)));
        });
      }
      return lines;
    },
  };
}

function measureOwn(url: string, isPublished = false): Promise<Figures> {
  return withFolder((lake) => measureExport({ url, lake, from: FROM, to: DAY, isPublished }));
}

function peerLine(target: string, { wallMs, cpuMs, peakMemoryMb }: Figures, own: Figures): Line {
  return {
    target,
    measured: `wall ${seconds(wallMs)}, CPU ${seconds(cpuMs)}, ${megabytes(peakMemoryMb)}`,
    ratio: `${(wallMs / own.wallMs).toFixed(2)} × cfe-lake's wall`,
  };
}
