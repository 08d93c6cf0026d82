import { type ListTally, moveTally, newTally } from '../../api/list/page-request.ts';
import type { ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import { forEachConcurrent, STORING_TURNS } from '../../system/concurrency.ts';
import type { Day } from '../../time/days.ts';
import type { Rut } from '../../units/rut.ts';
import { DIRECTIONS, type Direction, type Unit } from '../../units/unit.ts';
import type { CompanyReadingTools, ListAccount, ReadingTools } from '../export-tools.ts';
import { CompanyLists, LargeList, NOTHING_STORED } from './company-lists.ts';
import { idsOf, type List } from './list.ts';
import {
  ListPlan,
  type ListToRead,
  MOST_ROWS_AT_ONCE,
  MOST_ROWS_OF_RANGE,
  type PlannedRange,
  rowsOf,
} from './plan.ts';
import { type DayResult, readRange, type SeenCompany } from './read.ts';

/** A unit as the API lists it now. */
export interface ReadUnit {
  rows: ReceiptRows;
  /** Whether the list was proved to hold just these receipts at one moment. */
  isStable: boolean;
  /** Whether receipts may be lacking that no question could show. */
  isPartial: boolean;
}

/** A unit as it was read, or the error that prevented that. */
export type ReadOutcome = ReadUnit | { error: unknown };

/**
 * Reads one unit alone, however long it takes, and believes nothing of it because of the width of its list. Throws its
 * error.
 */
export async function readUnitAlone(
  { rut, direction, day }: Unit,
  tools: ReadingTools,
  tally: ListTally,
): Promise<ReadUnit> {
  const facts = { ...tools.facts, [direction]: { ...tools.facts[direction], provedWidthDays: 1 } };
  const lists = new CompanyLists({
    tools: { ...tools, facts, isTimeUp: () => false },
    context: { rut, direction },
    tally,
  });
  const { days } = await readRange({ from: day, to: day }, lists);
  const read = outcomeOf(days.get(day), day);
  if (read === undefined) throw new TypeError(`${day} was neither read nor failed`);
  if ('error' in read) throw read.error;
  return read;
}

function outcomeOf(result: DayResult<List> | undefined, day: Day): ReadOutcome | undefined {
  if (result?.kind !== 'read') return result && { error: result.error };
  const { lists, isStable, isPartial } = result;
  return { isStable, isPartial, rows: union(lists.map((list) => list.rowsOf(day))) };
}

/** The rows of several lists. Of a receipt in several of them, the row of the first one counts. */
export function union(lists: readonly ReceiptRows[]): ReceiptRows {
  const [first, ...others] = lists;
  if (first === undefined) throw new TypeError('a day is read from at least one list');
  const ids = new Set(others.length > 0 ? idsOf(first) : []);
  for (const other of others) {
    // Mostly the same rows: what did not fit in them counts once.
    if (idsOf(other).every((id) => ids.has(id))) continue;
    first.appendRows(other);
    for (const id of idsOf(other)) ids.add(id);
  }
  return first;
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
  /** Called with days that there was no time for in the middle of reading them. */
  onCut?(direction: Direction, days: readonly Day[]): void;
  /** The rows that the lake has of the company, up to some. */
  storedDates?: (direction: Direction) => Promise<SeenCompany>;
}

/**
 * Reads the lists of one company in ranges of days, several at a time, and gives each unit's receipts to `work`. A unit
 * that can't be read does not affect the others. Units without a call of `onUnit` were not read: time was up, or the
 * signal was aborted. Returns the requests that are counted with no unit.
 */
export async function readCompany(
  rut: Rut,
  lists: readonly ListToRead[],
  tools: CompanyReadingTools,
  work: ReadingWork,
): Promise<ListTally> {
  const { client, isTimeUp, signal } = tools;
  const uncounted = newTally();
  const directions = lists.map((list) => new DirectionReading(rut, list, tools, work, uncounted));
  const most = Math.max(1, Math.floor(client.governor.maxInFlight * LISTS_PER_REQUEST));
  const share = MOST_ROWS_IN_ALL / tools.companiesAtOnce;
  const mostRows = Math.min(MOST_ROWS_AT_ONCE, Math.max(MOST_ROWS_OF_RANGE, share));
  const underWay = new Set<Promise<void>>();
  let wake = Promise.withResolvers<void>();
  let rowsUnderWay = 0;
  /** Starts one more range, if there is one and room for it. */
  const startNext = (): boolean => {
    for (const [index, direction] of directions.entries()) {
      const range = direction.plan.take(
        rowsUnderWay === 0 ? Number.POSITIVE_INFINITY : mostRows - rowsUnderWay,
      );
      if (range === undefined) continue;
      rowsUnderWay += rowsOf(range);
      const reading = direction
        .read(range, () => wake.resolve())
        .then((handOn) => {
          // What was learnt of the company plans the next lists, which are read while this one's units are stored.
          direction.plan.end(range);
          const handing = handOn().finally(() => {
            rowsUnderWay -= rowsOf(range);
            underWay.delete(handing);
          });
          underWay.add(handing);
          underWay.delete(reading);
        });
      underWay.add(reading);
      // The other direction comes next.
      directions.push(...directions.splice(index, 1));
      return true;
    }
    return false;
  };
  for (;;) {
    while (underWay.size < most && !isTimeUp() && !signal.aborted && startNext());
    wake = Promise.withResolvers();
    if (underWay.size === 0) return uncounted;
    await Promise.race([...underWay, wake.promise]);
  }
}

/** Reads ranges of one company and direction, and hands on the results of their days. */
class DirectionReading {
  readonly plan: ListPlan;
  private readonly rut: Rut;
  private readonly tools: CompanyReadingTools;
  private readonly work: ReadingWork;
  private readonly uncounted: ListTally;
  private readonly company: SeenCompany = { rowCount: 0, hasTimes: false };

  constructor(
    rut: Rut,
    list: ListToRead,
    tools: CompanyReadingTools,
    work: ReadingWork,
    uncounted: ListTally,
  ) {
    this.rut = rut;
    this.plan = new ListPlan(list, tools.facts[list.direction]);
    this.tools = tools;
    this.work = work;
    this.uncounted = uncounted;
  }

  /**
   * Reads a range. The function that comes back hands on what was read. Throws nothing, but for that function. `onFits` is
   * called when others can be planned before this one is read.
   */
  async read(range: PlannedRange, onFits: () => void): Promise<() => Promise<void>> {
    const { rut, tools, plan, work, company } = this;
    const { direction } = plan;
    const tally = newTally();
    moveTally(this.uncounted, tally);
    const account = { tally, startedAtMs: tools.clock.now() };
    const large = new LargeList(tools.largeUnits, tools.signal);
    const units: [Day, ReadOutcome][] = [];
    try {
      const lists = new CompanyLists({
        tools,
        context: { rut, direction },
        company,
        tally,
        large,
        expectedRows: range.expectedRows,
        onFits: () => {
          plan.end(range);
          onFits();
        },
        storedDates: async () => (await work.storedDates?.(direction)) ?? NOTHING_STORED,
      });
      const { days, unread } = await readRange(range.days, lists);
      for (const day of range.needed) {
        const read = outcomeOf(days.get(day), day);
        if (read === undefined) continue;
        if ('rows' in read) plan.noteRead(read.rows.rowCount);
        units.push([day, read]);
      }
      const tooLong = unread.get('too long');
      if (tooLong !== undefined) plan.noteTooLong(tooLong, range.needed);
      const cut = unread.get('no time')?.filter((day) => range.needed.includes(day));
      if (cut !== undefined) work.onCut?.(direction, cut);
    } catch (error) {
      units.splice(0);
      if (!tools.signal.aborted)
        units.push(...range.needed.map((day): [Day, ReadOutcome] => [day, { error }]));
    }
    return async () => {
      try {
        await this.handOn(units, account);
      } finally {
        large.end();
        moveTally(tally, this.uncounted);
      }
    };
  }

  private async handOn(units: [Day, ReadOutcome][], account: ListAccount): Promise<void> {
    const { rut, plan } = this;
    // The newest day first: it is what people wait for.
    units.sort(([a], [b]) => (a < b ? 1 : -1));
    await forEachConcurrent(units, UNITS_AT_ONCE, async ([day, read]) => {
      await STORING_TURNS.next();
      await this.work.onUnit({ rut, direction: plan.direction, day }, read, account);
    });
  }
}

/** The lists of a company that these units are of. */
export function listsOf(units: readonly Unit[]): ListToRead[] {
  return DIRECTIONS.map((direction) => ({
    direction,
    days: units.filter((unit) => unit.direction === direction).map(({ day }) => day),
  })).filter(({ days }) => days.length > 0);
}
