import { addDays } from './days.ts';

/** Consecutive days, `YYYY-MM-DD`, both ends included. */
export interface DayRange {
  from: string;
  to: string;
}

/** `2026-11-01..2026-11-03`, or the day alone. */
export function rangeText({ from, to }: DayRange): string {
  return from === to ? from : `${from}..${to}`;
}

/** Days in order, as few ranges as possible: `2026-11-01..2026-11-03`, `2026-11-07`. */
export function dayRanges(days: Iterable<string>): string[] {
  const ranges: DayRange[] = [];
  for (const day of [...new Set(days)].sort()) {
    const range = ranges.at(-1);
    if (range !== undefined && addDays(range.to, 1) === day) range.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges.map(rangeText);
}
