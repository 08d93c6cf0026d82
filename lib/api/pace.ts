import type { Clock } from '../time/clock.ts';

/** Answers before a first guess is made of how many a second the API allows. */
const LEAST_ANSWERS = 20;
/** Answers of these last seconds are counted; the guess is never over less than one second. */
const WINDOW_S = 10;
/** A refusal makes it slower by this, … */
const CUT = 0.95;
/** … and every second without one faster by this part of what it was after the refusal. */
const GROWTH_PER_S = 0.004;

/**
 * How many requests a second may begin, once the API has refused some: with short latencies even one in flight
 * may be too many. Off until the first refusal; then what was answered in the last seconds is the first guess,
 * a little less after every refusal, and slowly more without.
 */
export class Pace {
  private readonly clock: Clock;
  /** Answers by second, of the last seconds. */
  private readonly answers: { second: number; count: number }[] = [];
  private firstAnswerMs: number | undefined;
  private ratePerS: number | undefined;
  private ratedAtMs = 0;
  private nextStartMs = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get isOn(): boolean {
    return this.ratePerS !== undefined;
  }

  /** An answer came, whatever it was, but a refusal. */
  answered(): void {
    const nowMs = this.clock.monotonicMs();
    this.firstAnswerMs ??= nowMs;
    const second = Math.floor(nowMs / 1000);
    const last = this.answers.at(-1);
    if (last?.second === second) last.count += 1;
    else this.answers.push({ second, count: 1 });
    while (second - (this.answers[0]?.second ?? second) >= WINDOW_S) this.answers.shift();
  }

  /** The API refused a request that was begun at the present pace. */
  refused(): void {
    const rate = this.rateNow() ?? this.firstGuess();
    if (rate === undefined) return;
    this.ratePerS = rate * CUT;
    this.ratedAtMs = this.clock.monotonicMs();
  }

  /** When the next request may begin, by the monotonic clock; it is then taken to begin. */
  nextStart(): number {
    const rate = this.rateNow();
    const nowMs = this.clock.monotonicMs();
    if (rate === undefined) return nowMs;
    const intervalMs = 1000 / rate;
    // Timers are late by a little; so much is made up for.
    const startMs = Math.max(this.nextStartMs, nowMs - intervalMs);
    this.nextStartMs = startMs + intervalMs;
    return startMs;
  }

  private rateNow(): number | undefined {
    if (this.ratePerS === undefined) return undefined;
    const seconds = (this.clock.monotonicMs() - this.ratedAtMs) / 1000;
    return this.ratePerS * (1 + GROWTH_PER_S * seconds);
  }

  private firstGuess(): number | undefined {
    const count = this.answers.reduce((sum, answers) => sum + answers.count, 0);
    if (count < LEAST_ANSWERS || this.firstAnswerMs === undefined) return undefined;
    const nowMs = this.clock.monotonicMs();
    const windowStartMs = (this.answers[0]?.second ?? 0) * 1000;
    return count / Math.max(1, (nowMs - Math.max(windowStartMs, this.firstAnswerMs)) / 1000);
  }
}
