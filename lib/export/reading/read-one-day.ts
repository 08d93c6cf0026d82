import { ResultWindowError } from '../../api/errors.ts';
import { MAX_PAGE_SIZE } from '../../api/list/page.ts';
import { readList } from '../../api/list/read-list.ts';
import { DepthWatch, readInSlices, type Slice } from '../../api/list/slices.ts';
import type {
  AskedDays,
  DayReading,
  DaysReader,
  DaysSink,
  PartFilters,
  PartialList,
  ReadingOptions,
} from './asked-days.ts';

/**
 * Reads the list of one day to its proved end, however long it is. A long list that gets slower with depth is read in
 * slices. If they can't be proved, or time is up first, the straight reading goes on from where it was. A resumed
 * reading always goes on straight, so that every invocation gets nearer to the end.
 */
export async function readOneDay<Sink extends DaysSink>(
  asked: AskedDays,
  reader: DaysReader<Sink>,
  { length, paused }: ReadingOptions<Sink>,
): Promise<DayReading<Sink>> {
  const { habits, sourceOf, isTimeUp, isPaced, clock } = reader;
  const newSink = () => reader.newSink(asked);
  const depth = new DepthWatch(clock);
  const source = depth.timed(sourceOf(asked));
  const isSteep = () => paused === undefined && !isPaced() && depth.isSteep;
  const straight = (goOn: PartialList<Sink> | undefined, isOver: () => boolean) =>
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
