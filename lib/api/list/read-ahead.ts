import type { Release } from '../governor.ts';
import type { ListPage, PageSource, PageWindow } from './page.ts';

interface Pending {
  window: PageWindow;
  page: Promise<ListPage>;
}

/** Pages that are here and wait for their turn take no permit: so many are asked for or kept for each permit. */
const PENDING_PER_PERMIT = 2;

/** What is known of a list's length, in rows. */
export interface ListLength {
  /** Pages past so many rows are not read ahead. */
  expectedRows?: number;
  /** Pages of the first so many rows are surely there. */
  leastRows?: number;
  /** Pages that came full for each page more that is read ahead behind these. */
  pagesPerStep?: number;
}

const DEFAULT_PAGES_PER_STEP = 2;

/**
 * Reads the pages that will probably be asked for next, with permits that nothing else needs: up to twice the source's
 * permits where they are surely there or expected. Else it is one page ahead at first and one more after every second
 * full page, so that at most a third of what is asked for turns out to lie past the end.
 */
export class ReadAhead {
  private readonly source: PageSource;
  private readonly following: (window: PageWindow) => PageWindow;
  private readonly length: ListLength;
  private readonly abandon = new AbortController();
  private pending: Pending[] = [];
  private last: PageWindow | undefined;
  private fullPages = 1;
  private isEndSeen = false;

  /** `following` gives the page after one that came full. */
  constructor(source: PageSource, following: (window: PageWindow) => PageWindow, length: ListLength = {}) {
    this.source = source;
    this.following = following;
    this.length = length;
  }

  /** The page of this window, read already or now. */
  async take(window: PageWindow): Promise<ListPage> {
    const [next] = this.pending;
    let page = next?.page;
    if (page === undefined || next === undefined || !isSameWindow(next.window, window)) {
      // Another page than the one foreseen is wanted because the end seems near; none was foreseen where there was
      // no permit for it.
      if (next !== undefined) this.isEndSeen = true;
      this.pending = [];
      page = this.start(window);
    }
    this.readAhead();
    const result = await page;
    this.pending.shift();
    if (result.items.length >= window.pageSize) {
      this.fullPages += 1;
      if (this.pending.length === 0) this.isEndSeen = false;
    }
    return result;
  }

  /** Gives up what is still being read. */
  close(): void {
    this.isEndSeen = true;
    this.abandon.abort();
  }

  private start(window: PageWindow, permit?: Release): Promise<ListPage> {
    const page = this.source.read(window, {
      permit,
      signal: this.abandon.signal,
      onReceived: () => this.readAhead(),
    });
    this.pending.push({ window, page });
    this.last = window;
    page.then(
      ({ items }) => {
        if (items.length < window.pageSize) this.isEndSeen = true;
        this.readAhead();
      },
      // Whoever takes the page sees the error; a page that nobody takes does not matter.
      () => undefined,
    );
    return page;
  }

  private mostPending({ start }: PageWindow): number {
    const { expectedRows, leastRows = 0, pagesPerStep = DEFAULT_PAGES_PER_STEP } = this.length;
    const most = PENDING_PER_PERMIT * this.source.maxInFlight;
    if (start < leastRows) return most;
    if (expectedRows !== undefined) return start < expectedRows ? most : 0;
    return Math.min(most, 1 + Math.ceil(this.fullPages / pagesPerStep));
  }

  private readAhead(): void {
    while (this.last !== undefined && !this.isEndSeen) {
      const window = this.following(this.last);
      if (this.pending.length >= this.mostPending(window)) return;
      const permit = this.source.tryAcquire();
      if (permit === undefined) return;
      this.start(window, permit);
    }
  }
}

function isSameWindow(a: PageWindow, b: PageWindow): boolean {
  return a.pageNumber === b.pageNumber && a.pageSize === b.pageSize;
}
