import { NoTokenError } from '../api/access.ts';

/** The longest that a login, or an address, that has failed is not asked, unless it says more. */
export const MOST_PAUSE_MS = 10 * 60_000;

/** As long as a company that does not answer is waited for. */
const LONGEST_OUTAGE_MS = 20 * 60_000;

/** An address that has failed for so long is asked once in ten minutes, and once by each login that gave its last token. */
export class Outage {
  #failure: unknown;
  #sinceMs = 0;
  #untilMs = 0;

  noteFailure(failure: unknown, nowMs: number): void {
    // What failed long before may have answered since, had it been asked.
    const isAnother = this.#failure === undefined || nowMs > this.#untilMs + MOST_PAUSE_MS;
    if (isAnother) this.#sinceMs = nowMs;
    this.#failure = failure;
    this.#untilMs = nowMs - this.#sinceMs < LONGEST_OUTAGE_MS ? nowMs : nowMs + MOST_PAUSE_MS;
  }

  end(): void {
    this.#failure = undefined;
  }

  /** How long it is not to be asked; 0 if it may be. */
  leftMs(nowMs: number): number {
    return this.#failure === undefined ? 0 : Math.max(this.#untilMs - nowMs, 0);
  }

  /** Throws the last failure while it is not to be asked. */
  assertOver(nowMs: number): void {
    const leftMs = this.leftMs(nowMs);
    if (leftMs > 0) throw pauseAfter(this.#failure, leftMs);
  }
}

/** The same failure, of which is told that nothing was asked. */
export function pauseAfter(failure: unknown, leftMs: number): unknown {
  if (!(failure instanceof NoTokenError) || failure.retry === undefined) return failure;
  const { whatHappened, advice, retry } = failure;
  return new NoTokenError(whatHappened, advice, { ...retry, isPause: true, retryAfterMs: leftMs });
}
