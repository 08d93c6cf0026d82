import type { PageSource, PageWindow, ReadOptions } from '../api/list/page.ts';

/** Rows of a unit that are kept in memory beside those of any others. */
const LARGE_ROWS = 20_000;

interface Waiter {
  enter: () => void;
}

/**
 * Lets one unit at a time grow large, from its 20,000th row until it is stored; others wait there. So the memory
 * of a run is that of one large unit and of as many smaller ones as are read at once, however many units it has.
 * One large unit alone keeps all requests in flight that a company may have.
 */
export class LargeUnits {
  private holder: UnitGrowth | undefined;
  private readonly waiting: (Waiter & { growth: UnitGrowth })[] = [];

  /** Whether it is this unit's turn, from now on if it is nobody's. */
  tryEnter(growth: UnitGrowth): boolean {
    this.holder ??= growth;
    return this.holder === growth;
  }

  enter(growth: UnitGrowth, signal?: AbortSignal): Promise<void> {
    if (this.tryEnter(growth)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      const enter = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const waiter = { growth, enter };
      this.waiting.push(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted === true) onAbort();
    });
  }

  leave(growth: UnitGrowth): void {
    if (this.holder !== growth) return;
    this.holder = this.waiting[0]?.growth;
    // Several pages of it may wait.
    const entering = this.waiting.filter((waiter) => waiter.growth === this.holder);
    for (const waiter of entering) {
      this.waiting.splice(this.waiting.indexOf(waiter), 1);
      waiter.enter();
    }
  }
}

/** One unit on its way to being large. */
export class UnitGrowth {
  private readonly largeUnits: LargeUnits;
  private isLarge = false;

  constructor(largeUnits: LargeUnits) {
    this.largeUnits = largeUnits;
  }

  /** The source, held up where the unit grows large and it is another's turn. */
  limited(source: PageSource, signal?: AbortSignal): PageSource {
    return {
      context: source.context,
      maxInFlight: source.maxInFlight,
      // Nothing is read ahead meanwhile: it would hold permits that the unit whose turn it is needs.
      tryAcquire: () => (this.isLarge && !this.largeUnits.tryEnter(this) ? undefined : source.tryAcquire()),
      read: async (window: PageWindow, options: ReadOptions = {}) => {
        if (window.start >= LARGE_ROWS) this.isLarge = true;
        if (this.isLarge && options.permit === undefined) await this.largeUnits.enter(this, signal);
        return await source.read(window, options);
      },
    };
  }

  /** The unit is stored, or given up: its rows are no longer in memory. */
  end(): void {
    this.largeUnits.leave(this);
  }
}
