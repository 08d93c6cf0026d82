import { deflateRawSync } from 'node:zlib';
import type { TypeTotal } from '../../audit/type-totals.ts';
import { type Calendar, type CompanyCoverage, countReceipts, countStates } from '../company-coverage.ts';
import { busyDay } from '../day-state.ts';
import { READING_FIELDS, type Reading } from '../reading.ts';
import {
  type PackedCalendars,
  type PackedCompany,
  type PackedDetails,
  type PackedTotals,
  type PackedUnits,
  STATE_LETTERS,
} from './packed.ts';

/** Totals of a day's receipts, or why there are none. */
export type DayTotals = { totals: readonly TypeTotal[] } | { problem: string };

export type TotalsOf = (calendar: Calendar, dayIndex: number) => DayTotals | undefined;

/** Gives a text's place, and keeps the text if it is new. */
type PlaceOf = (text: string) => number;

export function packCompany({ rut, name, calendars }: CompanyCoverage): PackedCompany {
  const summaries = calendars.map(({ days }) => ({
    states: countStates(days),
    receipts: countReceipts(days),
  }));
  return { rut, name: name ?? '', summaries };
}

export function packCalendars({ calendars }: CompanyCoverage): PackedCalendars {
  return calendars.map(({ days }) => {
    const receipts = days.map((day) => day.receipts);
    return {
      states: days.map(({ state }) => STATE_LETTERS[state]).join(''),
      receipts,
      busy: busyDay(receipts),
    };
  });
}

export function packDetails({ calendars }: CompanyCoverage, totalsOf: TotalsOf): PackedDetails {
  const places = new Map<string, number>();
  const placeOf = (text: string): number => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  };
  const packed = calendars.map((calendar) =>
    packUnits(
      calendar,
      calendar.days.map((_, index) => totalsOf(calendar, index)),
      placeOf,
    ),
  );
  return { texts: [...places.keys()], calendars: packed };
}

function packUnits(
  { days }: Calendar,
  totals: readonly (DayTotals | undefined)[],
  placeOf: PlaceOf,
): PackedUnits {
  const shown = days.map(({ readings }) => readings?.shown ?? []);
  const types = totals.map((day) => (day !== undefined && 'totals' in day ? day.totals : []));
  const problems = totals.flatMap((day, place) =>
    day !== undefined && 'problem' in day ? [[place, placeOf(day.problem)]] : [],
  );
  return {
    counts: days.map(({ readings }) => readings?.count ?? 0),
    shown: shown.map(({ length }) => length),
    readings: packReadings(shown.flat(), placeOf),
    types: types.map(({ length }) => length),
    totals: packTotals(types.flat(), placeOf),
    problems: Object.fromEntries(problems),
  };
}

function packReadings(readings: readonly Reading[], placeOf: PlaceOf): (number | null)[][] {
  return READING_FIELDS.map((field) => {
    let before = 0;
    return readings.map((reading) => {
      const value = reading[field];
      if (value === null) return null;
      if (typeof value === 'string') return placeOf(value);
      if (field === 'fin') return Number(value) - (reading.inicio ?? 0);
      if (field !== 'inicio') return Number(value);
      const step = Number(value) - before;
      before = Number(value);
      return step;
    });
  });
}

function packTotals(totals: readonly TypeTotal[], placeOf: PlaceOf): PackedTotals {
  return {
    tipo: totals.map(({ tipo }) => tipo),
    moneda: totals.map(({ moneda }) => (moneda === null ? null : placeOf(moneda))),
    receipts: totals.map(({ receipts }) => receipts),
    withoutTotal: totals.map(({ withoutTotal }) => withoutTotal),
    total: totals.map(({ total }) => total),
  };
}

/** A document as compressed text of letters, digits, `+`, `/` and `=` only: nothing in it can end an element. */
export function compressedText(document: PackedCalendars | PackedDetails): string {
  return deflateRawSync(JSON.stringify(document), { level: 9 }).toString('base64');
}
