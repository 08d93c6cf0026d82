import * as v from 'valibot';
import type { PageFacts } from '../../api/list/page.ts';
import { addDays, type Day, type DayRange, widthDays } from '../../time/days.ts';
import type { Direction } from '../../units/unit.ts';

/** The days that one list is asked for. */
export interface AskedDays extends DayRange {
  /** Whether `FechaHasta` is the day after them, whose rows are dropped. */
  isPast: boolean;
}

/** `FechaDesde` and `FechaHasta` for these days. */
export function boundsOf({ from, to, isPast }: AskedDays): DayRange {
  return { from, to: isPast ? addDays(to, 1) : to };
}

/** How many days a list covers, with the day after them where that is asked for too. */
export function askedWidth(asked: AskedDays): number {
  return widthDays(boundsOf(asked));
}

/**
 * What the lists of one direction have shown about the service in this run. All companies of the run share it, and it
 * is forgotten at the run's end.
 */
export interface ServiceFacts extends PageFacts {
  /** Lists over this many days are answered whole: one was seen to have rows this far apart. */
  provedWidthDays: number;
  /** Wider lists are not worth asking for: one was refused or cut. */
  widestDays: number;
  /** The widest list that was answered at all. */
  answeredWidthDays: number;
  /** Whether `FechaHasta` is known to include its whole day. */
  isBoundWhole: boolean;
  /** Whether any row was issued after its day's first moment: many at midnight then show nothing. */
  hasTimes: boolean;
  /** Whether a day's list had rows of the evening before, as where days are those of UTC: its own list lacks these. */
  isDayShifted: boolean;
  /** The highest position, counted from 1, at which a list had a row. */
  deepestRow: number;
}

export type FactsByDirection = Readonly<Record<Direction, ServiceFacts>>;

/** Nothing is known, but that a day's own list is answered. */
export function noFacts(): ServiceFacts {
  return {
    provedWidthDays: 1,
    widestDays: Number.POSITIVE_INFINITY,
    answeredWidthDays: 0,
    isBoundWhole: false,
    hasTimes: false,
    isDayShifted: false,
    deepestRow: 0,
  };
}

export function newFacts(): Record<Direction, ServiceFacts> {
  return { recibidos: noFacts(), emitidos: noFacts() };
}

/** A list this wide was answered. */
export function noteAnswered(facts: ServiceFacts, answeredDays: number): void {
  facts.answeredWidthDays = Math.max(facts.answeredWidthDays, answeredDays);
}

/** A list this wide had rows on its first and on its last day. */
export function noteProved(facts: ServiceFacts, provedDays: number): void {
  facts.provedWidthDays = Math.max(facts.provedWidthDays, provedDays);
}

/** A list this wide was refused, or lacked days that have rows: later lists are half as wide. */
export function noteTooWide(facts: ServiceFacts, tooManyDays: number): void {
  facts.widestDays = Math.max(1, Math.min(facts.widestDays, tooManyDays >> 1));
}

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Facts = v.object({
  provedWidthDays: Count,
  /** Null where no list was too wide. */
  widestDays: v.nullable(Count),
  answeredWidthDays: Count,
  isBoundWhole: v.boolean(),
  hasTimes: v.boolean(),
  isDayShifted: v.boolean(),
  deepestRow: Count,
  longestPage: v.optional(Count),
});

/** A run's facts in the input of its workers. `desde_ms`: since when they are known, in milliseconds since the epoch. */
export const FactsSchema = v.object({ desde_ms: Count, recibidos: Facts, emitidos: Facts });
type FactsMessage = v.InferOutput<typeof FactsSchema>;

/** Facts older than this are not used: a service may change within a run of days. */
const FACTS_HOLD_MS = 12 * 3_600_000;

export function factsMessage(facts: FactsByDirection, nowMs: number): FactsMessage {
  // Infinity is null in JSON.
  return v.parse(FactsSchema, JSON.parse(JSON.stringify({ ...facts, desde_ms: nowMs })));
}

/** The facts of a message; undefined if they are too old. */
export function factsFrom(
  { desde_ms: knownSinceMs, recibidos, emitidos }: FactsMessage,
  nowMs: number,
): FactsByDirection | undefined {
  if (nowMs - knownSinceMs > FACTS_HOLD_MS) return undefined;
  const of = (facts: FactsMessage[Direction]): ServiceFacts => ({
    ...facts,
    widestDays: facts.widestDays ?? Number.POSITIVE_INFINITY,
  });
  return { recibidos: of(recibidos), emitidos: of(emitidos) };
}

/** How many rows a list has of one day, and when they were issued. */
export interface DayMarks {
  count: number;
  /** Any row issued after the day's first moment. Some services give dates only. */
  hasTimes: boolean;
  /** Any row issued before 21:00, which a service whose day is UTC's counts under the same day. */
  hasRowBeforeEvening: boolean;
  /** Any row issued from 21:00 on, which such a service counts under the next day. */
  hasEveningRow: boolean;
}

/** The rows of one day of a list. */
export interface DayRows extends Readonly<DayMarks> {
  /** To be gone through once. */
  readonly ids: Iterable<bigint>;
}

/** This many rows are not all issued at midnight by chance: the service gives dates only. */
const ROWS_THAT_SHOW_DATES_ONLY = 20;

/**
 * Compares what lists that end on a day brought of it with what other lists, ending later, or the lake have of it. Only
 * that can tell whether a bound includes its whole day: a row after midnight is not enough, since a service whose day
 * is UTC's shows it too.
 */
export class BoundComparison {
  private readonly facts: ServiceFacts;
  /** What rows at midnight alone show counts for their company only, and while no row has a time. */
  private isWholeByDates = false;
  /** Whether lists were perhaps taken to have all of their last day. */
  private hasSeemedWhole = false;
  /** Set once a list lacked rows of its last day: no further one is asked for to see that. */
  private hasDiffered = false;
  private readonly ended = new Map<Day, ReadonlySet<bigint>>();
  private readonly known = new Map<Day, DayRows>();
  /** On which days the lists over several days end that are being read. */
  private readonly endsUnderWay = new Set<Day>();

  constructor(facts: ServiceFacts) {
    this.facts = facts;
  }

  get isBoundWhole(): boolean {
    const isSeenWhole = this.facts.isBoundWhole || (this.isWholeByDates && !this.facts.hasTimes);
    const isWhole = isSeenWhole && !this.facts.isDayShifted;
    this.hasSeemedWhole ||= isWhole;
    return isWhole;
  }

  /**
   * Whether lists that were taken to have all of their last day may lack rows of it, by what this company's lists or
   * another's have shown since.
   */
  get hasCeasedToBeWhole(): boolean {
    return !this.isBoundWhole && this.hasSeemedWhole;
  }

  /** Whether lists to come may still tell. */
  get isOpen(): boolean {
    return !this.isBoundWhole && !this.hasDiffered;
  }

  /** Whether a list that is being read will tell. */
  get isUnderWay(): boolean {
    return this.isOpen && [...this.endsUnderWay].some((day) => this.known.has(day));
  }

  /** Knows of a list over several days while it is read. */
  async during<T>(asked: AskedDays, reading: Promise<T>): Promise<T> {
    const { to } = boundsOf(asked);
    this.endsUnderWay.add(to);
    try {
      return await reading;
    } finally {
      this.endsUnderWay.delete(to);
    }
  }

  /** A list that ended on the day brought these rows of it. */
  noteEnd(day: Day, rows: DayRows): void {
    if (this.isBoundWhole) return;
    const ids = new Set(rows.ids);
    this.ended.set(day, ids);
    const known = this.known.get(day);
    if (known !== undefined) this.compare(known, ids);
  }

  /** A list that ended later, or the lake, has these rows of the day. */
  noteKnown(day: Day, rows: DayRows): void {
    if (this.isBoundWhole || !doesDayTell(this.facts, rows)) return;
    // Copied: the list's rows are let go once they are stored.
    const known = { ...rows, ids: [...rows.ids] };
    this.known.set(day, known);
    const ids = this.ended.get(day);
    if (ids !== undefined) this.compare(known, ids);
  }

  private compare(known: DayRows, ids: ReadonlySet<bigint>): void {
    this.hasDiffered = [...known.ids].some((id) => !ids.has(id));
    if (this.hasDiffered) return;
    if (known.hasEveningRow) this.facts.isBoundWhole = true;
    else this.isWholeByDates = true;
    this.ended.clear();
    this.known.clear();
  }
}

/** Whether a list that has these rows of its last day has all of that day. */
export function doesDayTell(facts: ServiceFacts, { hasEveningRow, count }: DayRows): boolean {
  return hasEveningRow || (!facts.hasTimes && count >= ROWS_THAT_SHOW_DATES_ONLY);
}
