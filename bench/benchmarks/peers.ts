import { addDays, daysBetween } from '../../lib/time/days.ts';
import { atMost, type Line, median, megabytes, seconds } from '../benchmark.ts';
import { dltVersion, measureDlt } from '../peers/dlt.ts';
import { DAY, measure, measureExport, withFolder, withSandbox } from '../processes.ts';
import type { Figures } from '../workloads/figures.ts';

const FROM = addDays(DAY, -99);
const RECEIPTS_PER_DAY = 1_000;
const WORKERS = 8;
/** Runs of cfe-lake and of the script that is closest to it, in turns. */
const RUNS = 5;
/** Ways to run dlt: as documented, and with the days in parts that are read in parallel. */
const DLT_RUNS = [
  { how: 'rest_api as documented', ranges: 1, threads: 1 },
  { how: 'rest_api, 20 ranges, 8 threads', ranges: 20, threads: 8 },
];

/** 100,000 receipts over 100 days, exported with the tables published, and read by a script, pair by pair. */
export const peers = () => atEachLatency(againstScript);

/** The same receipts read by dlt. */
export const dlt = () => atEachLatency(againstDlt);

async function* atEachLatency(
  compared: (url: string, what: string, latencyMs: number) => Promise<Line[]>,
): AsyncGenerator<Line> {
  for (const latencyMs of [50, 0]) {
    const what = `100,000 receipts over 100 days, ${latencyMs === 0 ? 'no latency' : `${latencyMs} ms`}`;
    const served = { receiptsPerDay: RECEIPTS_PER_DAY, behaviour: { latencyMs } };
    yield* await withSandbox(served, ({ url }) => compared(url, what, latencyMs));
  }
}

async function againstScript(url: string, what: string, latencyMs: number): Promise<Line[]> {
  const days = daysBetween(FROM, DAY);
  const runs: { program: Figures; script: Figures }[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const read = (lake: string) => measure('days-in-parallel', { url, lake, days, workers: WORKERS });
    runs.push({ script: await withFolder(read), program: await exported(url) });
  }
  const pair = (
    target: string,
    bound: number,
    figureOf: (figures: Figures) => number,
    text: typeof seconds,
  ) =>
    atMost(
      bound,
      median(runs.map(({ program, script }) => figureOf(program) / figureOf(script))),
      target,
      `${text(median(runs.map(({ program }) => figureOf(program))))} against ${text(median(runs.map(({ script }) => figureOf(script))))}`,
    );
  const script = `a careful script by hand (pages, exact amounts, hyparquet-writer, one file), ${WORKERS} days at a time`;
  return [
    pair(`${what}: CPU against ${script}`, 1.6, ({ cpuMs }) => cpuMs, seconds),
    pair('the same: wall', latencyMs === 0 ? 1.7 : 1.15, ({ wallMs }) => wallMs, seconds),
    pair('the same: peak memory', 1, ({ peakMemoryMb }) => peakMemoryMb, megabytes),
  ];
}

async function againstDlt(url: string, what: string): Promise<Line[]> {
  const version = dltVersion();
  if (version === undefined) {
    process.stderr.write('skipped: python3 has no dlt here\n');
    return [];
  }
  const ours = await exported(url);
  const lines = [lineOf(`${what}: cfe-lake`, ours, ours)];
  for (const { how, ...parts } of DLT_RUNS) {
    const figures = await withFolder((lake) => measureDlt({ url, lake, from: FROM, to: DAY, ...parts }));
    if (figures.receipts !== ours.receipts) throw new Error(`dlt stored ${figures.receipts} receipts`);
    lines.push(lineOf(`the same: dlt ${version}, ${how}`, figures, ours));
  }
  return lines;
}

function exported(url: string): Promise<Figures> {
  return withFolder((lake) => measureExport({ url, lake, from: FROM, isPublished: true }));
}

function lineOf(target: string, { wallMs, cpuMs, peakMemoryMb }: Figures, program: Figures): Line {
  return {
    target,
    measured: `wall ${seconds(wallMs)}, CPU ${seconds(cpuMs)}, ${megabytes(peakMemoryMb)}`,
    ratio: `${(wallMs / program.wallMs).toFixed(2)} × cfe-lake's wall`,
  };
}
