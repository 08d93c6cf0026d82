import type { Publication } from '../publish/publish-lagging.ts';
import { logger } from './powertools.ts';

/** More than these are counted only. */
const MAX_PROBLEMS_LOGGED = 50;

/** Says what one invocation of publish did. */
export function logPublication({ written, unchanged, failedDays, remaining, problems }: Publication): void {
  for (const { table, fecha, rut, reason } of problems.slice(0, MAX_PROBLEMS_LOGGED)) {
    const message = rut === undefined ? 'day not published' : 'unit not published';
    logger.warn(message, { tabla: table.name, fecha, rut, reason });
  }
  logger.info('days published', { written, unchanged, failedDays, remaining, problems: problems.length });
}
