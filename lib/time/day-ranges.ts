import { addDays } from './days.ts';

/** Days in order, as few ranges: `2026-11-01..2026-11-03`, `2026-11-07`. */
export function dayRanges(days: Iterable<string>): string[] {
  const ranges: { first: string; last: string }[] = [];
  for (const day of [...new Set(days)].sort()) {
    const range = ranges.at(-1);
    if (range !== undefined && addDays(range.last, 1) === day) range.last = day;
    else ranges.push({ first: day, last: day });
  }
  return ranges.map(({ first, last }) => (first === last ? first : `${first}..${last}`));
}
