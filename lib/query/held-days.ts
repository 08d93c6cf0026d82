import type { Day, DayRange } from '../time/days.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';
import type { Answer } from './answer.ts';
import { companyCondition } from './named-queries.ts';

/** Asks which days the tables have receipts of that are listed, with the list and the RUT. */
export function heldDaysSql(
  ruts: readonly string[],
  { from, to }: DayRange,
  directions: readonly Direction[] = DIRECTIONS,
): string {
  const daysOf = (direction: Direction) =>
    `SELECT DISTINCT '${direction}' AS lista, fecha, rut FROM ${direction} WHERE visto_por_ultima_vez IS NULL AND fecha BETWEEN DATE '${from}' AND DATE '${to}'${companyCondition('', ruts)}`;
  return directions.map(daysOf).join('\nUNION ALL\n');
}

/** The answer to that. */
export function heldDays({ rows }: Answer) {
  const held = new Set(rows.map(String));
  return {
    ruts: [...new Set(rows.flatMap((row) => row.at(-1) ?? []))].sort(),
    holds: (rut: string) => (direction: string, day: Day) => held.has(String([direction, day, rut])),
  };
}
