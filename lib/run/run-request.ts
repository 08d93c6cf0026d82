import * as v from 'valibot';
import type { Run } from '../audit/keys.ts';
import { newRun } from '../export/run.ts';
import type { SourceClaim } from '../lake/source.ts';
import {
  addDays,
  DAY_MS,
  type Day,
  type DayRange,
  daysBetween,
  MAX_DAYS_AHEAD,
  MIN_AGES,
  monthlySlice,
  rangeText,
  uruguayDateTime,
  uruguayDay,
  WEEK_DAYS,
  weekdayOf,
} from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';
import { DaySchema, DirectionsSchema, MessageError, NIGHTLY, parseMessage, RutSchema } from './messages.ts';

/** A requested run: which days of which companies. */
export interface RunRequest {
  run: Run;
  /** First and last issue date. */
  from: Day;
  to: Day;
  /** Older days that are read besides. */
  older?: DayRange;
  directions: readonly Direction[];
  /** Directions whose receipts are read in full. When absent, the stack's settings decide. */
  details?: readonly Direction[];
  /** All companies when absent. */
  ruts?: readonly Rut[];
  /** A claim about the lake's source, if its mark says otherwise or is missing. */
  claim?: SourceClaim;
}

/** The most days of one run. Even the list of every second one fits into a state many times over. */
const MAX_DAYS = 3_660;

/** More than any schedule asks for, and than one input of the state machine was tried with. */
const MAX_RUTS = 5_000;

const CountSchema = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_DAYS));

const ScheduledSchema = v.object({
  origen: v.literal('programado'),
  /** Name of the schedule; goes into the run id. Readers know no other (lib/lake/layout.ts). */
  nombre: v.literal(NIGHTLY, `must be ${NIGHTLY}`),
  direcciones: DirectionsSchema,
  /** When the schedule was due, however late the event is. */
  programado: v.pipe(v.string(), v.isoTimestamp('must be a moment such as 2026-11-20T05:00:00Z')),
  /** How many days before the day of the schedule. */
  dias: CountSchema,
  /** How many instead on one day of the week. */
  semanal: v.optional(v.object({ dia: v.picklist(WEEK_DAYS), dias: CountSchema })),
  /** How old the days are, in days, of which a share is read besides. */
  edades: v.optional(
    v.pipe(
      v.object({ desde: CountSchema, hasta: CountSchema }),
      v.check(({ desde, hasta }) => hasta - desde + 1 >= MIN_AGES, `must be at least ${MIN_AGES} ages`),
    ),
  ),
});

const ByHandSchema = v.strictObject({
  /** First and last issue date. */
  desde: DaySchema,
  hasta: DaySchema,
  /** All companies when absent. */
  ruts: v.optional(
    v.pipe(
      v.array(v.unknown()),
      v.minLength(1, 'must name a RUT, or be left out for all'),
      // Before each is looked at: an event may hold hundreds of thousands.
      v.maxLength(MAX_RUTS, `must name at most ${MAX_RUTS}: start several runs, or leave it out for all`),
      v.array(RutSchema),
    ),
  ),
  direcciones: v.optional(DirectionsSchema),
  /** Directions whose receipts are read in full. When absent, the stack's settings decide. */
  detalles: v.optional(DirectionsSchema),
  /** The lake's service has a new address, or an unmarked lake is this service's. */
  fuente: v.optional(v.picklist(['mudada', 'adoptada'], 'must be mudada or adoptada')),
});

export type BackfillRequest = v.InferInput<typeof ByHandSchema>;

const WHAT = 'start-run cannot do what it was asked for';

/** Reads an event of a schedule (decision 6), or by hand: `BackfillRequest`. No day is before `firstDay`. Throws MessageError. */
export function readRunRequest(event: unknown, nowMs: number, firstDay: Day): RunRequest {
  const isScheduled = typeof event === 'object' && event !== null && 'origen' in event;
  return isScheduled ? scheduledRequest(event, nowMs, firstDay) : requestByHand(event, nowMs, firstDay);
}

function scheduledRequest(event: object, nowMs: number, firstDay: Day): RunRequest {
  const { nombre, direcciones, programado, dias, semanal, edades } = parseMessage(
    ScheduledSchema,
    event,
    WHAT,
  );
  const dueMs = Date.parse(programado);
  // The scheduler gives up after six hours. Not a number: a day that does not exist.
  if (!(nowMs - DAY_MS <= dueMs && dueMs <= nowMs)) {
    const timing = dueMs > nowMs ? 'in the future' : 'more than a day ago, or never';
    const now = new Date(nowMs).toISOString();
    throw new MessageError(WHAT, [
      `programado (${programado}) is ${timing}, and it is ${now}: start its days by hand, with "desde" and "hasta"`,
    ]);
  }
  const day = uruguayDay(dueMs);
  const moment = uruguayDateTime(dueMs).replaceAll(/\D/g, '');
  const isWeekly = semanal !== undefined && semanal.dia === WEEK_DAYS[weekdayOf(day)];
  const days = { from: addDays(day, -(isWeekly ? semanal.dias : dias)), to: addDays(day, -1) };
  const slice = edades && monthlySlice(day, { youngest: edades.desde, oldest: edades.hasta });
  const older = slice && slice.to >= firstDay ? fromFirstDay(slice, firstDay) : undefined;
  return {
    run: { id: `${moment}-${nombre}`, day },
    ...fromFirstDay(days, firstDay),
    ...(older !== undefined && { older }),
    directions: inOrder(direcciones),
  };
}

/**
 * A schedule's width is fixed: of a stack whose first day is more recent, its nights ask for the days from that one on.
 * Throws MessageError if there is none.
 */
function fromFirstDay({ from, to }: DayRange, firstDay: Day): DayRange {
  if (to < firstDay) {
    throw new MessageError(WHAT, [`it asks for ${rangeText({ from, to })}, before ${firstDay}, ${NOT_SEEN}`]);
  }
  return { from: from < firstDay ? firstDay : from, to };
}

const NOT_SEEN = "the stack's setting firstDay: Athena would not see it";

function requestByHand(event: unknown, nowMs: number, firstDay: Day): RunRequest {
  const request = parseMessage(ByHandSchema, event, WHAT);
  const { desde, hasta, ruts, direcciones = DIRECTIONS, detalles, fuente } = request;
  if (hasta < desde) throw new MessageError(WHAT, [`hasta (${hasta}) is before desde (${desde})`]);
  if (desde < firstDay) {
    throw new MessageError(WHAT, [`desde (${desde}) is before ${firstDay}, ${NOT_SEEN}`]);
  }
  const lastDay = addDays(uruguayDay(nowMs), MAX_DAYS_AHEAD);
  if (hasta > lastDay)
    throw new MessageError(WHAT, [`hasta (${hasta}) is after ${lastDay}, the last day with receipts`]);
  const withoutList = detalles?.find((direction) => !direcciones.includes(direction));
  if (withoutList !== undefined)
    throw new MessageError(WHAT, [`detalles names ${withoutList}, which direcciones does not`]);
  const dayCount = daysBetween(desde, hasta).length;
  if (dayCount > MAX_DAYS) {
    throw new MessageError(WHAT, [
      `${dayCount} days are more than the ${MAX_DAYS} of one run: ask for them in parts`,
    ]);
  }
  return {
    run: newRun(nowMs),
    from: desde,
    to: hasta,
    directions: inOrder(direcciones),
    ...(detalles !== undefined && { details: inOrder(detalles) }),
    ...(ruts !== undefined && { ruts: [...new Set(ruts)].sort() }),
    ...(fuente !== undefined && { claim: fuente === 'mudada' ? 'moved' : 'adopted' }),
  };
}

/** Each once, in the order in which units are planned. */
function inOrder(directions: readonly Direction[]): Direction[] {
  return DIRECTIONS.filter((direction) => directions.includes(direction));
}
