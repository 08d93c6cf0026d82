import * as v from 'valibot';
import { type Day, type DayRange, dayRanges, daysBetween, isDay } from '../time/days.ts';
import type { Rut } from './rut.ts';

/** Receipts that a company received, or issued; the API's own words. */
export type Direction = 'recibidos' | 'emitidos';

export const DIRECTIONS = ['recibidos', 'emitidos'] as const satisfies readonly Direction[];

/** The smallest thing that is exported: one company, one direction, one issue date. */
export interface Unit {
  rut: Rut;
  direction: Direction;
  day: Day;
}

/** Names a unit within its company, and its list's day within the lake. */
export function dayName({ direction, day }: Pick<Unit, 'direction' | 'day'>): string {
  return `${direction} ${day}`;
}

/** The units of a run for one company: the newest day first, since it is the one that people wait for. */
export function planUnits(rut: Rut, directions: readonly Direction[], days: readonly Day[]): Unit[] {
  const newestFirst = [...days].sort().reverse();
  return newestFirst.flatMap((day) => directions.map((direction) => ({ rut, direction, day })));
}

/**
 * exportado: the object was written. sin_cambios: it held the same content already. vacio: the list has no
 * receipts and there is no object. fallido: see `error`; the object is what it was.
 */
export type UnitState = 'exportado' | 'sin_cambios' | 'vacio' | 'fallido';

/**
 * completo: every listed receipt was asked for, and what the API does not have says so in its row. omitido: the day is
 * larger than the settings allow. fallido: the API failed; see `detailReason`.
 */
export type DetailState = 'completo' | 'omitido' | 'fallido';

/** The result of a unit's details; empty if none were asked for. */
export interface DetailResult {
  detailState?: DetailState;
  detailReason?: string;
  /** Listed receipts whose detail is stored as they now stand, and those without. */
  detailsStored?: number;
  detailsUnread?: number;
  /** Details that the API gave now. */
  detailsRead?: number;
}

/** The result of a unit in one run: one row of the audit. */
export interface UnitResult extends Unit, DetailResult, Partial<UnitSummary> {
  state: UnitState;
  /** Receipts that the API lists; undefined if the unit failed. */
  receipts?: number;
  /** Compared with the stored unit: receipts that appeared, that changed, and that are gone from the list. */
  appeared?: number;
  changed?: number;
  vanished?: number;
  /** Whether nothing was stored of the unit: all its receipts are new to the lake, and none counts as appeared. */
  isFirstReading?: boolean;
  /** Receipts that are rejected (BE) and were not when the unit was stored, or were not stored. */
  rejected?: number;
  /** Values that did not fit their column. */
  conversionErrors: number;
  /** Whether the list was proved to hold just these receipts at one moment; undefined if the unit failed. */
  isStable?: boolean;
  pages: number;
  requests: number;
  retries: number;
  /** Size of the object written; 0 if none was. */
  bytes: number;
  sha256?: string;
  error?: string;
  /** Local date-times of Uruguay. */
  startedAt: string;
  endedAt: string;
}

/** The results with the name that the company's owner gives it, if any, in place of the one in its receipts. */
export function withCompanyName(results: readonly UnitResult[], name: string | undefined): UnitResult[] {
  return results.map((result) => (name === undefined ? result : { ...result, companyName: name }));
}

/** Whether the unit has to be exported again, because its list or its details failed. */
export function isFailed({ state, detailState }: Pick<UnitResult, 'state' | 'detailState'>): boolean {
  return state === 'fallido' || detailState === 'fallido';
}

/** Sorts by company, direction and day. */
export function inOrder<U extends Unit>(results: readonly U[]): U[] {
  const place = ({ rut, direction, day }: U) => `${rut} ${direction} ${day}`;
  return [...results].sort((a, b) => (place(a) < place(b) ? -1 : 1));
}

/** The summary of a unit's rows in the audit, so that the coverage page reads nothing else. */
export interface UnitSummary {
  totals: readonly TypeTotal[];
  /** The company's name as its owner writes it, else as its suppliers do; undefined if unknown. */
  companyName?: string;
  unknownFields?: UnknownFields;
}

/** Sums of the receipts of one type, and in recibidos of one currency. The issued list has no currency. */
export interface TypeTotal {
  type: number | null;
  currency: string | null;
  receipts: number;
  /** Receipts whose `totales_total` is null. They are not in the sum. */
  withoutTotal: number;
  /** The exact sum of `totales_total`, as a decimal. Credit notes are not negative in it. */
  total: string;
}

/** Fields of the API's answers that the contract does not name: the path of each, and how many receipts have it. */
export type UnknownFields = ReadonlyMap<string, number>;

const NO_DAY_RANGE = 'must be a day or a range of days, such as 2026-01-01..2026-01-31';

/** `2026-02-03`, or `2026-01-01..2026-01-31` with both ends included. */
const DayRangeText = v.pipe(
  v.string(),
  v.check((text) => parseDayRange(text) !== undefined, NO_DAY_RANGE),
);

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
