import type { DayState } from '../../coverage/day.ts';
import type { Language, Texts } from '../../coverage/texts/texts.ts';
import type { WorkbookTexts } from '../../query/workbook-texts.ts';
import type { PartId } from '../parts.ts';

/** The texts of a part. */
export interface PartTexts {
  /** Also the name of its sheet: at most 31 characters. */
  title: string;
  /** Says what is counted and what is not. */
  about: string;
  /** Shown if there are no rows. */
  nothing: string;
  /** Names the rows, if each is something to look into. */
  concern?: Several;
}

export type Several = readonly [one: string, many: string];

/** Translations of values, by column name and value. Other values stay as they are. */
export type ValueNames = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** All texts of the report in one language. A language that lacks one does not compile. */
export interface ReportTexts {
  language: Language;
  /** Language and country, for browsers. */
  locale: string;
  /** The other language's own name. */
  otherLanguage: string;
  /** How days, months and amounts are written. */
  forms: Pick<Texts, 'thousands' | 'decimal' | 'shortDay' | 'weekDay' | 'longMonth'>;

  parts: Readonly<Record<PartId, PartTexts>>;
  /** Headings by the column's Spanish name. */
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
