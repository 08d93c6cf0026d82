import { forEachConcurrent, withScopedSignal } from '../../concurrency.ts';
import { CfeLakeError } from '../../errors.ts';
import { ApiError } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import type { ListHabits } from './habits.ts';
import {
  isPageOf,
  type ListPage,
  overlappingWindow,
  type PageSource,
  type RowSink,
  windowStartingAt,
} from './page.ts';
import { readList } from './read-list.ts';

/** A part of a list by `TipoComprobante`: the rows of these types, or all others (the contract, §4.5). */
export interface Slice {
  types: readonly number[];
  isExcluded: boolean;
}

/** One slice for each of these types, and a last one for all other rows. */
export function slicesOf(types: readonly number[]): Slice[] {
  return [...types.map((type) => ({ types: [type], isExcluded: false })), { types, isExcluded: true }];
}

export interface SlicesOptions<Sink extends RowSink> {
  /** The list without a filter by type. */
  whole: PageSource;
  /** The types of receipts that are known (`TipoComprobante`, the contract §4.1). Others may exist. */
  types: readonly number[];
  /** The same list, filtered. The signal ends its requests. */
  sliceOf: (slice: Slice, signal: AbortSignal) => PageSource;
  /** Rows of a full page. */
  pageCap: number;
  habits: ListHabits;
  newSink: () => Sink;
  isTimeUp: () => boolean;
  /**
   * The most rows that the service shows of any list. The list without a filter then proves nothing, and slices must be
   * shorter than this.
   */
  resultWindow?: number;
}

/**
 * Reads a list in slices, which are less deep than the list. They are proved to be all of it: each is proved to its own
 * end, every row has the type that was asked for, no id comes twice, and the list without a filter has exactly as many
 * rows as the slices together: a page that ends with the last of them, and an empty page right after it. Like the
 * overlap of straight reading, that shows any single row that came or went.
 *
 * Returns one sink per slice; undefined if there is no proof or no time, and the list has to be read straight.
 */
export async function readInSlices<Sink extends RowSink>(
  options: SlicesOptions<Sink>,
): Promise<Sink[] | undefined> {
  const sinks: Sink[] = [];
  const ids = new Set<ReceiptId>();
  try {
    return await withScopedSignal(async (signal) => {
      await forEachConcurrent(slicesOf(options.types), options.whole.maxInFlight, async (slice) => {
        const sink = await readSlice(slice, options, signal);
        if (sink.ids.length >= (options.resultWindow ?? Number.POSITIVE_INFINITY)) throw new SliceFault();
        for (const id of sink.ids) {
          if (ids.has(id)) throw new SliceFault();
          ids.add(id);
        }
        sinks.push(sink.inner);
      });
      if (options.resultWindow !== undefined) return sinks;
      return (await isWholeList(options.whole, ids, options.pageCap, signal)) ? sinks : undefined;
    });
  } catch (error) {
    if (error instanceof SliceFault) return undefined;
    // A lasting error recurs when the list is read straight. If only slices are shown whole, there is no such reading.
    if (error instanceof ApiError && options.resultWindow === undefined) return undefined;
    throw error;
  }
}

/** The slices are not what was asked for, or there was no time for them. */
class SliceFault extends CfeLakeError {
  override name = 'SliceFault';
}

async function readSlice<Sink extends RowSink>(
  slice: Slice,
  { sliceOf, habits, newSink, isTimeUp }: SlicesOptions<Sink>,
  signal: AbortSignal,
): Promise<SliceSink<Sink>> {
  if (isTimeUp()) throw new SliceFault();
  const source = sliceOf(slice, signal);
  const reading = await readList(source, habits, () => new SliceSink(newSink(), slice), { isTimeUp });
  const [sink] = reading.kind === 'read' && reading.isStable ? reading.sinks : [];
  if (sink === undefined) throw new SliceFault();
  return sink;
}

/** Whether the list without a filter has exactly this many rows, and its last ones are these. */
async function isWholeList(
  whole: PageSource,
  ids: ReadonlySet<ReceiptId>,
  pageCap: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (ids.size === 0) return false;
  const lastWindow = overlappingWindow(ids.size, pageCap);
  const afterWindow = windowStartingAt(ids.size, pageCap);
  const [last, after] = await Promise.all([
    whole.read(lastWindow, { signal }),
    whole.read(afterWindow, { signal }),
  ]);
  return (
    isPageOf(lastWindow, last) &&
    isPageOf(afterWindow, after) &&
    last.ids.length === ids.size - lastWindow.start &&
    last.ids.every((id) => ids.has(id)) &&
    after.items.length === 0
  );
}

/** Passes rows on, and throws at rows of another slice. */
class SliceSink<Sink extends RowSink> implements RowSink {
  readonly ids: ReceiptId[] = [];
  readonly inner: Sink;
  private readonly slice: Slice;

  constructor(inner: Sink, slice: Slice) {
    this.inner = inner;
    this.slice = slice;
  }

  add(page: ListPage, from: number): void {
    for (let index = from; index < page.items.length; index += 1) {
      if (!this.isOfSlice(page.items[index])) throw new SliceFault();
      this.ids.push(page.ids[index] ?? 0);
    }
    this.inner.add(page, from);
  }

  idsInOrder(): BigInt64Array {
    return this.inner.idsInOrder();
  }

  private isOfSlice(item: unknown): boolean {
    const type =
      typeof item === 'object' && item !== null && 'tipo_comprobante' in item ? item.tipo_comprobante : null;
    return (
      this.slice.types.some((wanted) => wanted === type || String(wanted) === type) !== this.slice.isExcluded
    );
  }
}
