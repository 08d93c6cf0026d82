import {
  ApiError,
  foreignReceipt,
  HttpStatusError,
  NoAnswerError,
  type RequestContext,
  UnprovedDayError,
} from '../../api/errors.ts';
import type { IssuedFilters, ReceivedFilters } from '../../api/filters.ts';
import type { Listing } from '../../api/list/read-listing.ts';
import { plural } from '../../text/terminal.ts';
import { addDays, type Day, type DayRange, daysBetween, isOneDay, widthDays } from '../../time/days.ts';
import {
  type AskedDays,
  type Attempt,
  askedWidth,
  boundsOf,
  type KnownFacts,
  mustIncludeNextDay,
  noteAttempt,
} from './service-facts.ts';

/** Filters that part a list in two (the contract, §4.1, §4.3). */
export type NumberFilters = Pick<ReceivedFilters & IssuedFilters, 'NumeroDesde' | 'NumeroHasta'>;

/** What the rule asks next about one company and direction. */
export type Question =
  /** The list of these days, read to its proved end. */
  | { kind: 'list'; asked: AskedDays }
  /** Whether the list of these days has a row at this position, counted from 0. */
  | { kind: 'row'; position: number; days: DayRange }
  /** Whether the part of the list that the filters leave has just so many rows. */
  | { kind: 'part'; rowCount: number; days: DayRange; filters: NumberFilters }
  /** Whether a day's list is answered. */
  | { kind: 'day'; day: Day }
  /** Some of the newest rows that the lake has of the company. */
  | { kind: 'stored dates' };

/** Why a list was not read to its end: there was no time, or it has too many rows for a list over several days. */
export type Unread = 'no time' | 'too long';

/** The answers to each kind of question. An Error says why there is none. */
interface Answers<Rows> {
  list: Listing<Rows> | Unread | Error;
  row: boolean | Error;
  part: boolean | Error;
  day: boolean | Error;
  'stored dates': SeenCompany;
}

export type Answer<Rows> = Answers<Rows>[Question['kind']];

/** The rule: it asks one question after another, is given each answer, and is done when it has its verdicts. */
export type RuleSteps<Rows, Result = Verdicts<Rows>> = Generator<Question, Result, Answer<Rows>>;

/** Rows of one company, and whether any was issued after its day's first moment. */
export interface SeenCompany {
  rowCount: number;
  hasTimes: boolean;
}

/** What the questions of a company and direction are asked with. */
export interface Known {
  readonly context: RequestContext;
  readonly facts: KnownFacts;
  /** What the run has seen of the company in this direction. */
  readonly company: SeenCompany;
}

/** What was proved of one day. */
export type Verdict<Rows> =
  | {
      kind: 'read';
      /** The attempts that together have the day's rows, the newest first. */
      attempts: readonly Rows[];
      isStable: boolean;
      /** Whether rows may be lacking that no question could show: nothing is called gone from such a day. */
      isPartial: boolean;
    }
  | { kind: 'failed'; error: unknown }
  | { kind: Unread };

export type Verdicts<Rows> = ReadonlyMap<Day, Verdict<Rows>>;

/** A list with fewer rows is never taken for all that a service shows. */
const FEWEST_ROWS_CUT = 25;
/** With so many, a day that may be cut fails; with fewer, it is stored as partial. */
export const LEAST_WINDOW_ROWS = 500;
/** So many rows are not all issued at midnight by chance: they are dates. */
const ROWS_THAT_SHOW_DATES = 20;

/** Asks for all receipts of some days, in one list if the service answers it, by docs/decisions/0014-ranges-of-days.md. */
export function* ruleOf<Rows extends Attempt>(range: DayRange, known: Known): RuleSteps<Rows> {
  const rule = new Rule<Rows>(known);
  yield* rule.read(range);
  yield* rule.settleUnproved();
  return rule.verdicts;
}

class Rule<Rows extends Attempt> {
  readonly verdicts = new Map<Day, Verdict<Rows>>();
  private readonly known: Known;
  /** Rows without a day that a day's own list has shown. */
  private readonly ownUndated = new Set<bigint>();
  private unproved: { day: Day; listing: Listing<Rows> }[] = [];

  constructor(known: Known) {
    this.known = known;
  }

  *read(range: DayRange): RuleSteps<Rows, void> {
    const { facts } = this.known;
    const asked = { ...range, includesNextDay: mustIncludeNextDay(facts) };
    const answer = yield* this.list(asked);
    if (answer === undefined) return;
    const list = firstAttempt(answer);
    const isCut = list !== undefined && (yield* this.mayBeCut(list));
    const isUndated = list !== undefined && list.undated.length > 0;
    const isDay = isOneDay(range);
    const isProved = askedWidth(asked) <= facts.provedWidthDays;
    const isSure = list !== undefined && (isProved || (isDay && this.isShown(list)));
    if (!(answer instanceof Error) && isSure && !isCut && !isUndated && (isDay || !list.isAmbiguous)) {
      for (const day of daysBetween(range.from, range.to)) this.deliver(day, answer);
      return;
    }
    if (isDay) return yield* this.readDay(range.from, { asked, answer, isSure, isCut });
    // The newer days first: they are what people wait for.
    const middle = addDays(range.from, (widthDays(range) + 1) >> 1);
    yield* this.read({ from: middle, to: range.to });
    yield* this.read({ from: range.from, to: addDays(middle, -1) });
    if (list !== undefined) this.keepRowsOf(list, range);
  }

  /** Whether a list wider than proved shows its first day whole. */
  private isShown(list: Rows): boolean {
    const { from } = list.asked;
    const { hasRowBeforeEvening, hasEveningRow } = list.on(from);
    const showsNext = hasEveningRow || list.on(addDays(from, 1)).count > 0;
    return hasRowBeforeEvening && (!this.known.facts.areDaysShifted || showsNext);
  }

  /** The list of a day and the next was refused, may be cut, or shows nothing: the day is asked for by itself, too. */
  private *readDay(day: Day, { asked, answer, isSure, isCut }: DayInDoubt<Rows>): RuleSteps<Rows, void> {
    const { facts } = this.known;
    const ownAnswer = asked.includesNextDay === true ? yield* this.list({ from: day, to: day }) : answer;
    if (ownAnswer === undefined) return;
    const [list, alone] = [firstAttempt(answer), firstAttempt(ownAnswer)];
    const joint = jointListing([...new Set([ownAnswer, answer])]);
    if (joint === undefined) return this.fail(day, ownAnswer);
    for (const id of alone?.undated ?? []) this.ownUndated.add(BigInt(id));
    // It may be of the next day, if that was not read by itself, or of none.
    const undated = list?.undated.find((id) => !this.ownUndated.has(BigInt(id)));
    if (undated !== undefined) return this.fail(day, this.undatedError(day, undated));
    if (isSure && !isCut) return this.deliver(day, joint);
    const isAloneCut = alone === list ? isCut : alone !== undefined && (yield* this.mayBeCut(alone));
    if (alone !== undefined && !isAloneCut && (yield* this.isWhole(alone, day)))
      return this.deliver(day, joint);
    const cutRows = Math.max((isCut && list?.rowCount) || 0, (isAloneCut && alone?.rowCount) || 0);
    if (cutRows >= LEAST_WINDOW_ROWS) return this.fail(day, this.cutError(day, cutRows));
    const seen = joint.attempts.map((attempt) => attempt.on(day));
    const isEmpty = seen.every(({ count }) => count === 0);
    if (ownAnswer instanceof Error && isEmpty) return this.fail(day, ownAnswer);
    if (answer instanceof Error && !seen.some(({ hasTimes }) => hasTimes)) {
      if (!isAloneCut) this.unproved.push({ day, listing: joint });
      return this.fail(day, new UnprovedDayError(this.contextOf(day), answer));
    }
    // Two empty answers are believed.
    this.deliver(day, joint, !isEmpty || isCut || facts.areDaysShifted);
  }

  /** Days that were read later may show that the company's receipts are dates. */
  *settleUnproved(): RuleSteps<Rows, void> {
    for (const { day, listing } of this.unproved)
      if (yield* this.isWhole(listing.attempts[0], day)) this.deliver(day, listing);
  }

  /** Whether a day's own list has all of it, although its end date may not include its day: by its rows. */
  private *isWhole(alone: Rows, day: Day): RuleSteps<Rows, boolean> {
    const { facts, company } = this.known;
    const { hasEveningRow, count } = alone.on(day);
    if (hasEveningRow) return true;
    if (!facts.hasTimes && count >= ROWS_THAT_SHOW_DATES) return true;
    if (!facts.isMidnightInclusive || company.hasTimes) return false;
    if (company.rowCount + count >= ROWS_THAT_SHOW_DATES) return true;
    const stored = yield* answerTo<Rows, 'stored dates'>({ kind: 'stored dates' });
    return !stored.hasTimes && stored.rowCount >= ROWS_THAT_SHOW_DATES;
  }

  /** Whether the list may be all that the service shows of a longer one. */
  private *mayBeCut({ rowCount, asked, numbers }: Rows): RuleSteps<Rows, boolean> {
    const { facts } = this.known;
    const isSuspect = rowCount >= FEWEST_ROWS_CUT && rowCount >= facts.deepestRow;
    facts.deepestRow = Math.max(facts.deepestRow, rowCount);
    if (!isSuspect) return false;
    const { from, to } = boundsOf(asked);
    const earlier = { from: addDays(from, -askedWidth(asked) - 7), to };
    if ((yield { kind: 'row', position: rowCount, days: earlier }) === true) {
      facts.deepestRow = Math.max(facts.deepestRow, rowCount + 1);
      return false;
    }
    return !(yield* this.haveHalvesEnds(numbers, { from, to }));
  }

  private *haveHalvesEnds(
    numbers: readonly (number | undefined)[],
    days: DayRange,
  ): RuleSteps<Rows, boolean> {
    const sorted = numbers.filter((number) => number !== undefined).sort((a, b) => a - b);
    const middle = sorted[sorted.length >> 1];
    if (middle === undefined || sorted.length < numbers.length) return false;
    const below = sorted.indexOf(middle);
    if (below === 0) return false;
    const lower = { kind: 'part', rowCount: below, days, filters: { NumeroHasta: middle - 1 } } as const;
    const upperCount = sorted.length - below;
    const upper = { kind: 'part', rowCount: upperCount, days, filters: { NumeroDesde: middle } } as const;
    return (yield lower) === true && (yield upper) === true;
  }

  /** The list of these days, or why it can't be had; undefined if the days failed, or were not read. */
  private *list(asked: AskedDays): RuleSteps<Rows, Listing<Rows> | Error | undefined> {
    const { facts, company } = this.known;
    const days = daysBetween(asked.from, asked.to);
    const answer = yield* answerTo<Rows, 'list'>({ kind: 'list', asked });
    if (typeof answer === 'string') {
      for (const day of days) this.verdicts.set(day, { kind: answer });
      return undefined;
    }
    if (answer instanceof Error) {
      const isSameForAnyDay = !(answer instanceof ApiError) || answer.isSameForAnyDay;
      const isCompanyRefused = !isOneDay(asked) && (yield* this.isRefusedAlone(asked, answer));
      if (!isSameForAnyDay && !isCompanyRefused) return answer;
      for (const day of days) this.fail(day, answer);
      return undefined;
    }
    const [list] = answer.attempts;
    noteAttempt(facts, list);
    company.hasTimes ||= list.hasTimes;
    return answer;
  }

  /** Whether a refusal has nothing to do with the list's days: its last and its first day alone meet it too. */
  private *isRefusedAlone({ from, to }: DayRange, error: Error): RuleSteps<Rows, boolean> {
    const refusal = refusalOf(error);
    if (refusal === undefined) return false;
    for (const day of [to, from]) if (refusalOf(yield { kind: 'day', day }) !== refusal) return false;
    return true;
  }

  /** Rows that a list had and its halves lack are kept, or fail its days where they have none. */
  private keepRowsOf(list: Rows, { from, to }: DayRange): void {
    const lacking = new Set(list.undated.map(BigInt));
    const days = daysBetween(from, to);
    for (const day of days) {
      const verdict = this.verdicts.get(day);
      if (verdict?.kind !== 'read') {
        // A day that failed and lacks rows stays failed, whatever shows that the company's receipts are dates.
        this.unproved = this.unproved.filter(
          (unprovedDay) =>
            unprovedDay.day !== day ||
            new Set(list.idsOn(day)).isSubsetOf(new Set(unprovedDay.listing.attempts[0].idsOn(day))),
        );
        continue;
      }
      const ids = new Set(verdict.attempts.flatMap((attempt) => [...attempt.idsOn(day)]));
      for (const id of ids) lacking.delete(id);
      if ([...list.idsOn(day)].every((id) => ids.has(id))) continue;
      this.verdicts.set(day, { ...verdict, attempts: [...verdict.attempts, list], isStable: false });
    }
    const [undated] = lacking;
    // It may be of a day that failed, or that was not read.
    if (undated === undefined || days.some((day) => this.verdicts.get(day)?.kind !== 'read')) return;
    for (const day of days) this.fail(day, this.undatedError(day, undated));
  }

  private deliver(day: Day, { attempts, isStable }: Listing<Rows>, isPartial = false): void {
    const [fault] = attempts.flatMap((attempt) => attempt.faultOf(day) ?? []);
    if (fault !== undefined) {
      this.fail(day, fault);
      return;
    }
    this.known.company.rowCount += attempts[0].on(day).count;
    this.verdicts.set(day, { kind: 'read', attempts, isStable: isStable && !isPartial, isPartial });
  }

  private fail(day: Day, error: unknown): void {
    this.verdicts.set(day, { kind: 'failed', error });
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
    return { ...this.known.context, day };
  }
}

/** A day that is not proved by its list with the next one. */
interface DayInDoubt<Rows> {
  asked: AskedDays;
  answer: Listing<Rows> | Error;
  /** Whether the list shows the day, as far as it is not cut. */
  isSure: boolean;
  isCut: boolean;
}

function firstAttempt<Rows>(answer: Listing<Rows> | Error): Rows | undefined {
  return answer instanceof Error ? undefined : answer.attempts[0];
}

/** One listing of the attempts of several; undefined if none was answered. */
function jointListing<Rows>(answers: readonly (Listing<Rows> | Error)[]): Listing<Rows> | undefined {
  const listings = answers.flatMap((answer) => (answer instanceof Error ? [] : [answer]));
  const [first, ...moreAttempts] = listings.flatMap(({ attempts }) => attempts);
  const isStable = listings.every((listing) => listing.isStable);
  return first === undefined ? undefined : { attempts: [first, ...moreAttempts], isStable };
}

/** The answer to a question, which is of the question's kind. */
function* answerTo<Rows, Kind extends Question['kind']>(
  question: Extract<Question, { kind: Kind }>,
): RuleSteps<Rows, Answers<Rows>[Kind]> {
  return (yield question) as Answers<Rows>[Kind];
}

/** Statuses that are mostly about the company or the address. */
export function isDenial(error: unknown): error is HttpStatusError {
  return error instanceof HttpStatusError && (error.status === 403 || error.status === 404);
}

/** How the service refuses what may be the company, and not the days: each question costs minutes, or is in vain. */
export function refusalOf(error: unknown): number | 'no answer in time' | undefined {
  if (error instanceof NoAnswerError) return error.isSameForAnyDay ? undefined : 'no answer in time';
  const isRefusal = isDenial(error) || (error instanceof HttpStatusError && error.status === 429);
  return isRefusal ? error.status : undefined;
}
