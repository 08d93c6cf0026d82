import { PutObjectCommand } from '@aws-sdk/client-s3';
import { renderKeptCoverage } from '../coverage/kept/kept-coverage.ts';
import { COVERAGE_FOLDER } from '../coverage/kept/open-company.ts';
import { createS3Client } from '../lake/store/s3-client.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { watchDeadline } from '../run/deadline.ts';
import { logger } from './powertools.ts';

export const COVERAGE_PAGE = `${COVERAGE_FOLDER}/index.html`;
const DAYS_SHOWN = 100;

export interface CoveragePageJob {
  bucket: string;
  /** The run that has just ended. */
  runId: string;
  remainingMs(): number;
}

/** Writes the coverage page into the lake's bucket. One that can't be written is a warning in the log, and no more. */
export async function writeCoveragePage(lake: LakeStore, job: CoveragePageJob): Promise<void> {
  const client = createS3Client();
  const deadline = watchDeadline(job.remainingMs);
  const put = async (key: string, bytes: Uint8Array, ContentType = 'application/gzip'): Promise<void> => {
    await client.send(new PutObjectCommand({ Bucket: job.bucket, Key: key, Body: bytes, ContentType }));
  };
  try {
    const options = { nowMs: Date.now(), dayCount: DAYS_SHOWN, runId: job.runId, put };
    const html = await renderKeptCoverage(lake, { ...options, signal: deadline.signal });
    const bytes = Buffer.from(html);
    await put(COVERAGE_PAGE, bytes, 'text/html; charset=utf-8');
    logger.info('coverage page written', { key: COVERAGE_PAGE, bytes: bytes.length });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn('coverage page not written', { reason });
  } finally {
    deadline.close();
    client.destroy();
  }
}
