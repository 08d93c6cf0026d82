import { NoTokenError } from '../api/access.ts';
import { Mutex } from '../system/concurrency.ts';
import type { Clock } from '../time/clock.ts';

/** A `Retry-After` of more is a pause: many limits begin anew each minute. */
const MOST_WAIT_MS = 60_000;
/** The farthest apart that two logins are begun. */
const MOST_SPACING_MS = 12_000;
/** Where it does not say how far: many limits count by the second. */
const USUAL_SPACING_MS = 2_000;
/** How often one login is asked for. */
const MOST_TRIES = 8;
/** How often the others wait for its window: it may be throttled alone. */
const MOST_WINDOWS = 2;
/** After so many tokens in a row it may have been throttled for another reason. */
const TOKENS_IN_A_ROW = 8;

/**
 * Logins of one address. Once it asks for fewer requests (status 429 or 503), none is begun for as long as it says, each is
 * asked again, and they are begun so far apart, or twice as far where that was not enough.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #turns = new Mutex();
  #spacingMs = 0;
  /** When the next may begin, by the monotonic clock. */
  #freeAtMs = 0;
  #givenCount = 0;
  #givenInARow = 0;
  /** None was given a token while one was asked as often as it may be: until one is, each is asked once. */
  #isInVain = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws what `ask` throws, or the signal's reason. */
  async ask<Answer>(ask: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    const givenBefore = this.#givenCount;
    let windows = 0;
    for (let tries = 1; ; tries += 1) {
      const spacingMs = await this.#turns.runExclusive(() => this.#turn(signal));
      try {
        const answer = await ask();
        this.#noteGiven();
        return answer;
      } catch (error) {
        const leastMs = throttledForMs(error);
        if (leastMs === undefined) throw error;
        this.#givenInARow = 0;
        if (leastMs > MOST_SPACING_MS) windows += 1;
        const isLast = tries === MOST_TRIES || windows > MOST_WINDOWS;
        if (isLast && this.#givenCount === givenBefore) {
          this.#isInVain = true;
          this.#spacingMs = USUAL_SPACING_MS;
          this.#freeAtMs = this.#clock.monotonicMs() + USUAL_SPACING_MS;
        }
        if (isLast || this.#isInVain) throw error;
        this.#keepApart(spacingMs, leastMs);
      }
    }
  }

  #noteGiven(): void {
    this.#isInVain = false;
    this.#givenCount += 1;
    this.#givenInARow += 1;
    if (this.#givenInARow < TOKENS_IN_A_ROW) return;
    this.#givenInARow = 0;
    this.#spacingMs = Math.min(this.#spacingMs, Math.max(this.#spacingMs / 2, USUAL_SPACING_MS));
  }

  #keepApart(spacingMs: number, leastMs: number): void {
    // What others found out meanwhile may be enough.
    const isEnough = this.#spacingMs > spacingMs;
    // What is left of a window says nothing of how far apart they may be.
    const saidMs = leastMs > MOST_SPACING_MS ? USUAL_SPACING_MS : leastMs;
    const neededMs = isEnough ? saidMs : Math.max(saidMs, 2 * spacingMs);
    this.#spacingMs = Math.min(Math.max(this.#spacingMs, neededMs), MOST_SPACING_MS);
    const waitMs = Math.max(this.#spacingMs, leastMs);
    this.#freeAtMs = Math.max(this.#freeAtMs, this.#clock.monotonicMs() + waitMs);
  }

  /** Waits until the next may begin. Gives how far it is from the one before. */
  async #turn(signal: AbortSignal | undefined): Promise<number> {
    signal?.throwIfAborted();
    const waitMs = this.#freeAtMs - this.#clock.monotonicMs();
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
    this.#freeAtMs = this.#clock.monotonicMs() + this.#spacingMs;
    return this.#spacingMs;
  }
}

/** Its own clock may be a little behind, and a request early. */
const MARGIN = 1.1;

/** The least wait, in milliseconds; undefined unless it is throttled for a moment. */
function throttledForMs(error: unknown): number | undefined {
  const retry = error instanceof NoTokenError ? error.retry : undefined;
  if (retry?.reason !== 'throttled') return undefined;
  const { retryAfterMs = 0 } = retry;
  return retryAfterMs > MOST_WAIT_MS ? undefined : Math.max(MARGIN * retryAfterMs, USUAL_SPACING_MS);
}
