import type { Direction } from '../../api/directions.ts';
import type { TypeTotal } from '../../audit/columns.ts';
import type { Day } from '../../time/days.ts';
import type { Reading, StateCounts } from '../day.ts';

/**
 * The page's data, as lib/coverage/html writes it and lib/coverage/page reads it. The index is plain JSON. Each company
 * has two compressed texts: its calendars, unpacked to be drawn, and its details, unpacked when a day is opened.
 */
export interface PackedIndex {
  from: Day;
  to: Day;
  /** When the page was made, in Uruguay: the day, and the moment as `YYYY-MM-DDTHH:MM:SS`. */
  today: Day;
  madeAt: string;
  /** The lake's address. */
  lake: string;
  /** The command that reads days of the lake again, without the options for days and companies. */
  readAgain: string;
  directions: readonly Direction[];
  companies: readonly PackedCompany[];
  /** Names of the CFE types that occur, by code. */
  typeNames: Readonly<Record<string, string>>;
  /** Codes of the types that are subtracted. */
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
  /** One letter per day: its state's first, since no two begin alike. */
  states: string;
  receipts: readonly (number | null)[];
  /** See `busyDay`. */
  busy: number;
}

/** The details of a company: one for each of the index's directions. */
export type PackedDetails = readonly PackedUnits[];

/** Details of each day, by its place in the calendar. */
export interface PackedUnits {
  /** How many readings the audit has. */
  counts: readonly number[];
  /** The readings shown, newest first. */
  readings: GroupedColumns<Reading>;
  /** Totals by type of the last good reading. */
  totals: GroupedColumns<TypeTotal>;
  /** Whether that reading is from before the audit kept totals. */
  unrecorded: readonly boolean[];
}

/**
 * Groups of rows, stored by column: this compresses to a third of the size of rows. A whole number is stored as its
 * difference from the previous one in its column, since most moments and counts are close to their neighbours.
 */
export interface GroupedColumns<Row> {
  /** Number of rows of each group. */
  lengths: readonly number[];
  /** Values of all groups, one after another. */
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

function groupAt<Row extends object>({ lengths, columns }: GroupedColumns<Row>, place: number): Row[] {
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

/** A day's details, shown when it is opened. */
export interface DayRecord {
  count: number;
  readings: readonly Reading[];
  /** Undefined if they were not recorded. */
  totals: readonly TypeTotal[] | undefined;
}

/** A day's record, by the indexes of its direction and of the day in its calendar; undefined if the day is missing. */
export function unpackDay(details: PackedDetails, direction: number, place: number): DayRecord | undefined {
  const units = details[direction];
  const count = units?.counts[place] ?? 0;
  if (units === undefined || count === 0) return undefined;
  return {
    count,
    readings: groupAt(units.readings, place),
    totals: units.unrecorded[place] === true ? undefined : groupAt(units.totals, place),
  };
}
