/** The shares of a busy day up to which a day has shade 1, 2, …: closer at the top, where most days are. */
const LIMITS = [0.2, 0.45, 0.7, 0.9, Number.POSITIVE_INFINITY] as const;

/** Shades of a day with receipts; a day without any has shade 0. */
export const SHADES = LIMITS.length;

/** A calendar's own measure: nine in ten of its days with receipts have at most so many. At least 1. */
export function busyDay(counts: Iterable<number | null>): number {
  const sorted = [...counts].filter((count): count is number => count !== null && count > 0);
  sorted.sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.9) - 1] ?? 1;
}

/** 0 for none, else 1 to SHADES: the share of a busy day, so that one great day doesn't pale all others. */
export function shadeOf(count: number, busy: number): number {
  return count <= 0 ? 0 : 1 + LIMITS.findIndex((limit) => count / busy <= limit);
}
