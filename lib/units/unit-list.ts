import * as v from 'valibot';
import { type Day, type DayRange, dayRanges, daysBetween, isDay } from '../time/days.ts';
import { DIRECTIONS, type Direction } from './direction.ts';
import type { Rut } from './rut.ts';
import { planUnits, type Unit } from './unit.ts';

const NO_DAY_RANGE = 'must be a day or a range of days, such as 2026-01-01..2026-01-31';

/** `2026-02-03`, or `2026-01-01..2026-01-31` with both ends included. */
const DayRangeText = v.pipe(
  v.string(),
  v.check((text) => parseDayRange(text) !== undefined, NO_DAY_RANGE),
);

/** Undefined for any other text. */
function parseDayRange(text: string): DayRange | undefined {
  const [from = '', to = from, ...more] = text.split('..');
  return more.length === 0 && isDay(from) && isDay(to) && from <= to ? { from, to } : undefined;
}

/**
 * Units of one company in short form, for the states of a run and its plan: each direction's issue dates in ascending
 * order, with consecutive days as one range. Every second day of ten years in both directions takes some 50 KB.
 */
export const UnitListSchema = v.strictObject({
  recibidos: v.optional(v.array(DayRangeText)),
  emitidos: v.optional(v.array(DayRangeText)),
});
export type UnitList = v.InferOutput<typeof UnitListSchema>;

/** The list of these units of one company, each once; null if there are none. */
export function listUnits(units: readonly Unit[]): UnitList | null {
  if (units.length === 0) return null;
  const list: UnitList = {};
  for (const direction of DIRECTIONS) {
    const days = units.filter((unit) => unit.direction === direction).map(({ day }) => day);
    if (days.length > 0) list[direction] = dayRanges(days);
  }
  return list;
}

/** The days of a direction in a list. Throws TypeError for a list that the schema would refuse. */
export function daysOf(list: UnitList, direction: Direction): Day[] {
  return (list[direction] ?? []).flatMap((text) => {
    const range = parseDayRange(text);
    if (range === undefined) throw new TypeError(`"${text}" ${NO_DAY_RANGE}`);
    return daysBetween(range.from, range.to);
  });
}

/** The units of a list, in the order in which a run plans them. Throws TypeError, as `daysOf`. */
export function unitsOf(rut: Rut, list: UnitList): Unit[] {
  const listed = {
    recibidos: new Set(daysOf(list, 'recibidos')),
    emitidos: new Set(daysOf(list, 'emitidos')),
  };
  const days = [...listed.recibidos.union(listed.emitidos)];
  return planUnits(rut, DIRECTIONS, days).filter(({ direction, day }) => listed[direction].has(day));
}
