import type { Publication } from '../publish/publish-lagging.ts';
import { logger } from './powertools.ts';

/** More than these are counted only. */
const MAX_PROBLEMS_LOGGED = 50;

/** Says what one invocation of publish did. */
export function logPublication({ written, unchanged, failedDays, remaining, problems }: Publication): void {
  for (const { table, fecha, rut, isMadeAnew, reason } of problems.slice(0, MAX_PROBLEMS_LOGGED)) {
    const ofDay = isMadeAnew ? 'day made anew' : 'day not published';
    const message = rut === undefined ? ofDay : 'unit not published';
    logger.warn(message, { tabla: table.name, fecha, rut, reason });
  }
  logger.info('days published', { written, unchanged, failedDays, remaining, problems: problems.length });
}
