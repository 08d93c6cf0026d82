import type { Benchmark } from '../benchmark.ts';
import { measure, type ServedSandbox, withSandbox } from '../processes.ts';

const LIMIT = 20;
const SETTLING_S = 10;
const MEASURED_S = 60;

/** One company against a limit of 20 requests a second with Retry-After, as fast as its governor allows. */
export const throttling: Benchmark = {
  name: 'throttling',
  run: async () => {
    const lines = [];
    for (const latencyMs of [5, 50]) {
      lines.push(
        ...(await withSandbox(
          { receiptsPerDay: 1_000, behaviour: { rateLimit: LIMIT, latencyMs } },
          (sandbox) => settle(sandbox, latencyMs),
        )),
      );
    }
    return lines;
  },
};

async function settle({ url, stats }: ServedSandbox, latencyMs: number) {
  const work = measure('ask-often', { url, seconds: SETTLING_S + MEASURED_S + 2 });
  await started(stats);
  await sleep(SETTLING_S * 1000);
  const before = await stats();
  const beforeMs = performance.now();
  await sleep(MEASURED_S * 1000);
  const after = await stats();
  const seconds = (performance.now() - beforeMs) / 1000;
  await work;
  const answered = (after.byStatus[200] ?? 0) - (before.byStatus[200] ?? 0);
  const refused = (after.byStatus[429] ?? 0) - (before.byStatus[429] ?? 0);
  const used = answered / seconds / LIMIT;
  const refusedShare = refused / (answered + refused);
  return [
    {
      target: `20 requests a second allowed, ${latencyMs} ms: share of it used, after ${SETTLING_S} s`,
      measured: `${(answered / seconds).toFixed(1)} a second`,
      ratio: `${used.toFixed(2)} (≥ 0.90)`,
      isMet: used >= 0.9,
    },
    {
      target: 'the same: share of requests refused',
      measured: `${refused} of ${answered + refused}`,
      ratio: `${refusedShare.toFixed(3)} (< 0.05)`,
      isMet: refusedShare < 0.05,
    },
  ];
}

/** Resolves when the first request has arrived: the process takes a moment to start. */
async function started(stats: ServedSandbox['stats']): Promise<void> {
  while ((await stats()).requests === 0) await sleep(20);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
