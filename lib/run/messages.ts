import * as v from 'valibot';
import { FactsSchema } from '../export/reading/service-facts.ts';
import { CfeLakeError } from '../system/errors.ts';
import { type Day, type DayRange, daySchema, daysBetween, widthDays } from '../time/days.ts';
import { isValidRut } from '../units/rut.ts';
import {
  DIRECTIONS,
  isFailed,
  type UnitList,
  UnitListSchema,
  type UnitResult,
  type UnitState,
} from '../units/unit.ts';

/** Name of the schedule of runs; each scheduled run's id ends with it. */
export const NIGHTLY = 'nocturna';
/** Starts no run. */
export const TOKEN_REVIEW = 'revision-tokens';

/** A nightly run is usually done this long after it starts. */
export const NIGHT_HOURS = 4;

/** Whether the schedule started the run; otherwise somebody did. */
export function isNight(runId: string): boolean {
  return runId.endsWith(`-${NIGHTLY}`);
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
  const shown = parsed.issues.slice(0, MOST_REASONS).map(describeIssue);
  const hiddenCount = parsed.issues.length - shown.length;
  throw new MessageError(what, hiddenCount > 0 ? [...shown, `and ${hiddenCount} more`] : shown);
}

/** A list of wrong RUTs has as many faults. */
const MOST_REASONS = 20;

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
 * The messages between start-run, the workers and finish-run, which pass through the states of an execution, never hold
 * a token. Their fields have Spanish names there alone; in the code they have these.
 */
const NAMES = {
  corrida: 'runId',
  dia: 'runDay',
  desde: 'from',
  hasta: 'to',
  antiguos: 'older',
  direcciones: 'directions',
  detalles: 'details',
  servicio: 'service',
  a_la_vez: 'companiesAtOnce',
  entrega: 'delivery',
  publicacion: 'publication',
  maquina: 'stateMachineArn',
  parte: 'part',
  pendientes: 'pending',
  fallidas: 'failed',
  cortada: 'isCut',
  sin_unidad: 'uncounted',
  solicitudes: 'requests',
  reintentos: 'retries',
  paginas: 'pages',
  resumen: 'states',
} as const;
type Names = typeof NAMES;
type SpanishName<Name> = { [Key in keyof Names]: Names[Key] extends Name ? Key : never }[keyof Names];

type Plain = string | number | boolean | null | undefined;
type InEnglish<T> = T extends Plain
  ? T
  : T extends readonly (infer Item)[]
    ? InEnglish<Item>[]
    : { [Key in keyof T as Key extends keyof Names ? Names[Key] : Key]: InEnglish<T[Key]> };
type InSpanish<T> = T extends Plain
  ? T
  : T extends readonly (infer Item)[]
    ? InSpanish<Item>[]
    : { [Key in keyof T as Key extends Names[keyof Names] ? SpanishName<Key> : Key]: InSpanish<T[Key]> };

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, field]) => [names.get(name) ?? name, renamed(field, names)]));
}

const ENGLISH_NAMES = new Map<string, string>(Object.entries(NAMES));
const SPANISH_NAMES = new Map<string, string>(
  Object.entries(NAMES).map(([name, english]) => [english, name]),
);

function inEnglish<T>(message: T): InEnglish<T> {
  return renamed(message, ENGLISH_NAMES) as InEnglish<T>;
}

/** A message as it is sent. */
export function inSpanish<T>(message: T): InSpanish<T> {
  return renamed(message, SPANISH_NAMES) as InSpanish<T>;
}

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
  /** Older days that it reads besides. */
  antiguos: v.nullish(v.object({ desde: DaySchema, hasta: DaySchema })),
  direcciones: DirectionsSchema,
  /** Directions whose receipts are read in full in this run. When null or absent, the stack's settings decide. */
  detalles: v.nullish(DirectionsSchema),
  /**
   * What start-run has proved about the service, and in a worker's answer, what the company's lists have shown since.
   * Without it, or with facts of another version, a worker asks a witness of its own company.
   */
  servicio: v.nullish(v.fallback(v.nullable(FactsSchema), null)),
  /** How many of its companies are exported at the same time. */
  a_la_vez: v.pipe(v.number(), v.integer(), v.minValue(1)),
};

type RunDays = Pick<RunInput, 'from' | 'to' | 'older'>;

function rangesOf({ from, to, older }: RunDays): readonly [DayRange, ...DayRange[]] {
  return [{ from, to }, ...(older ? [older] : [])];
}

/** The issue dates of a run, in order. */
export function daysOfRun(run: RunDays): Day[] {
  return rangesOf(run)
    .flatMap(({ from, to }) => daysBetween(from, to))
    .sort();
}

/** The most days of a run in a row: how wide its lists may become. */
export function widestRange(run: RunDays): DayRange {
  return rangesOf(run).reduce((widest, range) => (widthDays(range) > widthDays(widest) ? range : widest));
}

/** The input of an execution, and of finish-run. */
export const RunInputSchema = v.pipe(
  v.object({
    ...RunFields,
    ruts: v.array(RutSchema),
    /** Which delivery of the event started it. */
    entrega: v.optional(v.string()),
    /** What became of publish: its answer, or its error. */
    publicacion: v.optional(v.object({ Error: v.optional(v.string()) })),
  }),
  v.transform(inEnglish),
);
export type RunInput = v.InferOutput<typeof RunInputSchema>;

/** The event of publish: the input of an execution, or from the schedule the state machine of the runs. */
export const PublishEventSchema = v.pipe(
  v.object({
    corrida: v.optional(RunFields.corrida),
    /** Its ARN: what ended executions have left of their audit is sealed. */
    maquina: v.optional(v.string()),
  }),
  v.transform(inEnglish),
);

/** The event of export-company; its answer is its next event. */
export const CompanyEventSchema = v.pipe(
  v.object({
    ...RunFields,
    rut: RutSchema,
    /** Counts the invocations for the company in this run, from 1. */
    parte: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
    /** The units to export; all of the run when absent. */
    pendientes: v.nullish(UnitListSchema),
    /** Units that failed in earlier invocations and are not tried again in this one. */
    fallidas: v.nullish(UnitListSchema),
    /** Whether the invocation before ended no unit, because time cut the lists that it read. */
    cortada: v.optional(v.boolean()),
    /** Requests of earlier invocations that belong to no finished unit yet. The next unit that ends accounts for them. */
    sin_unidad: v.optional(
      v.object({ solicitudes: CountSchema, reintentos: CountSchema, paginas: CountSchema }),
    ),
  }),
  v.transform(inEnglish),
);
export type CompanyEvent = v.InferOutput<typeof CompanyEventSchema>;

/** How many units are in each state. A unit whose details failed counts as failed, even if its list is stored. */
export type StateCounts = Record<UnitState, number>;

export interface CompanyAnswer extends Omit<CompanyEvent, 'pending' | 'failed'> {
  /** The number of the next invocation, if there is one. */
  part: number;
  /** Units that this invocation had no time for. */
  pending: UnitList | null;
  /** Units that failed since the last round began. */
  failed: UnitList | null;
  /** The units of this invocation by their state. */
  states: StateCounts;
}
export type SentAnswer = InSpanish<CompanyAnswer>;

export const UNIT_STATES: readonly UnitState[] = ['exportado', 'sin_cambios', 'vacio', 'fallido'];

export function noUnits(): StateCounts {
  return { exportado: 0, sin_cambios: 0, vacio: 0, fallido: 0 };
}

export function countUnits(units: Iterable<Pick<UnitResult, 'state' | 'detailState'>>): StateCounts {
  const counts = noUnits();
  for (const unit of units) counts[isFailed(unit) ? 'fallido' : unit.state] += 1;
  return counts;
}
