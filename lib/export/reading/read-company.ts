import { UnprovedDayError } from '../../api/errors.ts';
import { MAX_PAGE_SIZE } from '../../api/list/page.ts';
import { type ListTally, moveTally, newTally } from '../../api/list/page-request.ts';
import type { ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import { forEachConcurrent, STORING_TURNS } from '../../system/concurrency.ts';
import { type Day, isWithin } from '../../time/days.ts';
import type { Rut } from '../../units/rut.ts';
import { DIRECTIONS, type Direction, type Unit } from '../../units/unit.ts';
import type { CompanyReadingTools, ListAccount, ReadingTools } from '../export-tools.ts';
import { CompanyLists, LargeList, MOST_ROWS_OF_RANGE, type PausedList } from './company-lists.ts';
import { BoundComparison } from './facts.ts';
import { idsOf, type List } from './list.ts';
import { type ListToRead, MOST_ROWS_AT_ONCE, type PlannedRange, RangePlan, rowsOf } from './plan.ts';
import { type DayResult, readRange } from './rule.ts';

/** A unit as the API lists it now. */
export interface ReadUnit {
  rows: ReceiptRows;
  /** Whether the list was proved to hold just these receipts at one moment. */
  isStable: boolean;
  /** Whether receipts may be lacking that no question could show. */
  mayLackRows: boolean;
  /** Names of members of its pages that are no evidence of anything: nothing is called gone by such a list. */
  unknownMembers: readonly string[];
  /** Over how many days its list was asked for. */
  widthDays: number;
}

/** A unit as it was read, or the error that prevented that. */
export type ReadOutcome = ReadUnit | { error: unknown };

/** Reads one unit alone, however long it takes. Throws its error. */
export async function readUnitAlone(
  { rut, direction, day }: Unit,
  tools: ReadingTools,
  tally: ListTally,
): Promise<ReadUnit> {
  const lists = new CompanyLists({
    tools: { ...tools, isTimeUp: () => false },
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
  const { lists, ...rest } = result;
  const unknownMembers = [...new Set(lists.flatMap((list) => [...list.unknownMembers]))];
  return { ...rest, unknownMembers, rows: union(lists.map((list) => list.rowsOf(day))) };
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
  /** Called once more for a unit whose list turned out to lack rows. */
  onUnit(unit: Unit, read: ReadOutcome, list: ListAccount): Promise<void>;
  /** Called with days whose list turned out to lack rows: they are read again, if there is time. */
  onDisproved?(direction: Direction, days: readonly Day[]): Promise<void>;
  /** Called when time is up in the middle of a list; `days` are those of its days that are needed. */
  onPaused?(direction: Direction, list: PausedList, days: readonly Day[]): Promise<void>;
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
  const { client, facts, isTimeUp, signal } = tools;
  const uncounted = newTally();
  const directions = lists.map(
    (list) => new DirectionReading(rut, new RangePlan(list, facts[list.direction]), tools, work, uncounted),
  );
  const most = Math.max(1, Math.floor(client.governor.maxInFlight * LISTS_PER_REQUEST));
  const share = MOST_ROWS_IN_ALL / tools.companiesAtOnce;
  const mostRows = Math.min(MOST_ROWS_AT_ONCE, Math.max(MOST_ROWS_OF_RANGE, share));
  const underWay = new Set<Promise<void>>();
  let wake = Promise.withResolvers<void>();
  let rowsUnderWay = 0;
  /** Starts one more range, if there is one and room for it. */
  const startNext = (): boolean => {
    for (const [index, direction] of directions.entries()) {
      if (direction.waitsForBound()) continue;
      const range = direction.plan.take(
        rowsUnderWay === 0 ? Number.POSITIVE_INFINITY : mostRows - rowsUnderWay,
      );
      if (range === undefined) continue;
      rowsUnderWay += rowsOf(range);
      direction.underWay += 1;
      const reading = direction
        .read(range, () => wake.resolve())
        .then((handOn) => {
          // What was learnt of the company plans the next lists, which are read while this one's units are stored.
          direction.plan.end(range);
          direction.underWay -= 1;
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
    if (underWay.size > 0) await Promise.race([...underWay, wake.promise]);
    else if (isTimeUp() || signal.aborted) {
      for (const direction of directions) await direction.withdrawn();
      return uncounted;
    } else if (!(await someReadAgain(directions))) return uncounted;
  }
}

async function someReadAgain(directions: readonly DirectionReading[]): Promise<boolean> {
  let isAny = false;
  for (const direction of directions) isAny = (await direction.readAgain()) || isAny;
  return isAny;
}

/** Reads ranges of one company and direction, and hands on the results of their days. */
class DirectionReading {
  readonly plan: RangePlan;
  /** Lists that are being read. */
  underWay = 0;
  private readonly rut: Rut;
  private readonly tools: CompanyReadingTools;
  private readonly work: ReadingWork;
  private readonly uncounted: ListTally;
  private readonly bound: BoundComparison;
  /** Days whose list was believed. */
  private readonly believed = new Set<Day>();
  private hasReadAgain = false;
  /** Days that wait for what the company's other lists show about the bound. */
  private readonly unproved = new Map<Day, { read: ReadOutcome; account: ListAccount }>();

  constructor(
    rut: Rut,
    plan: RangePlan,
    tools: CompanyReadingTools,
    work: ReadingWork,
    uncounted: ListTally,
  ) {
    this.rut = rut;
    this.plan = plan;
    this.tools = tools;
    this.work = work;
    this.uncounted = uncounted;
    this.bound = new BoundComparison(tools.facts[plan.direction]);
  }

  /** Two lists compare the bound. Until then, each brings a day more than it is read for, which costs much of long days. */
  waitsForBound(): boolean {
    const { bound, plan, underWay } = this;
    const isPastLong = (plan.rate ?? Number.POSITIVE_INFINITY) > MAX_PAGE_SIZE;
    return underWay >= 2 && bound.isOpen && !bound.isUnderWay && isPastLong;
  }

  /** Days whose list was believed and turned out to lack rows: what it gave of them counts no more. */
  async withdrawn(): Promise<readonly Day[]> {
    const { direction } = this.plan;
    const isDisproved = this.tools.disproved.has(direction) || this.bound.hasCeasedToBeWhole;
    // Once: a service that shows a row now and then would be asked for ever.
    if (!isDisproved || this.hasReadAgain) return [];
    this.hasReadAgain = true;
    const days = [...this.believed];
    await this.work.onDisproved?.(direction, days);
    return days;
  }

  /** Puts days back into the plan that are to be read again, now that more is known. Tells whether there are any. */
  async readAgain(): Promise<boolean> {
    const { plan, unproved } = this;
    const again = new Set(await this.withdrawn());
    for (const [day, { read, account }] of unproved) {
      if (this.bound.isBoundWhole) again.add(day);
      else await this.handOn([[day, read]], account);
    }
    unproved.clear();
    plan.putBack(again);
    return again.size > 0;
  }

  /**
   * Reads a range. The function that comes back hands on what was read. Throws nothing, but for that function. `onFits` is
   * called when others can be planned before this one is read.
   */
  async read(range: PlannedRange, onFits: () => void): Promise<() => Promise<void>> {
    const { rut, tools, plan } = this;
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
        bound: this.bound,
        tally,
        large,
        onFits: () => {
          plan.noteFits(range);
          onFits();
        },
      });
      const { days, unread } = await readRange(range.days, lists, range);
      for (const day of range.needed) {
        const read = outcomeOf(days.get(day), day);
        if (read === undefined) continue;
        if ('rows' in read) {
          plan.noteRead(read.rows.rowCount);
          this.believed.add(day);
        }
        if ('error' in read && read.error instanceof UnprovedDayError)
          this.unproved.set(day, { read, account });
        else units.push([day, read]);
      }
      for (const rest of unread) {
        const needed = range.needed.filter((day) => isWithin(rest.asked, day) && !days.has(day));
        if (rest.kind === 'paused') await this.work.onPaused?.(direction, rest, needed);
        else {
          plan.noteTooLong(rest);
          plan.putBack(needed);
        }
      }
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
