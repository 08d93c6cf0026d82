import type { Release } from '../governor.ts';
import type { ListPage, PageSource, PageWindow } from './page.ts';

interface Pending {
  window: PageWindow;
  page: Promise<ListPage>;
}

/** Pages requested or held, per permit. A page that has arrived holds no permit. */
const PENDING_PER_PERMIT = 2;

/** What is known about a list's length. */
export interface ListLength {
  /** The list probably has this many rows. Beyond them, pages are read ahead slowly. */
  expectedRows?: number;
  /** The list has at least this many rows. */
  leastRows?: number;
  /** Beyond those, one more page is read ahead for each `pagesPerStep` full pages. */
  pagesPerStep?: number;
}

const DEFAULT_PAGES_PER_STEP = 2;
/** Beyond the expected rows, one more page is read ahead for each step of this many rows. */
const SURPLUS_ROWS_PER_STEP = 400;

/**
 * Reads the pages that will probably be needed next, with permits that nothing else needs: up to twice the source's
 * permits if the pages surely exist or are expected to. Otherwise it reads one page ahead at first and one more after
 * every second full page, so that at most a third of the requests are past the end.
 */
export class ReadAhead {
  private readonly source: PageSource;
  private readonly following: (window: PageWindow) => PageWindow;
  private readonly length: ListLength;
  private readonly stopUsing: () => void;
  private readonly abandon = new AbortController();
  private pending: Pending[] = [];
  private last: PageWindow | undefined;
  private fullPages = 1;
  private isEndSeen = false;
  private isReadingAhead = false;

  /** `following` returns the page after one that came full. */
  constructor(source: PageSource, following: (window: PageWindow) => PageWindow, length: ListLength = {}) {
    this.source = source;
    this.following = following;
    this.length = length;
    this.stopUsing = source.whenFree(() => this.readAhead());
  }

  /** The page of this window, read already or now. */
  async take(window: PageWindow): Promise<ListPage> {
    const [next] = this.pending;
    let page = next?.page;
    if (page === undefined || next === undefined || !isSameWindow(next.window, window)) {
      // The page wanted is not the one read ahead, because the end seems near. If no permit was free, none was.
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

  /** Requests a page aside from those; `close` gives it up too. */
  ask(window: PageWindow, permit?: Release): Promise<ListPage> {
    const page = this.source.read(window, { permit, signal: this.abandon.signal });
    // The error is seen when the page is taken; if it never is, the error does not matter.
    page.catch(() => undefined);
    return page;
  }

  /** Gives up what is still being read. */
  close(): void {
    this.isEndSeen = true;
    this.stopUsing();
    this.abandon.abort();
  }

  private start(window: PageWindow, permit?: Release): Promise<ListPage> {
    const page = this.ask(window, permit);
    this.pending.push({ window, page });
    this.last = window;
    page.then(
      ({ items }) => {
        if (items.length < window.pageSize) this.isEndSeen = true;
        this.readAhead();
      },
      () => undefined,
    );
    return page;
  }

  private mostPending({ start }: PageWindow): number {
    const { expectedRows, leastRows = 0, pagesPerStep = DEFAULT_PAGES_PER_STEP } = this.length;
    const most = PENDING_PER_PERMIT * this.source.maxInFlight;
    if (start < Math.max(leastRows, expectedRows ?? 0)) return most;
    const { fullPages } = this;
    const steps =
      expectedRows === undefined
        ? 1 + Math.ceil(fullPages / pagesPerStep)
        : Math.ceil((start - expectedRows) / SURPLUS_ROWS_PER_STEP);
    return Math.min(most, steps);
  }

  private readAhead(): void {
    // A request that is refused at once frees its permit before it is noted as pending.
    if (this.isReadingAhead) return;
    this.isReadingAhead = true;
    this.requestPages();
    this.isReadingAhead = false;
  }

  private requestPages(): void {
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
