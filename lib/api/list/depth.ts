import type { Clock } from '../../time/clock.ts';
import { type ListPage, type PageSource, type PageWindow, type ReadOptions, windowOf } from './page.ts';

/** Pages before anything is concluded. A shorter list is read soon enough anyway. */
const LEAST_PAGES = 250;
/** How many first and how many last latencies are compared. */
const SAMPLES = 40;
/** The last ones must be at least so many times, and so much, longer than the first. */
const STEEP = 2;
const STEEP_MS = 100;
/** Pages between comparisons. */
const CHECK_EVERY = 10;
/** A list without a page at this many times the depth is nearly read. */
const MUCH_DEEPER = 3;

/** Watches whether deeper pages of a list take longer, as with offset paging. */
export class DepthWatch {
  private readonly clock: Clock;
  private readonly first: number[] = [];
  private readonly last: number[] = [];
  private pages = 0;
  private deepest = 0;
  private isOver = false;
  private hasBecomeSteep = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The source with its latencies noted, except those of pages that waited for a permit. */
  timed(source: PageSource): PageSource {
    return {
      context: source.context,
      maxInFlight: source.maxInFlight,
      tryAcquire: () => source.tryAcquire(),
      read: (window, options) => this.read(source, window, options),
    };
  }

  /** Whether the last pages took much longer than the first ones. */
  get isSteep(): boolean {
    return !this.isOver && this.hasBecomeSteep;
  }

  /** Whether the list goes on much deeper. One request; whatever it shows, the watch is over. */
  async isMuchDeeper(source: PageSource, pageSize: number): Promise<boolean> {
    this.isOver = true;
    const { items } = await source.read(windowOf(this.deepest * MUCH_DEEPER, pageSize));
    return items.length > 0;
  }

  private read(source: PageSource, window: PageWindow, options: ReadOptions = {}): Promise<ListPage> {
    this.deepest = Math.max(this.deepest, window.pageNumber);
    if (options.permit === undefined || this.isOver) return source.read(window, options);
    const startMs = this.clock.monotonicMs();
    return source.read(window, {
      ...options,
      onReceived: () => {
        this.note(this.clock.monotonicMs() - startMs);
        options.onReceived?.();
      },
    });
  }

  private compare(): boolean {
    const [first, last] = [median(this.first), median(this.last)];
    return last >= STEEP * first && last - first >= STEEP_MS;
  }

  private note(latencyMs: number): void {
    this.pages += 1;
    if (this.first.length < SAMPLES) this.first.push(latencyMs);
    this.last.push(latencyMs);
    if (this.last.length > SAMPLES) this.last.shift();
    if (this.pages >= LEAST_PAGES && this.pages % CHECK_EVERY === 0) this.hasBecomeSteep = this.compare();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
