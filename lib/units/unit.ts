import type { Day } from '../time/days.ts';
import type { Direction } from './direction.ts';
import type { Rut } from './rut.ts';

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
  misfits: number;
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

/**
 * The results with the company's name as its owner writes it, which overrides the name in its receipts, and is known
 * even if there are no receipts or the unit failed. Undefined if the owner gives none.
 */
export function withCompanyName(results: readonly UnitResult[], name: string | undefined): UnitResult[] {
  return results.map((result) => (name === undefined ? result : { ...result, companyName: name }));
}

/** Whether the unit has to be exported again, because its list or its details failed. */
export function isFailed({ state, detailState }: Pick<UnitResult, 'state' | 'detailState'>): boolean {
  return state === 'fallido' || detailState === 'fallido';
}

/** By company, direction and day. */
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
