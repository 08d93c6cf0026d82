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
  type BoundComparison,
  boundsOf,
  type DayRows,
  doesDayTell,
  noteAnswered,
  noteProved,
  noteTooWide,
  type ServiceFacts,
} from './facts.ts';

/** Filters that divide a day's list (the contract, §4.1, §4.3, §4.5). */
export type PartFilters = Pick<
  ReceivedFilters & IssuedFilters,
  'TipoComprobante' | 'ExcluirTipoComprobante' | 'NumeroDesde' | 'NumeroHasta'
>;

/** What the rule looks at in a list. */
export interface ReadList {
  readonly asked: AskedDays;
  /** All rows that came, of whatever day. */
  readonly rowCount: number;
  /** Rows without a valid day. */
  readonly undated: readonly (number | bigint)[];
  /** Whether only narrower lists can tell to which day some rows belong. */
  readonly isAmbiguous: boolean;
  /** Whether any row was issued after its day's first moment. */
  readonly hasTimes: boolean;
  /** Whether it has rows of the evening before its first day: the service counts its days in UTC. */
  readonly hasEveningBefore: boolean;
  /** The first and the last day with rows, the day after those asked for included. */
  readonly ends: DayRange | undefined;
  countOn(day: Day): number;
  on(day: Day): DayRows;
  /** How many rows have each value; rows without one count under `null`. */
  countBy(column: 'tipo_comprobante' | 'numero'): ReadonlyMap<number | null, number>;
  /** Why the day fails, although the list is in order. */
  faultOf(day: Day): Error | undefined;
}

/** A list read to its proved end; several readings, newest first, if no two agreed. */
export interface Answer<List> {
  kind: 'read';
  lists: readonly [List, ...List[]];
  isStable: boolean;
}

/** It has too many rows for a list over several days; `ends`: between which days those lie that are not too many. */
export interface TooLongList {
  kind: 'tooLong';
  asked: AskedDays;
  ends: DayRange | undefined;
}

/** Time was up in the middle of a list, or it is too long. */
export type Unread<Paused> = Paused | TooLongList;

/** What was read of one day. */
export type DayResult<List> =
  | {
      kind: 'read';
      /** The lists that together have the day's rows, the newest first. */
      lists: readonly List[];
      isStable: boolean;
      /** Whether rows may be lacking that no question could show: nothing is called gone from such a day. */
      mayLackRows: boolean;
      /** Over how many days its list was asked for. */
      widthDays: number;
    }
  | { kind: 'failed'; error: unknown };

export interface ListOptions<Paused> {
  /** The rows that the list is expected to have; undefined if nothing is known. */
  expectedRows?: number;
  /** A list that an earlier invocation read in part. */
  paused?: Paused;
  /** Whether it is given up if it has too many rows for a list over several days. Default: one over several days is. */
  isLongGivenUp?: boolean;
}

/** The lists of one company and direction, over any days. All questions throw an ApiError. */
export interface Lists<List, Paused> {
  readonly context: RequestContext;
  readonly facts: ServiceFacts;
  readonly bound: BoundComparison;
  /** The day on which the run began. */
  readonly today: Day;
  isTimeUp(): boolean;
  /** Whether requests were ended from outside. */
  isAborted(): boolean;
  read(asked: AskedDays, options?: ListOptions<Paused>): Promise<Answer<List> | Unread<Paused>>;
  /** Whether the list has a row past this position. One request. */
  hasRowPast(position: number, days: DayRange): Promise<boolean>;
  /** The one or two pages of a list that hold the last so many rows before this position. */
  readBefore(position: number, rowCount: number, asked: AskedDays): Promise<List>;
  /** Asks for the first page of a day's own list. */
  ask(day: Day): Promise<void>;
  /** Reads a part of a day's list. Undefined if the service refuses or ignores the filters. */
  readPart(asked: AskedDays, filters: PartFilters): Promise<List | undefined>;
  /** A row turned up that a list which counted as proved had lacked: lists of several days are no longer believed. */
  onDisproved(): void;
}

export interface RangeReading<List, Paused> {
  /** Days that there was no time for have no result. */
  days: ReadonlyMap<Day, DayResult<List>>;
  unread: readonly Unread<Paused>[];
}

/** How a day is asked for: with the next one, unless both are long; by itself first; with the next one in any case. */
type DayWay = 'unlessLong' | 'aloneFirst' | 'withNext';

/** From this many rows on, a list may be all that a service shows of a longer one. */
export const LEAST_WINDOW_ROWS = 500;
/** So many of a day's last rows compare a bound, if they are all at midnight. */
const LAST_ROWS = 20;
/** Windows are round numbers. */
const ROUND_ROWS = 50;

/**
 * Reads all receipts of some days, as far as time allows. Every day comes back read or with its error. What a list is
 * believed to prove is the rule of docs/decisions/0014-ranges-of-days.md:
 *
 * - A list is asked for with the day after its last one until it is known that `FechaHasta` includes its whole day.
 * - It is believed if one as wide was seen to have rows at both its ends; otherwise only strictly between its first and
 *   its last day with rows. The other days are asked for in lists as wide as proved, at the least each alone.
 * - A list that is refused, torn, or may have been cut after a number of rows is divided.
 */
export async function readRange<List extends ReadList, Paused extends { kind: 'paused'; asked: AskedDays }>(
  range: DayRange,
  lists: Lists<List, Paused>,
  options: ListOptions<Paused> = {},
): Promise<RangeReading<List, Paused>> {
  const reading = new RangeReader(lists);
  await reading.read(range, options);
  return reading;
}

class RangeReader<List extends ReadList, Paused extends { kind: 'paused'; asked: AskedDays }>
  implements RangeReading<List, Paused>
{
  readonly days = new Map<Day, DayResult<List>>();
  readonly unread: Unread<Paused>[] = [];
  private readonly lists: Lists<List, Paused>;

  constructor(lists: Lists<List, Paused>) {
    this.lists = lists;
  }

  async read(range: DayRange, options: ListOptions<Paused> = {}): Promise<void> {
    if (this.lists.isTimeUp()) return;
    if (isOneDay(range)) return await this.readDay(range.from, options);
    const { provedWidthDays, widestDays } = this.lists.facts;
    const isPast = options.paused?.asked.isPast ?? this.isPastWorthAsking(range);
    const asked = { ...range, isPast };
    const width = askedWidth(asked);
    if (options.paused === undefined) {
      if (width > widestDays) return await this.halve(range);
      // One list more, as wide as proved, is better than one whose ends have to be asked for again.
      if (width > provedWidthDays && width <= 2 * provedWidthDays && !this.isLikelyToProve(asked, options)) {
        const last = addDays(range.to, -Math.max(1, provedWidthDays - Number(isPast)));
        await this.read({ from: addDays(last, 1), to: range.to });
        return await this.read({ from: range.from, to: last });
      }
    }
    const answer = await this.ask(asked, options);
    if (answer === undefined) return;
    if (answer.kind === 'read') await this.judge(range, answer);
    else this.unread.push(answer);
  }

  /**
   * Today has no rows that could prove a list which ends on it: then the last day is better asked for once more, with
   * today, which also compares the bound.
   */
  private isPastWorthAsking(range: DayRange): boolean {
    const { bound, facts, today } = this.lists;
    // If a list under way shows that the bound is not whole, the last day of this one is read again.
    if (bound.isBoundWhole || bound.isUnderWay) return false;
    return addDays(range.to, 1) < today || askedWidth({ ...range, isPast: true }) <= facts.provedWidthDays;
  }

  /** Whether the list will probably have rows on its first and last day, and so prove itself. */
  private isLikelyToProve(asked: AskedDays, { expectedRows = 0 }: ListOptions<Paused>): boolean {
    return boundsOf(asked).to < this.lists.today && expectedRows >= 3 * widthDays(asked);
  }

  /** The list over several days; undefined if it could not be had, and its days were read in another way. */
  private async ask(
    asked: AskedDays,
    options: ListOptions<Paused>,
  ): Promise<Answer<List> | Unread<Paused> | undefined> {
    const { lists } = this;
    try {
      return await lists.bound.during(asked, lists.read(asked, options));
    } catch (error) {
      const kind = kindOfFault(error);
      if (kind === 'of no day') return this.fail(asked, error);
      if (isDenial(error) && (await this.isDeniedAlone(asked, error))) return this.fail(asked, error);
      // Perhaps only the day after is refused.
      if (asked.isPast && kind === 'refused') return await this.ask({ ...asked, isPast: false }, {});
      const width = askedWidth(asked);
      // Where one as wide was answered, the refusal is some day's.
      if (kind === 'refused' && width > lists.facts.answeredWidthDays) noteTooWide(lists.facts, width);
      await this.halve(asked);
      return undefined;
    }
  }

  /** Accepts what a list over several days proves, and reads the rest in another way. */
  private async judge(range: DayRange, answer: Answer<List>): Promise<void> {
    const { facts, bound } = this.lists;
    const [list] = answer.lists;
    const { asked } = list;
    this.learnFrom(list);
    if (list.isAmbiguous || list.undated.length > 0 || (await this.mayBeCut(list))) {
      return await this.divide(range, list);
    }
    const { ends } = list;
    const isBelieved = askedWidth(asked) <= facts.provedWidthDays;
    const [first, last] = ends === undefined ? [range.to, range.from] : [ends.from, ends.to];
    // Until the bound is known to be whole, a list has its last day only if it was asked for past it.
    const lastWhole = asked.isPast || bound.isBoundWhole ? range.to : addDays(range.to, -1);
    const isProved = (day: Day) => day <= lastWhole && (isBelieved || (first < day && day < last));
    for (const day of daysBetween(range.from, range.to)) if (isProved(day)) this.deliver(day, answer);
    const rest = daysBetween(range.from, range.to).filter((day) => !isProved(day));
    await this.readRest(rest, list, lastWhole);
  }

  /** Reads the days that a list does not prove, the newest first, in lists as wide as proved. */
  private async readRest(days: Day[], list: List, lastWhole: Day): Promise<void> {
    const { facts, bound } = this.lists;
    let wasCut = false;
    for (let to = days.pop(); to !== undefined; to = days.pop()) {
      // Once the list is known to have been too wide, lists of half its width may prove themselves.
      const most = wasCut ? Number.POSITIVE_INFINITY : facts.provedWidthDays - Number(!bound.isBoundWhole);
      let from = to;
      while (days.at(-1) === addDays(from, -1) && widthDays({ from, to }) < most) from = days.pop() ?? from;
      const seen = daysBetween(from, to).reduce((sum, day) => sum + list.countOn(day), 0);
      await this.read({ from, to }, seen > 0 ? { expectedRows: seen } : {});
      if (wasCut) continue;
      const read = daysBetween(from, to).filter((day) => day <= lastWhole);
      wasCut = read.some((day) => this.countOn(day) > list.countOn(day));
      if (wasCut) noteTooWide(facts, askedWidth(list.asked));
    }
  }

  /**
   * Reads one day: with the day after it, until bounds are known to include their day. If that shows no row of the day,
   * by itself too: two empty answers are believed. One that is long is read by itself first: the next one is as long.
   */
  private async readDay(
    day: Day,
    options: ListOptions<Paused> = {},
    way: DayWay = 'unlessLong',
  ): Promise<void> {
    const { lists } = this;
    const { facts, bound } = lists;
    const isPast = options.paused?.asked.isPast ?? !(bound.isBoundWhole || way === 'aloneFirst');
    const asked = { from: day, to: day, isPast };
    let answer: Answer<List> | Unread<Paused>;
    try {
      const mayBeGivenUp = way === 'unlessLong' && options.paused === undefined;
      const isLongGivenUp = isPast && bound.isOpen && mayBeGivenUp;
      answer = await lists.read(asked, { ...options, isLongGivenUp });
    } catch (error) {
      const isOfNoDay = kindOfFault(error) === 'of no day';
      if (way === 'aloneFirst' && !isOfNoDay) return await this.readDay(day, {}, 'withNext');
      if (isOfNoDay || !isPast) return this.fail(asked, error);
      const alone = await this.readOrFail({ from: day, to: day, isPast: false });
      return alone && (await this.judgeDayAlone(day, alone, error));
    }
    if (answer.kind === 'tooLong') return await this.readDay(day, {}, 'aloneFirst');
    if (answer.kind !== 'read') return void this.unread.push(answer);
    const [list] = answer.lists;
    this.learnFrom(list);
    if (isPast && list.undated.length > 0) return await this.settleUndated(day, answer);
    if (!isPast && bound.isOpen) await this.compareAlone(day, list);
    // It was asked for when its bound was taken to be whole, or nothing shows that it is.
    if (!isPast && !bound.isBoundWhole) return await this.readDay(day, {}, 'withNext');
    if (await this.mayBeCut(list)) return await this.divideDay(day, answer);
    const isEmptyBelieved = !isPast || facts.provedWidthDays >= askedWidth(asked);
    if (list.countOn(day) === 0 && !isEmptyBelieved) {
      const alone = await this.readOrFail({ from: day, to: day, isPast: false });
      if (alone === undefined) return;
      if (alone.lists.some((other) => other.countOn(day) > 0)) {
        lists.onDisproved();
        return await this.judgeDayAlone(day, alone);
      }
    }
    this.deliver(day, answer);
  }

  /** Compares a day's own list with a list that ends later: what is there at its end, and whether it goes on past that. */
  private async compareAlone(day: Day, { rowCount }: List): Promise<void> {
    const { lists } = this;
    try {
      await compareEnd(lists, day, rowCount);
      if (lists.bound.isBoundWhole && (await lists.hasRowPast(rowCount, { from: day, to: addDays(day, 1) })))
        lists.facts.deepestRow = Math.max(lists.facts.deepestRow, rowCount + 1);
    } catch (error) {
      if (lists.isAborted()) throw error;
    }
  }

  /**
   * The day with the next one can't be had, or lacks rows that its own list has. The latter is believed only if the bound
   * includes its day; if it surely has more than the first moment, its evening may be lacking, as where days are UTC's.
   */
  private async judgeDayAlone(day: Day, alone: Answer<List>, refusal?: unknown): Promise<void> {
    const [list] = alone.lists;
    this.learnFrom(list);
    const { bound, facts } = this.lists;
    const rows = list.on(day);
    const isWhole = bound.isBoundWhole || doesDayTell(facts, rows);
    if (!isWhole && !rows.hasTimes) {
      return this.fail({ from: day, to: day }, new UnprovedDayError(this.contextOf(day), refusal));
    }
    if (await this.mayBeCut(list)) return await this.divideDay(day, alone, isWhole);
    this.deliver(day, { ...alone, isStable: alone.isStable && isWhole }, !isWhole);
  }

  /**
   * Rows without a day, of a day's list with the next one, are the day's if its own list has them too. Parts of a list
   * could not tell that: one that may be cut is not divided.
   */
  private async settleUndated(day: Day, past: Answer<List>): Promise<void> {
    const alone = await this.readOrFail({ from: day, to: day, isPast: false });
    if (alone === undefined) return;
    const own = new Set(alone.lists.flatMap(({ undated }) => undated.map(BigInt)));
    const other = past.lists[0].undated.find((id) => !own.has(BigInt(id)));
    if (other !== undefined) return this.fail({ from: day, to: day }, this.undatedError(day, other));
    const { rowCount } = past.lists[0];
    const mayLackRows = await this.mayBeCut(past.lists[0]);
    if (mayLackRows && rowCount >= LEAST_WINDOW_ROWS) return this.failCut(day, rowCount);
    const isStable = past.isStable && alone.isStable && !mayLackRows;
    this.deliver(day, { kind: 'read', lists: [...past.lists, ...alone.lists], isStable }, mayLackRows);
  }

  /**
   * Whether the list may be all that the service shows of a longer one: it has a round number of rows, or many, and no
   * list of the run went on past that. One request can clear it: the page past its end in a list over more days.
   */
  private async mayBeCut({ rowCount, asked }: List): Promise<boolean> {
    const { facts } = this.lists;
    const isSuspect = mayBeWindow(rowCount, facts);
    facts.deepestRow = Math.max(facts.deepestRow, rowCount);
    if (!isSuspect) return false;
    const width = askedWidth(asked);
    // A list twice as wide and a week more probably has more rows, if any list shows them.
    const more = Math.min(facts.widestDays, 2 * width + 7) - width;
    if (more <= 0) return true;
    const { from, to } = boundsOf(asked);
    try {
      if (!(await this.lists.hasRowPast(rowCount, { from: addDays(from, -more), to }))) return true;
    } catch (error) {
      if (this.lists.isAborted()) throw error;
      return true;
    }
    facts.deepestRow = Math.max(facts.deepestRow, rowCount + 1);
    return false;
  }

  /**
   * A day whose list may be cut: without the day after it, then by type, then by number. Where that can't be had, a long
   * list fails, and of a short one all rows that any question showed are kept.
   */
  private async divideDay(day: Day, answer: Answer<List>, hasWholeBound = true): Promise<void> {
    const { lists } = this;
    const { bound } = lists;
    const seen: List[] = [...answer.lists];
    let [whole] = answer.lists;
    if (whole.asked.isPast) {
      const alone = await this.readOrFail({ from: day, to: day, isPast: false });
      if (alone === undefined) return;
      this.learnFrom(alone.lists[0]);
      if (bound.isBoundWhole && !(await this.mayBeCut(alone.lists[0]))) return this.deliver(day, alone);
      if (bound.isBoundWhole) [whole] = alone.lists;
      seen.unshift(...alone.lists);
    }
    if (lists.isTimeUp()) return;
    let parts: List[] | undefined;
    try {
      const readPart = (filters: PartFilters) => lists.readPart(whole.asked, filters);
      parts = await dividedDay(seen, readPart, (part) => mayBeWindow(part.rowCount, lists.facts));
    } catch (error) {
      return this.fail({ from: day, to: day }, error);
    }
    const [first = whole, ...others] = [...(parts ?? []), ...seen];
    if (parts === undefined && whole.rowCount >= LEAST_WINDOW_ROWS) {
      return this.failCut(day, whole.rowCount);
    }
    const partIds = new Set(parts?.flatMap((part) => [...part.on(day).ids]));
    const mayLackRows = parts === undefined || !hasWholeBound;
    const isStable =
      !mayLackRows && seen.every((list) => [...list.on(day).ids].every((id) => partIds.has(id)));
    this.deliver(day, { kind: 'read', lists: [first, ...others], isStable }, mayLackRows);
  }

  /** Reads the days of a list in narrower ones. What only the list had is kept, or fails where no day can be told. */
  private async divide(range: DayRange, whole: List): Promise<void> {
    await this.halve(range);
    const lacking = new Set(whole.undated.map(BigInt));
    for (const day of daysBetween(range.from, range.to)) {
      const result = this.days.get(day);
      if (result?.kind !== 'read') continue;
      const ids = new Set(result.lists.flatMap((list) => [...list.on(day).ids]));
      for (const id of [...ids, ...result.lists.flatMap(({ undated }) => undated)])
        lacking.delete(BigInt(id));
      if ([...whole.on(day).ids].every((id) => ids.has(id))) continue;
      this.days.set(day, { ...result, lists: [...result.lists, whole], isStable: false });
    }
    const [undated] = lacking;
    if (undated === undefined || this.lists.isTimeUp()) return;
    // It may be of a day that fails already. Of a list that was asked past its last day, it is that day's trouble.
    const days = daysBetween(whole.asked.isPast ? range.to : range.from, range.to);
    if (days.some((day) => this.days.get(day)?.kind === 'failed')) return;
    for (const day of days) this.fail({ from: day, to: day }, this.undatedError(day, undated));
  }

  /** The newer days first: they are what people wait for. */
  private async halve(range: DayRange): Promise<void> {
    const middle = addDays(range.from, (widthDays(range) + 1) >> 1);
    await this.read({ from: middle, to: range.to });
    await this.read({ from: range.from, to: addDays(middle, -1) });
  }

  /** The list of a day's days; undefined if it failed, and so did the day, or time was up. */
  private async readOrFail(asked: AskedDays): Promise<Answer<List> | undefined> {
    try {
      const answer = await this.lists.read(asked);
      return answer.kind === 'read' ? answer : undefined;
    } catch (error) {
      return this.fail(asked, error);
    }
  }

  /** Notes what a list shows of the service, cut or not. */
  private learnFrom(list: List): void {
    const { bound, facts } = this.lists;
    noteAnswered(facts, askedWidth(list.asked));
    noteEnds(facts, list);
    if (list.hasEveningBefore) facts.isDayShifted = true;
    if (list.hasTimes) facts.hasTimes = true;
    const { from, to } = boundsOf(list.asked);
    bound.noteEnd(to, list.on(to));
    // A list that was cut may end as the day's own list does: only an evening row, or rows of a later day, show more.
    const last = list.ends?.to ?? from;
    // Its first and its last day are those that are asked for alone afterwards.
    for (const day of new Set([from, list.asked.to])) {
      const rows = list.on(day);
      if (day < to && (rows.hasEveningRow || day < last)) bound.noteKnown(day, rows);
    }
  }

  private countOn(day: Day): number {
    const result = this.days.get(day);
    return result?.kind === 'read' ? Math.max(...result.lists.map((list) => list.countOn(day))) : 0;
  }

  private deliver(day: Day, { lists, isStable }: Answer<List>, mayLackRows = false): void {
    const fault = lists.map((list) => list.faultOf(day)).find((error) => error !== undefined);
    const widthOfList = askedWidth(lists[0].asked);
    this.days.set(
      day,
      fault === undefined
        ? { kind: 'read', lists, isStable, mayLackRows, widthDays: widthOfList }
        : { kind: 'failed', error: fault },
    );
  }

  private fail({ from, to }: DayRange, error: unknown): undefined {
    if (this.lists.isAborted()) throw error;
    for (const day of daysBetween(from, to)) this.days.set(day, { kind: 'failed', error });
  }

  private failCut(day: Day, rowCount: number): undefined {
    const whatHappened = `the API shows only the first ${plural(rowCount, 'receipt')} of a list, and types and numbers don't divide the day's`;
    const advice = 'Ask the provider of the API to raise that limit; nothing was replaced.';
    return this.fail({ from: day, to: day }, new ApiError(this.contextOf(day), whatHappened, { advice }));
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

  private undatedError(day: Day, id: number | bigint): ApiError {
    const reason = 'has no valid issue date, and may be of this day or of the next one';
    return foreignReceipt(this.contextOf(day), id, reason);
  }

  private contextOf(day: Day): RequestContext {
    return { ...this.lists.context, day };
  }
}

/** Compares what a list that ended on the day had of it, so many rows, with the day's last rows in one that ends later. */
export async function compareEnd<List extends ReadList>(
  lists: Pick<Lists<List, unknown>, 'bound' | 'readBefore'>,
  day: Day,
  rowCount: number,
): Promise<void> {
  const later = await lists.readBefore(rowCount, LAST_ROWS, { from: day, to: day, isPast: true });
  lists.bound.noteKnown(day, later.on(day));
}

/** Whether a list may have ended because the service shows only so many rows of any list. */
function mayBeWindow(rowCount: number, facts: ServiceFacts): boolean {
  const isRound = rowCount % ROUND_ROWS === 0 || rowCount % (facts.pageCap ?? ROUND_ROWS) === 0;
  return rowCount > 0 && rowCount >= facts.deepestRow && (isRound || rowCount >= LEAST_WINDOW_ROWS);
}

/** Notes what a whole list shows of the width in which lists are answered. */
export function noteEnds(facts: ServiceFacts, list: ReadList): undefined {
  if (list.ends !== undefined) noteProved(facts, provedWidth(list, list.ends));
}

/** How wide a list was answered, by its rows: from its first to its last day with rows. */
export function provedWidth(list: ReadList, { from, to }: DayRange): number {
  // A service whose day is UTC's may have cut the first day, if only its evening is there.
  return widthDays({ from: list.on(from).hasRowBeforeEvening ? from : addDays(from, 1), to });
}

/**
 * A day's list in parts, each with so few rows that it was surely not cut: by the types that these lists have, with one
 * part for all others, and these by number. Undefined if the service refuses or ignores a filter, or a part can't be divided
 * further. `readPart` gives undefined in the first case; `mayBeCut` tells of a part.
 */
async function dividedDay<List extends ReadList>(
  lists: readonly List[],
  readPart: (filters: PartFilters) => Promise<List | undefined>,
  mayBeCut: (part: List) => boolean,
): Promise<List[] | undefined> {
  const ofAll = lists.flatMap((list) => [...list.countBy('tipo_comprobante').keys()]);
  const types = [...new Set(ofAll)].filter((type) => type !== null);
  if (types.length === 0) return undefined;
  const others = { TipoComprobante: types, ExcluirTipoComprobante: true };
  const parts: List[] = [];
  const pending: PartFilters[] = [others, ...types.map((type) => ({ TipoComprobante: [type] }))];
  for (let filters = pending.pop(); filters !== undefined; filters = pending.pop()) {
    const part = await readPart(filters);
    if (part === undefined) return undefined;
    if (!mayBeCut(part)) {
      parts.push(part);
      continue;
    }
    const middle = middleNumber(part);
    if (middle === undefined) return undefined;
    pending.push({ ...filters, NumeroDesde: middle }, { ...filters, NumeroHasta: middle - 1 });
  }
  return parts;
}

/** A number with rows below it; undefined if all have the same, or one has none. */
function middleNumber(part: ReadList): number | undefined {
  const counts = part.countBy('numero');
  if (counts.has(null)) return undefined;
  const numbers = [...counts.keys()].filter((number) => number !== null).sort((a, b) => a - b);
  const middle = numbers[numbers.length >> 1];
  return middle === numbers[0] ? undefined : middle;
}

/**
 * What a list's error says about the days that it was asked for: nothing; that the list was refused, perhaps for its
 * width; or that some day of it is at fault.
 */
type FaultKind = 'of no day' | 'refused' | 'of some day';

export function kindOfFault(error: unknown): FaultKind {
  if (!(error instanceof ApiError) || error.isOfNoDay) return 'of no day';
  return error instanceof HttpStatusError || error instanceof NoAnswerError ? 'refused' : 'of some day';
}

/** Statuses that are mostly about the company or the address. */
export function isDenial(error: unknown): error is HttpStatusError {
  return error instanceof HttpStatusError && (error.status === 403 || error.status === 404);
}
