import type { DayState } from '../../coverage/day.ts';
import { amountText, type Language, type Texts } from '../../coverage/texts/texts.ts';
import type { Answer } from '../../query/answer.ts';
import type { WorkbookTexts } from '../../query/workbook.ts';
import { isDay } from '../../time/days.ts';
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
  /** Those that are not the workbook's own. */
  workbook: Partial<WorkbookTexts>;

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

type Forms = Pick<ReportTexts, 'forms'>;

/** `1 día`, `1.234 días`. */
export function counted(count: number, [one, many]: Several, texts: Forms): string {
  return `${amountText(String(count), texts.forms)} ${count === 1 ? one : many}`;
}

/** `19/11/2026 10:20` of a timestamp's text. */
export function momentText(timestamp: string, texts: Forms): string {
  const day = timestamp.slice(0, 10);
  return isDay(day) ? `${texts.forms.shortDay(day)} ${timestamp.slice(11, 16)}`.trim() : timestamp;
}

/** The heading of a column, by its Spanish name. */
export function headingText(name: string, { headings }: Pick<ReportTexts, 'headings'>): string {
  return headings[name] ?? name;
}

/** A value's translation, by its column's Spanish name. */
export function valueText(column: string, value: string, { values }: Pick<ReportTexts, 'values'>): string {
  return values[column]?.[value] ?? value;
}

/** The answer with translated headings and values. Numbers and dates are unchanged. */
export function translated({ columns, rows }: Answer, texts: ReportTexts): Answer {
  return {
    columns: columns.map((column) => ({ ...column, name: headingText(column.name, texts) })),
    rows: rows.map((row) =>
      row.map((value, index) =>
        value === null ? null : valueText(columns[index]?.name ?? '', value, texts),
      ),
    ),
  };
}
