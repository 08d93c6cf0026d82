import type { Publication } from '../../publish/publish-days.ts';
import { count, logger } from './telemetry.ts';

/** The most problems logged for one invocation. */
const MAX_PROBLEMS_LOGGED = 50;

/**
 * Logs and counts what one invocation did. Within a run, publish is called again for the days that it had no time for:
 * they are no trouble.
 */
export function reportPublication(
  { written, unchanged, failedDays, remaining, problems }: Publication,
  { isScheduled }: { isScheduled: boolean },
): void {
  const logged = problems.slice(0, MAX_PROBLEMS_LOGGED);
  for (const { table, day, rut, isRebuilt, isStillRecorded, isOfAudit, reason } of logged) {
    const ofRecorded = isStillRecorded ? 'day published, but still recorded as lagging' : 'day not published';
    const ofPublished = isOfAudit ? 'audit not readable' : ofRecorded;
    const ofDay = isRebuilt ? 'day rebuilt' : ofPublished;
    const message = rut === undefined ? ofDay : 'unit not published';
    logger.warn(message, { tabla: table.name, fecha: day, rut, reason });
  }
  logger.info('days published', { written, unchanged, failedDays, remaining, problems: problems.length });
  count('PublicationsEnded', 1);
  count('DaysPublished', written);
  count('DaysNotPublished', failedDays + (isScheduled ? remaining : 0));
  const published = problems.filter(({ isStillRecorded, isOfAudit }) => isStillRecorded || isOfAudit).length;
  count('UnitsNotPublished', problems.length - failedDays - published);
}
