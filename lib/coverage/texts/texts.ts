import type { DayState } from '../day.ts';

export type Language = 'en' | 'es';

/** All that the coverage page says, in one language: what lacks a text in another does not compile. */
export interface Texts {
  /** Of this page itself, and the name of the other language in that one. */
  language: Language;
  otherLanguage: string;

  /** Numbers: what stands between thousands, and before cents. */
  thousands: string;
  decimal: string;
  /** A day, `2026-11-19`, as it is written: in a line, with its day of the week, and whole. */
  shortDay(day: string): string;
  weekDay(day: string): string;
  longDay(day: string): string;
  /** A day's month: above a calendar, and whole. */
  shortMonth(day: string): string;
  longMonth(day: string): string;

  title: string;
  whichDays: string;
  range(from: string, to: string): string;
  companies(count: string, isOne: boolean): string;
  inLake: string;
  /** `moment` is a day and a time of Uruguay. */
  asOf(moment: string): string;

  /** A state's name, and what it means, for legends. */
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
  /** After a direction's name, for those who hear the page. */
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
  /** `directions` are names of the API, in the order of a row's lines. */
  overviewHelp(directions: readonly string[]): string;
  noTrouble: string;
  toOverview: string;

  close: string;
  dayBefore: string;
  dayAfter: string;
  readAgain: string;
  /** Sentences of a day; `read` is what `readOn` gave. */
  readOn(receipts: string, day: string | undefined, age: number | undefined): string;
  sayings: {
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
