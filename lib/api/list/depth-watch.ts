import type { Clock } from '../../time/clock.ts';
import {
  changedSource,
  type ListPage,
  type PageSource,
  type PageWindow,
  type ReadOptions,
  windowOf,
} from './page.ts';

/** Pages to read before anything is concluded. A shorter list is read soon enough anyway. */
const LEAST_PAGES = 250;
/** Number of first latencies that are compared with as many last ones. */
const SAMPLES = 40;
/** The last ones must be longer than the first, by at least this factor and this much. */
const STEEP = 2;
const STEEP_MS = 100;
/** Pages between comparisons. */
const CHECK_EVERY = 10;
/** If there is no page at this many times the depth, most of the list has been read. */
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
    return changedSource(source, { read: (window, options) => this.read(source, window, options) });
  }

  /** Whether the last pages took much longer than the first ones. */
  get isSteep(): boolean {
    return !this.isOver && this.hasBecomeSteep;
  }

  /** Whether the list goes on much deeper. Takes one request, and ends the watch. */
  async isMuchDeeper(source: PageSource, pageSize: number): Promise<boolean> {
    this.isOver = true;
    const { items } = await source.read(windowOf(this.deepest * MUCH_DEEPER, pageSize));
    return items.length > 0;
  }

  private async read(source: PageSource, window: PageWindow, options?: ReadOptions): Promise<ListPage> {
    this.deepest = Math.max(this.deepest, window.pageNumber);
    const startMs = this.clock.monotonicMs();
    const page = await source.read(window, options);
    if (options?.permit !== undefined && !this.isOver) this.note(this.clock.monotonicMs() - startMs);
    return page;
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
