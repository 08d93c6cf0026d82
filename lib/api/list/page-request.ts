import * as v from 'valibot';
import { anySignal } from '../../concurrency.ts';
import { plural } from '../../text/terminal.ts';
import { rangeText } from '../../time/days.ts';
import { BodyError } from '../body.ts';
import type { ApiClient, RequestTally } from '../client.ts';
import { type Direction, ENDPOINTS } from '../directions.ts';
import { ApiError, type RequestContext } from '../errors.ts';
import { type FiltersByDirection, toQuery, withPaging } from '../filters.ts';
import type { Release } from '../governor.ts';
import { receiptIds } from '../receipt.ts';
import type { ListPage, PageSource, PageWindow, ReadOptions } from './page.ts';

/** Counts the requests and pages of reading lists. */
export interface ListTally extends RequestTally {
  pages: number;
}

export function newTally(): ListTally {
  return { requests: 0, retries: 0, pages: 0 };
}

/** Moves the counts from one tally to another. */
export function moveTally(from: ListTally, to: ListTally): void {
  to.requests += from.requests;
  to.retries += from.retries;
  to.pages += from.pages;
  Object.assign(from, newTally());
}

/** The page envelope (contract §2.1). `page_size` is ignored: services differ in what it counts. */
const Envelope = v.object({
  // Checked one by one when their ids are read.
  items: v.custom<readonly unknown[]>(Array.isArray),
  page_number: v.number(),
});

/** A page of 100 summaries is some 50 KB with 6,000 values. Several are held at a time. */
const MAX_PAGE_BODY_BYTES = 4 * 1024 * 1024;
const MAX_PAGE_VALUES = 100_000;

/** Statuses that, after page 1, can only mean that the page does not exist. */
const PAST_END_STATUSES: ReadonlySet<number> = new Set([400, 404, 416]);

/** Pages of one company's list from the API (contract §4.1, §4.3). */
export class ApiPageSource<D extends Direction> implements PageSource {
  readonly context: RequestContext;
  private readonly client: ApiClient;
  private readonly direction: D;
  /** Built once for all pages. */
  private readonly filterQuery: URLSearchParams;
  private readonly tally: ListTally;
  private readonly signal: AbortSignal | undefined;
  private readonly rank: number;
  /** The last request's signal, and that joined with this source's. All pages of one reading pass the same signal. */
  private joined: { signal: AbortSignal | undefined; both: AbortSignal | undefined } | undefined;

  constructor(
    client: ApiClient,
    direction: D,
    filters: FiltersByDirection[D],
    tally: ListTally,
    signal?: AbortSignal,
    rank = 0,
  ) {
    this.client = client;
    this.direction = direction;
    this.filterQuery = toQuery(direction, filters);
    this.tally = tally;
    this.signal = signal;
    this.rank = rank;
    const { FechaDesde: from, FechaHasta: to } = filters;
    this.context = {
      rut: client.rut,
      direction,
      day: from === undefined ? from : rangeText({ from, to: to ?? from }),
    };
  }

  get maxInFlight(): number {
    return this.client.governor.maxInFlight;
  }

  tryAcquire(): Release | undefined {
    return this.client.governor.tryAcquire();
  }

  whenFree(onFree: () => void): () => void {
    return this.client.governor.whenFree(onFree);
  }

  async read(window: PageWindow, options: ReadOptions = {}): Promise<ListPage> {
    const { pageNumber, pageSize } = window;
    const { permit, signal, isGlance = false, isDivisible = false } = options;
    const context = { ...this.context, pageNumber };
    const page = await this.client.get<ListPage>({
      path: ENDPOINTS[this.direction].listPath,
      query: withPaging(this.direction, this.filterQuery, { pageNumber, pageSize }),
      context,
      tally: this.tally,
      decode: (body) => readPage(body, context),
      maxBodyBytes: MAX_PAGE_BODY_BYTES,
      maxBodyValues: MAX_PAGE_VALUES,
      answerForStatus: (status) =>
        pageNumber > 1 && PAST_END_STATUSES.has(status) ? { pageNumber, items: [], ids: [] } : undefined,
      isContinuation: pageNumber > 1,
      isDivisible: pageNumber === 1 && isDivisible,
      signal: this.joinedWith(signal),
      rank: this.rank,
      permit,
    });
    this.tally.pages += 1;
    if (page.items.length > 0 && window.start >= this.client.maxRowsPerList && !isGlance) {
      // It may never end.
      throw new ApiError(context, `the list goes on past ${plural(this.client.maxRowsPerList, 'row')}`, {
        advice:
          'Nothing was replaced. Report it to the provider of the API, or raise the limit (--max-rows, in AWS ' +
          'maxRowsPerList) if there really are so many receipts.',
      });
    }
    return page;
  }

  private joinedWith(signal: AbortSignal | undefined): AbortSignal | undefined {
    if (this.joined === undefined || this.joined.signal !== signal) {
      this.joined = { signal, both: anySignal(this.signal, signal) };
    }
    return this.joined.both;
  }
}

function readPage(body: unknown, context: RequestContext): ListPage {
  if (!v.is(Envelope, body)) throw new BodyError('it is not a page of receipts');
  return { pageNumber: body.page_number, items: body.items, ids: receiptIds(body.items, context) };
}
