import { deflateRawSync } from 'node:zlib';
import type { TypeTotal } from '../../audit/type-totals.ts';
import { type Calendar, type CompanyCoverage, countReceipts, countStates } from '../company-coverage.ts';
import { busyDay, READING_FIELDS } from '../day.ts';
import {
  groupedColumns,
  type PackedCalendars,
  type PackedCompany,
  type PackedDetails,
  STATE_LETTERS,
} from './packed.ts';

/** Totals of a day's receipts, or why there are none. */
export type DayTotals = { totals: readonly TypeTotal[] } | { problem: string };

export type TotalsOf = (calendar: Calendar, dayIndex: number) => DayTotals | undefined;

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
  return calendars.map((calendar) => {
    const { days } = calendar;
    const totals = days.map((_, place) => totalsOf(calendar, place));
    return {
      counts: days.map(({ readings }) => readings?.count ?? 0),
      readings: groupedColumns(
        READING_FIELDS,
        days.map(({ readings }) => readings?.shown ?? []),
      ),
      totals: groupedColumns(
        TOTAL_FIELDS,
        totals.map((day) => (day !== undefined && 'totals' in day ? day.totals : [])),
      ),
      problems: totals.map((day) => (day !== undefined && 'problem' in day ? day.problem : null)),
    };
  });
}

const TOTAL_FIELDS = [
  'type',
  'currency',
  'receipts',
  'withoutTotal',
  'total',
] as const satisfies readonly (keyof TypeTotal)[];

/** The document as JSON, compressed, in base64: nothing in it can end an HTML element. */
export function compressedText(document: PackedCalendars | PackedDetails): string {
  return deflateRawSync(JSON.stringify(document), { level: 9 }).toString('base64');
}
