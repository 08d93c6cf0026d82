import { anySignal } from '../../system/concurrency.ts';
import { isSameWindow, type ListPage, type PageSource, type PageWindow } from './page.ts';
import type { PageRequest } from './pager.ts';

interface Pending {
  window: PageWindow;
  page: Promise<ListPage>;
  ahead?: { isNeeded: boolean } | undefined;
}

/** Pages requested or held, per permit. A page that has arrived holds no permit. */
const PENDING_PER_PERMIT = 2;

/** What is known about a list's length. */
export interface ListLength {
  /** The list probably has this many rows. Beyond them, pages are read ahead slowly. */
  expectedRows?: number;
  /** If that is unknown, one more page is read ahead for each `pagesPerStep` full pages. */
  pagesPerStep?: number;
}

const DEFAULT_PAGES_PER_STEP = 2;
/** Beyond the expected rows, one more page is read ahead for each step of this many rows. */
const SURPLUS_ROWS_PER_STEP = 400;

/**
 * Reads the pages that are asked for, and behind all other requests those that will probably be next: two a permit where
 * they are expected to exist, else one and slowly more, so that at most a third of the requests are past the end.
 */
export class ReadAhead {
  private readonly source: PageSource;
  private readonly length: ListLength;
  private readonly abandon = new AbortController();
  private readonly signal: AbortSignal | undefined;
  private pending: Pending[] = [];
  private fullPages = 1;
  private isEndSeen = false;

  constructor(source: PageSource, length: ListLength = {}) {
    this.source = source;
    this.length = length;
    this.signal = anySignal(source.signal, this.abandon.signal);
  }

  /** The page that is asked for, read already or now. */
  async take({ window, following }: PageRequest): Promise<ListPage> {
    if (following === undefined) return await this.ask(window);
    let [next] = this.pending;
    if (next === undefined || !isSameWindow(next.window, window)) {
      // The page wanted is not the one read ahead, because the end seems near.
      this.isEndSeen ||= next !== undefined;
      this.pending = [];
      next = this.start(window);
    }
    if (next.ahead !== undefined) next.ahead.isNeeded = true;
    let { window: last } = this.pending.at(-1) ?? next;
    while (!this.isEndSeen) {
      last = following(last);
      if (this.pending.length >= this.mostPending(last)) break;
      this.start(last, { isNeeded: false });
    }
    const page = await next.page;
    this.pending.shift();
    if (page.items.length >= window.pageSize) {
      this.fullPages += 1;
      if (this.pending.length === 0) this.isEndSeen = false;
    }
    return page;
  }

  /** Gives up what is still being read. */
  close(): void {
    this.abandon.abort();
  }

  private ask(window: PageWindow, ahead?: Pending['ahead']): Promise<ListPage> {
    return this.source.read(window, { ahead, signal: this.signal });
  }

  private start(window: PageWindow, ahead?: Pending['ahead']): Pending {
    const pending = { window, page: this.ask(window, ahead), ahead };
    this.pending.push(pending);
    const onPage = ({ items }: ListPage) => {
      this.isEndSeen ||= items.length < window.pageSize;
    };
    // Its error is seen when it is taken; if it never is, the error does not matter.
    pending.page.then(onPage, () => undefined);
    return pending;
  }

  private mostPending({ start }: PageWindow): number {
    const { expectedRows, pagesPerStep = DEFAULT_PAGES_PER_STEP } = this.length;
    const most = PENDING_PER_PERMIT * this.source.maxInFlight;
    if (expectedRows === undefined) return Math.min(most, 1 + Math.ceil(this.fullPages / pagesPerStep));
    if (start < expectedRows) return most;
    return Math.min(most, Math.ceil((start - expectedRows) / SURPLUS_ROWS_PER_STEP));
  }
}
