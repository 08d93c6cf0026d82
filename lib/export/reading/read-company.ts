import type { ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import { forEachConcurrent, STORING_TURNS } from '../../system/concurrency.ts';
import type { Day } from '../../time/days.ts';
import type { Rut } from '../../units/rut.ts';
import { DIRECTIONS, type Direction, type Unit } from '../../units/unit.ts';
import type { ReadingTools } from '../export-tools.ts';
import { LargeList } from '../large-list.ts';
import { CompanyAnswers } from './company-answers.ts';
import { Patience } from './patience.ts';
import { type DaysToRead, type PlannedRange, RangePlan } from './plan.ts';
import { idsOf, type ReceiptsByDay } from './receipts-by-day.ts';
import type { SeenCompany, Unread, Verdict } from './rule.ts';

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
  const answers = new CompanyAnswers({ ...tools, facts, isTimeUp: () => false }, { rut, direction });
  const read = outcomeOf((await answers.verdicts({ from: day, to: day })).get(day), day);
  if (read === undefined) throw new TypeError(`${day} was neither read nor failed`);
  if ('error' in read) throw read.error;
  return read;
}

function outcomeOf(verdict: Verdict<ReceiptsByDay> | undefined, day: Day): ReadOutcome | undefined {
  if (verdict?.kind === 'failed') return { error: verdict.error };
  if (verdict?.kind !== 'read') return undefined;
  const { attempts, isStable, isPartial } = verdict;
  const unknownMembers = [...new Set(attempts.flatMap((attempt) => [...attempt.unknownMembers]))];
  return { isStable, isPartial, unknownMembers, rows: union(attempts.map((attempt) => attempt.rowsOf(day))) };
}

/** The rows of several lists, added to the first. Of a receipt in several of them, the row of the first one counts. */
export function union(lists: readonly ReceiptRows[]): ReceiptRows {
  const [first, ...moreLists] = lists;
  if (first === undefined) throw new TypeError('a day is read from at least one list');
  const ids = new Set(moreLists.length > 0 ? idsOf(first) : []);
  for (const list of moreLists) {
    // Mostly the same rows: what did not fit in them counts once.
    if (idsOf(list).every((id) => ids.has(id))) continue;
    first.appendRows(list);
    for (const id of idsOf(list)) ids.add(id);
  }
  return first;
}

/** Lists under way of a company and direction, and of all companies: they keep requests in flight while one is stored. */
const LISTS_AT_ONCE = 5;
const LISTS_IN_ALL = 12;
/** Units of one list that are compared and stored at a time. */
const UNITS_AT_ONCE = 10;

/** Takes what was read. */
export interface ReadingWork {
  /** `startedAtMs`: when its list began, in milliseconds since the epoch. */
  onUnit(unit: Unit, read: ReadOutcome, startedAtMs: number): Promise<void>;
  /** What is called with days that there was no time for in the middle of reading them. */
  onCut?(direction: Direction, days: readonly Day[]): void;
  /** Some of the newest rows that the lake has of the company. */
  storedDates?: (direction: Direction) => Promise<SeenCompany>;
}

/**
 * Reads the lists of one company in ranges of days, several at a time, and gives each unit's receipts to `work`. A unit
 * that can't be read does not affect the others. Units without a call of `onUnit` were not read: time was up, or the
 * signal was aborted.
 */
export async function readCompany(
  rut: Rut,
  lists: readonly DaysToRead[],
  tools: ReadingTools,
  work: ReadingWork,
): Promise<void> {
  const directions = lists.map((list) => new DirectionReading(rut, list, tools, work));
  await Promise.all(directions.map((direction) => direction.readAll()));
}

/** Reads ranges of one company and direction, and hands on the results of their days. */
class DirectionReading {
  private readonly plan: RangePlan;
  private readonly rut: Rut;
  private readonly tools: ReadingTools;
  private readonly work: ReadingWork;
  private readonly company: SeenCompany = { rowCount: 0, hasTimes: false };
  private readonly patience = new Patience();

  constructor(rut: Rut, list: DaysToRead, tools: ReadingTools, work: ReadingWork) {
    this.rut = rut;
    const known = tools.facts[list.direction];
    const facts = tools.readsDaysAlone ? { ...known, provedWidthDays: 1 } : known;
    const rowsADay = facts.rowsADay?.rut === rut ? facts.rowsADay.count : undefined;
    this.plan = new RangePlan({ ...list, rowsADay }, facts);
    this.tools = tools;
    this.work = work;
  }

  /** Reads all ranges, several at a time once it is known how many rows a day has. */
  async readAll(): Promise<void> {
    const { companiesAtOnce = 1, readsDaysAlone } = this.tools;
    const storing: Promise<void>[] = [];
    while (this.plan.isExploring) {
      const range = this.nextRange();
      if (range === undefined) break;
      const stored = this.handOn(await this.read(range));
      // It may fail while the next list is read; it is awaited below.
      stored.catch(() => undefined);
      storing.push(stored);
    }
    const most = readsDaysAlone ? 1 : Math.max(1, Math.floor(LISTS_IN_ALL / companiesAtOnce));
    const readOn = async () => {
      for (let range = this.nextRange(); range !== undefined; range = this.nextRange())
        await this.handOn(await this.read(range));
    };
    await Promise.all([...storing, ...Array.from({ length: Math.min(most, LISTS_AT_ONCE) }, readOn)]);
  }

  /** The next range, if there is one, and time for it. */
  private nextRange(): PlannedRange | undefined {
    const { isTimeUp, signal } = this.tools;
    return isTimeUp() || signal.aborted ? undefined : this.plan.next();
  }

  /** Reads a range. Throws nothing: what can't be read fails its days. */
  private async read({ days, needed, expectedRows }: PlannedRange): Promise<RangeRead> {
    const { rut, tools, plan, work, company, patience } = this;
    const { direction } = plan;
    const read: RangeRead = {
      units: [],
      startedAtMs: tools.clock.now(),
      large: new LargeList(tools.largeUnits, tools.signal),
    };
    try {
      const storedDates = () => work.storedDates?.(direction);
      const shared = { company, patience, large: read.large, expectedRows, storedDates };
      const verdicts = await new CompanyAnswers(tools, { rut, direction }, shared).verdicts(days);
      for (const day of needed) {
        const outcome = outcomeOf(verdicts.get(day), day);
        if (outcome === undefined) continue;
        if ('rows' in outcome) plan.noteRead(outcome.rows.rowCount);
        else patience.noteFailedDay(outcome.error);
        read.units.push([day, outcome]);
      }
      const unread = (why: Unread) => [...verdicts].flatMap(([day, { kind }]) => (kind === why ? [day] : []));
      const tooLong = unread('too long');
      if (tooLong.length > 0) plan.noteTooLong(tooLong, needed);
      const cut = unread('no time').filter((day) => needed.includes(day));
      if (cut.length > 0) work.onCut?.(direction, cut);
    } catch (error) {
      read.units = tools.signal.aborted ? [] : needed.map((day) => [day, { error }]);
    }
    return read;
  }

  /** Hands on the units of a range, the newest day first: it is what people wait for. */
  private async handOn({ units, startedAtMs, large }: RangeRead): Promise<void> {
    const { rut, plan } = this;
    try {
      await forEachConcurrent(units, UNITS_AT_ONCE, async ([day, read]) => {
        await STORING_TURNS.next();
        await this.work.onUnit({ rut, direction: plan.direction, day }, read, startedAtMs);
      });
    } finally {
      large.end();
    }
  }
}

/** What was read of a range. */
interface RangeRead {
  /** The newest first. */
  units: [Day, ReadOutcome][];
  startedAtMs: number;
  /** Its list, until its units are stored. */
  large: LargeList;
}

/** The lists of a company that these units are of. */
export function daysToReadOf(units: readonly Unit[]): DaysToRead[] {
  return DIRECTIONS.map((direction) => ({
    direction,
    days: units.filter((unit) => unit.direction === direction).map(({ day }) => day),
  })).filter(({ days }) => days.length > 0);
}
