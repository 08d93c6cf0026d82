import { NoTokenError } from '../api/access.ts';
import { Mutex } from '../system/concurrency.ts';
import type { Clock } from '../time/clock.ts';

/** The longest wait between two logins; a `Retry-After` of more is a pause. */
const MOST_WAIT_MS = 10_000;
/** Where it does not say how long: many limits count by the second. */
const USUAL_WAIT_MS = 2_000;

/**
 * Logins of one address. Once it asks for fewer requests (status 429 or 503), each is asked again, and they are begun so far
 * apart, or twice as far where that was not enough.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #turns = new Mutex();
  #spacingMs = 0;
  /** When the next may begin, by the monotonic clock. */
  #freeAtMs = 0;
  /** It still asked for fewer after the longest wait: until it gives a token, nobody waits. */
  #isInVain = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws what `ask` throws, or the signal's reason. */
  async ask<Answer>(ask: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    for (;;) {
      const spacingMs = await this.#turns.runExclusive(() => this.#turn(signal));
      try {
        const answer = await ask();
        if (this.#isInVain) this.#spacingMs = 0;
        this.#isInVain = false;
        return answer;
      } catch (error) {
        const leastMs = throttledForMs(error);
        if (leastMs === undefined || this.#isInVain) throw error;
        // What others found out meanwhile may be enough.
        const isEnough = this.#spacingMs > spacingMs && this.#spacingMs >= leastMs;
        const neededMs = isEnough ? this.#spacingMs : Math.max(leastMs, 2 * spacingMs);
        this.#isInVain = neededMs > MOST_WAIT_MS;
        if (this.#isInVain) throw error;
        this.#spacingMs = neededMs;
        this.#freeAtMs = Math.max(this.#freeAtMs, this.#clock.monotonicMs() + neededMs);
      }
    }
  }

  /** Waits until the next may begin. Gives how far it is from the one before. */
  async #turn(signal: AbortSignal | undefined): Promise<number> {
    signal?.throwIfAborted();
    const waitMs = this.#freeAtMs - this.#clock.monotonicMs();
    if (waitMs > 0 && !this.#isInVain) await this.#clock.sleep(waitMs, signal);
    this.#freeAtMs = this.#clock.monotonicMs() + this.#spacingMs;
    return this.#spacingMs;
  }
}

/** The least wait, in milliseconds; undefined unless it is throttled for a moment. */
function throttledForMs(error: unknown): number | undefined {
  const retry = error instanceof NoTokenError ? error.retry : undefined;
  if (retry?.reason !== 'throttled') return undefined;
  const { retryAfterMs = USUAL_WAIT_MS } = retry;
  return retryAfterMs > MOST_WAIT_MS ? undefined : Math.max(retryAfterMs, USUAL_WAIT_MS);
}
