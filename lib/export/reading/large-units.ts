import type { PageSource, PageWindow, ReadOptions } from '../../api/list/page.ts';

/** Up to so many rows, a unit may be in memory together with any others. */
const LARGE_ROWS = 20_000;

interface Waiter {
  enter: () => void;
}

/**
 * Lets only one unit at a time grow beyond 20,000 rows; others wait there until it is stored. So a run needs memory for
 * one large unit and for as many smaller ones as are read at once, however many units it has. One large unit alone uses
 * all requests in flight that a company may have.
 */
export class LargeUnits {
  private holder: UnitGrowth | undefined;
  private readonly waiting: (Waiter & { growth: UnitGrowth })[] = [];

  /** Whether it is this unit's turn. If it is nobody's, this unit takes it. */
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

/** One unit that may grow large. */
export class UnitGrowth {
  private readonly largeUnits: LargeUnits;
  private isLarge = false;

  constructor(largeUnits: LargeUnits) {
    this.largeUnits = largeUnits;
  }

  /** The source; it waits if the unit grows large during another one's turn. */
  limited(source: PageSource, signal?: AbortSignal): PageSource {
    return {
      context: source.context,
      maxInFlight: source.maxInFlight,
      // Nothing is read ahead meanwhile: it would hold permits that the unit whose turn it is needs.
      tryAcquire: () => (this.isLarge && !this.largeUnits.tryEnter(this) ? undefined : source.tryAcquire()),
      whenFree: (onFree) => source.whenFree(onFree),
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
