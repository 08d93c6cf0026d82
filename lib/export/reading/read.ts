import {
  ApiError,
  foreignReceipt,
  HttpStatusError,
  NoAnswerError,
  type RequestContext,
  UnprovedDayError,
} from '../../api/errors.ts';
import type { IssuedFilters, ReceivedFilters } from '../../api/filters.ts';
import { plural } from '../../text/terminal.ts';
import { addDays, type Day, type DayRange, daysBetween, isOneDay, widthDays } from '../../time/days.ts';
import {
  type AskedDays,
  askedWidth,
  boundsOf,
  mustIncludeNextDay,
  noteList,
  type ReadList,
  type ServiceFacts,
} from './facts.ts';

/** Filters that part a list in two (the contract, §4.1, §4.3). */
export type NumberFilters = Pick<ReceivedFilters & IssuedFilters, 'NumeroDesde' | 'NumeroHasta'>;

/** A list read to its proved end; several readings, newest first, if no two agreed. */
export interface Answer<List> {
  lists: readonly [List, ...List[]];
  isStable: boolean;
}

/** Why a list was not read to its end: there was no time, or it has too many rows for a list over several days. */
export type Unread = 'no time' | 'too long';

/** The lists of one company and direction, over any days. All questions throw an ApiError. */
export interface Lists<List> {
  readonly context: RequestContext;
  readonly facts: ServiceFacts;
  /** What the run has seen of the company in this direction. */
  readonly company: SeenCompany;
  /** Whether requests were ended from outside. */
  isAborted(): boolean;
  read(asked: AskedDays): Promise<Answer<List> | Unread>;
  /** Whether the list has a row past this position. */
  hasRowPast(position: number, days: DayRange): Promise<boolean>;
  /** Whether the part of the list that the filters leave ends with this row, counted from 1. */
  endsWithRow(position: number, days: DayRange, filters: NumberFilters): Promise<boolean>;
  /** Whether a day's list is answered; throws if not. */
  ask(day: Day): Promise<void>;
  /** Rows that the lake has of the company: how many, up to some, and whether any has a time. */
  storedDates(): Promise<SeenCompany>;
}

/** Rows of one company, and whether any was issued after its day's first moment. */
export interface SeenCompany {
  rowCount: number;
  hasTimes: boolean;
}

/** What was read of one day. */
export type DayResult<List> =
  | {
      kind: 'read';
      /** The lists that together have the day's rows, the newest first. */
      lists: readonly List[];
      isStable: boolean;
      /** Whether rows may be lacking that no question could show: nothing is called gone from such a day. */
      isPartial: boolean;
    }
  | { kind: 'failed'; error: unknown };

export interface RangeReading<List> {
  days: ReadonlyMap<Day, DayResult<List>>;
  /** Days without a result. */
  unread: ReadonlyMap<Unread, readonly Day[]>;
}

/** Lists with so few rows are not all that a service shows. */
const FEWEST_ROWS_CUT = 25;
/** With so many, a day that may be cut fails; with fewer, it is stored as partial. */
export const LEAST_WINDOW_ROWS = 500;
/** So many rows are not all issued at midnight by chance: they are dates. */
const ROWS_THAT_SHOW_DATES = 20;

/**
 * Reads all receipts of some days, in one list if the service answers it. Each day comes back read, with its error, or
 * unread. The rule is that of docs/decisions/0014-ranges-of-days.md:
 *
 * - A list no wider than proved is believed, for its empty days too. It is asked for one day past its last one, unless
 *   it is known that the end date includes its day.
 * - One that is refused, torn, perhaps cut, or not to be dealt out to its days is halved, down to a day.
 * - A day that can't be had with the next one is asked for by itself. It is believed if the end date includes its day, or
 *   its own rows tell; otherwise it is stored as partial, or fails by name.
 */
export async function readRange<List extends ReadList>(
  range: DayRange,
  lists: Lists<List>,
): Promise<RangeReading<List>> {
  const reading = new Reading(lists);
  await reading.read(range);
  await reading.settleUnproved();
  return reading;
}

class Reading<List extends ReadList> implements RangeReading<List> {
  readonly days = new Map<Day, DayResult<List>>();
  readonly unread = new Map<Unread, Day[]>();
  private readonly lists: Lists<List>;
  /** Rows without a day that a day's own list has shown. */
  private readonly ownUndated = new Set<bigint>();
  private unproved: { day: Day; alone: List; own: Answer<List> }[] = [];

  constructor(lists: Lists<List>) {
    this.lists = lists;
  }

  async read(range: DayRange): Promise<void> {
    const { facts } = this.lists;
    const asked = { ...range, includesNextDay: mustIncludeNextDay(facts) };
    const answer = await this.ask(asked);
    if (answer === undefined) return;
    const list = answer instanceof Error ? undefined : answer.lists[0];
    const isCut = list !== undefined && (await this.mayBeCut(list));
    // A day alone may have rows without a day: it takes them.
    const isUndated = list !== undefined && list.undated.length > 0 && askedWidth(asked) > 1;
    if (isOneDay(range)) {
      const isSure = list !== undefined && (askedWidth(asked) <= facts.provedWidthDays || this.isShown(list));
      if (!(answer instanceof Error) && isSure && !isCut && !isUndated) this.deliver(range.from, answer);
      else await this.readDay(range.from, asked, answer, isSure, isCut);
      return;
    }
    const isSure = list !== undefined && askedWidth(asked) <= facts.provedWidthDays;
    if (!(answer instanceof Error) && isSure && !isCut && !isUndated && !list.isAmbiguous) {
      for (const day of daysBetween(range.from, range.to)) this.deliver(day, answer);
      return;
    }
    // The newer days first: they are what people wait for.
    const middle = addDays(range.from, (widthDays(range) + 1) >> 1);
    await this.read({ from: middle, to: range.to });
    await this.read({ from: range.from, to: addDays(middle, -1) });
    if (list !== undefined) this.keepRowsOf(list, range);
  }

  /**
   * No list of two days is proved: one that shows the first shows all of it, and where days are those of UTC, one that
   * shows both.
   */
  private isShown(list: List): boolean {
    const { from, includesNextDay } = list.asked;
    const { hasRowBeforeEvening, hasEveningRow } = list.on(from);
    const showsNext = hasEveningRow || (includesNextDay && list.on(addDays(from, 1)).count > 0);
    return hasRowBeforeEvening && (!this.lists.facts.areDaysShifted || showsNext);
  }

  /** The day with the next one was refused, may be cut, or shows nothing: it is asked for by itself, too. */
  private async readDay(
    day: Day,
    asked: AskedDays,
    answer: Answer<List> | Error,
    isSure: boolean,
    isCut: boolean,
  ): Promise<void> {
    const { facts } = this.lists;
    const own = asked.includesNextDay
      ? await this.ask({ from: day, to: day, includesNextDay: false })
      : answer;
    if (own === undefined) return;
    const list = answer instanceof Error ? undefined : answer.lists[0];
    const alone = own instanceof Error ? undefined : own.lists[0];
    const answers = [...new Set([own, answer])].flatMap((each) => (each instanceof Error ? [] : [each]));
    const [first, ...others] = answers.flatMap(({ lists }) => lists);
    if (first === undefined) return this.fail(day, own);
    for (const id of alone?.undated ?? []) this.ownUndated.add(BigInt(id));
    // It may be of the next day, if that was not read by itself, or of none.
    const undated = list?.undated.find((id) => !this.ownUndated.has(BigInt(id)));
    if (undated !== undefined) return this.fail(day, this.undatedError(day, undated));
    const both = { lists: [first, ...others] as const, isStable: answers.every(({ isStable }) => isStable) };
    if (isSure && !isCut) return this.deliver(day, both);
    const isAloneCut = alone === list ? isCut : alone !== undefined && (await this.mayBeCut(alone));
    if (alone !== undefined && !isAloneCut && (await this.isWhole(alone, day)))
      return this.deliver(day, both);
    const cutRows = Math.max((isCut && list?.rowCount) || 0, (isAloneCut && alone?.rowCount) || 0);
    if (cutRows >= LEAST_WINDOW_ROWS) return this.fail(day, this.cutError(day, cutRows));
    const seen = both.lists.map((each) => each.on(day));
    const isEmpty = seen.every(({ count }) => count === 0);
    if (own instanceof Error && isEmpty) return this.fail(day, own);
    if (alone !== undefined && answer instanceof Error && !seen.some(({ hasTimes }) => hasTimes)) {
      if (!isAloneCut) this.unproved.push({ day, alone, own: both });
      return this.fail(day, new UnprovedDayError(this.contextOf(day), answer));
    }
    // Two empty answers are believed.
    this.deliver(day, both, !isEmpty || list === undefined || isCut || facts.areDaysShifted);
  }

  /** Days that were read later may show that the company's receipts are dates. */
  async settleUnproved(): Promise<void> {
    for (const { day, alone, own } of this.unproved)
      if (await this.isWhole(alone, day)) this.deliver(day, own);
  }

  /** Whether a day's own list has all of it: by what is known of the end date, or by its own rows. */
  private async isWhole(alone: List, day: Day): Promise<boolean> {
    const { facts, company } = this.lists;
    if (!mustIncludeNextDay(facts)) return true;
    const { hasEveningRow, hasTimes, count } = alone.on(day);
    if (hasEveningRow) return true;
    if (hasTimes) return false;
    if (!facts.hasTimes && count >= ROWS_THAT_SHOW_DATES) return true;
    if (!facts.isMidnightInclusive || company.hasTimes) return false;
    if (company.rowCount + count >= ROWS_THAT_SHOW_DATES) return true;
    const stored = await this.lists.storedDates();
    return !stored.hasTimes && stored.rowCount >= ROWS_THAT_SHOW_DATES;
  }

  /**
   * Whether the list may be all that the service shows of a longer one, since no list of the run went on past that. A row
   * past its end, in a list that begins earlier, clears it; so do the ends of its two halves by number, which are
   * shorter than what it shows of any list.
   */
  private async mayBeCut({ rowCount, asked, numbers }: List): Promise<boolean> {
    const { facts } = this.lists;
    const isSuspect = rowCount >= FEWEST_ROWS_CUT && rowCount >= facts.deepestRow;
    facts.deepestRow = Math.max(facts.deepestRow, rowCount);
    if (!isSuspect) return false;
    const { from, to } = boundsOf(asked);
    const earlier = { from: addDays(from, -askedWidth(asked) - 7), to };
    try {
      if (await this.lists.hasRowPast(rowCount, earlier)) {
        facts.deepestRow = Math.max(facts.deepestRow, rowCount + 1);
        return false;
      }
    } catch (error) {
      if (this.lists.isAborted()) throw error;
    }
    try {
      return !(await this.haveHalvesEnds(numbers, { from, to }));
    } catch (error) {
      if (this.lists.isAborted()) throw error;
      return true;
    }
  }

  private async haveHalvesEnds(numbers: readonly (number | undefined)[], days: DayRange): Promise<boolean> {
    const sorted = numbers.filter((number) => number !== undefined).sort((a, b) => a - b);
    const middle = sorted[sorted.length >> 1];
    if (middle === undefined || sorted.length < numbers.length) return false;
    const below = sorted.indexOf(middle);
    if (below === 0) return false;
    const upper = sorted.length - below;
    return (
      (await this.lists.endsWithRow(below, days, { NumeroHasta: middle - 1 })) &&
      (await this.lists.endsWithRow(upper, days, { NumeroDesde: middle }))
    );
  }

  /** The list of these days, or why it can't be had; undefined if the days failed, or were not read. */
  private async ask(asked: AskedDays): Promise<Answer<List> | Error | undefined> {
    const { lists } = this;
    const days = daysBetween(asked.from, asked.to);
    try {
      const answer = await lists.read(asked);
      if (typeof answer === 'string') {
        this.unread.set(answer, [...(this.unread.get(answer) ?? []), ...days]);
        return undefined;
      }
      const [list] = answer.lists;
      noteList(lists.facts, list);
      lists.company.hasTimes ||= list.hasTimes;
      return answer;
    } catch (error) {
      const isOfNoDay = !(error instanceof ApiError) || error.isOfNoDay;
      const isOfCompany = isDenial(error) && !isOneDay(asked) && (await this.isDeniedAlone(asked, error));
      if (!isOfNoDay && !isOfCompany) return error;
      for (const day of days) this.fail(day, error);
      return undefined;
    }
  }

  /** Whether a refusal has nothing to do with the list's days: its last and its first day alone are refused too. */
  private async isDeniedAlone({ from, to }: DayRange, denial: HttpStatusError): Promise<boolean> {
    for (const day of [to, from]) {
      try {
        await this.lists.ask(day);
        return false;
      } catch (error) {
        if (!isDenial(error) || error.status !== denial.status) return false;
      }
    }
    return true;
  }

  /** Rows that a list had and its halves lack are kept, or fail its days where they have none. */
  private keepRowsOf(list: List, { from, to }: DayRange): void {
    const lacking = new Set(list.undated.map(BigInt));
    const days = daysBetween(from, to);
    for (const day of days) {
      const result = this.days.get(day);
      if (result?.kind !== 'read') {
        // A day that failed and lacks rows stays failed, whatever shows that the company's receipts are dates.
        this.unproved = this.unproved.filter(
          (one) => one.day !== day || new Set(list.idsOn(day)).isSubsetOf(new Set(one.alone.idsOn(day))),
        );
        continue;
      }
      const ids = new Set(result.lists.flatMap((each) => [...each.idsOn(day)]));
      for (const id of ids) lacking.delete(id);
      for (const id of result.lists.flatMap(({ undated }) => undated)) lacking.delete(BigInt(id));
      if ([...list.idsOn(day)].every((id) => ids.has(id))) continue;
      this.days.set(day, { ...result, lists: [...result.lists, list], isStable: false });
    }
    const [undated] = lacking;
    // It may be of a day that failed, or that was not read.
    if (undated === undefined || days.some((day) => this.days.get(day)?.kind !== 'read')) return;
    for (const day of days) this.fail(day, this.undatedError(day, undated));
  }

  private deliver(day: Day, { lists, isStable }: Answer<List>, isPartial = false): void {
    const fault = lists.map((list) => list.faultOf(day)).find((error) => error !== undefined);
    if (fault !== undefined) {
      this.fail(day, fault);
      return;
    }
    this.lists.company.rowCount += lists[0].on(day).count;
    this.days.set(day, { kind: 'read', lists, isStable: isStable && !isPartial, isPartial });
  }

  private fail(day: Day, error: unknown): void {
    if (this.lists.isAborted()) throw error;
    this.days.set(day, { kind: 'failed', error });
  }

  private cutError(day: Day, rowCount: number): ApiError {
    const whatHappened = `the API perhaps shows only the first ${plural(rowCount, 'receipt')} of a list`;
    const advice = 'Ask the provider of the API to raise that limit; nothing was replaced.';
    return new ApiError(this.contextOf(day), whatHappened, { advice });
  }

  private undatedError(day: Day, id: number | bigint): ApiError {
    const reason = 'has no valid issue date, and may be of this day or of another one';
    return foreignReceipt(this.contextOf(day), id, reason);
  }

  private contextOf(day: Day): RequestContext {
    return { ...this.lists.context, day };
  }
}

/** Whether a list was refused, perhaps for its days. */
export function isRefused(error: unknown): boolean {
  return error instanceof HttpStatusError || (error instanceof NoAnswerError && !error.isOfNoDay);
}

/** Statuses that are mostly about the company or the address. */
export function isDenial(error: unknown): error is HttpStatusError {
  return error instanceof HttpStatusError && (error.status === 403 || error.status === 404);
}
