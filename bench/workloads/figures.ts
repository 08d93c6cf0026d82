/** The figures that a measured process prints when its work is done. */
export interface Figures {
  /** From the first request to the last byte written, without start-up. */
  wallMs: number;
  /** Of the whole process, start-up included. */
  cpuMs: number;
  peakMemoryMb: number;
  requests: number;
  receipts: number;
  failed: number;
  /** Units whose object was written. */
  written: number;
}

export type WorkDone = Partial<Pick<Figures, 'requests' | 'receipts' | 'failed' | 'written'>>;

/** Measures the work, and prints the figures as the process's only line. */
export async function report(work: () => Promise<WorkDone>): Promise<void> {
  const startMs = performance.now();
  const result = await work();
  const { user, system } = process.cpuUsage();
  const figures: Figures = {
    requests: 0,
    receipts: 0,
    failed: 0,
    written: 0,
    ...result,
    wallMs: performance.now() - startMs,
    cpuMs: (user + system) / 1000,
    // maxRSS is in kilobytes.
    peakMemoryMb: process.resourceUsage().maxRSS / 1024,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
