import { PagingFaultError } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import { overlappingPager, positionAfter } from './overlapping-pager.ts';
import { listedRows, type PageFacts, type PageSource, type RowSink, windowOf } from './page.ts';
import { PageWatch } from './page-watch.ts';
import { type AttemptEnd, firstPage, type PagerTools, type PageSteps } from './pager.ts';
import { type ListLength, ReadAhead } from './read-ahead.ts';
import { uniformPager } from './uniform-pager.ts';

/** Attempts at one list before the union of all is kept. */
const MAX_ATTEMPTS = 6;
/** After so many torn attempts with overlapping pages, uniform pages are tried. */
const MAX_OVERLAPPING_ATTEMPTS = 2;

/** A list that was read to its end. */
export interface Listing<Rows> {
  /** One if its rows were proved, otherwise all that any page has shown, newest first: their union is the best known. */
  attempts: readonly [Rows, ...Rows[]];
  /** Whether the list was proved to hold exactly these rows at one moment. */
  isStable: boolean;
}

export interface ReadListingOptions<Rows> {
  /** Asked before each page that continues the list, with the rows so far. Once true, the list is given up. */
  isStopped?: (rows: Rows) => Promise<boolean>;
  length?: ListLength;
}

/**
 * Reads a whole list, proved to its end. `newRows` makes what takes the rows of each attempt. Throws PagingFaultError if
 * no attempt came to a proved end, or, for a divisible list, if the first one did not. Undefined if it was stopped.
 */
export async function readListing<Rows extends RowSink>(
  source: PageSource,
  facts: PageFacts,
  newRows: () => Rows,
  { isStopped = async () => false, length }: ReadListingOptions<Rows> = {},
): Promise<Listing<Rows> | undefined> {
  const { context, isDivisible = false } = source;
  /** The newest first. */
  const attempts: Rows[] = [];
  let previous: ReadonlySet<ReceiptId> | undefined;
  const faults: PagingFaultError[] = [];
  for (let count = 0; count < MAX_ATTEMPTS; count += 1) {
    const isOverlapping = facts.isAnyPageSizeHonoured !== false && faults.length < MAX_OVERLAPPING_ATTEMPTS;
    const watch = new PageWatch(context, newRows);
    const { rows } = watch;
    const steps = attemptOf({ context, facts, sink: watch }, isOverlapping);
    let end: AttemptEnd | undefined;
    try {
      end = await taken(steps, new ReadAhead(source, length), isStopped, watch);
      if (end === undefined) return undefined;
      watch.checkEnd();
      const differing = end.hasRepeats ? rows.differingId?.() : undefined;
      if (differing !== undefined) {
        const twice = (receipt: string) => `the list has ${receipt} twice, with different contents`;
        throw new PagingFaultError(context, twice(`receipt ${differing}`), {
          anonymousReason: twice('a receipt'),
        });
      }
    } catch (error) {
      if (!(error instanceof PagingFaultError)) throw error;
      // If page sizes are not honoured, the pages prove nothing about the rows; another way of reading can.
      const isOnlySizes = isOverlapping && facts.isAnyPageSizeHonoured === false;
      if (isDivisible && !isOnlySizes) throw error;
      attempts.unshift(...watch.allRows());
      faults.push(error);
      continue;
    }
    if (end.kind === 'proved') return { attempts: [rows], isStable: true };
    const { ids, hasRepeats } = end;
    // If an empty list had rows a moment ago, another attempt must find it empty too.
    if (ids.size === 0 && attempts.length === 0) return { attempts: [rows], isStable: true };
    attempts.unshift(...watch.allRows());
    // What any page has shown is there, or the list is not believed to be just these rows.
    if (!hasRepeats && previous?.symmetricDifference(ids).size === 0 && hasAll(ids, attempts)) {
      // The overlapping attempts before them were torn since the API honours only one page size, or since rows came.
      const isInDoubt = faults.length >= MAX_OVERLAPPING_ATTEMPTS;
      if (isInDoubt && (await source.read(windowOf(1, 1))).ids.length > 1)
        facts.isAnyPageSizeHonoured = false;
      return { attempts: [rows], isStable: true };
    }
    if (isDivisible && previous !== undefined) throw new PagingFaultError(context, 'two readings differ');
    previous = ids;
  }
  const [newest, ...older] = attempts;
  if (previous === undefined || newest === undefined) throw faults.at(-1);
  // In a list that grows, rows come twice too; those that came meanwhile are in a later attempt.
  const union = new Set<bigint>();
  for (const rows of attempts) for (const id of rows.idsInOrder()) union.add(id);
  if (older.some((rows) => listedRows(rows.idsInOrder()) > union.size))
    throw new PagingFaultError(context, 'rows come twice in every reading, in place of others');
  return { attempts: [newest, ...older], isStable: false };
}

function hasAll(ids: ReadonlySet<ReceiptId>, attempts: readonly RowSink[]): boolean {
  const known = new Set([...ids].map(BigInt));
  return attempts.every((rows) => rows.idsInOrder().every((id) => known.has(id)));
}

/** One pass over the pages. */
function* attemptOf(tools: PagerTools, isOverlapping: boolean): PageSteps<AttemptEnd> {
  const begun = yield* firstPage(tools);
  if (begun === undefined) return { kind: 'complete', ids: new Set(), hasRepeats: false };
  const { first, isWhole } = begun;
  tools.sink.add(first, 0);
  if (isWhole) return { kind: 'proved', hasRepeats: new Set(first.ids).size < first.ids.length };
  const position = isOverlapping ? positionAfter(first) : undefined;
  if (position === undefined) return yield* uniformPager(tools, first);
  return yield* overlappingPager(tools, position);
}

/** Gives an attempt the pages that it asks for, until it is done; undefined if it is stopped before that. */
async function taken<Rows extends RowSink>(
  steps: PageSteps<AttemptEnd>,
  pages: ReadAhead,
  isStopped: (rows: Rows) => Promise<boolean>,
  watch: PageWatch<Rows>,
): Promise<AttemptEnd | undefined> {
  try {
    let step = steps.next();
    while (step.done !== true) {
      if (step.value.following !== undefined && (await isStopped(watch.rows))) return undefined;
      const page = await pages.take(step.value);
      watch.look(page);
      step = steps.next(page);
    }
    return step.value;
  } finally {
    pages.close();
  }
}
