/** The figures that a measured process prints when its work is done. */
export interface Figures {
  /** From the first request to the last byte written, without start-up. */
  wallMs: number;
  /** Of the whole process, start-up included. */
  cpuMs: number;
  startUpMs: number;
  startUpCpuMs: number;
  peakMemoryMb: number;
  requests: number;
  receipts: number;
  bytes: number;
  failed: number;
  /** Units whose object was written. */
  written: number;
}

export type WorkDone = Partial<Pick<Figures, 'requests' | 'receipts' | 'bytes' | 'failed' | 'written'>>;

/** Measures the work, and prints the figures as the process's only line. */
export async function report(work: () => Promise<WorkDone>): Promise<void> {
  const startUpMs = performance.now();
  const startUpCpuMs = cpuMs();
  const result = await work();
  const figures: Figures = {
    requests: 0,
    receipts: 0,
    bytes: 0,
    failed: 0,
    written: 0,
    ...result,
    wallMs: performance.now() - startUpMs,
    cpuMs: cpuMs(),
    startUpMs,
    startUpCpuMs,
    // maxRSS is in kilobytes.
    peakMemoryMb: process.resourceUsage().maxRSS / 1024,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
