import * as v from 'valibot';
import type { PageFacts } from '../../api/list/page.ts';
import { addDays, type Day, type DayRange, widthDays } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';

/** The days that one list is asked for. */
export interface AskedDays extends DayRange {
  /** Whether `FechaHasta` is the day after them, whose rows are dropped. */
  includesNextDay?: boolean;
}

/** `FechaDesde` and `FechaHasta` for these days. */
export function boundsOf({ from, to, includesNextDay }: AskedDays): DayRange {
  return { from, to: includesNextDay === true ? addDays(to, 1) : to };
}

/** How many days a list covers, with the day after them where that is asked for too. */
export function askedWidth(asked: AskedDays): number {
  return widthDays(boundsOf(asked));
}

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What a witness proved of a service, in one direction, before days are read. */
const Proof = v.object({
  /** Lists over this many days are answered whole: one was seen to have rows this far apart. */
  provedWidthDays: Count,
  /** Whether `FechaHasta` includes its whole day: a list had a row of the evening of its last day. */
  isEndDateInclusive: v.boolean(),
  /** Whether it includes its day's first moment at least, which is all of a day whose rows are dates. */
  isMidnightInclusive: v.boolean(),
});
export type Proof = v.InferOutput<typeof Proof>;

/** What any list of the run adds, only to be more careful or to clear a cut. */
const Observed = v.object({
  /** Whether any row was issued after its day's first moment. */
  hasTimes: v.boolean(),
  /** Whether a list had rows of the evening before its first day, as where days are those of UTC. */
  areDaysShifted: v.boolean(),
  /** The highest position, counted from 1, at which a list had a row. */
  deepestRow: Count,
  /** About how many rows a day has of the company whose list was looked through to its end. */
  rowsADay: v.optional(v.object({ rut: v.string(), count: v.number() })),
});
export type Observed = v.InferOutput<typeof Observed> & PageFacts;

/** What a run knows of a service in one direction. It is forgotten at the run's end. */
export type ServiceFacts = Proof & Observed;

/** The same while days are read: what was proved stays as it is. */
export type KnownFacts = Readonly<Proof> & Observed;

export type FactsByDirection = Readonly<Record<Direction, ServiceFacts>>;

/** The facts of a service of which nothing is known, but that a day's own list is answered. */
export function noFacts(): ServiceFacts {
  return {
    provedWidthDays: 1,
    isEndDateInclusive: false,
    isMidnightInclusive: false,
    hasTimes: false,
    areDaysShifted: false,
    deepestRow: 0,
  };
}

export function newFacts(): Record<Direction, ServiceFacts> {
  return { recibidos: noFacts(), emitidos: noFacts() };
}

/** Whether lists are asked for one day past their last one: unless they are known to have all of that. */
export function mustIncludeNextDay({ isEndDateInclusive, areDaysShifted }: KnownFacts): boolean {
  return !isEndDateInclusive || areDaysShifted;
}

const Facts = v.object({ ...Proof.entries, ...Observed.entries, longestPage: v.optional(Count) });

/** A run's facts in the input of its workers. `desde_ms`: since when they are known, in milliseconds since the epoch. */
export const FactsSchema = v.object({ desde_ms: Count, recibidos: Facts, emitidos: Facts });
type FactsMessage = v.InferOutput<typeof FactsSchema>;

/** Facts older than this are not used: a service may change within a run of days. */
const FACTS_HOLD_MS = 12 * 3_600_000;

export function factsMessage(facts: FactsByDirection, nowMs: number): FactsMessage {
  return v.parse(FactsSchema, { ...facts, desde_ms: nowMs });
}

/** The facts of a message; undefined if they are too old. */
export function factsFrom(
  { desde_ms: knownSinceMs, recibidos, emitidos }: FactsMessage,
  nowMs: number,
): FactsByDirection | undefined {
  if (nowMs - knownSinceMs > FACTS_HOLD_MS) return undefined;
  return { recibidos: { ...recibidos }, emitidos: { ...emitidos } };
}

/** How many rows a list has of one day, and when they were issued. */
export interface DayRows {
  count: number;
  /** Any row issued after the day's first moment. Some services give dates only. */
  hasTimes: boolean;
  /** Any row issued before 21:00, which a service whose day is UTC's counts under the same day. */
  hasRowBeforeEvening: boolean;
  /** Any row issued from 21:00 on, which such a service counts under the next day. */
  hasEveningRow: boolean;
}

/** What the rule looks at in one pass over the pages of a list. */
export interface Attempt {
  readonly asked: AskedDays;
  /** All rows that came, of whatever day. */
  readonly rowCount: number;
  /** The fiscal number of each of them. */
  readonly numbers: readonly (number | undefined)[];
  /** Rows without a valid day. */
  readonly undated: readonly (number | bigint)[];
  /** Whether only narrower lists can tell to which day some rows belong. */
  readonly isAmbiguous: boolean;
  readonly hasTimes: boolean;
  /** Whether it has rows of the evening before its first day. */
  readonly hasEveningBefore: boolean;
  /** The days with rows, the day after those asked for included, in order. */
  readonly daysWithRows: readonly Day[];
  on(day: Day): Readonly<DayRows>;
  idsOn(day: Day): Iterable<bigint>;
  /** Why the day fails, although the list is in order. */
  faultOf(day: Day): Error | undefined;
}

/** Notes the marks that any list may set. */
export function noteAttempt(facts: Observed, attempt: Attempt | undefined): void {
  if (attempt?.hasTimes) facts.hasTimes = true;
  if (attempt?.hasEveningBefore) facts.areDaysShifted = true;
}
