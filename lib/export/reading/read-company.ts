import { ApiError, UnauthorizedError } from '../../api/errors.ts';
import type { ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import { forEachConcurrent, Semaphore, STORING_TURNS } from '../../system/concurrency.ts';
import type { Day } from '../../time/days.ts';
import type { Rut } from '../../units/rut.ts';
import { DIRECTIONS, type Direction, type Unit } from '../../units/unit.ts';
import type { ReadingTools } from '../export-tools.ts';
import { CompanyLists, LargeList, NOTHING_STORED } from './company-lists.ts';
import { idsOf, type List } from './list.ts';
import { ListPlan, type ListToRead, MOST_ROWS_OF_RANGE, type PlannedRange } from './plan.ts';
import { type DayResult, isDenial, readRange, type SeenCompany } from './read.ts';

/** A unit as the API lists it now. */
export interface ReadUnit {
  rows: ReceiptRows;
  /** Whether the list was proved to hold just these receipts at one moment. */
  isStable: boolean;
  /** Whether receipts may be lacking that no question could show. */
  isPartial: boolean;
  /** Names of members of its pages that are no evidence of anything: nothing is called gone by such a list. */
  unknownMembers: readonly string[];
}

/** A unit as it was read, or the error that prevented that. */
export type ReadOutcome = ReadUnit | { error: unknown };

/**
 * Reads one unit alone, however long it takes, and believes nothing of it because of the width of its list. Throws its
 * error.
 */
export async function readUnitAlone({ rut, direction, day }: Unit, tools: ReadingTools): Promise<ReadUnit> {
  const facts = { ...tools.facts, [direction]: { ...tools.facts[direction], provedWidthDays: 1 } };
  const lists = new CompanyLists({
    tools: { ...tools, facts, isTimeUp: () => false },
    context: { rut, direction },
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
  const unknownMembers = [...new Set(lists.flatMap((list) => [...list.unknownMembers]))];
  return { isStable, isPartial, unknownMembers, rows: union(lists.map((list) => list.rowsOf(day))) };
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

/** Lists under way of a company and direction, and of all companies: they keep requests in flight while one is stored. */
const LISTS_AT_ONCE = 5;
const LISTS_IN_ALL = 12;
/** So many days are denied before the company is taken to be, if no day was read. */
const MOST_DENIED_DAYS = 3;
/** Units of one list that are compared and stored at a time. */
const UNITS_AT_ONCE = 10;

/** Takes what was read. */
export interface ReadingWork {
  /** `startedAtMs`: when its list began, in milliseconds since the epoch. */
  onUnit(unit: Unit, read: ReadOutcome, startedAtMs: number): Promise<void>;
  /** Called with days that there was no time for in the middle of reading them. */
  onCut?(direction: Direction, days: readonly Day[]): void;
  /** The rows that the lake has of the company, up to some. */
  storedDates?: (direction: Direction) => Promise<SeenCompany>;
}

/**
 * Reads the lists of one company in ranges of days, several at a time, and gives each unit's receipts to `work`. A unit
 * that can't be read does not affect the others. Units without a call of `onUnit` were not read: time was up, or the
 * signal was aborted.
 */
export async function readCompany(
  rut: Rut,
  lists: readonly ListToRead[],
  tools: ReadingTools,
  work: ReadingWork,
): Promise<void> {
  const largeUnits = tools.largeUnits ?? new Semaphore(1);
  const directions = lists.map((list) => new DirectionReading(rut, list, { ...tools, largeUnits }, work));
  await Promise.all(directions.map((direction) => direction.readAll()));
}

/** Reads ranges of one company and direction, and hands on the results of their days. */
class DirectionReading {
  readonly plan: ListPlan;
  private readonly rut: Rut;
  private readonly tools: ReadingTools & { largeUnits: Semaphore };
  private readonly work: ReadingWork;
  private readonly company: SeenCompany = { rowCount: 0, hasTimes: false };
  /** Why the service refuses the company, whatever the days are: they are not asked for any more. */
  private refusal: unknown;
  private deniedDays = 0;

  constructor(rut: Rut, list: ListToRead, tools: DirectionReading['tools'], work: ReadingWork) {
    this.rut = rut;
    const mostRows = tools.readsDaysAlone ? 0 : MOST_ROWS_OF_RANGE;
    const facts = tools.facts[list.direction];
    const rowsADay = facts.rowsADay?.rut === rut ? facts.rowsADay.count : undefined;
    this.plan = new ListPlan({ ...list, rowsADay }, facts, mostRows);
    this.tools = tools;
    this.work = work;
  }

  /** Reads all ranges, several at a time once it is known how many rows a day has. */
  async readAll(): Promise<void> {
    const { companiesAtOnce = 1, readsDaysAlone } = this.tools;
    const storing: Promise<void>[] = [];
    while (this.plan.isExploring) {
      const handOn = await this.readNext();
      if (handOn === undefined) break;
      storing.push(handOn());
    }
    const most = readsDaysAlone ? 1 : Math.max(1, Math.floor(LISTS_IN_ALL / companiesAtOnce));
    const readOn = async () => {
      for (let handOn = await this.readNext(); handOn !== undefined; handOn = await this.readNext())
        await handOn();
    };
    await Promise.all([...storing, ...Array.from({ length: Math.min(most, LISTS_AT_ONCE) }, readOn)]);
  }

  /** Reads a range; undefined if there is none, or no time. The function that comes back hands on its units. */
  private async readNext(): Promise<(() => Promise<void>) | undefined> {
    const { isTimeUp, signal } = this.tools;
    const range = isTimeUp() || signal.aborted ? undefined : this.plan.next();
    return range && (await this.read(range));
  }

  /** Reads a range. The function that comes back hands on what was read. Throws nothing, but for that function. */
  private async read(range: PlannedRange): Promise<() => Promise<void>> {
    const { rut, tools, plan, work, company } = this;
    const { direction } = plan;
    const startedAtMs = tools.clock.now();
    const large = new LargeList(tools.largeUnits, tools.signal);
    const units: [Day, ReadOutcome][] = [];
    try {
      if (this.refusal !== undefined) throw this.refusal;
      const lists = new CompanyLists({
        tools,
        context: { rut, direction },
        company,
        large,
        expectedRows: range.expectedRows,
        storedDates: async () => (await work.storedDates?.(direction)) ?? NOTHING_STORED,
      });
      const { days, unread } = await readRange(range.days, lists);
      for (const day of range.needed) {
        const read = outcomeOf(days.get(day), day);
        if (read === undefined) continue;
        if ('rows' in read) plan.noteRead(read.rows.rowCount);
        else this.noteFailed(read.error);
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
        await this.handOn(units, startedAtMs);
      } finally {
        large.end();
      }
    };
  }

  private noteFailed(error: unknown): void {
    if (isDenial(error)) this.deniedDays += 1;
    const isDenied = !this.plan.hasRead && this.deniedDays >= MOST_DENIED_DAYS;
    if (isDenied || error instanceof UnauthorizedError || !(error instanceof ApiError))
      this.refusal ??= error;
  }

  private async handOn(units: [Day, ReadOutcome][], startedAtMs: number): Promise<void> {
    const { rut, plan } = this;
    // The newest day first: it is what people wait for.
    units.sort(([a], [b]) => (a < b ? 1 : -1));
    await forEachConcurrent(units, UNITS_AT_ONCE, async ([day, read]) => {
      await STORING_TURNS.next();
      await this.work.onUnit({ rut, direction: plan.direction, day }, read, startedAtMs);
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
