import { ApiDownError, NoAnswerError, type RequestContext } from './errors.ts';

/** So many requests, each asked as often as the policy allows, show that nobody answers at all. */
const MOST_GIVEN_UP = 3;

/**
 * Whether an API that has not answered anything yet is there at all. One that has answered is waited for as long as
 * each request may be asked again: its network may have failed for a moment.
 */
export class ApiReach {
  private hasAnswered = false;
  private givenUp = 0;
  private lastFault = '';

  noteAnswer(): void {
    this.hasAnswered = true;
  }

  /** A request failed for good. */
  noteFailure(error: unknown): void {
    if (!(error instanceof NoAnswerError) || error.isTimeout) return;
    this.givenUp += 1;
    this.lastFault = error.fault;
  }

  get isDown(): boolean {
    return !this.hasAnswered && this.givenUp >= MOST_GIVEN_UP;
  }

  /** Throws an ApiDownError where nobody answers. */
  throwIfDown(context: RequestContext): void {
    if (this.isDown) throw new ApiDownError(context, this.lastFault);
  }
}
