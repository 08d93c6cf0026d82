import { DIRECTIONS, type Direction } from '../../api/directions.ts';
import { withdrawProof } from '../../api/list/habits.ts';
import { type ListTally, moveTally, newTally } from '../../api/list/page-request.ts';
import type { Rut } from '../../companies/company.ts';
import { forEachConcurrent, STORING } from '../../concurrency.ts';
import type { ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import { type Day, isOneDay, isWithin, widthDays } from '../../time/days.ts';
import type { Unit } from '../../units.ts';
import type { CompanyReadingTools, ListAccount, ReadingTools } from '../export-tools.ts';
import { Lists, UnitGrowth } from './lists.ts';
import { type ListToRead, MOST_ROWS_AT_ONCE, type PlannedRange, RangePlan, rowsOf } from './range-plan.ts';
import {
  type EmptyDays,
  MOST_ROWS_OF_RANGE,
  type PausedList,
  type RangeResult,
  type ReadDays,
  type UnprovedDays,
} from './read-days.ts';
import { readRange } from './read-range.ts';

/** A unit as the API lists it now. */
export interface ReadUnit {
  rows: ReceiptRows;
  /** Whether the list was proved to hold just these receipts at one moment. */
  isStable: boolean;
}

/** A unit as it was read, or the error that prevented that. */
export type ReadOutcome = ReadUnit | { error: unknown };

/** Reads one unit alone, however long it takes. Throws its error. */
export async function readUnitAlone(unit: Unit, tools: ReadingTools, tally: ListTally): Promise<ReadUnit> {
  const { day } = unit;
  const lists = new Lists({ ...tools, isTimeUp: () => false }, unit, tally);
  const [result] = await readRange({ from: day, to: day }, lists);
  if (result?.kind === 'read') return unitOf(result, day);
  throw result?.kind === 'failed' ? result.error : new TypeError(`${day} was neither read nor failed`);
}

export function unitOf({ sinks, isStable }: ReadDays, day: Day): ReadUnit {
  const all = sinks.map((sink) => sink.rowsOf(day));
  return { rows: isStable ? joined(all) : union(all), isStable };
}

/** The union of several readings, newest first. Of a receipt in several of them, the newest row counts. */
export function union(readings: readonly ReceiptRows[]): ReceiptRows {
  const [newest, ...older] = readings;
  if (newest === undefined) throw new TypeError('a list is read at least once');
  for (const reading of older) {
    for (let row = 0; row < reading.rowCount; row += 1) newest.appendValues(reading.valuesOf(row));
  }
  return newest;
}

/** The rows of all slices. They are appended to the largest one, and each is released once it is. */
function joined(slices: ReceiptRows[]): ReceiptRows {
  slices.sort((a, b) => b.rowCount - a.rowCount);
  const rows = slices.shift();
  if (rows === undefined) throw new TypeError('a list has at least one slice');
  for (let slice = slices.shift(); slice !== undefined; slice = slices.shift()) rows.appendRows(slice);
  return rows;
}

/** Lists under way per request in flight: while some are being stored, the others keep the requests going. */
const LISTS_PER_REQUEST = 1.25;
/** The most rows of lists under way, over all companies that are read at the same time. */
const MOST_ROWS_IN_ALL = 24 * MOST_ROWS_OF_RANGE;
/** Units of one list that are compared and stored at a time. */
const UNITS_AT_ONCE = 10;

/** Takes what was read. */
export interface ReadingWork {
  onUnit(unit: Unit, read: ReadOutcome, list: ListAccount): Promise<void>;
  /** Called when time is up in the middle of a list; `days` are those of its days that are needed. */
  onPaused?(direction: Direction, list: PausedList, days: readonly Day[]): Promise<void>;
  /** Called for an empty list over several days that no list of this process has shown to be answered. */
  onUnproved?(direction: Direction, list: EmptyDays): Promise<'leave' | 'ask'>;
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
  const plans = lists.map((list) => new RangePlan(list, habits[list.direction]));
  const most = Math.max(1, Math.floor(client.governor.maxInFlight * LISTS_PER_REQUEST));
  const share = MOST_ROWS_IN_ALL / tools.companiesAtOnce;
  const mostRows = Math.min(MOST_ROWS_AT_ONCE, Math.max(MOST_ROWS_OF_RANGE, share));
  const underWay = new Set<Promise<void>>();
  let rowsUnderWay = 0;
  /** Starts one more range, if there is one and room for it. */
  const startNext = (): boolean => {
    for (const [index, plan] of plans.entries()) {
      const range = plan.take(rowsUnderWay === 0 ? Number.POSITIVE_INFINITY : mostRows - rowsUnderWay);
      if (range === undefined) continue;
      rowsUnderWay += rowsOf(range);
      const done = reading.read(plan, range).finally(() => {
        rowsUnderWay -= rowsOf(range);
        plan.end(range);
        underWay.delete(done);
      });
      underWay.add(done);
      // The other direction comes next.
      plans.push(...plans.splice(index, 1));
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

  async read(plan: RangePlan, range: PlannedRange): Promise<void> {
    const { rut, tools } = this;
    const { direction } = plan;
    const tally = newTally();
    moveTally(this.leftover, tally);
    const account = { tally, startedAtMs: tools.clock.now(), widthDays: widthDays(range.days) };
    const growth = new UnitGrowth(tools.largeUnits, tools.signal);
    const handOn = async (units: Iterable<[Day, ReadOutcome]>): Promise<void> => {
      // The newest day first: it is what people wait for.
      const newestFirst = [...units].sort(([a], [b]) => (a < b ? 1 : -1));
      await forEachConcurrent(newestFirst, UNITS_AT_ONCE, async ([day, read]) => {
        await STORING.next();
        await this.work.onUnit({ rut, direction, day }, read, account);
      });
    };
    try {
      const lists = new Lists(tools, { rut, direction }, tally, growth);
      const units = new Map<Day, ReadOutcome>();
      const results = await readRange(range.days, lists, range);
      const believed = results.filter(isOverSeveralDays);
      const cut = (await this.isAnyCut(believed, plan, lists)) ? believed : [];
      if (cut.length > 0) plan.noteCut();
      for (const { days } of cut) plan.putBack(range.needed.filter((day) => isWithin(days, day)));
      for (const result of results) {
        // Such a list has a failure for each of its days that has another company's receipt.
        if (result.kind !== 'paused' && cut.some(({ days }) => isWithin(days, result.days.from))) continue;
        const outcomes = await this.settle(result, plan, range.needed);
        for (const [day, outcome] of outcomes) units.set(day, outcome);
      }
      await handOn(units);
    } catch (error) {
      if (!tools.signal.aborted) await handOn(range.needed.map((day) => [day, { error }]));
    } finally {
      growth.end();
      moveTally(tally, this.leftover);
    }
  }

  /**
   * Whether one of these lists lacks a day that has rows: a day that had some before, and has none in a list over
   * several days, is asked for alone. The provider may limit lists since.
   */
  private async isAnyCut(
    results: readonly (ReadDays | UnprovedDays)[],
    plan: RangePlan,
    lists: Lists,
  ): Promise<boolean> {
    for (const result of results) {
      const { days } = result;
      const sinks = result.kind === 'read' ? result.sinks : [];
      const isLacking = (day: Day) =>
        isWithin(days, day) && sinks.every((sink) => !sink.days.has(day) && !sink.foreign.has(day));
      const day = plan.lacking(days, isLacking);
      if (day === undefined) continue;
      if (!(await lists.showsRowsOf({ from: day, to: day }, (issued) => isLacking(issued.day)))) continue;
      withdrawProof(lists.habits, widthDays(days));
      return true;
    }
    return false;
  }

  /** The units of a result. Days that have to be read again are put back into the plan. */
  private async settle(
    result: RangeResult,
    plan: RangePlan,
    needed: readonly Day[],
  ): Promise<[Day, ReadOutcome][]> {
    const { direction } = plan;
    const range = result.kind === 'paused' ? result.asked : result.days;
    const days = needed.filter((day) => isWithin(range, day));
    switch (result.kind) {
      case 'read':
        plan.noteRead(range, Math.max(...result.sinks.map((sink) => sink.rowsBetween(range))));
        return days.map((day) => [day, unitOf(result, day)]);
      case 'failed':
        return days.map((day) => [day, { error: result.error }]);
      case 'paused':
        await this.work.onPaused?.(direction, result, days);
        return [];
      case 'tooLong':
        plan.noteTooLong(range, result);
        break;
      case 'unproved':
        if ((await this.work.onUnproved?.(direction, result)) === 'leave') return [];
        plan.noteUnproved();
    }
    plan.putBack(days);
    return [];
  }
}

function isOverSeveralDays(result: RangeResult): result is ReadDays | UnprovedDays {
  return (result.kind === 'read' || result.kind === 'unproved') && !isOneDay(result.days);
}

/** The lists of a company that these units are of. */
export function listsOf(units: readonly Unit[]): ListToRead[] {
  return DIRECTIONS.map((direction) => ({
    direction,
    days: units.filter((unit) => unit.direction === direction).map(({ day }) => day),
  })).filter(({ days }) => days.length > 0);
}
