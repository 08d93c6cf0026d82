import { once } from '../lib/lambda/environment.ts';
import { openStarter } from '../lib/lambda/starter.ts';
import { count, logger, observed } from '../lib/lambda/telemetry.ts';
import {
  type CheckedRun,
  checkRun,
  isCheck,
  isTokenReview,
  type ReviewedTokens,
  reviewTokens,
} from '../lib/run/checks.ts';
import { type StartedRun, startRun } from '../lib/run/start-run.ts';

const starter = once(openStarter);
/** A person waits for the answer. */
const GIVE_UP_CHECK_MS = 45_000;

/**
 * Starts a run, on schedule or by hand; see lib/run/run-request.ts for its events. Also reviews tokens in the evening,
 * and tells `cfe-lake check` whether a run would succeed.
 */
export const handler = observed<StartedRun | ReviewedTokens | CheckedRun>(async (event, context) => {
  const tools = { ...starter(), nowMs: Date.now() };
  if (isCheck(event)) {
    const remainingMs = () => context.getRemainingTimeInMillis();
    return await checkRun(event, { ...tools, remainingMs, signal: AbortSignal.timeout(GIVE_UP_CHECK_MS) });
  }
  if (isTokenReview(event)) {
    const reviewed = await reviewTokens(event, tools);
    countEndingTokens(reviewed);
    return reviewed;
  }
  const started = await startRun(event, tools);
  const { problemas, avisos, ...run } = started;
  count('RunsStarted', run.repetida ? 0 : 1);
  count('CompanyProblems', problemas.length);
  for (const problema of problemas) logger.warn('a company can not be exported', { problema });
  countEndingTokens(started);
  logger.info('run started', run);
  return started;
});

function countEndingTokens({ avisos }: ReviewedTokens): void {
  count('TokensEnding', avisos.length);
  for (const aviso of avisos) logger.warn('a token ends too early', { aviso });
}
