import type { Direction } from '../../api/directions.ts';
import { ApiError, type RequestContext } from '../../api/errors.ts';
import type { FiltersByDirection, IssuedFilters, ReceivedFilters } from '../../api/filters.ts';
import type { ListHabits } from '../../api/list/habits.ts';
import { changedSource, MAX_PAGE_SIZE, type PageSource, windowOf } from '../../api/list/page.ts';
import { ApiPageSource, type ListTally } from '../../api/list/page-request.ts';
import { type IssueMoment, issueMoment } from '../../api/receipt.ts';
import { anySignal, type Semaphore } from '../../concurrency.ts';
import { type Day, type DayRange, isOneDay } from '../../time/days.ts';
import type { ReadingTools } from '../export-tools.ts';
import { type AskedDays, bounds, RangeSink } from './range-sink.ts';

/** Filters that divide a list whose days can't be divided any more (the contract, §4.1, §4.3). */
export type PartFilters = Pick<
  ReceivedFilters & IssuedFilters,
  'TipoComprobante' | 'ExcluirTipoComprobante' | 'NumeroDesde' | 'NumeroHasta'
>;

const MOST_PAGES_OF_NEXT_DAY = 10;

/** The lists of one company and direction, over any days: what reading a range takes. */
export class Lists {
  readonly context: RequestContext;
  readonly habits: ListHabits;
  readonly tools: ReadingTools;
  /** Whether a list of one day is believed to have all of it, although nothing showed that. */
  isOneDayBelieved = false;
  /** Days whose list was read again to see whether it really lacks its last rows. */
  readonly recheckedDays = new Set<Day>();
  private readonly tally: ListTally;
  private readonly growth: UnitGrowth | undefined;
  private readonly rank: number;

  constructor(
    tools: ReadingTools,
    { rut, direction }: Pick<RequestContext, 'rut' | 'direction'>,
    tally: ListTally,
    growth?: UnitGrowth,
  ) {
    this.context = { rut, direction };
    this.habits = tools.habits[direction];
    this.tools = tools;
    this.tally = tally;
    this.growth = growth;
    this.rank = tools.client.governor.nextRank();
  }

  /** Whether requests are paced, as the API limits their rate: a slow page then says nothing about depth. */
  get isPaced(): boolean {
    return this.tools.client.governor.isPaced;
  }

  /** The days to ask for, with the day after them if the bound excludes its own day. */
  asked(days: DayRange, isProbablyEmpty = false): AskedDays {
    const { upperBound } = this.habits;
    if (upperBound === 'exclusive') return { ...days, nextDay: 'excluded' };
    return { ...days, nextDay: upperBound === undefined && isProbablyEmpty ? 'asked' : 'notAsked' };
  }

  /** The pages of a list. `signal` ends what is under way. */
  source(asked: AskedDays, filters?: PartFilters, signal?: AbortSignal): PageSource {
    const { from, to } = bounds(asked);
    return this.filtered({ FechaDesde: from, FechaHasta: to, ...filters }, !isOneDay(asked), signal);
  }

  /** The pages of the list from a day on, or up to a day, however many days that is. */
  openSource(bound: { FechaDesde: Day } | { FechaHasta: Day }): PageSource {
    return this.filtered(bound, false);
  }

  /**
   * Whether the list of these days alone shows rows that are sought. Where bounds exclude their day, the rows of
   * the day after them may come first, and fill pages.
   */
  async showsRowsOf(days: DayRange, isSought: (issued: IssueMoment) => boolean): Promise<boolean> {
    const source = this.source(this.asked(days));
    try {
      for (let pageNumber = 1; pageNumber <= MOST_PAGES_OF_NEXT_DAY; pageNumber += 1) {
        const { items } = await source.read(windowOf(pageNumber, MAX_PAGE_SIZE), { isGlance: true });
        const issued = items.flatMap((item) => issueMoment(item) ?? []);
        if (issued.some(isSought)) return true;
        if (issued.every(({ day }) => day <= days.to)) return false;
      }
      // Undecided: the days are read again then, which settles it.
      return true;
    } catch (error) {
      // What is in doubt is another list, which was answered.
      if (error instanceof ApiError && !this.tools.signal.aborted) return false;
      throw error;
    }
  }

  private filtered(
    filters: FiltersByDirection[Direction],
    isDivisible: boolean,
    signal?: AbortSignal,
  ): PageSource {
    const { tools, context, tally, rank } = this;
    const either = anySignal(tools.signal, signal);
    const pages = new ApiPageSource(tools.client, context.direction, filters, tally, either, rank);
    const source = changedSource(pages, {
      read: (window, options) => pages.read(window, { ...options, isDivisible }),
    });
    return this.growth?.limited(source) ?? source;
  }

  newSink(asked: AskedDays): RangeSink {
    return new RangeSink(this.context, asked);
  }
}

/** Units of up to this many rows may be in memory together. */
const LARGE_ROWS = 20_000;

/**
 * One list that may grow large. Only one at a time grows beyond 20,000 rows; others wait there until it is stored. So a
 * run needs memory for one large unit and for as many smaller ones as are read at once, however many units it has. One
 * large unit alone uses all requests in flight that a company may have.
 */
export class UnitGrowth {
  private readonly largeUnits: Semaphore;
  private readonly signal: AbortSignal;
  /** Set once it is large. */
  private turn: Promise<void> | undefined;
  private isItsTurn = false;
  private isOver = false;

  /** `largeUnits`: the one permit of all units. */
  constructor(largeUnits: Semaphore, signal: AbortSignal) {
    this.largeUnits = largeUnits;
    this.signal = signal;
  }

  /** The source; it waits if the unit grows large during another one's turn. */
  limited(source: PageSource): PageSource {
    return changedSource(source, {
      // Nothing is read ahead meanwhile: it would hold permits that the unit whose turn it is needs.
      tryAcquire: () => (this.turn === undefined || this.isItsTurn ? source.tryAcquire() : undefined),
      read: async (window, options) => {
        if (window.start >= LARGE_ROWS) this.turn ??= this.waitForTurn();
        if (options?.permit === undefined) await this.turn;
        return await source.read(window, options);
      },
    });
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
