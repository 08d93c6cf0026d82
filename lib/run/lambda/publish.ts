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
  for (const { table, day, rut, isRebuilt, reason } of logged) {
    logger.warn(isRebuilt ? 'day rebuilt' : 'day not published', {
      tabla: table.name,
      fecha: day,
      rut,
      reason,
    });
  }
  logger.info('days published', { written, unchanged, failedDays, remaining, problems: problems.length });
  count('PublicationsEnded', 1);
  count('DaysPublished', written);
  count('DaysNotPublished', failedDays + (isScheduled ? remaining : 0));
  count('UnitsNotPublished', problems.filter(({ rut }) => rut !== undefined).length);
}
