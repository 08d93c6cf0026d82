import { HttpStatusError, type RequestContext } from '../../api/errors.ts';
import type { FiltersByDirection } from '../../api/filters.ts';
import {
  FIRST_PAGE,
  fullPageRows,
  isPageOf,
  type ListPage,
  type PageSource,
  windowHolding,
  windowOf,
  windowStartingAt,
} from '../../api/list/page.ts';
import { apiPages, type ListTally } from '../../api/list/page-request.ts';
import { type PausedReading, readList } from '../../api/list/read-list.ts';
import type { Semaphore } from '../../system/concurrency.ts';
import { type Day, type DayRange, isOneDay, uruguayDay, widthDays } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';
import type { ReadingTools } from '../export-tools.ts';
import { type AskedDays, askedWidth, BoundComparison, boundsOf, type ServiceFacts } from './facts.ts';
import { List } from './list.ts';
import type { Answer, ListOptions, Lists, PartFilters, Unread } from './rule.ts';

/** A list that was read in part, and where to go on. */
export interface PausedList extends PausedReading<List> {
  asked: AskedDays;
}

/** The most rows for a list over several days. Services that cut long lists show 10,000 rows or fewer. */
export const MOST_ROWS_OF_RANGE = 8_000;
/** For reading ahead in a list of unknown length: a needless request is worse than a short wait. */
const PAGES_PER_STEP = 12;

/** What the lists of one company and direction share. */
export interface CompanyListsOptions {
  tools: ReadingTools;
  context: RequestContext;
  /** Shared by several lists; default: one of its own. */
  bound?: BoundComparison;
  tally: ListTally;
  large?: LargeList;
  /** Called once a long list over several days is known not to be too long, before all of it is read. */
  onFits?: () => void;
}

/** The lists of one company and direction, as the API gives them. */
export class CompanyLists implements Lists<List, PausedList> {
  readonly context: RequestContext;
  readonly facts: ServiceFacts;
  readonly bound: BoundComparison;
  readonly today: Day;
  private readonly options: CompanyListsOptions;
  private readonly rank: number;

  constructor(options: CompanyListsOptions) {
    const { tools, context } = options;
    this.options = options;
    this.context = context;
    this.facts = tools.facts[context.direction];
    this.bound = options.bound ?? new BoundComparison(this.facts);
    this.today = uruguayDay(tools.clock.now());
    this.rank = tools.client.governor.nextRank();
  }

  isTimeUp(): boolean {
    return this.options.tools.isTimeUp();
  }

  isAborted(): boolean {
    return this.options.tools.signal.aborted;
  }

  onDisproved(): void {
    this.options.tools.disproved.add(this.context.direction);
    this.facts.provedWidthDays = 1;
  }

  /** Reads a list; one over several days just once. One that may be given up ends early if it is too long. */
  async read(
    asked: AskedDays,
    { expectedRows, paused, isLongGivenUp = !isOneDay(asked) }: ListOptions<PausedList> = {},
  ): Promise<Answer<List> | Unread<PausedList>> {
    const isDay = isOneDay(asked);
    if (isDay && isLongGivenUp && (expectedRows ?? 0) > MOST_ROWS_OF_RANGE)
      return { kind: 'tooLong', asked, ends: undefined };
    const source = this.source(asked);
    const pageCap = fullPageRows(this.facts);
    let list = paused?.sink;
    let isLengthKnown = !isLongGivenUp || expectedRows !== undefined || paused !== undefined;
    // The day after the others probably has as many rows as they, unless it has just begun.
    const fullDays = boundsOf(asked).to < this.today ? askedWidth(asked) : widthDays(asked);
    const rowsWithPast = expectedRows && (expectedRows * fullDays) / widthDays(asked);
    const isOvergrown = () => isLongGivenUp && (list?.rowCount ?? 0) > 2 * MOST_ROWS_OF_RANGE;
    // Most lists end on their third page. Only of a longer one is the length worth a request.
    const isWorthMeasuring = () => {
      const { rowCount = 0, ends } = list ?? {};
      const seemsTooLong =
        ends !== undefined && rowCount * widthDays(asked) >= MOST_ROWS_OF_RANGE * widthDays(ends);
      return !isLengthKnown && (rowCount >= 3 * (pageCap - 1) || seemsTooLong);
    };
    const readOn = (from: PausedReading<List> | undefined) =>
      readList(
        source,
        this.facts,
        () => {
          list = this.newList(asked);
          return list;
        },
        {
          isTimeUp: () => this.isTimeUp() || isOvergrown() || isWorthMeasuring(),
          paused: from,
          isDivisible: !isDay,
          length: isLongGivenUp
            ? {
                expectedRows: rowsWithPast,
                pagesPerStep: isLengthKnown ? PAGES_PER_STEP : Number.POSITIVE_INFINITY,
              }
            : { expectedRows },
        },
      );
    let reading = await readOn(paused);
    if (reading.kind === 'paused' && !this.isTimeUp() && isWorthMeasuring()) {
      isLengthKnown = true;
      const window = windowHolding(MOST_ROWS_OF_RANGE, pageCap);
      const page = await source.read(window);
      if (isPageOf(window, page) && page.items.length > 0) {
        list?.add(page, 0);
        return { kind: 'tooLong', asked, ends: list?.ends };
      }
      this.options.onFits?.();
      reading = await readOn(reading);
    }
    if (reading.kind === 'paused' && isOvergrown()) return { kind: 'tooLong', asked, ends: list?.ends };
    return answerOf(reading, asked);
  }

  /** One page, of which nothing is concluded for the rest of the list. */
  async readPage(asked: AskedDays, window = FIRST_PAGE, filters: PartFilters = {}): Promise<ListPage> {
    return await this.source(asked, filters).read(window, { isGlance: true });
  }

  async readBefore(position: number, rowCount: number, asked: AskedDays): Promise<List> {
    const list = this.newList(asked);
    const pageCap = fullPageRows(this.facts);
    const ends = [position - rowCount, position - 1].map((row) => windowHolding(Math.max(0, row), pageCap));
    for (const number of new Set(ends.map(({ pageNumber }) => pageNumber)))
      list.add(await this.readPage(asked, windowOf(number, pageCap)), 0);
    return list;
  }

  async hasRowPast(position: number, days: DayRange): Promise<boolean> {
    const pageCap = fullPageRows(this.facts);
    const isAnySize = this.facts.isAnyPageSizeHonoured === true;
    const window = isAnySize ? windowStartingAt(position, pageCap) : windowHolding(position, pageCap);
    const page = await this.readPage({ ...days, isPast: false }, window);
    // A page that is not full may be of another size than the one asked for, and begin elsewhere.
    const isInPlace = isAnySize || page.items.length === pageCap;
    return isPageOf(window, page) && isInPlace && window.start + page.items.length > position;
  }

  async ask(day: Day): Promise<void> {
    await this.source({ from: day, to: day, isPast: false }).read(FIRST_PAGE);
  }

  async readPart(asked: AskedDays, filters: PartFilters): Promise<List | undefined> {
    try {
      const reading = await readList(this.source(asked, filters), this.facts, () =>
        this.newList(asked, filters),
      );
      const [part] = reading.kind === 'read' && reading.isStable ? reading.sinks : [];
      // A row without a day may be of the day after.
      const isClear = part?.hasOthers === false && (!asked.isPast || part.undated.length === 0);
      return isClear ? part : undefined;
    } catch (error) {
      // Where filters are refused, the day is judged without them.
      if (error instanceof HttpStatusError && error.status < 500) return undefined;
      throw error;
    }
  }

  /** The pages of a list. */
  private source(asked: AskedDays, filters: PartFilters = {}): PageSource {
    const { tools, tally, large } = this.options;
    const { from, to } = boundsOf(asked);
    const all: FiltersByDirection[Direction] = { FechaDesde: from, FechaHasta: to, ...filters };
    const { client, signal } = tools;
    const pages = apiPages(client, this.context.direction, all, tally, signal, this.rank);
    return large?.limited(pages) ?? pages;
  }

  private newList(asked: AskedDays, filters?: PartFilters): List {
    return new List(this.context, asked, filters && ((receipt) => isOfPart(receipt, filters)));
  }
}

/** Whether a row is one that was asked for. A service may ignore filters. */
function isOfPart(receipt: object, filters: PartFilters): boolean {
  const { TipoComprobante = [], ExcluirTipoComprobante = false, NumeroDesde = 0, NumeroHasta } = filters;
  const isOfType = TipoComprobante.includes(numberIn(receipt, 'tipo_comprobante'));
  if (isOfType === ExcluirTipoComprobante) return false;
  if (NumeroDesde === 0 && NumeroHasta === undefined) return true;
  const number = numberIn(receipt, 'numero');
  return NumeroDesde <= number && number <= (NumeroHasta ?? Number.POSITIVE_INFINITY);
}

function numberIn(receipt: object, name: 'tipo_comprobante' | 'numero'): number {
  return Number(Object.entries(receipt).find(([key]) => key === name)?.[1]);
}

function answerOf(
  reading: Awaited<ReturnType<typeof readList<List>>>,
  asked: AskedDays,
): Answer<List> | PausedList {
  if (reading.kind === 'paused') return { ...reading, asked };
  const [newest, ...older] = reading.sinks;
  if (newest === undefined) throw new TypeError('a list is read at least once');
  return { kind: 'read', lists: [newest, ...older], isStable: reading.isStable };
}

/** Lists of up to this many rows may be in memory together. */
const LARGE_ROWS = 20_000;

/**
 * One list that may grow large. Only one at a time grows beyond 20,000 rows; others wait there until it is stored. So a
 * run needs memory for one large unit and for as many smaller ones as are read at once, however many units it has. One
 * large unit alone uses all requests in flight that a company may have.
 */
export class LargeList {
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
    return {
      ...source,
      // Nothing is read ahead meanwhile: it would hold permits that the unit whose turn it is needs.
      tryAcquire: () => (this.turn === undefined || this.isItsTurn ? source.tryAcquire() : undefined),
      read: async (window, options) => {
        if (window.start >= LARGE_ROWS) this.turn ??= this.waitForTurn();
        if (options?.permit === undefined) await this.turn;
        return await source.read(window, options);
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
