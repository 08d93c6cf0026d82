import { count } from '../lib/lambda/metrics.ts';
import { once } from '../lib/lambda/once.ts';
import { logger, observed } from '../lib/lambda/powertools.ts';
import { openStarter } from '../lib/lambda/starter.ts';
import { type StartedRun, startRun } from '../lib/run/start-run.ts';

const starter = once(openStarter);

/** Starts a run, on schedule or by hand; see lib/run/run-request.ts for its events. */
export const handler = observed<StartedRun>(async (event) => {
  const started = await startRun(event, { ...starter(), nowMs: Date.now() });
  const { problemas, ...run } = started;
  count('RunsStarted', run.repetida ? 0 : 1);
  count('CompanyProblems', problemas.length);
  for (const problema of problemas) logger.warn('a company can not be exported', { problema });
  logger.info('run started', run);
  return started;
});
