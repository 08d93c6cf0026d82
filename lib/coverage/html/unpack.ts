import type { Reading } from '../reading.ts';
import { type PackedDetails, type PackedUnits, READING_FIELDS, TEXT_FIELDS } from './packed.ts';

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
