import * as v from 'valibot';
import { DIRECTIONS } from '../api/directions.ts';
import { isValidRut } from '../companies/rut.ts';
import { isFailed, type UnitResult, type UnitState } from '../export/units.ts';
import { isDay } from '../time/days.ts';
import { type UnitList, UnitListSchema } from './unit-list.ts';

/** What passes between start-run, the workers and finish-run through the states of an execution. Never a token. */

export const DaySchema = v.pipe(v.string(), v.check(isDay, 'must be a day that exists, such as 2026-01-31'));
export const RutSchema = v.pipe(
  v.string(),
  v.check(isValidRut, 'must be a valid RUT: 12 digits with the check digit'),
);
export const DirectionsSchema = v.pipe(
  v.array(v.picklist(DIRECTIONS, 'must be recibidos or emitidos')),
  v.minLength(1, 'must name recibidos, emitidos or both'),
);

const CountSchema = v.pipe(v.number(), v.integer(), v.minValue(0));

const RunFields = {
  /** Run id; also the name of the execution. */
  corrida: v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/)),
  /** The day in Uruguay on which the run began. */
  dia: DaySchema,
  /** First and last issue date. */
  desde: DaySchema,
  hasta: DaySchema,
  direcciones: DirectionsSchema,
  /** Directions whose receipts are read whole in this run; those of the stack's settings when null or absent. */
  detalles: v.nullish(DirectionsSchema),
};

/** The input of an execution, and of finish-run. */
export const RunInputSchema = v.object({ ...RunFields, ruts: v.array(RutSchema) });
export type RunInput = v.InferOutput<typeof RunInputSchema>;

/** The event of publish: the input of an execution, or nothing in particular. */
export const PublishEventSchema = v.object({
  corrida: v.optional(RunFields.corrida),
  /** Workers of the run go on. */
  sigue: v.optional(v.boolean(), false),
  /** Why the map of companies failed, if it did. */
  mapa: v.optional(v.unknown()),
});
export type PublishEvent = v.InferOutput<typeof PublishEventSchema>;

/** The event of export-company; its answer is its next event. */
export const CompanyEventSchema = v.object({
  ...RunFields,
  rut: RutSchema,
  /** How many companies the run has, until the company had its first turn. */
  empresas: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** Counts the invocations for the company in this run, from 1. */
  parte: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  /** The units to export; all of the run when absent. */
  pendientes: v.nullish(UnitListSchema),
  /** Units that failed in earlier invocations and are not tried again in this one. */
  fallidas: v.nullish(UnitListSchema),
  /** What earlier invocations asked the API for without an end of any unit; the next one that ends accounts for it. */
  sin_unidad: v.optional(
    v.object({ solicitudes: CountSchema, reintentos: CountSchema, paginas: CountSchema }),
  ),
});
export type CompanyEvent = v.InferOutput<typeof CompanyEventSchema>;

/** How many units are in each state; one whose details failed counts as failed, whatever became of its list. */
export type StateCounts = Record<UnitState, number>;

export interface CompanyAnswer extends Omit<CompanyEvent, 'empresas' | 'pendientes' | 'fallidas'> {
  /** The number of the invocation that comes next, if one does. */
  parte: number;
  /** Units that this invocation had no time for. */
  pendientes: UnitList | null;
  /** Units that failed since the last round began. */
  fallidas: UnitList | null;
  /** Of this invocation. */
  resumen: StateCounts;
  /** Seconds to wait before the next invocation: it is another run's turn. */
  espera_s?: number;
  /** The first pass over all companies has ended with this: their days are to be published now. */
  publicacion?: true;
}

export const UNIT_STATES: readonly UnitState[] = ['exportado', 'sin_cambios', 'vacio', 'fallido'];

export function noUnits(): StateCounts {
  return { exportado: 0, sin_cambios: 0, vacio: 0, fallido: 0 };
}

export function countUnits(units: Iterable<Pick<UnitResult, 'estado' | 'detalle'>>): StateCounts {
  const counts = noUnits();
  for (const unit of units) counts[countedState(unit)] += 1;
  return counts;
}

/** The state that a unit counts in. */
export function countedState(unit: Pick<UnitResult, 'estado' | 'detalle'>): UnitState {
  return isFailed(unit) ? 'fallido' : unit.estado;
}
