import * as v from 'valibot';
import { DIRECTIONS, type Direction } from '../api/directions.ts';
import { planUnits, type Unit } from '../export/units.ts';
import { dayRanges } from '../time/day-ranges.ts';
import { daysBetween, isDay } from '../time/days.ts';

/** `2026-02-03`, or `2026-01-01..2026-01-31` with both ends included. */
const DayRangeText = v.pipe(
  v.string(),
  v.check((text) => {
    const [from = '', to = from, ...more] = text.split('..');
    return more.length === 0 && isDay(from) && isDay(to) && from <= to;
  }, 'must be a day or a range of days, such as 2026-01-01..2026-01-31'),
);

/**
 * Units of one company in short, for the states of a run: the issue dates of each direction, in ascending order, days
 * that follow each other as one range. Every second day of ten years in both directions is some 50 KB.
 */
export const UnitListSchema = v.strictObject({
  recibidos: v.optional(v.array(DayRangeText)),
  emitidos: v.optional(v.array(DayRangeText)),
});
export type UnitList = v.InferOutput<typeof UnitListSchema>;

/** The list of these units of one company, each once; null when there are none. */
export function listUnits(units: readonly Unit[]): UnitList | null {
  if (units.length === 0) return null;
  const list: UnitList = {};
  for (const direction of DIRECTIONS) {
    const days = units.filter(({ direccion }) => direccion === direction).map(({ fecha }) => fecha);
    if (days.length > 0) list[direction] = dayRanges(days);
  }
  return list;
}

/** The units of a list, in the order in which a run plans them. */
export function unitsOf(rut: string, list: UnitList): Unit[] {
  const daysOf = (direction: Direction) => new Set((list[direction] ?? []).flatMap(daysOfRange));
  const listed = { recibidos: daysOf('recibidos'), emitidos: daysOf('emitidos') };
  const days = [...listed.recibidos.union(listed.emitidos)];
  return planUnits(rut, DIRECTIONS, days).filter(({ direccion, fecha }) => listed[direccion].has(fecha));
}

function daysOfRange(range: string): string[] {
  const [from = '', to = from] = range.split('..');
  return daysBetween(from, to);
}
