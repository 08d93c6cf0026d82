import { spawnSync } from 'node:child_process';
import { addDays } from '../../lib/time/days.ts';
import { type Benchmark, type Line, megabytes, seconds } from '../benchmark.ts';
import { DAY, measure, measureExport, withFolder, withSandbox } from '../processes.ts';
import type { Figures } from '../workloads/figures.ts';

const DAYS = 100;

/** The same 100,000 receipts over 100 days, by others. */
export const peers: Benchmark = {
  name: 'peers',
  run: async () => {
    const lines: Line[] = [];
    for (const latencyMs of [50, 0]) {
      await withSandbox({ receiptsPerDay: 1_000, behaviour: { latencyMs } }, async ({ url }) => {
        const from = addDays(DAY, 1 - DAYS);
        const days = Array.from({ length: DAYS }, (_, index) => addDays(from, index));
        const own = await withFolder((lake) => measureExport({ url, lake, from, to: DAY }));
        const script = await withFolder((lake) => measure('sequential-parquetjs', { url, lake, days }));
        const what = `100,000 receipts over 100 days, ${latencyMs === 0 ? 'no latency' : `${latencyMs} ms`}`;
        lines.push(peerLine(`${what}: cfe-lake`, own, own));
        lines.push(peerLine('the same: a sequential script with stock parquetjs-lite', script, own));
      });
    }
    lines.push(dltLine());
    return lines;
  },
};

function peerLine(target: string, { wallMs, cpuMs, peakMemoryMb }: Figures, own: Figures): Line {
  return {
    target,
    measured: `wall ${seconds(wallMs)}, CPU ${seconds(cpuMs)}, ${megabytes(peakMemoryMb)}`,
    ratio: `${(wallMs / own.wallMs).toFixed(1)} × cfe-lake's wall`,
  };
}

function dltLine(): Line {
  const target = 'the same: dlt';
  const found = spawnSync('python3', ['-c', 'import dlt']);
  if (found.status !== 0) return { target, measured: 'skipped: Python has no dlt here', ratio: '–' };
  return { target, measured: 'not measured here; see the notes', ratio: '–' };
}
