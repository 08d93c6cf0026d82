import type { Clock } from '../../time/clock.ts';
import { type RequestContext, ResultWindowError } from '../errors.ts';
import type { ReadingPosition } from '../list/overlapping.ts';
import { type ListHabits, MAX_PAGE_SIZE } from '../list/page.ts';
import type { ListLength } from '../list/read-ahead.ts';
import { type ListReading, readList } from '../list/read-list.ts';
import { DepthWatch, readInSlices, type Slice } from '../list/slices.ts';
import type { AskedDays, DaysSink } from './asked-days.ts';
import type { PartFilters, SourceOf } from './result-window.ts';

/** A list's reading. `areReadings`: its sinks are repeated readings of the same rows, not parts of the list. */
export type DayReading<Sink extends DaysSink> = ListReading<Sink> & { areReadings: boolean };

/** What it takes to read some days as one list. */
export interface DaysReader<Sink extends DaysSink> {
  context: RequestContext;
  habits: ListHabits;
  sourceOf: SourceOf;
  newSink: (asked: AskedDays) => Sink;
  isTimeUp: () => boolean;
  /** Whether requests are paced, as the API limits their rate: a slow page then says nothing about depth. */
  isPaced: () => boolean;
  clock: Clock;
}

export interface OneDayOptions<Sink extends DaysSink> {
  length?: ListLength;
  paused?: { sink: Sink; position: ReadingPosition };
}

/**
 * Reads the list of one day to its proved end, however long it is. A long list that gets slower with depth is read in
 * slices. If they can't be proved, or time is up first, the straight reading goes on from where it was. A resumed
 * reading always goes on straight, so that every invocation gets nearer to the end.
 */
export async function readOneDay<Sink extends DaysSink>(
  asked: AskedDays,
  reader: DaysReader<Sink>,
  { length, paused }: OneDayOptions<Sink>,
): Promise<DayReading<Sink>> {
  const { habits, sourceOf, isTimeUp, isPaced, clock } = reader;
  const newSink = () => reader.newSink(asked);
  const depth = new DepthWatch(clock);
  const source = depth.timed(sourceOf(asked));
  const isSteep = () => paused === undefined && !isPaced() && depth.isSteep;
  const straight = (goOn: typeof paused, isOver: () => boolean) =>
    readList(source, habits, newSink, { isTimeUp: isOver, paused: goOn, length });
  let reading = await straight(paused, () => isTimeUp() || isSteep());
  if (reading.kind === 'paused' && !isTimeUp()) {
    const { pageCap } = reading.position;
    if (await depth.isMuchDeeper(sourceOf(asked), pageCap)) {
      const sinks = await readSlicesOfDay(asked, reader, pageCap);
      if (sinks !== undefined) return { kind: 'read', sinks, isStable: true, areReadings: false };
    }
    reading = await straight(reading, isTimeUp);
  }
  return { ...reading, areReadings: true };
}

/**
 * Reads the list of one day in slices, since the service shows only `resultWindow` rows of it. Undefined if time is up.
 * Throws ResultWindowError if a slice is too long as well.
 */
export async function readCutDay<Sink extends DaysSink>(
  asked: AskedDays,
  reader: DaysReader<Sink>,
  resultWindow: number,
): Promise<DayReading<Sink> | undefined> {
  const pageCap = reader.habits.longestPage ?? MAX_PAGE_SIZE;
  const sinks = await readSlicesOfDay(asked, reader, pageCap, resultWindow);
  if (sinks !== undefined) return { kind: 'read', sinks, isStable: true, areReadings: false };
  if (reader.isTimeUp()) return undefined;
  throw new ResultWindowError({ ...reader.context, day: asked.from }, resultWindow);
}

function readSlicesOfDay<Sink extends DaysSink>(
  asked: AskedDays,
  { habits, sourceOf, newSink, isTimeUp }: DaysReader<Sink>,
  pageCap: number,
  resultWindow?: number,
): Promise<Sink[] | undefined> {
  return readInSlices({
    whole: sourceOf(asked),
    sliceOf: (slice, signal) => sourceOf(asked, filtersOf(slice), signal),
    pageCap,
    habits,
    newSink: () => newSink(asked),
    isTimeUp,
    resultWindow,
  });
}

function filtersOf({ types, isExcluded }: Slice): PartFilters {
  return { TipoComprobante: types, ...(isExcluded && { ExcluirTipoComprobante: true }) };
}
