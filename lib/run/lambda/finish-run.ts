import { PutObjectCommand } from '@aws-sdk/client-s3';
import { renderCoverageHtml } from '../../coverage/coverage-page.ts';
import { createS3Client } from '../../lake/store/s3.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { messageOf } from '../../system/errors.ts';
import { watchDeadline } from '../../time/clock.ts';
import { addDays, uruguayDay } from '../../time/days.ts';
import { DIRECTIONS } from '../../units/unit.ts';
import type { SealedCount } from '../finish-run.ts';
import type { RunInput } from '../messages.ts';
import { count, logger } from './telemetry.ts';

export function reportCount(
  { from, to, older, directions }: RunInput,
  { units, receipts, missing, states, detailsOnly, unknownFields, newFields }: SealedCount,
): void {
  logger.info('run counted', {
    desde: from,
    hasta: to,
    ...(older && { antiguosDesde: older.from, antiguosHasta: older.to }),
    direcciones: directions,
    unidades: units,
    filas: receipts,
    faltantes: missing,
    ...states,
    soloDetalles: detailsOnly,
  });
  for (const field of unknownFields) {
    const { direction, path, receipts: rows } = field;
    logger.warn('unknown field', {
      direccion: direction,
      campo: path,
      filas: rows,
      nuevo: newFields.includes(field),
    });
  }
  count('UnknownFields', newFields.length);
}

const COVERAGE_PAGE = 'cobertura/index.html';
/** The runbook's name for the command: a reader of the page may have a checkout or the package. */
const PROGRAM = 'cfe-lake';
const DAYS_SHOWN = 100;
/** The time limit of the page. The invocation must not run out of time over it: that would fail the run. */
const MAX_PAGE_MS = 6 * 60_000;

export interface CoveragePageJob {
  bucket: string;
  remainingMs(): number;
}

/** Writes the coverage page into the lake's bucket. If that fails, it is only a warning in the log. */
export async function writeCoveragePage(lake: LakeStore, job: CoveragePageJob): Promise<void> {
  const startedAtMs = performance.now();
  const leftMs = () => Math.min(job.remainingMs(), MAX_PAGE_MS - (performance.now() - startedAtMs));
  const deadline = watchDeadline(leftMs);
  try {
    const byteCount = await before(deadline.signal, renderAndPut(lake, job, deadline.signal));
    logger.info('coverage page written', { key: COVERAGE_PAGE, bytes: byteCount });
  } catch (error) {
    const reason = messageOf(error);
    logger.warn('coverage page not written', { reason });
  } finally {
    deadline.close();
  }
}

async function renderAndPut(
  lake: LakeStore,
  { bucket }: CoveragePageJob,
  signal: AbortSignal,
): Promise<number> {
  const nowMs = Date.now();
  const today = uruguayDay(nowMs);
  const html = await renderCoverageHtml(lake, {
    from: addDays(today, -DAYS_SHOWN),
    to: addDays(today, -1),
    directions: DIRECTIONS,
    nowMs,
    program: PROGRAM,
    onDamaged: (reason) => logger.warn('audit object damaged', { reason }),
    signal,
  });
  // A page that was given up must not replace a later run's.
  signal.throwIfAborted();
  const client = createS3Client();
  try {
    const Body = Buffer.from(html);
    const ContentType = 'text/html; charset=utf-8';
    const command = new PutObjectCommand({ Bucket: bucket, Key: COVERAGE_PAGE, Body, ContentType });
    await client.send(command, { abortSignal: signal });
    return Body.length;
  } finally {
    client.destroy();
  }
}

/**
 * The work's result, or a rejection as soon as the signal is aborted: a read that hangs is not waited for.
 */
async function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  // Once the signal is aborted, nobody handles the work's error.
  work.catch(() => undefined);
  const given = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return await Promise.race([work, given]);
}
