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
export function startPace(clock: Clock) {
  /** Answers by second, of the last seconds. */
  const answers: { second: number; count: number }[] = [];
  let firstAnswerMs: number | undefined;
  let ratePerS: number | undefined;
  let ratedAtMs = 0;
  let nextStartMs = 0;
  /** Of the last outcomes, the newest last: whether each was a refusal. */
  const outcomes: boolean[] = [];
  let refusedCount = 0;
  let epoch: Epoch | undefined;
  let earlier: Epoch | undefined;
  let leftAlone = 0;

  function note(isRefusal: boolean): void {
    outcomes.push(isRefusal);
    if (isRefusal) refusedCount += 1;
    if (outcomes.length > LAST_OUTCOMES && outcomes.shift() === true) refusedCount -= 1;
    leftAlone = Math.max(0, leftAlone - 1);
    const rate = rateNow();
    if (rate === undefined) return;
    epoch ??= { outcomes: 0, refused: 0, ratePerS: rate };
    epoch.outcomes += 1;
    epoch.refused += Number(isRefusal);
    if (epoch.outcomes === EPOCH_OUTCOMES) endEpoch(epoch);
  }

  function endEpoch(ended: Epoch): void {
    epoch = undefined;
    const share = ended.refused / ended.outcomes;
    if (ended.refused === 0 || share > MOST_REFUSED) earlier = undefined;
    else if (earlier === undefined || share < HARDLY_FEWER * (earlier.refused / earlier.outcomes)) {
      earlier = ended;
    } else if (ended.ratePerS <= MUCH_SLOWER * earlier.ratePerS) {
      earlier = undefined;
      ratePerS = undefined;
      leftAlone = LEFT_ALONE_OUTCOMES;
    }
  }

  function rateNow(): number | undefined {
    if (ratePerS === undefined) return undefined;
    const seconds = (clock.monotonicMs() - ratedAtMs) / 1000;
    return ratePerS * (1 + GROWTH_PER_S * seconds);
  }

  function firstGuess(): number | undefined {
    const answerCount = answers.reduce((sum, { count }) => sum + count, 0);
    if (answerCount < LEAST_ANSWERS || firstAnswerMs === undefined) return undefined;
    const windowStartMs = (answers[0]?.second ?? 0) * 1000;
    const elapsedMs = clock.monotonicMs() - Math.max(windowStartMs, firstAnswerMs);
    return answerCount / Math.max(1, elapsedMs / 1000);
  }

  return {
    /** Notes any answer that is not a refusal. */
    answered(): void {
      note(false);
      const nowMs = clock.monotonicMs();
      firstAnswerMs ??= nowMs;
      const second = Math.floor(nowMs / 1000);
      const last = answers.at(-1);
      if (last?.second === second) last.count += 1;
      else answers.push({ second, count: 1 });
      while (second - (answers[0]?.second ?? second) >= WINDOW_S) answers.shift();
    },
    /** Notes a refusal at the present pace. */
    refused(): void {
      note(true);
      if (leftAlone > 0 || refusedCount <= HARMLESS_SHARE * outcomes.length) return;
      const rate = rateNow() ?? firstGuess();
      if (rate === undefined) return;
      ratePerS = rate * CUT;
      ratedAtMs = clock.monotonicMs();
    },
    /** When the next request may start, by the monotonic clock. The slot is then taken. */
    nextStart(): number {
      const rate = rateNow();
      const nowMs = clock.monotonicMs();
      if (rate === undefined) return nowMs;
      const intervalMs = 1000 / rate;
      // Timers fire a little late; that much is made up for.
      const startMs = Math.max(nextStartMs, nowMs - intervalMs);
      nextStartMs = startMs + intervalMs;
      return startMs;
    },
  };
}
