import { PassThrough } from 'node:stream';
import { type ExportJob, runExport } from '../../../lib/cli/commands/export.ts';
import { Printer } from '../../../lib/cli/printer.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';

/** Runs an export as its command does, into a store of the test's. What it prints is dropped. Returns the exit code. */
export function runSilentExport(job: Pick<ExportJob, 'connection' | 'store' | 'unitsOf'>): Promise<number> {
  return runExport(
    {
      ...job,
      markSource: async () => undefined,
      writer: writeWithHyparquet,
      isJson: true,
      continuation: 'missing',
    },
    {
      stdout: new Printer(new PassThrough()),
      stderr: new Printer(new PassThrough()),
      signal: new AbortController().signal,
    },
  );
}
