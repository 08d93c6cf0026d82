import { addDays, type Day, type DayRange, monthOf, widthDays } from './days.ts';

/** How old days are, both ends included. */
export interface Ages {
  youngest: number;
  oldest: number;
}

/** With fewer ages than nights in a month, some nights would have no day to read. */
export const MIN_AGES = 31;

/**
 * The days that one night of a month reads: together, its nights read each day once that has one of these ages on the
 * first of the month. The youngest come first, because nothing has read them since they left the weekly run.
 */
export function monthlySlice(night: Day, { youngest, oldest }: Ages): DayRange {
  const { from: first, to: last } = monthOf(night);
  const nights = widthDays({ from: first, to: last });
  const ageAt = (index: number) => youngest + Math.floor(((oldest - youngest + 1) * index) / nights);
  const index = widthDays({ from: first, to: night }) - 1;
  return { from: addDays(first, 1 - ageAt(index + 1)), to: addDays(first, -ageAt(index)) };
}
