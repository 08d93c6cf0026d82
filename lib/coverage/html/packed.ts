import type { Direction } from '../../api/directions.ts';
import type { DayState, Reading, StateCounts } from '../day.ts';

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

/** The details of a company: one for each of the index's directions. */
export type PackedDetails = readonly PackedUnits[];

/** Of each day, by its place in the calendar. */
export interface PackedUnits {
  /** How many readings the audit has. */
  counts: readonly number[];
  /** Those shown, newest first. */
  readings: GroupedColumns<Reading>;
  /** Totals by type of what the last good reading stored. */
  totals: GroupedColumns<RecordedTotal>;
  /** Why there are no totals; null when there is no reason. */
  problems: readonly (string | null)[];
}

/**
 * Rows in groups, written as columns: like values beside each other compress to a third of what rows do. A whole number
 * stands as its difference from the one before in its column: most moments and counts are close to their neighbours.
 */
export interface GroupedColumns<Row> {
  /** How many rows each group has. */
  lengths: readonly number[];
  /** The groups' values one after another. */
  columns: { readonly [Field in keyof Row]: readonly Row[Field][] };
}

export function groupedColumns<Row extends object>(
  fields: readonly (keyof Row)[],
  groups: readonly (readonly Row[])[],
): GroupedColumns<Row> {
  const rows = groups.flat();
  const columns = fields.map((field) => [field, differences(rows.map((row) => row[field]))]);
  return { lengths: groups.map(({ length }) => length), columns: Object.fromEntries(columns) };
}

/** The rows of one group. */
export function groupAt<Row extends object>({ lengths, columns }: GroupedColumns<Row>, place: number): Row[] {
  const start = lengths.slice(0, place).reduce((sum, length) => sum + length, 0);
  const end = start + (lengths[place] ?? 0);
  const fields = Object.entries<readonly unknown[]>(columns).map(
    ([field, values]) => [field, sums(values.slice(0, end)).slice(start)] as const,
  );
  return Array.from({ length: end - start }, (_, offset) =>
    Object.fromEntries(fields.map(([field, values]) => [field, values[offset]])),
  ) as Row[];
}

function differences(values: readonly unknown[]): unknown[] {
  let before = 0;
  return values.map((value) => {
    if (typeof value !== 'number') return value;
    const difference = value - before;
    before = value;
    return difference;
  });
}

function sums(values: readonly unknown[]): unknown[] {
  let before = 0;
  return values.map((value) => {
    if (typeof value !== 'number') return value;
    before += value;
    return before;
  });
}

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
  count: number;
  readings: readonly Reading[];
  totals: readonly RecordedTotal[];
  problem: string | undefined;
}

export interface RecordedTotal {
  type: number | null;
  currency: string | null;
  receipts: number;
  withoutTotal: number;
  /** Exact decimal. */
  total: string;
}

/** A day's record, by its direction's place in the index and its own in the calendar; undefined for a missing day. */
export function unpackDay(details: PackedDetails, direction: number, place: number): DayRecord | undefined {
  const units = details[direction];
  const count = units?.counts[place] ?? 0;
  if (units === undefined || count === 0) return undefined;
  return {
    count,
    readings: groupAt(units.readings, place),
    totals: groupAt(units.totals, place),
    problem: units.problems[place] ?? undefined,
  };
}
