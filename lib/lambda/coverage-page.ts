import { PutObjectCommand } from '@aws-sdk/client-s3';
import { renderKeptCoverage } from '../coverage/kept/kept-coverage.ts';
import { COVERAGE_FOLDER } from '../coverage/kept/open-company.ts';
import { createS3Client } from '../lake/store/s3-client.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { watchDeadline } from '../run/deadline.ts';
import { logger } from './powertools.ts';

export const COVERAGE_PAGE = `${COVERAGE_FOLDER}/index.html`;
const DAYS_SHOWN = 100;
/** What the page may take: far from the end of the invocation, which would fail the run, whatever the lake does. */
const MAX_PAGE_MS = 6 * 60_000;

export interface CoveragePageJob {
  bucket: string;
  /** The run that has just ended. */
  runId: string;
  remainingMs(): number;
}

/** Writes the coverage page into the lake's bucket. One that can't be written is a warning in the log, and no more. */
export async function writeCoveragePage(lake: LakeStore, job: CoveragePageJob): Promise<void> {
  const startedAtMs = performance.now();
  const leftMs = () => Math.min(job.remainingMs(), MAX_PAGE_MS - (performance.now() - startedAtMs));
  const deadline = watchDeadline(leftMs);
  try {
    const byteCount = await before(deadline.signal, renderAndPut(lake, job, deadline.signal));
    logger.info('coverage page written', { key: COVERAGE_PAGE, bytes: byteCount });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn('coverage page not written', { reason });
  } finally {
    deadline.close();
  }
}

async function renderAndPut(
  lake: LakeStore,
  { bucket, runId }: CoveragePageJob,
  signal: AbortSignal,
): Promise<number> {
  const client = createS3Client();
  const put = async (key: string, bytes: Uint8Array, ContentType = 'application/gzip'): Promise<void> => {
    const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes, ContentType });
    await client.send(command, { abortSignal: signal });
  };
  try {
    const onDamaged = (reason: string) => logger.warn('audit object damaged', { reason });
    const options = { nowMs: Date.now(), dayCount: DAYS_SHOWN, runId, put, onDamaged, signal };
    const bytes = Buffer.from(await renderKeptCoverage(lake, options));
    // Given up, it must not take the place of a later run's.
    signal.throwIfAborted();
    await put(COVERAGE_PAGE, bytes, 'text/html; charset=utf-8');
    return bytes.length;
  } finally {
    client.destroy();
  }
}

/** The work's result, or the signal's reason as soon as it comes: a read that hangs is not waited for. */
async function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  // Nobody waits for the work any more when the signal came first.
  work.catch(() => undefined);
  const given = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return await Promise.race([work, given]);
}
