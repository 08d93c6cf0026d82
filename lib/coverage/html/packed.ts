import type { Direction } from '../../api/directions.ts';
import type { DayState, StateCounts } from '../day-state.ts';
import type { Reading } from '../reading.ts';

/**
 * What the page holds, as the one side writes it and the other reads it. The index comes as it is; each
 * company's calendars and details are two texts of their own, compressed, which the page opens when it draws
 * the calendar and when a day is opened.
 */
export interface PackedIndex {
  from: string;
  to: string;
  /** The day that it was in Uruguay when the page was made, and the moment, `YYYY-MM-DDTHH:MM:SS`. */
  today: string;
  madeAt: string;
  /** The lake's address. */
  lake: string;
  /** The command that reads days of it again, but for which days of whom. */
  readAgain: string;
  directions: readonly Direction[];
  companies: readonly PackedCompany[];
  /** Names of the CFE types that occur, by code. */
  typeNames: Readonly<Record<string, string>>;
}

export interface PackedCompany {
  rut: string;
  name: string;
  /** One for each of the index's directions. */
  summaries: readonly PackedSummary[];
}

export interface PackedSummary {
  states: StateCounts;
  receipts: number;
}

/** The calendars of a company, one for each of the index's directions. */
export type PackedCalendars = readonly PackedCalendar[];

export interface PackedCalendar {
  /** A letter a day. */
  states: string;
  receipts: readonly (number | null)[];
  /** See `busyDay`. */
  busy: number;
}

/**
 * The details of a company, column by column, since columns compress to a third of what rows do. Texts stand
 * once and are referred to by their place.
 */
export interface PackedDetails {
  texts: readonly string[];
  /** One for each of the index's directions. */
  calendars: readonly PackedUnits[];
}

export interface PackedUnits {
  /** For each day: how many readings the audit has, and how many of them stand here. */
  counts: readonly number[];
  shown: readonly number[];
  /** A column for each of READING_FIELDS, the days' readings one after another, newest first within a day. */
  readings: readonly (readonly (number | null)[])[];
  /** For each day: how many totals by type stand here. */
  types: readonly number[];
  totals: PackedTotals;
  /** Why a day has no totals, by its place: the place of a text. */
  problems: Readonly<Record<string, number>>;
}

export interface PackedTotals {
  tipo: readonly (number | null)[];
  /** Places of texts. */
  moneda: readonly (number | null)[];
  receipts: readonly number[];
  withoutTotal: readonly number[];
  /** Exact decimals. */
  total: readonly string[];
}

export const READING_FIELDS = [
  'inicio',
  'fin',
  'corrida',
  'estado',
  'filas',
  'nuevas',
  'cambiadas',
  'desaparecidas',
  'avisos',
  'estable',
  'paginas',
  'solicitudes',
  'reintentos',
  'bytes',
  'error',
] as const satisfies readonly (keyof Reading)[];

/**
 * The fields that are texts. Of the moments, `inicio` is packed as seconds after the one before, `fin` as seconds
 * after `inicio`, and `estable` as 1 or 0.
 */
export const TEXT_FIELDS: ReadonlySet<string> = new Set<keyof Reading>(['corrida', 'estado', 'error']);

export const STATE_LETTERS: Readonly<Record<DayState, string>> = {
  missing: 'm',
  failed: 'f',
  unstable: 'u',
  aged: 'a',
  open: 'o',
  exported: 'e',
};
