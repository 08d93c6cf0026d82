import type { RequestContext } from '../../api/errors.ts';
import type { FiltersByDirection } from '../../api/filters.ts';
import {
  fullPageRows,
  isPageOf,
  type ListPage,
  MAX_PAGE_SIZE,
  notePageLength,
  type PageSource,
  type PageWindow,
  windowHolding,
  windowOf,
  windowOfRow,
  windowStartingAt,
} from '../../api/list/page.ts';
import { apiPages, ListTooLargeError } from '../../api/list/page-request.ts';
import type { ListLength } from '../../api/list/read-ahead.ts';
import { readList } from '../../api/list/read-list.ts';
import type { ReceiptId } from '../../api/receipt.ts';
import type { Semaphore } from '../../system/concurrency.ts';
import { type Day, type DayRange, isOneDay, uruguayDay, widthDays } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';
import type { ReadingTools } from '../export-tools.ts';
import {
  type AskedDays,
  askedWidth,
  boundsOf,
  type DayRows,
  mustIncludeNextDay,
  type ServiceFacts,
} from './facts.ts';
import { List } from './list.ts';
import { MOST_ROWS_OF_RANGE } from './plan.ts';
import type { Answer, Lists, NumberFilters, SeenCompany, Unread } from './read.ts';

/** For reading ahead in a list of unknown length: a needless request is worse than a short wait. */
const PAGES_PER_STEP = 12;
/** The most pages of a list that only is to show its ends. */
const MOST_PAGES_FOR_ENDS = 30;

export const NOTHING_STORED: SeenCompany = { rowCount: 0, hasTimes: false };

/** What the lists of one company and direction share. */
export interface CompanyListsOptions {
  tools: ReadingTools;
  context: RequestContext;
  /** Shared by all lists of the company and direction in the run. */
  company?: SeenCompany;
  large?: LargeList;
  /** The rows that the list is expected to have; undefined if nothing is known. */
  expectedRows?: number | undefined;
  /** Rows of the company that the lake has. */
  storedDates?: () => Promise<SeenCompany>;
}

/** The lists of one company and direction, as the API gives them. */
export class CompanyLists implements Lists<List> {
  readonly context: RequestContext;
  readonly facts: ServiceFacts;
  readonly company: SeenCompany;
  readonly storedDates: () => Promise<SeenCompany>;
  private readonly options: CompanyListsOptions;
  private readonly rank: number;

  constructor(options: CompanyListsOptions) {
    const { tools, context, company, storedDates } = options;
    this.options = options;
    this.context = context;
    this.facts = tools.facts[context.direction];
    this.company = company ?? { rowCount: 0, hasTimes: false };
    this.storedDates = storedDates ?? (async () => NOTHING_STORED);
    this.rank = tools.client.limiter.nextRank();
  }

  isAborted(): boolean {
    return this.options.tools.signal.aborted;
  }

  /** Reads a list; one over several days just once, and not to its end if it is too long. */
  async read(asked: AskedDays): Promise<Answer<List> | Unread> {
    const { tools, expectedRows } = this.options;
    if (tools.isTimeUp()) return 'no time';
    const isDay = isOneDay(asked);
    const source = this.source(asked);
    let isTooLong = false;
    let isLengthKnown = isDay || expectedRows !== undefined;
    const length: ListLength = { expectedRows: this.expectedRows(asked) };
    if (!isDay) length.pagesPerStep = isLengthKnown ? PAGES_PER_STEP : Number.POSITIVE_INFINITY;
    // Most lists end on their third page. Only of a longer one is the length worth a request.
    const measure = async (rowCount: number): Promise<void> => {
      if (isLengthKnown || rowCount < 3 * (fullPageRows(this.facts) - 1)) return;
      isLengthKnown = true;
      isTooLong = await this.hasRowAt(MOST_ROWS_OF_RANGE, asked);
      if (!isTooLong) length.pagesPerStep = PAGES_PER_STEP;
    };
    const isStopped = async ({ rowCount }: List): Promise<boolean> => {
      if (tools.isTimeUp()) return true;
      await measure(rowCount);
      isTooLong ||= !isDay && rowCount > 2 * MOST_ROWS_OF_RANGE;
      return isTooLong;
    };
    const newSink = () => new List(this.context, asked);
    const reading = await readList(source, this.facts, newSink, {
      isStopped,
      isDivisible: !isDay,
      length,
    }).catch((error: unknown) => {
      if (isDay || !(error instanceof ListTooLargeError)) throw error;
      isTooLong = true;
    });
    if (reading === undefined) return isTooLong ? 'too long' : 'no time';
    const [newest, ...older] = reading.sinks;
    if (newest === undefined) throw new TypeError('a list is read at least once');
    return { lists: [newest, ...older], isStable: reading.isStable };
  }

  /** The day after the others probably has as many rows as they, unless it has just begun. */
  private expectedRows(asked: AskedDays): number | undefined {
    const { expectedRows, tools } = this.options;
    const isOver = boundsOf(asked).to < uruguayDay(tools.clock.now());
    return (
      expectedRows && (expectedRows * (isOver ? askedWidth(asked) : widthDays(asked))) / widthDays(asked)
    );
  }

  /**
   * The rows of a list that some of its pages show, read until its first day has shown some, and its last day one of its
   * evening if it has times. `rowCount`: how many rows it probably has.
   */
  async readEnds(days: DayRange, rowCount?: number): Promise<List> {
    const asked = { ...days, includesNextDay: false };
    const list = new List(this.context, asked);
    let pageSize = MAX_PAGE_SIZE;
    /** The last page that had rows, and the first that had none. */
    let [last, pastEnd] = [0, Number.POSITIVE_INFINITY];
    const firstIds = new Set<ReceiptId | undefined>();
    for (let pages = 0; pages < MOST_PAGES_FOR_ENDS && last + 1 < pastEnd; pages += 1) {
      const expected = Math.ceil((rowCount ?? 0) / pageSize);
      const guesses = rowCount === undefined ? [1, 2] : [1, expected, expected + 1];
      const next = Math.max(last + 1, guesses[pages] ?? 4 * last);
      const window = windowOf(Number.isFinite(pastEnd) ? (last + pastEnd) >> 1 : next, pageSize);
      const page = await this.readPage(asked, window);
      // A page that comes again shows that the service does not honour its number, or repeats its last one.
      if (!isPageOf(window, page) || firstIds.has(page.ids[0])) break;
      if (page.items.length === 0) pastEnd = window.pageNumber;
      else {
        list.add(page, 0);
        firstIds.add(page.ids[0]);
        this.facts.deepestRow = Math.max(this.facts.deepestRow, window.start + page.items.length);
        if (last === 0) {
          notePageLength(this.facts, page.items.length);
          pageSize = Math.min(page.items.length, MAX_PAGE_SIZE);
        }
        last = window.pageNumber;
      }
      if (list.on(days.from).count > 0 && this.isEndShown(list.on(days.to))) break;
    }
    const count = (last * pageSize) / widthDays(days);
    if (count > 0 && Number.isFinite(pastEnd)) this.facts.rowsADay = { rut: this.context.rut, count };
    return list;
  }

  /** Whether these rows of a list's last day show all that they can of whether `FechaHasta` includes it whole. */
  private isEndShown({ count, hasTimes, hasEveningRow }: DayRows): boolean {
    return count > 0 && (hasEveningRow || !hasTimes || !mustIncludeNextDay(this.facts));
  }

  /** One page, of which nothing is concluded for the rest of the list. */
  async readPage(asked: AskedDays, window: PageWindow, filters?: NumberFilters): Promise<ListPage> {
    return await this.source(asked, filters).read(window, { isGlance: true });
  }

  async hasRowPast(position: number, days: DayRange): Promise<boolean> {
    return await this.hasRowAt(position, { ...days, includesNextDay: false });
  }

  /** Whether there is a row at this position, counted from 0. */
  private async hasRowAt(position: number, asked: AskedDays): Promise<boolean> {
    const pageCap = fullPageRows(this.facts);
    const isAnySize = this.facts.isAnyPageSizeHonoured === true;
    const window =
      isAnySize && position > 0 ? windowStartingAt(position, pageCap) : windowHolding(position, pageCap);
    const page = await this.readPage(asked, window);
    // A page that is not full may be of another size than the one asked for, and begin elsewhere.
    const isInPlace = isAnySize || page.items.length === pageCap;
    return isPageOf(window, page) && isInPlace && window.start + page.items.length > position;
  }

  async endsWithRow(position: number, days: DayRange, filters: NumberFilters): Promise<boolean> {
    const asked = { ...days, includesNextDay: false };
    const window = windowHolding(position - 1, fullPageRows(this.facts));
    const page = await this.readPage(asked, window, filters);
    if (!isPageOf(window, page) || window.start + page.items.length !== position) return false;
    const { isAnyPageSizeHonoured } = this.facts;
    if (isAnyPageSizeHonoured !== false) {
      const row = await this.readPage(asked, windowOfRow(position), filters);
      if (row.items.length > 0) return false;
      if (isAnyPageSizeHonoured === true && row.isRefused !== true) return true;
    }
    const after = windowOf(window.pageNumber + 1, window.pageSize);
    return (await this.readPage(asked, after, filters)).items.length === 0;
  }

  async ask(day: Day): Promise<void> {
    await this.source({ from: day, to: day, includesNextDay: false }).read(windowOf(1, MAX_PAGE_SIZE));
  }

  /** The pages of a list. */
  private source(asked: AskedDays, filters: NumberFilters = {}): PageSource {
    const { tools, large } = this.options;
    const { from, to } = boundsOf(asked);
    const all: FiltersByDirection[Direction] = { FechaDesde: from, FechaHasta: to, ...filters };
    const { client, signal } = tools;
    const pages = apiPages(client, this.context.direction, all, signal, this.rank);
    return large?.limited(pages) ?? pages;
  }
}

/** Lists of up to this many rows may be in memory together, and of up to so many bytes. */
const LARGE_ROWS = 20_000;
const LARGE_BYTES = 20 * 2 ** 20;

/**
 * One list that may grow large. Only one at a time grows beyond 20,000 rows, or 20 MB; others wait there until it is
 * stored. So a run needs memory for one large unit and for as many smaller ones as are read at once, however many units it has. One
 * large unit alone uses all requests in flight that a company may have.
 */
export class LargeList {
  private readonly largeUnits: Semaphore;
  private readonly signal: AbortSignal;
  /** Set once it is large. */
  private turn: Promise<void> | undefined;
  private isItsTurn = false;
  private byteCount = 0;
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
      read: async (window, options) => {
        if (window.start >= LARGE_ROWS || this.byteCount >= LARGE_BYTES) this.turn ??= this.waitForTurn();
        await this.turn;
        const page = await source.read(window, options);
        this.byteCount += page.byteCount ?? 0;
        return page;
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
