import { BodyEncodingError, BodyShapeError, BodyTooLargeError } from './body.ts';
import { ApiError, NoAnswerError, type RequestContext, UnexpectedBodyError } from './errors.ts';
import { TimeLimitError } from './exchange.ts';
import { networkFault } from './network-fault.ts';

/** What came of asking once. */
export type Attempt<T> =
  | { kind: 'answer'; answer: T }
  | { kind: 'unauthorized'; token: string; status: number }
  | { kind: 'retry'; error: (attempts: number) => Error; reason: RetryReason; retryAfterMs?: number };

/** Why to ask again: the API asked for patience, took too long, or failed. */
type RetryReason = 'throttled' | 'timedOut' | 'failed';

/** What came of a request that threw this: it is asked again, or an ApiError is thrown that nothing can mend. */
export function explainFailure(error: unknown, context: RequestContext, isAnswered: boolean): Attempt<never> {
  if (error instanceof ApiError) throw error;
  if (error instanceof BodyTooLargeError) throw new UnexpectedBodyError(context, error.message, 1);
  if (error instanceof BodyShapeError || error instanceof BodyEncodingError || error instanceof SyntaxError) {
    // A SyntaxError quotes the body, so its message stays here.
    const reason = error instanceof SyntaxError ? 'it is not JSON' : error.message;
    return {
      kind: 'retry',
      error: (attempts) => new UnexpectedBodyError(context, reason, attempts),
      reason: 'failed',
    };
  }
  if (error instanceof TimeLimitError) {
    return {
      kind: 'retry',
      error: (attempts) => new NoAnswerError(context, 'the time limit passed', attempts, true),
      reason: 'timedOut',
    };
  }
  if (isAnswered) {
    const reason = `this program failed at it (${error instanceof Error ? error.name : 'no error'})`;
    return {
      kind: 'retry',
      error: (attempts) => new UnexpectedBodyError(context, reason, attempts),
      reason: 'failed',
    };
  }
  const fault = networkFault(error);
  return {
    kind: 'retry',
    error: (attempts) => new NoAnswerError(context, fault, attempts),
    reason: 'failed',
  };
}
