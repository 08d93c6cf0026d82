import { DIRECTIONS, type Direction } from '../../api/directions.ts';
import { type ListTally, moveTally, newTally } from '../../api/list/page-request.ts';
import type { Rut } from '../../companies/rut.ts';
import { forEachConcurrent, STORING } from '../../concurrency.ts';
import type { DayRange } from '../../time/days.ts';
import type { CompanyReadingTools, ListAccount } from '../export-tools.ts';
import type { Unit } from '../units.ts';
import { type RangeResult, widthDays } from './asked-days.ts';
import { UnitGrowth } from './large-units.ts';
import { type Job, type ListToRead, MOST_ROWS_AT_ONCE, rowsOf, WaitingList } from './range-plan.ts';
import type { PausedList, RangeSink } from './range-sink.ts';
import { type ReadUnit, readDays, unitOf } from './read-days.ts';
import { MOST_ROWS_OF_RANGE } from './read-several-days.ts';

/** Lists under way per request in flight: while some are being stored, the others keep the requests going. */
const LISTS_PER_REQUEST = 1.25;
/** The most rows of lists under way, over all companies that are read at the same time. */
const MOST_ROWS_IN_ALL = 24 * MOST_ROWS_OF_RANGE;
/** Units of one list that are compared and stored at a time. */
const UNITS_AT_ONCE = 10;

/** Takes what was read. */
export interface ReadingWork {
  /** Called for every unit, with its rows or with the error that prevented reading them. */
  onUnit(unit: Unit, read: ReadUnit | { error: unknown }, list: ListAccount): Promise<void>;
  /** Called when time is up in the middle of a list; `days` are those of its days that are needed. */
  onPaused?(direction: Direction, list: PausedList, days: readonly string[], tally: ListTally): Promise<void>;
  /** Called for an empty list that is wider than any that is known to be answered. */
  onUnproved?(direction: Direction, days: DayRange): Promise<'leave' | 'ask'>;
}

/**
 * Reads the lists of one company in ranges of days, several at a time, and gives each unit's receipts to `onUnit`. A
 * unit that can't be read does not affect the others. Units without a call of `onUnit` were not read: time was up, the
 * signal was aborted, or `onUnproved` left them. Returns the requests that are counted with no unit.
 */
export async function readCompany(
  rut: Rut,
  lists: readonly ListToRead[],
  tools: CompanyReadingTools,
  work: ReadingWork,
): Promise<ListTally> {
  const { client, habits, isTimeUp, signal } = tools;
  const reading = new CompanyReading(rut, tools, work);
  const waiting = lists.map((list) => new WaitingList(list, habits[list.direction]));
  const most = Math.max(1, Math.floor(client.governor.maxInFlight * LISTS_PER_REQUEST));
  const share = MOST_ROWS_IN_ALL / tools.companiesAtOnce;
  const mostRows = Math.min(MOST_ROWS_AT_ONCE, Math.max(MOST_ROWS_OF_RANGE, share));
  const underWay = new Set<Promise<void>>();
  let rowsUnderWay = 0;
  /** Starts one more range, if there is one and room for it. */
  const startNext = (): boolean => {
    for (const list of waiting) {
      const job = list.take(rowsUnderWay === 0 ? Number.POSITIVE_INFINITY : mostRows - rowsUnderWay);
      if (job === undefined) continue;
      const rows = rowsOf(job.range);
      rowsUnderWay += rows;
      const done = reading.run(job).finally(() => {
        rowsUnderWay -= rows;
        list.end(job);
        underWay.delete(done);
      });
      underWay.add(done);
      // The other direction comes next.
      waiting.push(...waiting.splice(waiting.indexOf(list), 1));
      return true;
    }
    return false;
  };
  for (;;) {
    while (underWay.size < most && !isTimeUp() && !signal.aborted && startNext());
    if (underWay.size === 0) return reading.leftover;
    await Promise.race(underWay);
  }
}

/** Reads ranges of one company and hands on the results of their days. */
class CompanyReading {
  readonly leftover = newTally();
  private readonly rut: Rut;
  private readonly tools: CompanyReadingTools;
  private readonly work: ReadingWork;

  constructor(rut: Rut, tools: CompanyReadingTools, work: ReadingWork) {
    this.rut = rut;
    this.tools = tools;
    this.work = work;
  }

  async run({ direction, plan, range, paused }: Job): Promise<void> {
    const { rut, tools } = this;
    const tally = newTally();
    const startedAtMs = tools.clock.now();
    const account = { tally, startedAtMs, widthDays: widthDays(range.days) };
    moveTally(this.leftover, tally);
    if (paused !== undefined) moveTally(paused.tally, tally);
    const growth = new UnitGrowth(tools.largeUnits);
    const days = range.needed;
    const handOn = async (units: ReadonlyMap<string, ReadUnit | { error: unknown }>): Promise<void> => {
      // The newest day first: it is what people wait for.
      const newestFirst = [...units].sort(([a], [b]) => (a < b ? 1 : -1));
      await forEachConcurrent(newestFirst, UNITS_AT_ONCE, async ([day, read]) => {
        await STORING.next();
        await this.work.onUnit({ rut, direction, day }, read, account);
      });
    };
    try {
      const results = await readDays({ rut, direction, ...range }, { ...tools, growth }, tally, paused?.list);
      const units = new Map<string, ReadUnit | { error: unknown }>();
      for (const result of results) await this.sort(result, { direction, plan, days, tally }, units);
      await handOn(units);
    } catch (error) {
      if (!tools.signal.aborted) await handOn(new Map(days.map((day) => [day, { error }])));
    } finally {
      growth.end();
      moveTally(tally, this.leftover);
    }
  }

  /** Puts results into `units`, and days that have to be read again back into the plan. */
  private async sort(
    result: RangeResult<RangeSink>,
    {
      direction,
      plan,
      days,
      tally,
    }: Pick<Job, 'direction' | 'plan'> & { days: readonly string[]; tally: ListTally },
    units: Map<string, ReadUnit | { error: unknown }>,
  ): Promise<void> {
    const ofResult = days.filter(isWithin(result.kind === 'paused' ? result.asked : result.days));
    switch (result.kind) {
      case 'paused':
        return await this.work.onPaused?.(direction, result, ofResult, tally);
      case 'failed':
        for (const day of ofResult) units.set(day, { error: result.error });
        return;
      case 'read': {
        const rowCounts = result.sinks.map((sink) => sink.rowsBetween(result.days));
        plan.noteRead(result.days, Math.max(...rowCounts));
        for (const day of ofResult) units.set(day, unitOf(result, day));
        return;
      }
      case 'tooLong':
        plan.noteTooLong(result.days, result.length);
        plan.putBack(ofResult);
        return;
      case 'left':
        if (result.reason === 'timeUp') return;
        if ((await this.work.onUnproved?.(direction, result.days)) === 'leave') return;
        plan.noteUnproved();
        plan.putBack(ofResult);
    }
  }
}

/** The lists of a company that these units are of. */
export function listsOf(units: readonly Unit[]): ListToRead[] {
  return DIRECTIONS.map((direction) => ({
    direction,
    days: units.filter((unit) => unit.direction === direction).map(({ day }) => day),
  })).filter(({ days }) => days.length > 0);
}

function isWithin({ from, to }: DayRange): (day: string) => boolean {
  return (day) => from <= day && day <= to;
}
