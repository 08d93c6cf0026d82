import { ApiError, UnauthorizedError } from '../../api/errors.ts';
import { refusalOf } from './rule.ts';

/** So many days are refused before the company is taken to refuse all, if no list of it was answered. */
const MOST_REFUSED_DAYS = 3;
/** What refusals may take, and how much more for each day that a list has shown. */
const PATIENCE_MS = 20 * 60_000;
const PATIENCE_A_DAY_MS = 2 * 60_000;

/** How long a company is asked in one direction although it refuses, or never answers in time: others wait for it. */
export class Patience {
  /** Why it is asked no more, whatever the days are: the answer to every further question. */
  reason: Error | undefined;
  private leftMs = PATIENCE_MS;
  private refusedDays = 0;
  private hasShown = false;
  /** Until when refusals are counted: questions that are asked at once are refused in the same minutes. */
  private countedUntilMs = Number.NEGATIVE_INFINITY;

  noteShown(dayCount: number): void {
    this.hasShown = true;
    this.leftMs += dayCount * PATIENCE_A_DAY_MS;
  }

  /** `askedAtMs`, `nowMs`: by a monotonic clock. */
  noteError(error: Error, askedAtMs: number, nowMs: number): void {
    if (refusalOf(error) === undefined) return;
    this.leftMs -= nowMs - Math.max(askedAtMs, this.countedUntilMs);
    this.countedUntilMs = nowMs;
    if (this.leftMs < 0) this.reason ??= error;
  }

  noteFailedDay(error: unknown): void {
    if (refusalOf(error) !== undefined) this.refusedDays += 1;
    const isRefused = !this.hasShown && this.refusedDays >= MOST_REFUSED_DAYS;
    const isInVain = isRefused || error instanceof UnauthorizedError || !(error instanceof ApiError);
    if (isInVain && error instanceof Error) this.reason ??= error;
  }
}
