import type { Clock } from '../time/clock.ts';
import type { Direction } from '../units/unit.ts';
import { ApiDownError, ApiError, HttpStatusError, NoAnswerError, type RequestContext } from './errors.ts';

/** A company's client, which can ask once although requests are held back. */
interface Asker {
  readonly rut: string;
  askOnce(direction: Direction, signal: AbortSignal, maxRetryAfterMs?: number): Promise<void>;
}

/**
 * Asks once for something small, of another company than the failed request's if it can. Rejects with what went wrong: any
 * ApiError that does not say that the API is down is an answer.
 */
export type Trial = (failed: Asker, signal: AbortSignal) => Promise<void>;

/** What the API does not answer with, how long until it is asked again, and which try that will be. */
export interface Wait {
  fault: string;
  delayMs: number;
  tryNumber: number;
  mostTries: number;
  /** Whether it asks for fewer requests (429), and is not down. */
  isRefusal: boolean;
}

export interface BreakerOptions {
  clock: Clock;
  /** How often to wait for an API that has stopped answering. 0: not at all. */
  mostTries?: number;
  onWait?: (wait: Wait) => void;
}

const WAIT_MS = 30_000;
const MOST_TRIES = 10;
/** Whoever asks to wait longer is not waited for. */
export const LONGEST_WAIT_MS = 120_000;
/** Shorter pauses are told to nobody. */
const LONG_PAUSE_MS = 10_000;

/**
 * Tells an API that is down, or refuses everything, from one that fails at a single company or day. A request that has
 * failed with all its tries is followed by a trial; if that fails too, nothing but a trial every 30 seconds is sent
 * until one is answered. An API that was never reached is not waited for: its address is more likely wrong.
 */
export class Breaker {
  /** Asks on behalf of all requests. */
  trial: Trial = (failed, signal) => failed.askOnce('recibidos', signal);
  /** Whether nothing may be sent now. */
  isOpen = false;
  /** Whether the API has ever answered in this process, with any status: its address is right. */
  isReached = false;
  private readonly options: BreakerOptions;
  /** Those who wait for the outcome of the trials: whether the API was down. */
  private readonly waiting = new Set<(wasDown: boolean) => void>();
  /** The trials that go on, if any; it is aborted at their end. */
  private trials: AbortController | undefined;
  /** Whether it has given up, for good. */
  private isGivenUp = false;
  private fault: Fault = { text: '', isRefusal: false, retryAfterMs: 0 };
  private toldUntilMs = 0;

  constructor(options: BreakerOptions) {
    this.options = options;
  }

  /** Waits while it is open. Throws an ApiDownError if it has given up, or the signal's reason. */
  async hold(context: RequestContext, signal?: AbortSignal): Promise<void> {
    if (this.trials !== undefined) await this.outcome(signal);
    if (this.isGivenUp) throw new ApiDownError(context, this.fault, this.isReached);
  }

  /** A request was answered, neither refused nor with a status of 500 or more. */
  noteAnswer(): void {
    if (this.trials !== undefined) this.end();
  }

  /** All requests of a company wait, since one of them was refused or not answered in time. */
  notePause(error: Error, delayMs: number, tryNumber: number, mostTries: number): void {
    const fault = faultOf(error);
    const nowMs = this.options.clock.monotonicMs();
    if (fault === undefined || delayMs < LONG_PAUSE_MS || nowMs < this.toldUntilMs) return;
    this.tell(fault, delayMs, tryNumber, mostTries);
  }

  /**
   * A request of this client has used all its tries. Waits until it is clear whether the API is down; true if it was,
   * and answers again, or if the request was only refused (429), and not for long: it has waited six times.
   */
  async isWorthAgain(error: unknown, failed: Asker, signal?: AbortSignal): Promise<boolean> {
    const fault = faultOf(error);
    if (fault === undefined || this.isGivenUp) return false;
    if (this.trials === undefined) {
      this.fault = fault;
      void this.tryUntilAnswered(failed);
    }
    const wasDown = await this.outcome(signal);
    return wasDown || (fault.isRefusal && fault.retryAfterMs <= WAIT_MS && !this.isGivenUp);
  }

  private async tryUntilAnswered(failed: Asker): Promise<void> {
    const { clock, mostTries = MOST_TRIES } = this.options;
    this.trials = new AbortController();
    const { signal } = this.trials;
    for (let tryNumber = 1; ; tryNumber += 1) {
      const error: unknown = await this.trial(failed, signal).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (signal.aborted) return;
      if (error === undefined || isAnswer(error)) return this.end();
      this.fault = faultOf(error) ?? this.fault;
      this.isOpen = true;
      const isTooLong = this.fault.retryAfterMs > LONGEST_WAIT_MS;
      if (!this.isReached || tryNumber > mostTries || isTooLong) {
        this.isGivenUp = true;
        return this.end();
      }
      const delayMs = Math.max(WAIT_MS, this.fault.retryAfterMs);
      this.tell(this.fault, delayMs, tryNumber, mostTries);
      await clock.sleep(delayMs, signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  private tell({ text, isRefusal }: Fault, delayMs: number, tryNumber: number, mostTries: number): void {
    this.toldUntilMs = this.options.clock.monotonicMs() + delayMs;
    this.options.onWait?.({ fault: text, delayMs, tryNumber, mostTries, isRefusal });
  }

  private end(): void {
    const wasDown = this.isOpen && !this.isGivenUp;
    this.isOpen = this.isGivenUp;
    this.trials?.abort();
    this.trials = undefined;
    const settlers = [...this.waiting];
    this.waiting.clear();
    for (const settle of settlers) settle(wasDown);
  }

  private outcome(signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const settle = (wasDown: boolean) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(wasDown);
      };
      const onAbort = () => {
        this.waiting.delete(settle);
        // Nobody is left to try for.
        if (this.waiting.size === 0) this.end();
        reject(signal?.reason);
      };
      this.waiting.add(settle);
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted === true) onAbort();
    });
  }
}

interface Fault {
  text: string;
  isRefusal: boolean;
  retryAfterMs: number;
}

/** Whether the API is there: what went wrong is the company's, or the request's. */
export function isAnswer(error: unknown): boolean {
  return error instanceof ApiError && faultOf(error) === undefined;
}

/** What is wrong, in words, if the error is that of an API that may be down or refuses everything. */
function faultOf(error: unknown): Fault | undefined {
  if (error instanceof NoAnswerError) {
    // A login that is not asked for so long says nothing of the API.
    if (error.retryAfterMs > LONGEST_WAIT_MS) return undefined;
    return { text: error.fault, isRefusal: false, retryAfterMs: error.retryAfterMs };
  }
  if (!(error instanceof HttpStatusError)) return undefined;
  const { status, retryAfterMs } = error;
  const isRefusal = status === 429;
  return status >= 500 || isRefusal ? { text: `status ${status}`, isRefusal, retryAfterMs } : undefined;
}
