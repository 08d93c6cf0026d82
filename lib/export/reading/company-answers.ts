import type { RequestContext } from '../../api/errors.ts';
import type { FiltersByDirection } from '../../api/filters.ts';
import { apiPages } from '../../api/list/api-pages.ts';
import {
  FIRST_PAGE,
  type ListPage,
  MAX_PAGE_SIZE,
  notePageLength,
  type PageFacts,
  type PageSource,
  type PageWindow,
  windowHolding,
  windowOf,
  windowOfRow,
} from '../../api/list/page.ts';
import type { ListLength } from '../../api/list/read-ahead.ts';
import { type Listing, readListing } from '../../api/list/read-listing.ts';
import type { ReceiptId } from '../../api/receipt.ts';
import { type DayRange, isOneDay, uruguayDay, widthDays } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';
import type { ReadingTools } from '../export-tools.ts';
import type { LargeList } from '../large-list.ts';
import type { Patience } from './patience.ts';
import { MOST_ROWS_OF_RANGE } from './plan.ts';
import { ReceiptsByDay } from './receipts-by-day.ts';
import {
  type Answer,
  type Known,
  type NumberFilters,
  type Question,
  ruleOf,
  type SeenCompany,
  type Unread,
  type Verdicts,
} from './rule.ts';
import {
  type AskedDays,
  askedWidth,
  boundsOf,
  type DayRows,
  type KnownFacts,
  mustIncludeNextDay,
} from './service-facts.ts';

/** How far lists of unknown length are read ahead: a needless request is worse than a short wait. */
const PAGES_PER_STEP = 12;
/** The most pages of a list that only is to show its ends. */
const MOST_PAGES_FOR_ENDS = 30;

const NOTHING_STORED: SeenCompany = { rowCount: 0, hasTimes: false };

/** A list that is read alone needs no turn to grow large. */
type AnsweringTools = Omit<ReadingTools, 'largeUnits'>;

/** What is known beside a list: what others of the company share with it in a run, and its own turn and length. */
export interface SharedByLists {
  company?: SeenCompany;
  large?: LargeList;
  /** The rows that the list is expected to have; undefined if nothing is known. */
  expectedRows?: number | undefined;
  /** By default, the company is asked on whatever it refuses. */
  patience?: Patience;
  /** Rows of the company that the lake has. */
  storedDates?: () => Promise<SeenCompany> | undefined;
}

/** Answers the rule's questions about one company and direction, by the API. */
export class CompanyAnswers implements Known {
  readonly context: RequestContext;
  readonly facts: KnownFacts;
  readonly company: SeenCompany;
  private readonly tools: AnsweringTools;
  private readonly shared: SharedByLists;
  private readonly rank: number;

  constructor(tools: AnsweringTools, context: RequestContext, shared: SharedByLists = {}) {
    this.tools = tools;
    this.context = context;
    this.shared = shared;
    this.facts = tools.facts[context.direction];
    this.company = shared.company ?? { ...NOTHING_STORED };
    this.rank = tools.client.limiter.nextRank();
  }

  /** What the rule says of these days. Rejects if the signal is aborted. */
  async verdicts(range: DayRange): Promise<Verdicts<ReceiptsByDay>> {
    const rule = ruleOf<ReceiptsByDay>(range, this);
    let step = rule.next();
    while (step.done !== true) step = rule.next(await this.answer(step.value));
    return step.value;
  }

  private async answer(question: Question): Promise<Answer<ReceiptsByDay>> {
    if (question.kind === 'stored dates') return (await this.shared.storedDates?.()) ?? NOTHING_STORED;
    const { clock, signal } = this.tools;
    const { patience } = this.shared;
    if (patience?.reason !== undefined) return patience.reason;
    const askedAtMs = clock.monotonicMs();
    try {
      if (question.kind === 'list') {
        const listing = await this.listing(question.asked);
        patience?.noteShown(widthDays(question.asked));
        return listing;
      }
      if (question.kind === 'row') return await this.hasRow(question.position, question.days);
      if (question.kind === 'part') return await this.isPart(question);
      const { day } = question;
      await this.readPage({ from: day, to: day }, FIRST_PAGE);
      return true;
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) throw error;
      patience?.noteError(error, askedAtMs, clock.monotonicMs());
      return error;
    }
  }

  /** Reads a list; one over several days just once, and not to its end if it is too long. */
  private async listing(asked: AskedDays): Promise<Listing<ReceiptsByDay> | Unread> {
    const { tools } = this;
    const { expectedRows } = this.shared;
    if (tools.isTimeUp()) return 'no time';
    const isDay = isOneDay(asked);
    const source = this.source(asked, {}, !isDay);
    let isTooLong = false;
    let isLengthKnown = isDay || expectedRows !== undefined;
    const length: ListLength = { expectedRows: this.expectedRows(asked) };
    if (!isLengthKnown) length.pagesPerStep = Number.POSITIVE_INFINITY;
    const isStopped = async ({ rowCount }: ReceiptsByDay): Promise<boolean> => {
      if (tools.isTimeUp()) return true;
      // Most lists end on their third page. Only of a longer one is the length worth a request.
      if (!isLengthKnown && rowCount >= 3 * (fullPageRows(this.facts) - 1)) {
        isLengthKnown = true;
        isTooLong = await this.hasRow(MOST_ROWS_OF_RANGE, asked);
        length.pagesPerStep = PAGES_PER_STEP;
      }
      isTooLong ||= !isDay && rowCount > 2 * MOST_ROWS_OF_RANGE;
      return isTooLong;
    };
    const newRows = () => new ReceiptsByDay(this.context, asked);
    const listing = await readListing(source, this.facts, newRows, { isStopped, length });
    return listing ?? (isTooLong ? 'too long' : 'no time');
  }

  /** How many rows a list probably has. The day after the others has as many as they, unless it has just begun. */
  private expectedRows(asked: AskedDays): number | undefined {
    const { expectedRows } = this.shared;
    const isOver = boundsOf(asked).to < uruguayDay(this.tools.clock.now());
    return (
      expectedRows && (expectedRows * (isOver ? askedWidth(asked) : widthDays(asked))) / widthDays(asked)
    );
  }

  /** The rows at a list's ends, until they show what they can of its first and last day. `rowCount`: it has about so many. */
  async readEnds(days: DayRange, rowCount?: number): Promise<ReceiptsByDay> {
    const list = new ReceiptsByDay(this.context, days);
    let pageSize = MAX_PAGE_SIZE;
    /** The last page that had rows, and the first that had none. */
    let [last, pastEnd] = [0, Number.POSITIVE_INFINITY];
    const firstIds = new Set<ReceiptId | undefined>();
    for (let pages = 0; pages < MOST_PAGES_FOR_ENDS && last + 1 < pastEnd; pages += 1) {
      const expected = Math.ceil((rowCount ?? 0) / pageSize);
      const guesses = rowCount === undefined ? [1, 2] : [1, expected, expected + 1];
      const next = Math.max(last + 1, guesses[pages] ?? 4 * last);
      const window = windowOf(Number.isFinite(pastEnd) ? (last + pastEnd) >> 1 : next, pageSize);
      const page = await this.readPage(days, window);
      // The service does not honour the page's number, or repeats its last one.
      if (firstIds.has(page.ids[0])) break;
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

  /** Whether the list has a row at this position, counted from 0. */
  async hasRow(position: number, asked: AskedDays): Promise<boolean> {
    const pageCap = fullPageRows(this.facts);
    const isAnySize = this.facts.isAnyPageSizeHonoured === true;
    const window = isAnySize ? windowOfRow(position) : windowHolding(position, pageCap);
    const { items } = await this.readPage(asked, window);
    // A page that is not full may be of another size than the one asked for, and begin elsewhere.
    return (isAnySize || items.length === pageCap) && window.start + items.length > position;
  }

  /** Whether the part of the list that the filters leave has just so many rows. */
  private async isPart({ rowCount, days, filters }: Extract<Question, { kind: 'part' }>): Promise<boolean> {
    const last = windowHolding(rowCount - 1, fullPageRows(this.facts));
    const rowsIn = async (window: PageWindow) => await this.readPage(days, window, filters);
    const { length } = (await rowsIn(last)).items;
    if (last.start + length !== rowCount) return false;
    const isFull = length === last.pageSize;
    const { isAnyPageSizeHonoured } = this.facts;
    if (isAnyPageSizeHonoured !== false) {
      const row = await rowsIn(windowOfRow(rowCount));
      if (row.items.length > 0) return false;
      if (isAnyPageSizeHonoured === true && !isFull && row.isRefused !== true) return true;
    }
    const next = windowOf(last.pageNumber + 1, last.pageSize);
    if ((await rowsIn(next)).items.length > 0) return false;
    // One wrong answer may have shortened the page, or emptied the one after it.
    return isFull ? (await rowsIn(next)).items.length === 0 : (await rowsIn(last)).items.length === length;
  }

  /** The pages of a list. */
  private source(asked: AskedDays, filters: NumberFilters = {}, isDivisible = false): PageSource {
    const { client, signal } = this.tools;
    const { from, to } = boundsOf(asked);
    const listFilters: FiltersByDirection[Direction] = { FechaDesde: from, FechaHasta: to, ...filters };
    const pages = apiPages(client, this.context.direction, listFilters, {
      signal,
      rank: this.rank,
      isDivisible,
    });
    return this.shared.large?.limited(pages) ?? pages;
  }
}

/** Rows of a full page, by the cap or the longest one seen. */
function fullPageRows({ longestPage = MAX_PAGE_SIZE, pageCap = longestPage }: PageFacts): number {
  return Math.min(pageCap, MAX_PAGE_SIZE);
}
