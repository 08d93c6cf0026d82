import type { Clock } from '../time/clock.ts';

/** Answers needed for a first estimate of the rate that the API allows. */
const LEAST_ANSWERS = 20;
/** The estimate counts the answers of the last seconds, over at least one second. */
const WINDOW_S = 10;
/** Each refusal multiplies the rate by this. */
const CUT = 0.95;
/** Up to this share of the last outcomes, refusals cost less than a slower pace would. */
const HARMLESS_SHARE = 0.03;
const LAST_OUTCOMES = 200;
/** To see whether a slower pace has helped, epochs of this many outcomes are compared. */
const EPOCH_OUTCOMES = 80;
/** It has not helped if the rate fell to the first of these shares and refusals stayed above the second. */
const MUCH_SLOWER = 0.7;
const HARDLY_FEWER = 0.85;
/** While nearly everything is refused, a slightly slower pace can't show yet whether it helps. */
const MOST_REFUSED = 0.7;
/** Refusals that come at any pace don't change the rate for this many outcomes. */
const LEFT_ALONE_OUTCOMES = 1_000;
/** Each second without a refusal adds this share of the rate after the last one. */
const GROWTH_PER_S = 0.004;

/** Refusals among some outcomes, and the rate at which they came. */
interface Epoch {
  outcomes: number;
  refused: number;
  ratePerS: number;
}

/**
 * How many requests a second may start, once the API has refused some: with short latencies, even one in flight may be
 * too many. Off until the first refusal. The first estimate is the rate of recent answers; it falls a little with every
 * refusal and rises slowly without. Refusals that are few, or as frequent at a much slower pace, are not caused by the
 * pace and don't change it: otherwise it would fall without end.
 */
export class Pace {
  private readonly clock: Clock;
  /** Answers by second, of the last seconds. */
  private readonly answers: { second: number; count: number }[] = [];
  private firstAnswerMs: number | undefined;
  private ratePerS: number | undefined;
  private ratedAtMs = 0;
  private nextStartMs = 0;
  /** Of the last outcomes, the newest last: whether each was a refusal. */
  private readonly outcomes: boolean[] = [];
  private refusedCount = 0;
  private epoch: Epoch | undefined;
  private earlier: Epoch | undefined;
  private leftAlone = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get isOn(): boolean {
    return this.ratePerS !== undefined;
  }

  /** Notes any answer that is not a refusal. */
  answered(): void {
    this.note(false);
    const nowMs = this.clock.monotonicMs();
    this.firstAnswerMs ??= nowMs;
    const second = Math.floor(nowMs / 1000);
    const last = this.answers.at(-1);
    if (last?.second === second) last.count += 1;
    else this.answers.push({ second, count: 1 });
    while (second - (this.answers[0]?.second ?? second) >= WINDOW_S) this.answers.shift();
  }

  /** Notes a refusal at the present pace. */
  refused(): void {
    this.note(true);
    if (this.leftAlone > 0 || this.refusedCount <= HARMLESS_SHARE * this.outcomes.length) return;
    const rate = this.rateNow() ?? this.firstGuess();
    if (rate === undefined) return;
    this.ratePerS = rate * CUT;
    this.ratedAtMs = this.clock.monotonicMs();
  }

  /** When the next request may start, by the monotonic clock. The slot is then taken. */
  nextStart(): number {
    const rate = this.rateNow();
    const nowMs = this.clock.monotonicMs();
    if (rate === undefined) return nowMs;
    const intervalMs = 1000 / rate;
    // Timers fire a little late; that much is made up for.
    const startMs = Math.max(this.nextStartMs, nowMs - intervalMs);
    this.nextStartMs = startMs + intervalMs;
    return startMs;
  }

  private note(isRefusal: boolean): void {
    this.outcomes.push(isRefusal);
    if (isRefusal) this.refusedCount += 1;
    if (this.outcomes.length > LAST_OUTCOMES && this.outcomes.shift() === true) this.refusedCount -= 1;
    this.leftAlone = Math.max(0, this.leftAlone - 1);
    const rate = this.rateNow();
    if (rate === undefined) return;
    this.epoch ??= { outcomes: 0, refused: 0, ratePerS: rate };
    this.epoch.outcomes += 1;
    this.epoch.refused += Number(isRefusal);
    if (this.epoch.outcomes === EPOCH_OUTCOMES) this.endEpoch(this.epoch);
  }

  private endEpoch(epoch: Epoch): void {
    this.epoch = undefined;
    const share = epoch.refused / epoch.outcomes;
    const { earlier } = this;
    if (epoch.refused === 0 || share > MOST_REFUSED) this.earlier = undefined;
    else if (earlier === undefined || share < HARDLY_FEWER * (earlier.refused / earlier.outcomes)) {
      this.earlier = epoch;
    } else if (epoch.ratePerS <= MUCH_SLOWER * earlier.ratePerS) {
      this.earlier = undefined;
      this.ratePerS = undefined;
      this.leftAlone = LEFT_ALONE_OUTCOMES;
    }
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
