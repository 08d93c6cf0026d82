/** What a measured process says of itself when its work is done. */
export interface Figures {
  /** From the first request to the last byte written; start-up is not in it. */
  wallMs: number;
  cpuMs: number;
  startUpMs: number;
  peakMemoryMb: number;
  requests: number;
  receipts: number;
  bytes: number;
  failed: number;
}

const startedCpu = process.cpuUsage();
const startedMs = performance.now();

/** Measures the work, and prints the figures as the process's only line. */
export async function report(
  work: () => Promise<Pick<Figures, 'requests' | 'receipts' | 'bytes'> & { failed?: number }>,
): Promise<void> {
  const startUpMs = performance.now();
  const result = await work();
  const { user, system } = process.cpuUsage(startedCpu);
  const figures: Figures = {
    failed: 0,
    ...result,
    wallMs: performance.now() - startUpMs,
    cpuMs: (user + system) / 1000,
    startUpMs: startUpMs - startedMs + startedMs,
    // maxRSS is in kilobytes.
    peakMemoryMb: process.resourceUsage().maxRSS / 1024,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
