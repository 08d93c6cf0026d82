import type { DayState } from '../../coverage/day.ts';
import type { Language, Texts } from '../../coverage/texts/texts.ts';
import type { WorkbookTexts } from '../../query/workbook-texts.ts';
import type { PartId } from '../parts.ts';

/** What is said of a part of the report. */
export interface PartTexts {
  /** Also the name of a sheet, of at most 31 characters. */
  title: string;
  /** On what is counted and what is not. */
  about: string;
  /** Where there is no row. */
  nothing: string;
  /** What each row is, one and several, where it is a matter to look into. */
  concern?: Several;
}

export type Several = readonly [one: string, many: string];

/** What a column's values are called: by its name in the parts, by the value there. What is not named stays as it is. */
export type ValueNames = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** All that the report says, in one language: what lacks a text in another does not compile. */
export interface ReportTexts {
  language: Language;
  /** With the country, for browsers. */
  locale: string;
  /** The name of the other language, in that one. */
  otherLanguage: string;
  /** How days, months and amounts are written. */
  forms: Pick<Texts, 'thousands' | 'decimal' | 'shortDay' | 'weekDay' | 'longMonth'>;

  parts: Readonly<Record<PartId, PartTexts>>;
  /** A heading by its name in the parts, which is Spanish. */
  headings: Readonly<Record<string, string>>;
  values: ValueNames;

  states: Readonly<Record<'incomplete' | 'open' | 'complete', string>>;
  notOver(to: string): string;
  daysLack: string;
  lacking(reason: string): string;
  reasons: { lagging: string; unknown: string };
  mayChange(settled: string): string;
  complete: string;
  lagging: string;
  lagUnknown: string;
  /** Days in a state that needs a look. */
  troubledDays: Readonly<Record<'missing' | 'failed' | 'unstable' | 'aged', Several>>;
  concerns: Readonly<Record<'withoutVat' | 'vatToCheck' | 'withoutTotal' | 'unanswered', Several>>;
  nothingElse: string;
  notClosed: string;

  /** A day's state, in a table. */
  dayStates: Readonly<Record<DayState, string>>;
  days: string;
  troubledTitle: string;
  noTroubledDay: string;
  wholeDays(all: string, whole: number): string;
  readAgain: string;
  day: Several;
  workbook: WorkbookTexts;

  source(lake: string, moment: string): string;
  totals: string;
  plots: string;
  sales: string;
  purchases: string;
  unknownCurrency: string;
  receipt: Several;
  perDay: Readonly<Record<'emitidos' | 'recibidos', string>>;
  unread: string;
  atMost(most: string): string;
  troubled: Several;
  byType(title: string): string;
  otherTypes: string;
  unknownType: string;
  shownRows(shown: number, all: string): string;
}
