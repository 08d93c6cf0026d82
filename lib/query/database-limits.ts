import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

/** What DuckDB may take of the machine. */
export interface DatabaseLimits {
  memoryBytes: number;
  /** Disk for what does not fit into it; and, where a question is given limits, for the copies that it makes of a bucket's lake. */
  spillBytes: number;
}

/** What this process may have: a container's limit, or all of the machine. */
export function machineBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || totalmem());
}

/** What questions or files of somebody who is not trusted with the machine may take: so much, or a quarter of it. */
export function distrustedBytes(mostBytes: number): number {
  return Math.min(mostBytes, machineBytes() / 4);
}

/** Half of the memory, and a quarter of what is free where the folder is. */
export function usualLimits(folder: string): DatabaseLimits {
  const { bavail, bsize } = statfsSync(folder);
  return { memoryBytes: machineBytes() / 2, spillBytes: (bavail * bsize) / 4 };
}
