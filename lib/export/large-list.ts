import type { PageSource } from '../api/list/page.ts';
import type { Semaphore } from '../system/concurrency.ts';

/** Lists of up to this many rows may be in memory together, and of up to so many bytes. */
const LARGE_ROWS = 20_000;
const LARGE_BYTES = 20 * 2 ** 20;

/**
 * A list that may grow large. Only one at a time grows beyond 20,000 rows, or 20 MB; others wait there until its units are
 * stored. So a run needs memory for one large list and for as many smaller ones as are read at once.
 */
export class LargeList {
  private readonly turns: Semaphore;
  private readonly signal: AbortSignal;
  private readonly over = new AbortController();
  /** Its turn, once it is large. */
  private turn: Promise<void> | undefined;
  private byteCount = 0;

  /** `turns`: the one permit of all lists. */
  constructor(turns: Semaphore, signal: AbortSignal) {
    this.turns = turns;
    this.signal = signal;
  }

  /** The source; it waits if the list grows large during another one's turn. */
  limited(source: PageSource): PageSource {
    return {
      ...source,
      read: async (window, options) => {
        if (window.start >= LARGE_ROWS || this.byteCount >= LARGE_BYTES)
          this.turn ??= this.turns.acquire(AbortSignal.any([this.signal, this.over.signal]));
        await this.turn;
        const page = await source.read(window, options);
        this.byteCount += page.byteCount ?? 0;
        return page;
      },
    };
  }

  /** Its units are stored, or given up: its rows are no longer in memory. */
  end(): void {
    this.over.abort();
    this.turn?.then(
      () => this.turns.release(),
      () => undefined,
    );
    this.turn = undefined;
  }
}
