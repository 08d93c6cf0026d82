import { createInterface } from 'node:readline';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { failFilesAt, stepsTaken } from './failing-files.ts';
import type { SimulatedRun } from './simulated-run.ts';

/**
 * An export in a process of its own: reads a Killable from stdin, exports, and prints how many steps of the file
 * system it took. At the step that it is told it kills itself, before the step or half-way through a write.
 */
export interface Killable extends SimulatedRun {
  lake: string;
  /** From 1; absent: somebody else kills it. */
  killAtStep?: number;
}

// Only now, so that they get the calls that are counted.
const [{ exportSimulated }, { FolderStore }] = await Promise.all([
  import('./simulated-run.ts'),
  import('../../lib/lake/store/folder.ts'),
]);
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const job: Killable = JSON.parse(line);
  failFilesAt(job.killAtStep ?? Number.POSITIVE_INFINITY, 'kill');
  const pool = new ConnectionPool();
  await exportSimulated(job, new FolderStore(job.lake), pool);
  await pool.destroy();
  process.stdout.write(`${stepsTaken()}\n`);
  break;
}
