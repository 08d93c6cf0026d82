import { PagingFaultError } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import { overlappingPager, positionAfter } from './overlapping-pager.ts';
import { listedRows, type PageFacts, type PageSource, type RowSink, windowOf } from './page.ts';
import { ContradictedEndError, DifferingRowsError, PageWatch } from './page-watch.ts';
import { firstPage, type PagerTools, type PageSteps, type Reading } from './pager.ts';
import { type ListLength, ReadAhead } from './read-ahead.ts';
import { uniformPager } from './uniform-pager.ts';

/** Readings of one list before the union of all is kept. */
const MAX_READINGS = 6;
/** Rows that come meanwhile may make the end of a list contradict itself, but not at every reading. */
const MAX_CONTRADICTED_READINGS = 3;
/** A torn reading is tried again with overlapping pages this often, then with uniform ones. */
const MAX_OVERLAPPING_READINGS = 2;

export interface ListReading<Sink extends RowSink> {
  /** One sink if the rows were proved, otherwise all that any page has shown, newest first: their union is the best known. */
  sinks: readonly Sink[];
  /** Whether the list was proved to hold exactly these rows at one moment. */
  isStable: boolean;
}

export interface ReadListOptions<Sink> {
  /** Asked before each page after the first, with the rows so far. Once true, the list is given up. */
  isStopped?: (rows: Sink) => Promise<boolean>;
  /** Whether to throw at the first contradiction, since the caller can read the list in parts. */
  isDivisible?: boolean;
  length?: ListLength;
}

/**
 * Reads a whole list, proved to its end. `newSink` makes a sink for each reading. Throws PagingFaultError if no reading
 * came to a proved end, or, for a divisible list, if the first one did not. Undefined if it was stopped.
 */
export async function readList<Sink extends RowSink>(
  source: PageSource,
  facts: PageFacts,
  newSink: () => Sink,
  { isStopped = async () => false, isDivisible = false, length }: ReadListOptions<Sink> = {},
): Promise<ListReading<Sink> | undefined> {
  const { context } = source;
  const sinks: Sink[] = [];
  let previous: ReadonlySet<ReceiptId> | undefined;
  const faults: PagingFaultError[] = [];
  for (let readings = 0; readings < MAX_READINGS; readings += 1) {
    const isOverlapping = facts.isAnyPageSizeHonoured !== false && faults.length < MAX_OVERLAPPING_READINGS;
    const watch = new PageWatch(context, newSink);
    const { sink } = watch;
    const steps = readingOf({ context, facts, sink: watch }, isOverlapping);
    let reading: Reading | undefined;
    try {
      reading = await taken(steps, new ReadAhead(source, isDivisible, length), isStopped, watch);
      if (reading === undefined) return undefined;
      watch.checkEnd();
      const differing = reading.hasRepeats ? sink.differingId?.() : undefined;
      if (differing !== undefined) throw new DifferingRowsError(context, differing);
    } catch (error) {
      if (!(error instanceof PagingFaultError)) throw error;
      // If page sizes are not honoured, the pages prove nothing about the rows; another way of reading can.
      const isOnlySizes = isOverlapping && facts.isAnyPageSizeHonoured === false;
      if (isDivisible && !isOnlySizes) throw error;
      sinks.unshift(...watch.allSinks());
      faults.push(error);
      const isAlwaysSaid = faults.every((fault) => fault instanceof ContradictedEndError);
      if (isAlwaysSaid && faults.length === MAX_CONTRADICTED_READINGS && previous === undefined) throw error;
      continue;
    }
    if (reading.kind === 'proved') return { sinks: [sink], isStable: true };
    const { ids, hasRepeats } = reading;
    // If an empty list had rows a moment ago, another reading must find it empty too.
    if (ids.size === 0 && sinks.length === 0) return { sinks: [sink], isStable: true };
    sinks.unshift(...watch.allSinks());
    // What any page has shown is there, or the list is not believed to be just these rows.
    if (!hasRepeats && previous?.symmetricDifference(ids).size === 0 && hasAll(ids, sinks)) {
      // The overlapping readings before them were torn since the API honours only one page size, or since rows came.
      const isInDoubt = faults.length >= MAX_OVERLAPPING_READINGS;
      if (isInDoubt && (await source.read(windowOf(1, 1))).ids.length > 1)
        facts.isAnyPageSizeHonoured = false;
      return { sinks: [sink], isStable: true };
    }
    if (isDivisible && previous !== undefined) throw new PagingFaultError(context, 'two readings differ');
    previous = ids;
  }
  if (previous === undefined) throw faults.at(-1);
  // In a list that grows, rows come twice too; those that came meanwhile are in a later reading.
  const readings = sinks.map((sink) => sink.idsInOrder());
  const union = new Set<bigint>();
  for (const ids of readings) for (const id of ids) union.add(id);
  if (readings.slice(1).some((ids) => listedRows(ids) > union.size)) {
    throw new PagingFaultError(context, 'rows come twice in every reading, in place of others');
  }
  return { sinks, isStable: false };
}

function hasAll(ids: ReadonlySet<ReceiptId>, sinks: readonly RowSink[]): boolean {
  const known = new Set([...ids].map(BigInt));
  return sinks.every((sink) => sink.idsInOrder().every((id) => known.has(id)));
}

/** One reading, from the first page on. */
function* readingOf(tools: PagerTools, isOverlapping: boolean): PageSteps<Reading> {
  const { first, isWhole } = yield* firstPage(tools);
  if (first.items.length === 0) return { kind: 'complete', ids: new Set(), hasRepeats: false };
  tools.sink.add(first, 0);
  if (isWhole) return { kind: 'proved', hasRepeats: new Set(first.ids).size < first.ids.length };
  const position = isOverlapping ? positionAfter(first) : undefined;
  if (position === undefined) return yield* uniformPager(tools, first);
  return yield* overlappingPager(tools, position);
}

/** Gives a reading the pages that it asks for, until it is done; undefined if it is stopped before that. */
async function taken<Sink extends RowSink>(
  steps: PageSteps<Reading>,
  pages: ReadAhead,
  isStopped: (rows: Sink) => Promise<boolean>,
  watch: PageWatch<Sink>,
): Promise<Reading | undefined> {
  try {
    let step = steps.next();
    while (step.done !== true) {
      if (step.value.following !== undefined && (await isStopped(watch.sink))) return undefined;
      const page = await pages.take(step.value);
      watch.look(page);
      step = steps.next(page);
    }
    return step.value;
  } finally {
    pages.close();
  }
}
