import type { ApiClient } from '../api/client.ts';
import { DIRECTIONS, type Direction } from '../api/directions.ts';
import type { FiltersByDirection } from '../api/filters.ts';
import type { ListHabits } from '../api/list/habits.ts';
import { ApiPageSource, type ListTally } from '../api/list/page-request.ts';
import { type AskedDays, type DayRange, daysText, widthDays } from '../api/range/days-sink.ts';
import { bounds } from '../api/range/last-day.ts';
import {
  MOST_ROWS_OF_RANGE,
  type RangeOptions,
  type RangeResult,
  readRange,
} from '../api/range/read-range.ts';
import type { SourceOf } from '../api/range/result-window.ts';
import { bothSignals } from '../concurrency/both-signals.ts';
import { forEachAtOnce } from '../concurrency/for-each-at-once.ts';
import { ReceiptRows } from '../lake/rows/receipt-rows.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { LargeUnits, UnitGrowth } from './large-units.ts';
import { type PlannedRange, RangePlan } from './range-plan.ts';
import { RangeSink } from './range-sink.ts';
import type { Unit } from './unit-plan.ts';

/** Lists under way for every request that may be in flight: while some are stored, the others keep it busy. */
const LISTS_PER_PLACE = 1.25;
/** Rows of a company's lists under way: enough to keep all its requests in flight while one list ends and another begins. */
const MOST_ROWS_AT_ONCE = 3 * MOST_ROWS_OF_RANGE;
/** The same of all companies that are read at the same time. */
const MOST_ROWS_IN_ALL = 24 * MOST_ROWS_OF_RANGE;
/** Units of one list that are compared and stored at a time. */
const UNITS_AT_ONCE = 10;

/** What the API lists of a unit now. */
export interface ReadUnit {
  rows: ReceiptRows;
  /** Whether the list was proved to hold just these receipts at one moment. */
  isStable: boolean;
}

/** A list that was read in part, and where to go on. */
export type PausedList = Extract<RangeResult<RangeSink>, { kind: 'paused' }>;

/** What reading takes besides the units. */
export interface ReadingTools {
  client: ApiClient;
  habits: Readonly<Record<Direction, ListHabits>>;
  clock?: Clock;
  /** Ends what is under way. */
  signal?: AbortSignal;
  /** Asked between pages; once true, nothing more is begun. */
  isTimeUp?: () => boolean;
  /** Lets one list at a time grow large; absent: it is the only one. */
  largeUnits?: LargeUnits;
  /** Companies that are read at the same time; default 1. */
  companiesAtOnce?: number;
}

/** What reading a list took; it stands for several units. */
export interface ListAccount {
  /** Requests that no unit has accounted for yet. */
  tally: ListTally;
  /** When it began, in milliseconds since the epoch. */
  startedAtMs: number;
  /** Days that were asked for as one list. */
  widthDays: number;
}

/** What is done with what was read. */
export interface ReadingWork {
  /** Called for every unit that was read, or with why it could not be. */
  onUnit(unit: Unit, read: ReadUnit | { error: unknown }, list: ListAccount): Promise<void>;
  /** Called when time is up in the middle of a list; `days` are those of its days that are needed. */
  onPaused?(direction: Direction, list: PausedList, days: readonly string[], tally: ListTally): Promise<void>;
  /** Called with a list that is empty and wider than any that was proved to be answered. */
  onUnproved?(direction: Direction, days: DayRange): Promise<'leave' | 'ask'>;
}

/** A list that an earlier invocation read in part. */
export interface PausedReading {
  list: PausedList;
  /** Those of its days that are needed from it. */
  days: readonly string[];
  tally: ListTally;
}

/** One direction of a company. */
export interface ListToRead {
  direction: Direction;
  days: readonly string[];
  /** How many rows each day is known to have had. */
  knownRows?: ReadonlyMap<string, number>;
  paused?: readonly PausedReading[];
  /** Whether a list over these days came empty, and is to be asked for in parts. */
  isWidthUnproved?: boolean;
}

export function newTally(): ListTally {
  return { requests: 0, retries: 0, pages: 0 };
}

/** Moves what was counted from one tally to another. */
export function moveTally(from: ListTally, to: ListTally): void {
  to.requests += from.requests;
  to.retries += from.retries;
  to.pages += from.pages;
  Object.assign(from, newTally());
}

/**
 * Reads the lists of one company in ranges of days, several at a time, and gives each unit's receipts to `onUnit`. A
 * unit that can't be read does not touch the others. Units that `onUnit` was not called for were not read: time was up,
 * the signal came, or `onUnproved` left them. Gives the requests that no unit has accounted for.
 */
export async function readCompany(
  rut: string,
  lists: readonly ListToRead[],
  tools: ReadingTools,
  work: ReadingWork,
): Promise<ListTally> {
  const { client, habits, isTimeUp = () => false, signal } = tools;
  const reading = new CompanyReading(rut, tools, work);
  const waiting = lists.map((list) => new WaitingList(list, habits[list.direction]));
  const most = Math.max(1, Math.floor(client.governor.maxInFlight * LISTS_PER_PLACE));
  const share = MOST_ROWS_IN_ALL / (tools.companiesAtOnce ?? 1);
  const mostRows = Math.min(MOST_ROWS_AT_ONCE, Math.max(MOST_ROWS_OF_RANGE, share));
  const underWay = new Set<Promise<void>>();
  let rowsUnderWay = 0;
  /** Begins one range more, if there is one that there is room for. */
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
    while (underWay.size < most && !isTimeUp() && signal?.aborted !== true && startNext());
    if (underWay.size === 0) return reading.leftover;
    await Promise.race(underWay);
  }
}

interface Job {
  direction: Direction;
  plan: RangePlan;
  range: PlannedRange;
  paused?: PausedReading;
}

/** What of one list is still to be read. */
class WaitingList {
  private readonly direction: Direction;
  private readonly plan: RangePlan;
  private readonly paused: PausedReading[];
  private next: PlannedRange | undefined;
  /** Set while a range is read whose length is not known: what comes after it depends on that. */
  private exploring: Job | undefined;

  constructor(
    { direction, days, knownRows = new Map(), paused = [], isWidthUnproved = false }: ListToRead,
    habits: ListHabits,
  ) {
    const resumed = new Set(paused.flatMap((list) => list.days));
    this.direction = direction;
    this.paused = [...paused];
    this.plan = new RangePlan(
      days.filter((day) => !resumed.has(day)),
      knownRows,
      habits,
    );
    if (isWidthUnproved) this.plan.noteUnproved();
  }

  /** A range that has probably no more rows; undefined when there is none now. */
  take(mostRows: number): Job | undefined {
    const { direction, plan } = this;
    const paused = this.paused.shift();
    if (paused !== undefined) {
      return { direction, plan, range: alone(paused.list.asked, paused.days), paused };
    }
    if (this.exploring !== undefined) return undefined;
    this.next ??= plan.next();
    if (this.next === undefined || rowsOf(this.next) > mostRows) return undefined;
    const job = { direction, plan, range: this.next };
    this.next = undefined;
    if (job.range.expectedRows === undefined) this.exploring = job;
    return job;
  }

  end(job: Job): void {
    if (this.exploring === job) this.exploring = undefined;
  }
}

/** A range of which nothing is known. */
function alone(days: DayRange, needed: readonly string[]): PlannedRange {
  return { days, needed, expectedRows: undefined, length: undefined, isProbablyEmpty: false };
}

function rowsOf({ expectedRows = MOST_ROWS_OF_RANGE }: PlannedRange): number {
  return Math.min(expectedRows, MOST_ROWS_AT_ONCE);
}

/** Reads ranges of one company, and hands on what became of their days. */
class CompanyReading {
  readonly leftover = newTally();
  private readonly rut: string;
  private readonly tools: ReadingTools;
  private readonly work: ReadingWork;
  private readonly largeUnits: LargeUnits;

  constructor(rut: string, tools: ReadingTools, work: ReadingWork) {
    this.rut = rut;
    this.tools = tools;
    this.work = work;
    this.largeUnits = tools.largeUnits ?? new LargeUnits();
  }

  async run({ direction, plan, range, paused }: Job): Promise<void> {
    const { rut, tools } = this;
    const tally = newTally();
    const startedAtMs = (tools.clock ?? systemClock).now();
    const account = { tally, startedAtMs, widthDays: widthDays(range.days) };
    moveTally(this.leftover, tally);
    if (paused !== undefined) moveTally(paused.tally, tally);
    const growth = new UnitGrowth(this.largeUnits);
    const days = range.needed;
    const handOn = async (units: ReadonlyMap<string, ReadUnit | { error: unknown }>): Promise<void> => {
      // The newest day first: it is what people wait for.
      const newestFirst = [...units].sort(([a], [b]) => (a < b ? 1 : -1));
      await forEachAtOnce(newestFirst, UNITS_AT_ONCE, ([fecha, read]) =>
        this.work.onUnit({ rut, direccion: direction, fecha }, read, account),
      );
    };
    try {
      const results = await readDays({ rut, direction, ...range }, { ...tools, growth }, tally, paused?.list);
      const units = new Map<string, ReadUnit | { error: unknown }>();
      for (const result of results) await this.sort(result, { direction, plan, days, tally }, units);
      await handOn(units);
    } catch (error) {
      if (tools.signal?.aborted !== true) await handOn(new Map(days.map((day) => [day, { error }])));
    } finally {
      growth.end();
      moveTally(tally, this.leftover);
    }
  }

  /** Puts what is to be handed on into `units`, and what has to be asked for again back into the plan. */
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
        if (result.reason === 'unproved') {
          if ((await this.work.onUnproved?.(direction, result.days)) === 'leave') return;
          plan.noteUnproved();
        }
        plan.putBack(ofResult);
    }
  }
}

/** Reads one unit alone, whatever time it takes. Throws what is wrong with it. */
export async function readUnitAlone(
  { rut, direccion, fecha }: Unit,
  tools: Omit<ReadingTools, 'isTimeUp'> & { growth?: UnitGrowth },
  tally: ListTally,
): Promise<ReadUnit> {
  const range = { rut, direction: direccion, ...alone({ from: fecha, to: fecha }, [fecha]) };
  const [result] = await readDays(range, { ...tools, isTimeUp: undefined }, tally);
  const last = result?.kind === 'read' ? result : undefined;
  if (last !== undefined) return unitOf(last, fecha);
  throw result?.kind === 'failed' ? result.error : new TypeError(`${fecha} was neither read nor failed`);
}

async function readDays(
  { rut, direction, days, length, isProbablyEmpty }: PlannedRange & { rut: string; direction: Direction },
  tools: ReadingTools & { growth?: UnitGrowth },
  tally: ListTally,
  paused?: PausedList,
): Promise<RangeResult<RangeSink>[]> {
  const { client, clock = systemClock, signal, growth } = tools;
  const table = TABLE_OF[direction];
  const context = { rut, direction };
  const sourceOf: SourceOf = (asked, filters, ending) => {
    const { from, to } = bounds(asked);
    const all: FiltersByDirection[Direction] = { FechaDesde: from, FechaHasta: to, ...filters };
    const either = bothSignals(signal, ending);
    const source = new ApiPageSource(client, direction, all, tally, either);
    return growth?.limited(source, either) ?? source;
  };
  const options: RangeOptions<RangeSink> = { length, isProbablyEmpty, paused };
  return await readRange(
    days,
    {
      context,
      habits: tools.habits[direction],
      sourceOf,
      newSink: (asked: AskedDays) =>
        new RangeSink(() => new ReceiptRows(table, rut), { ...context, day: daysText(asked) }, asked),
      isTimeUp: () => tools.isTimeUp?.() === true,
      isPaced: () => client.governor.isPaced,
      clock,
      signal,
    },
    options,
  );
}

function isWithin({ from, to }: DayRange): (day: string) => boolean {
  return (day) => from <= day && day <= to;
}

function unitOf(
  { sinks, areReadings, isStable }: Extract<RangeResult<RangeSink>, { kind: 'read' }>,
  day: string,
): ReadUnit {
  const all = sinks.map((sink) => sink.rowsOf(day));
  return { rows: areReadings ? union(all) : joined(all), isStable };
}

/** All rows of several readings; where two have the same receipt, that of the first, the newest one. */
export function union(readings: readonly ReceiptRows[]): ReceiptRows {
  const [newest, ...older] = readings;
  if (newest === undefined) throw new TypeError('a list is read at least once');
  for (const reading of older) {
    for (let row = 0; row < reading.rowCount; row += 1) newest.appendValues(reading.valuesOf(row));
  }
  return newest;
}

/** The rows of all slices; the largest takes up the others, and each is let go as soon as it has been. */
function joined(slices: ReceiptRows[]): ReceiptRows {
  slices.sort((a, b) => b.rowCount - a.rowCount);
  const rows = slices.shift();
  if (rows === undefined) throw new TypeError('there is a slice at least');
  for (let slice = slices.shift(); slice !== undefined; slice = slices.shift()) rows.appendRows(slice);
  return rows;
}

/** The lists of a company that these units are of. */
export function listsOf(units: readonly Unit[]): ListToRead[] {
  return DIRECTIONS.map((direction) => ({
    direction,
    days: units.filter(({ direccion }) => direccion === direction).map(({ fecha }) => fecha),
  })).filter(({ days }) => days.length > 0);
}
