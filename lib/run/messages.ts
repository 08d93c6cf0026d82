import * as v from 'valibot';
import { FactsSchema } from '../export/reading/facts.ts';
import { CfeLakeError } from '../system/errors.ts';
import { daySchema } from '../time/days.ts';
import { isValidRut } from '../units/rut.ts';
import {
  DIRECTIONS,
  isFailed,
  type UnitList,
  UnitListSchema,
  type UnitResult,
  type UnitState,
} from '../units/unit.ts';

/** Names of the schedules; each scheduled run's id ends with one. */
export const NIGHTLY_RECEIVED = 'nocturna-recibidos';
export const NIGHTLY_ISSUED = 'nocturna-emitidos';
export const WEEKLY = 'semanal';
/** Older days, some each night. It goes last, like a run by hand: nobody waits for it. */
export const DEEP = 'profunda';
/** Starts no run. */
export const TOKEN_REVIEW = 'revision-tokens';

/** A nightly run is usually done this long after it starts. */
export const NIGHT_HOURS = 4;

const NAMES = [NIGHTLY_RECEIVED, NIGHTLY_ISSUED, WEEKLY];

/** The schedule that a run belongs to; undefined when it was started by hand. */
export function scheduleOf(runId: string): string | undefined {
  const name = /^\d{14}-(.+)$/.exec(runId)?.[1];
  return NAMES.find((known) => known === name);
}

/** An event or an answer is not valid; says which field is wrong. */
export class MessageError extends CfeLakeError {
  override name = 'MessageError';
  constructor(what: string, reasons: readonly string[]) {
    super(`${what}: ${reasons.join('; ')}.`);
  }
}

/** Parses a message by its schema. Throws a MessageError, which begins with `what`. */
export function parseMessage<Output>(
  schema: v.GenericSchema<unknown, Output>,
  message: unknown,
  what: string,
): Output {
  const parsed = v.safeParse(schema, message);
  if (parsed.success) return parsed.output;
  throw new MessageError(what, parsed.issues.map(describeIssue));
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  const reason = reasonOf(issue);
  return path === null ? `it ${reason}` : `${path} ${reason}`;
}

function reasonOf({ kind, expected, received, message }: v.BaseIssue<unknown>): string {
  if (kind === 'validation') return message;
  if (expected === 'never') return 'is not known: check for a typing error';
  if (received === 'undefined') return 'is missing';
  // Our own message says it better than the types' names.
  return message.startsWith('Invalid ') ? `must be ${inWords(expected ?? '')}` : message;
}

/** What valibot expected, in plain words; a literal stays as it is. */
function inWords(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    Object: 'an object',
    Array: 'a list',
    string: 'text',
    number: 'a number',
  };
  return words[expected] ?? expected;
}

/**
 * The messages between start-run, the workers and finish-run, which pass through the states of an execution. They
 * never hold a token.
 */

export const DaySchema = daySchema('must be a day that exists, such as 2026-01-31');
export const RutSchema = v.pipe(
  v.string(),
  v.guard(isValidRut, 'must be a valid RUT: 12 digits with the check digit'),
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
  /** Directions whose receipts are read in full in this run. When null or absent, the stack's settings decide. */
  detalles: v.nullish(DirectionsSchema),
  /**
   * What start-run has proved about the service, and in a worker's answer, what the company's lists have shown since.
   * Without it, or with facts of another version, a worker asks a witness of its own company.
   */
  servicio: v.nullish(v.fallback(v.nullable(FactsSchema), null)),
};

/** The input of an execution, and of finish-run. */
export const RunInputSchema = v.object({
  ...RunFields,
  ruts: v.array(RutSchema),
  /** Which delivery of the event started it. */
  entrega: v.optional(v.string()),
});
export type RunInput = v.InferOutput<typeof RunInputSchema>;

/** The event of publish: the input of an execution, or from the schedule the state machine of the runs. */
export const PublishEventSchema = v.object({
  corrida: v.optional(RunFields.corrida),
  /** Its ARN: what ended executions have left of their audit is closed. */
  maquina: v.optional(v.string()),
});

/** The event of export-company; its answer is its next event. */
export const CompanyEventSchema = v.object({
  ...RunFields,
  rut: RutSchema,
  /** Counts the invocations for the company in this run, from 1. */
  parte: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  /** The units to export; all of the run when absent. */
  pendientes: v.nullish(UnitListSchema),
  /** Units that failed in earlier invocations and are not tried again in this one. */
  fallidas: v.nullish(UnitListSchema),
  /** Invocations that died since the last answer, and the last one's error. */
  muertes: v.optional(v.object({ seguidas: CountSchema, error: v.optional(v.string()) })),
  /** Requests of earlier invocations that belong to no finished unit yet. The next unit that ends accounts for them. */
  sin_unidad: v.optional(
    v.object({ solicitudes: CountSchema, reintentos: CountSchema, paginas: CountSchema }),
  ),
});
export type CompanyEvent = v.InferOutput<typeof CompanyEventSchema>;

/** After so many deaths one after the other, a company's units have failed: they are tried again with the failed ones. */
export const MOST_DEATHS = 3;

/** How many units are in each state. A unit whose details failed counts as failed, even if its list is stored. */
export type StateCounts = Record<UnitState, number>;

export interface CompanyAnswer extends Omit<CompanyEvent, 'pendientes' | 'fallidas'> {
  /** The number of the next invocation, if there is one. */
  parte: number;
  /** Units that this invocation had no time for. */
  pendientes: UnitList | null;
  /** Units that failed since the last round began. */
  fallidas: UnitList | null;
  /** Of this invocation. */
  resumen: StateCounts;
  /** Seconds to wait before the next invocation, because it is another run's turn. */
  espera_s?: number;
}

export const UNIT_STATES: readonly UnitState[] = ['exportado', 'sin_cambios', 'vacio', 'fallido'];

export function noUnits(): StateCounts {
  return { exportado: 0, sin_cambios: 0, vacio: 0, fallido: 0 };
}

export function countUnits(units: Iterable<Pick<UnitResult, 'state' | 'detailState'>>): StateCounts {
  const counts = noUnits();
  for (const unit of units) counts[isFailed(unit) ? 'fallido' : unit.state] += 1;
  return counts;
}
