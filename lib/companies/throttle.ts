import { NoTokenError } from '../api/access.ts';
import { Mutex } from '../system/concurrency.ts';
import { ENDING } from '../system/under-way.ts';
import type { Clock } from '../time/clock.ts';

/** The most that a login's `Retry-After` is waited for at once; one of more is a pause. */
const MOST_WAIT_MS = 10_000;
/** Where it does not say how long: many limits count by the second. */
const USUAL_WAIT_MS = 2_000;

/** Logins of one address that asks for fewer requests (status 429 or 503): each is asked again once, by turns. */
export class Throttle {
  readonly #clock: Clock;
  readonly #turn = new Mutex();
  /** One was answered so, and none since was given a token at once: one at a time. */
  #isThrottled = false;
  /** It still asked for fewer after the last wait. */
  #isInVain = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws what `ask` throws, or the program's end. */
  async ask<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (this.#isThrottled) return await this.#turn.runExclusive(() => this.#asked(ask, (again) => again()));
    return await this.#asked(ask, (again) => this.#turn.runExclusive(again));
  }

  async #asked<Answer>(
    ask: () => Promise<Answer>,
    inTurn: (again: () => Promise<Answer>) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      const answer = await ask();
      this.#isThrottled = false;
      this.#isInVain = false;
      return answer;
    } catch (error) {
      const delayMs = throttledForMs(error);
      if (delayMs === undefined) throw error;
      this.#isThrottled = true;
      return await inTurn(async () => {
        if (this.#isInVain) throw error;
        await this.#clock.sleep(delayMs, ENDING);
        return await ask().catch((again: unknown) => {
          this.#isInVain = throttledForMs(again) !== undefined;
          throw again;
        });
      });
    }
  }
}

/** How long to wait, in milliseconds; undefined unless it is throttled for a moment. */
function throttledForMs(error: unknown): number | undefined {
  const retry = error instanceof NoTokenError ? error.retry : undefined;
  if (retry?.reason !== 'throttled') return undefined;
  const { retryAfterMs = USUAL_WAIT_MS } = retry;
  return retryAfterMs > MOST_WAIT_MS ? undefined : Math.max(retryAfterMs, USUAL_WAIT_MS);
}
