import type { Direction } from '../../api/directions.ts';
import type { DayState, StateCounts } from '../day-state.ts';
import { READING_FIELDS, type Reading } from '../reading.ts';

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
  /** Those of them that take away. */
  creditNotes: readonly number[];
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

/** What the page knows of a day beside its cell. */
export interface DayRecord {
  /** How many readings the audit has. */
  count: number;
  /** Those shown, newest first. */
  readings: readonly Reading[];
  /** Totals by type of what the last good reading stored. */
  totals: readonly RecordedTotal[];
  /** Why there are no totals; undefined when there is no reason. */
  problem: string | undefined;
}

export interface RecordedTotal {
  tipo: number | null;
  moneda: string | null;
  receipts: number;
  withoutTotal: number;
  /** Exact decimal. */
  total: string;
}

/** A day's record, by its direction's place in the index and its own in the calendar; undefined for a missing day. */
export function unpackDay(details: PackedDetails, direction: number, place: number): DayRecord | undefined {
  const units = details.calendars[direction];
  const count = units?.counts[place] ?? 0;
  if (units === undefined || count === 0) return undefined;
  const problem = units.problems[place];
  return {
    count,
    readings: unpackReadings(units, place, details.texts),
    totals: unpackTotals(units, place, details.texts),
    problem: problem === undefined ? undefined : details.texts[problem],
  };
}

function unpackReadings(units: PackedUnits, place: number, texts: readonly string[]): Reading[] {
  const first = sum(units.shown.slice(0, place));
  const started = units.readings[READING_FIELDS.indexOf('inicio')] ?? [];
  return Array.from({ length: units.shown[place] ?? 0 }, (_, offset) => {
    const index = first + offset;
    const inicio = started[index] === null ? null : sum(started.slice(0, index + 1));
    const fields = READING_FIELDS.map((field, column) => {
      const value = units.readings[column]?.[index] ?? null;
      if (value === null) return [field, null];
      if (field === 'inicio') return [field, inicio];
      if (field === 'fin') return [field, value + (inicio ?? 0)];
      if (field === 'estable') return [field, value === 1];
      return [field, TEXT_FIELDS.has(field) ? (texts[value] ?? '') : value];
    });
    // READING_FIELDS has every field of a Reading.
    return Object.fromEntries(fields) as Reading;
  });
}

function unpackTotals(
  { types, totals }: PackedUnits,
  place: number,
  texts: readonly string[],
): RecordedTotal[] {
  const first = sum(types.slice(0, place));
  return Array.from({ length: types[place] ?? 0 }, (_, offset) => {
    const index = first + offset;
    const moneda = totals.moneda[index] ?? null;
    return {
      tipo: totals.tipo[index] ?? null,
      moneda: moneda === null ? null : (texts[moneda] ?? ''),
      receipts: totals.receipts[index] ?? 0,
      withoutTotal: totals.withoutTotal[index] ?? 0,
      total: totals.total[index] ?? '',
    };
  });
}

function sum(numbers: readonly (number | null)[]): number {
  return numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
}
