import type { PageSource } from '../../api/list/page.ts';
import type { Semaphore } from '../../system/concurrency.ts';

/** Lists of up to this many rows may be in memory together. */
const LARGE_ROWS = 20_000;

/**
 * One list that may grow large. Only one at a time grows beyond 20,000 rows; others wait there until it is stored. So a
 * run needs memory for one large unit and for as many smaller ones as are read at once, however many units it has. One
 * large unit alone uses all requests in flight that a company may have.
 */
export class LargeList {
  private readonly largeUnits: Semaphore;
  private readonly signal: AbortSignal;
  /** Set once it is large. */
  private turn: Promise<void> | undefined;
  private isItsTurn = false;
  private isOver = false;

  /** `largeUnits`: the one permit of all units. */
  constructor(largeUnits: Semaphore, signal: AbortSignal) {
    this.largeUnits = largeUnits;
    this.signal = signal;
  }

  /** The source; it waits if the unit grows large during another one's turn. */
  limited(source: PageSource): PageSource {
    return {
      ...source,
      // Nothing is read ahead meanwhile: it would hold permits that the unit whose turn it is needs.
      tryAcquire: () => (this.turn === undefined || this.isItsTurn ? source.tryAcquire() : undefined),
      read: async (window, options) => {
        if (window.start >= LARGE_ROWS) this.turn ??= this.waitForTurn();
        if (options?.permit === undefined) await this.turn;
        return await source.read(window, options);
      },
    };
  }

  /** The unit is stored, or given up: its rows are no longer in memory. */
  end(): void {
    this.isOver = true;
    if (this.isItsTurn) this.largeUnits.release();
    this.isItsTurn = false;
  }

  private waitForTurn(): Promise<void> {
    const turn = this.largeUnits.acquire(this.signal).then(() => {
      if (this.isOver) this.largeUnits.release();
      else this.isItsTurn = true;
    });
    // The error is seen when the turn is awaited.
    turn.catch(() => undefined);
    return turn;
  }
}
