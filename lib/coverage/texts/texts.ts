import type { Day } from '../../time/days.ts';
import type { DayState } from '../day.ts';

export type Language = 'en' | 'es';

/** All texts of the coverage page in one language. A language that lacks one does not compile. */
export interface Texts {
  /** The language of these texts, and the other language's own name. */
  language: Language;
  otherLanguage: string;

  /** The separators of numbers. */
  thousands: string;
  decimal: string;
  /** A day (`2026-11-19`) in short, with its day of the week, and in full. */
  shortDay(day: Day): string;
  weekDay(day: Day): string;
  longDay(day: Day): string;
  /** A day's month in short, for calendars, and in full. */
  shortMonth(day: Day): string;
  longMonth(day: Day): string;

  title: string;
  whichDays: string;
  range(from: string, to: string): string;
  companies(count: string, isOne: boolean): string;
  inLake: string;
  /** `moment`: day and time in Uruguay. */
  asOf(moment: string): string;

  /** A state's name and meaning, for legends. */
  states: Readonly<Record<DayState, string>>;
  meanings: Readonly<Record<DayState, string>>;
  receipts(count: string, number: number): string;
  failedWith(receipts: string): string;

  statesLabel: string;
  company: string;
  nameOrRut: string;
  direction: string;
  both: string;
  showAs: string;
  calendars: string;
  table: string;
  count(shown: string, all: string, isOne: boolean): string;
  nothingChosen: string;
  noReceipts: string;
  busyDays: string;
  gridHelp: string;
  /** Follows a direction's name, for screen readers. */
  ofCompany(name: string): string;
  most(count: string): string;
  days(count: number): string;

  tableCaption: string;
  tableLabel: string;
  receiptsColumn: string;
  troubleColumn: string;
  moreCompanies(count: number): string;
  moreRanges(count: number): string;

  overview: string;
  /** `directions`: the API's names, in the order of a row's lines. */
  overviewHelp(directions: readonly string[]): string;
  noTrouble: string;
  toOverview: string;

  close: string;
  dayBefore: string;
  dayAfter: string;
  readAgain: string;
  /** Sentences about a day; `read` is the result of `readOn`. */
  readOn(receipts: string, day: string | undefined, age: number | undefined): string;
  sentences: {
    missing: string;
    failed: string;
    failedWithEarlier(read: string): string;
    unstable: string;
    aged: string;
    open(until: string): string;
    exported: string;
  };

  readings: string;
  readingsFrom: string;
  older(count: string): string;
  yes: string;
  no: string;

  totals: string;
  noTotals: string;
  type: string;
  noType: string;
  currency: string;
  all: string;
  noCurrency: string;
  creditNotes: string;
  otherCount(audited: string, stored: string): string;
  haveNone(count: string): string;

  tooOld: string;
}

/** A day in one line: `2026-11-19 (Thu): 37 receipts, settled`. `receipts` is null if no reading succeeded. */
export function dayText(day: Day, state: DayState, receipts: number | null, texts: Texts): string {
  const name = texts.weekDay(day);
  if (receipts === null) return `${name}: ${texts.states[state]}`;
  const count = receiptsText(receipts, texts);
  if (state === 'failed') return `${name}: ${texts.failedWith(count)}`;
  return `${name}: ${count}, ${texts.states[state]}`;
}

export function receiptsText(count: number, texts: Texts): string {
  return texts.receipts(countText(count, texts), count);
}

/** A whole number with thousands separators: `12,345`. */
export function countText(count: number, { thousands }: Pick<Texts, 'thousands'>): string {
  return grouped(String(count), thousands);
}

/** An exact decimal with thousands separators: `-1,234.50`. No digit is lost. */
export function amountText(
  exact: string,
  { thousands, decimal }: Pick<Texts, 'thousands' | 'decimal'>,
): string {
  const [whole = '', fraction] = exact.split('.');
  const text = grouped(whole, thousands);
  return fraction === undefined ? text : `${text}${decimal}${fraction}`;
}

function grouped(digits: string, separator: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, separator);
}
