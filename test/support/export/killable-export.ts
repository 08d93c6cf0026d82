import { createInterface } from 'node:readline';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import { failFilesAt, stepsTaken } from '../lake/failing-files.ts';
import type { SimulatedRun } from './simulated-run.ts';

/**
 * An export in a separate process. Reads a Killable from stdin, exports, and prints how many file system steps it
 * took. At the given step it kills itself, before the step or half-way through a write.
 */
export interface Killable extends SimulatedRun {
  lake: string;
  /** From 1; absent: the process does not kill itself. */
  killAtStep?: number;
}

// Imported only now, so that they get the counting functions.
const [{ exportSimulated }, { FolderStore }] = await Promise.all([
  import('./simulated-run.ts'),
  import('../../../lib/lake/store/folder.ts'),
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
