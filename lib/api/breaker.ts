import type { Clock } from '../time/clock.ts';
import type { Direction } from '../units/unit.ts';
import { ApiDownError, ApiError, HttpStatusError, NoAnswerError, type RequestContext } from './errors.ts';

/** A company's client, which can ask once although requests are held back. */
interface Asker {
  readonly rut: string;
  askOnce(direction: Direction, signal: AbortSignal): Promise<void>;
}

/**
 * Asks once for something small, of another company than the failed request's if it can. Rejects with what went wrong: any
 * ApiError that does not say that the API is down is an answer.
 */
export type Trial = (failed: Asker, signal: AbortSignal) => Promise<void>;

/** What the API does not answer with, how long until it is tried again, and which try that will be. */
export interface Wait {
  fault: string;
  delayMs: number;
  tryNumber: number;
  mostTries: number;
}

export interface BreakerOptions {
  clock: Clock;
  /** How often to wait for an API that has stopped answering. 0: not at all. */
  mostTries?: number;
  onWait?: (wait: Wait) => void;
}

/** Fewer may be the fault of what they ask for. */
const FAILURES_IN_A_ROW = 5;
const WAIT_MS = 30_000;
const MOST_TRIES = 10;

type Settle = (isToBeSentAgain: boolean) => void;

/**
 * Tells an API that is down from one that fails at a single company or day. Five requests in a row without an answer or
 * with a 5xx status, or all that are under way if they are fewer, open it: nothing is sent but a trial, until that is
 * answered. An API that was never reached is not waited for: its address is more likely wrong.
 */
export class Breaker {
  /** Asks on behalf of all requests. */
  trial: Trial = (failed, signal) => failed.askOnce('recibidos', signal);
  private readonly options: BreakerOptions;
  /** The failures in a row. They wait too: if the API was down, they are sent again. */
  private readonly failures = new Set<Settle>();
  private readonly held = new Set<Settle>();
  private underWay = 0;
  /** Whether the API has ever answered in this process, with any status: its address is right. */
  isReached = false;
  private lastFault = '';
  private lastFailed: Asker | undefined;
  /** Set while it is open; aborted when it closes. */
  private outage: AbortController | undefined;
  private failedTrials = 0;
  private isDown = false;

  constructor(options: BreakerOptions) {
    this.options = options;
  }

  /** Whether nothing may be sent now. */
  get isOpen(): boolean {
    return this.outage !== undefined || this.isDown;
  }

  /** Counts a request, with all its attempts, as under way. */
  async watch<T>(request: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await request();
    } finally {
      this.underWay -= 1;
      this.openIfDue();
    }
  }

  /** Any status arrived. */
  noteReached(): void {
    this.isReached = true;
  }

  /** Waits while it is open. Throws an ApiDownError if it has given up, or the signal's reason. */
  async hold(context: RequestContext, signal?: AbortSignal): Promise<void> {
    if (this.outage !== undefined) await this.wait(this.held, signal);
    if (this.isDown) throw new ApiDownError(context, this.lastFault, this.isReached);
  }

  /** A request was answered, with any status below 500. */
  noteAnswer(): void {
    if (this.failures.size > 0 || this.outage !== undefined) this.close();
  }

  /**
   * A request of this client has used all its attempts. Waits until it is clear whether the API is down; true if it was,
   * and answers again.
   */
  async isWorthAgain(error: unknown, failed: Asker, signal?: AbortSignal): Promise<boolean> {
    const fault = faultOf(error);
    if (fault === undefined || this.isDown) return false;
    this.lastFault = fault;
    this.lastFailed = failed;
    const verdict = this.wait(this.failures, signal);
    this.openIfDue();
    return await verdict;
  }

  private openIfDue(): void {
    const { size } = this.failures;
    const isDue = size >= FAILURES_IN_A_ROW || (size > 0 && size === this.underWay);
    if (isDue && !this.isOpen && this.lastFailed !== undefined) void this.open(this.lastFailed);
  }

  private async open(failed: Asker): Promise<void> {
    const outage = new AbortController();
    this.outage = outage;
    const { clock, mostTries = MOST_TRIES, onWait } = this.options;
    for (let tryNumber = 1; ; tryNumber += 1) {
      const fault = await this.trial(failed, outage.signal).then(
        () => undefined,
        (error: unknown) => faultOf(error) ?? (error instanceof ApiError ? undefined : this.lastFault),
      );
      if (outage.signal.aborted) return;
      if (fault === undefined) return this.close();
      this.lastFault = fault;
      this.failedTrials += 1;
      if (!this.isReached || tryNumber > mostTries) return this.giveUp();
      onWait?.({ fault, delayMs: WAIT_MS, tryNumber, mostTries });
      await clock.sleep(WAIT_MS, outage.signal).catch(() => undefined);
      if (outage.signal.aborted) return;
    }
  }

  /** What failed is sent again only if a trial failed too: else it is its own fault. */
  private close(): void {
    const wasDown = this.failedTrials > 0;
    this.failedTrials = 0;
    this.outage?.abort();
    this.outage = undefined;
    settle(this.failures, wasDown);
    settle(this.held, true);
  }

  private giveUp(): void {
    this.isDown = true;
    this.outage = undefined;
    settle(this.failures, false);
    settle(this.held, false);
  }

  private wait(waiting: Set<Settle>, signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const end: Settle = (isToBeSentAgain) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(isToBeSentAgain);
      };
      const onAbort = () => {
        waiting.delete(end);
        // Nobody is left to try for.
        if (this.failures.size + this.held.size === 0) this.close();
        reject(signal?.reason);
      };
      waiting.add(end);
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted === true) onAbort();
    });
  }
}

function settle(waiting: Set<Settle>, isToBeSentAgain: boolean): void {
  const all = [...waiting];
  waiting.clear();
  for (const end of all) end(isToBeSentAgain);
}

/** What is wrong, in words, if the error is that of an API that may be down. */
function faultOf(error: unknown): string | undefined {
  if (error instanceof NoAnswerError) return error.fault;
  return error instanceof HttpStatusError && error.status >= 500 ? `status ${error.status}` : undefined;
}
