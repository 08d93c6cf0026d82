import type { Direction } from '../../api/directions.ts';
import type { RequestContext } from '../../api/errors.ts';
import type { FiltersByDirection, IssuedFilters, ReceivedFilters } from '../../api/filters.ts';
import type { ListHabits, PageSource } from '../../api/list/page.ts';
import { ApiPageSource, type ListTally } from '../../api/list/page-request.ts';
import { anySignal } from '../../concurrency.ts';
import type { Clock } from '../../time/clock.ts';
import type { DayRange } from '../../time/days.ts';
import type { ReadingTools } from '../export-tools.ts';
import type { UnitGrowth } from './large-units.ts';
import { type AskedDays, bounds, RangeSink } from './range-sink.ts';

/** Filters that divide a list whose days can't be divided any more (the contract, §4.1, §4.3). */
export type PartFilters = Pick<
  ReceivedFilters & IssuedFilters,
  'TipoComprobante' | 'ExcluirTipoComprobante' | 'NumeroDesde' | 'NumeroHasta'
>;

/** The lists of one company and direction, over any days: what reading a range takes. */
export class Lists {
  readonly context: RequestContext;
  readonly habits: ListHabits;
  readonly clock: Clock;
  /** Once it is aborted, a failure is no longer one of the list. */
  readonly signal: AbortSignal;
  readonly isTimeUp: () => boolean;
  private readonly client: ReadingTools['client'];
  private readonly tally: ListTally;
  private readonly growth: UnitGrowth | undefined;
  private readonly rank: number;

  constructor(
    { client, habits, clock, signal, isTimeUp }: ReadingTools,
    { rut, direction }: Pick<RequestContext, 'rut' | 'direction'>,
    tally: ListTally,
    growth?: UnitGrowth,
  ) {
    this.context = { rut, direction };
    this.habits = habits[direction];
    this.clock = clock;
    this.signal = signal;
    this.isTimeUp = isTimeUp;
    this.client = client;
    this.tally = tally;
    this.growth = growth;
    this.rank = client.governor.nextRank();
  }

  /** Whether requests are paced, as the API limits their rate: a slow page then says nothing about depth. */
  get isPaced(): boolean {
    return this.client.governor.isPaced;
  }

  /** The days to ask for, with the day after them if the bound excludes its own day. */
  asked(days: DayRange, isProbablyEmpty = false): AskedDays {
    const { upperBound } = this.habits;
    return { ...days, isNextDayAsked: upperBound === 'exclusive' || (!upperBound && isProbablyEmpty) };
  }

  /** The pages of a list. `signal` ends what is under way. */
  source(asked: AskedDays, filters?: PartFilters, signal?: AbortSignal): PageSource {
    const { from, to } = bounds(asked);
    const all: FiltersByDirection[Direction] = { FechaDesde: from, FechaHasta: to, ...filters };
    const { client, context, tally, rank } = this;
    const either = anySignal(this.signal, signal);
    const source = new ApiPageSource(client, context.direction, all, tally, either, rank);
    return this.growth?.limited(source) ?? source;
  }

  newSink(asked: AskedDays): RangeSink {
    return new RangeSink(this.context, asked);
  }
}
