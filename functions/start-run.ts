import {
  type CheckedRun,
  checkRun,
  isCheck,
  isTokenReview,
  type ReviewedTokens,
  reviewTokens,
} from '../lib/run/checks.ts';
import { once } from '../lib/run/lambda/environment.ts';
import {
  countNight,
  type NightNotStarted,
  openStarter,
  reportEndingTokens,
  reportNotStarted,
  reportProved,
  reportStarted,
} from '../lib/run/lambda/start-run.ts';
import { observed } from '../lib/run/lambda/telemetry.ts';
import { proveRun, type RunToProve } from '../lib/run/prove-run.ts';
import { type StartedRun, startRun } from '../lib/run/start-run.ts';

const starter = once(openStarter);
/** A person waits for the answer. */
const GIVE_UP_CHECK_MS = 45_000;

/**
 * Starts a run, on schedule or by hand; see lib/run/run-request.ts for its events. Also reviews tokens in the evening,
 * and tells `cfe-lake check` whether a run would succeed.
 */
export const handler = observed<StartedRun | NightNotStarted | ReviewedTokens | CheckedRun>(
  async (event, context) => {
    const tools = starter();
    const nowMs = tools.clock.now();
    const remainingMs = () => context.getRemainingTimeInMillis();
    if (isCheck(event)) {
      const signal = AbortSignal.timeout(GIVE_UP_CHECK_MS);
      return await checkRun(event, { ...tools, nowMs, remainingMs, signal });
    }
    if (isTokenReview(event)) {
      const reviewed = await reviewTokens(event, { ...tools, nowMs });
      reportEndingTokens(reviewed);
      return reviewed;
    }
    const prove = async (run: RunToProve) => {
      const proved = await proveRun(run, { store: tools.lake, openApi: tools.openApi, remainingMs });
      reportProved(proved);
      return proved.facts;
    };
    try {
      const started = await startRun(event, { ...tools, prove, remainingMs });
      reportStarted(started);
      countNight(event);
      return started;
    } catch (error) {
      return reportNotStarted(error, event);
    }
  },
);
