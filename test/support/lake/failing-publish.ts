import { createInterface } from 'node:readline';
import { type FileFault, failFilesAt, stepsTaken } from './failing-files.ts';

/**
 * Publishes in a separate process. Reads a FailingPublish from each line of stdin, and writes a FailedPublish to a
 * line of stdout. At the given step it kills itself, or the disk is full.
 */
export interface FailingPublish {
  lake: string;
  /** From 1. */
  failAtStep: number;
  fault: FileFault;
}

export interface FailedPublish {
  steps: number;
  written: number;
  failedDays: number;
  /** Why days, or the whole publication, failed. */
  reasons: string[];
}

const [{ publishLagging }, { FolderStore }, { writeWithHyparquet }] = await Promise.all([
  import('../../../lib/publish/publish-days.ts'),
  import('../../../lib/lake/store/folder.ts'),
  import('../../../lib/lake/parquet/hyparquet.ts'),
]);
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { lake, failAtStep, fault }: FailingPublish = JSON.parse(line);
  failFilesAt(failAtStep, fault);
  const publishing = publishLagging(new FolderStore(lake), writeWithHyparquet);
  const ended = await publishing.then(
    ({ written, failedDays, problems }) => ({
      written,
      failedDays,
      reasons: problems.map(({ reason }) => reason),
    }),
    (error: unknown) => ({ written: 0, failedDays: 0, reasons: [String(error)] }),
  );
  const steps = stepsTaken();
  failFilesAt(Number.POSITIVE_INFINITY, fault);
  process.stdout.write(`${JSON.stringify({ steps, ...ended } satisfies FailedPublish)}\n`);
}
