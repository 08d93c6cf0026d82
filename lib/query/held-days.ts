import type { Day, DayRange } from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';
import type { Answer } from './answer.ts';
import { companyCondition } from './named-queries.ts';

/** Asks how many listed receipts the tables have of each day, with the list and the RUT. */
export function heldDaysSql(
  ruts: readonly string[],
  { from, to }: DayRange,
  directions: readonly Direction[] = DIRECTIONS,
): string {
  const daysOf = (direction: Direction) =>
    `SELECT '${direction}' AS lista, fecha, rut, count(*) AS comprobantes FROM ${direction} WHERE visto_por_ultima_vez IS NULL AND fecha BETWEEN DATE '${from}' AND DATE '${to}'${companyCondition('', ruts)} GROUP BY fecha, rut`;
  return directions.map(daysOf).join('\nUNION ALL\n');
}

/** The answer to that. */
export function heldDays({ rows }: Answer) {
  const counts = new Map(rows.map((row) => [String(row.slice(0, -1)), Number(row.at(-1))]));
  return {
    ruts: [...new Set(rows.flatMap(([, , rut]) => rut ?? []))].sort(),
    countOf: (rut: string) => (direction: string, day: Day) => counts.get(String([direction, day, rut])) ?? 0,
  };
}
