import { refusalOf } from './rule.ts';

/** What a company may cost in refusals, and how much more for each day that a list of it has shown. */
const PATIENCE_MS = 20 * 60_000;
const PATIENCE_A_DAY_MS = 2 * 60_000;

/** How long a company is asked in one direction although it refuses, or never answers in time: others wait for it. */
export class Patience {
  /** Its last refusal, once there were enough: the answer to every further question. */
  end: Error | undefined;
  private leftMs = PATIENCE_MS;
  /** Questions that are asked at once are refused in the same minutes. */
  private countedUntilMs = Number.NEGATIVE_INFINITY;

  noteDays(count: number): void {
    this.leftMs += count * PATIENCE_A_DAY_MS;
  }

  /** `askedAtMs`, `nowMs`: by a monotonic clock. */
  noteError(error: Error, askedAtMs: number, nowMs: number): void {
    if (refusalOf(error) === undefined) return;
    this.leftMs -= nowMs - Math.max(askedAtMs, this.countedUntilMs);
    this.countedUntilMs = nowMs;
    if (this.leftMs < 0) this.end = error;
  }
}
