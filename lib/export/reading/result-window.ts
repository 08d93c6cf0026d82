import { ApiError, HttpStatusError } from '../../api/errors.ts';
import { fullPageRows, isWidthRefused, type ListHabits, noteDepth } from '../../api/list/habits.ts';
import {
  isPageOf,
  MIN_CAP_FOR_OVERLAP,
  overlappingWindow,
  type PageSource,
  type PageWindow,
  windowHolding,
  windowOf,
  windowStartingAt,
} from '../../api/list/page.ts';
import { issueMoment } from '../../api/receipt.ts';
import { withScopedSignal } from '../../concurrency.ts';
import { addDays, type DayRange, isOneDay, isWithin, widthDays } from '../../time/days.ts';
import { splitAfter } from './divide.ts';
import type { Lists, PartFilters } from './lists.ts';
import type { AskedDays, RangeSink } from './range-sink.ts';

/** From this many rows on, any end is checked unless some list was seen to go on past it. */
const LONG_LIST_ROWS = 500;
/** Windows are multiples of this. By chance, one list in fifty ends after one. */
const ROUND_ROWS = 50;

/** One of two parts of a list, and how many of the rows read belong to it. */
interface Part {
  days: DayRange;
  filters?: PartFilters;
  rowCount: number;
  /** Whether a row belongs to the part. A service may ignore the filter. */
  isOfPart: (receipt: object) => boolean;
}

/**
 * Whether a list may have ended because the service shows only a fixed number of rows of any list: it ends at a round
 * number, and this process has seen no list go on beyond that; or it is long, and no run has.
 */
export function mayBeCut(
  rowCount: number,
  { resultWindow, deepestRow = 0, deepestShownRow = 0 }: ListHabits,
): boolean {
  if (rowCount === resultWindow) return true;
  if (rowCount === 0 || rowCount < deepestShownRow) return false;
  return rowCount % ROUND_ROWS === 0 || (rowCount >= LONG_LIST_ROWS && rowCount >= deepestRow);
}

/**
 * Whether the service cuts lists where this one ended. A list over more days that goes on beyond that position shows
 * that it does not. Otherwise the list is divided in two, and only the end of each part is requested: it must be where
 * the rows that were read say it is. `unclear` if neither check can tell.
 */
export async function findCut(
  asked: AskedDays,
  sink: RangeSink,
  lists: Lists,
): Promise<'whole' | 'cut' | 'unclear'> {
  const { habits } = lists;
  const pageCap = fullPageRows(habits);
  if (await goesOnOverMoreDays(asked, sink.listedCount, lists, pageCap)) return 'whole';
  const parts = divided(asked, sink);
  if (parts === undefined) return 'unclear';
  const ends = await withScopedSignal((signal) =>
    Promise.all(
      parts.map((part) => {
        const source = lists.source(lists.asked(part.days), part.filters, signal);
        return endOf(part, sink, habits, source).catch((error: unknown) => unclearIfRefused(error, sink));
      }),
    ),
  );
  if (ends.includes('goes on')) return 'cut';
  return ends.every((end) => end === 'is there') ? 'whole' : 'unclear';
}

/** Notes the highest position seen. One request, which may show nothing. */
async function goesOnOverMoreDays(
  { from, to }: DayRange,
  rowCount: number,
  lists: Lists,
  pageCap: number,
): Promise<boolean> {
  const { habits } = lists;
  const days = widthDays({ from, to });
  const wider = { from: addDays(from, -days), to: addDays(to, days), nextDay: 'notAsked' } as const;
  if (isWidthRefused(habits, widthDays(wider))) return false;
  const window = windowHolding(rowCount, pageCap);
  try {
    const page = await lists.source(wider).read(window);
    const deepestRow = window.start + page.items.length;
    // Only a page of the size asked for begins where it should.
    if (deepestRow <= rowCount || page.items.length !== pageCap || !isPageOf(window, page)) return false;
    noteDepth(habits, deepestRow);
    return true;
  } catch (error) {
    // The list itself was answered; this probe may fail.
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Two parts with rows in both, by day, by type or by number; undefined if all rows are alike in these. */
function divided(asked: DayRange, sink: RangeSink): [Part, Part] | undefined {
  const { listedCount } = sink;
  if (!isOneDay(asked)) {
    for (let count = Math.ceil(widthDays(asked) / 2); count > 0; count -= 1) {
      const [first, second] = splitAfter(asked, count);
      const [a, b] = [partOfDays(first, sink), partOfDays(second, sink)];
      if (a.rowCount > 0 && b.rowCount > 0) return [a, b];
    }
    return undefined;
  }
  const days = { from: asked.from, to: asked.to };
  const [type, ofType] = nearestTo(listedCount / 2, sink.countBy('tipo_comprobante'));
  if (type !== undefined && ofType < listedCount) {
    const filters = { TipoComprobante: [type] };
    const isOfPart = (receipt: object) => numberIn(receipt, 'tipo_comprobante') === type;
    const part = { days, filters, rowCount: ofType, isOfPart };
    return [part, restOf(part, listedCount, { ...filters, ExcluirTipoComprobante: true })];
  }
  const numbers = sink.countBy('numero');
  if (numbers.has(null)) return undefined;
  const sorted = [...numbers].map(([number]) => number ?? 0).sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined || middle === sorted[0]) return undefined;
  const below = sorted.reduce((sum, number) => sum + (number < middle ? (numbers.get(number) ?? 0) : 0), 0);
  const isOfPart = (receipt: object) => numberIn(receipt, 'numero') < middle;
  const part = { days, filters: { NumeroHasta: middle - 1 }, rowCount: below, isOfPart };
  return [part, restOf(part, listedCount, { NumeroDesde: middle })];
}

function restOf({ days, rowCount, isOfPart }: Part, listedCount: number, filters: PartFilters): Part {
  return { days, filters, rowCount: listedCount - rowCount, isOfPart: (receipt) => !isOfPart(receipt) };
}

function partOfDays(days: DayRange, sink: RangeSink): Part {
  const isOfPart = (receipt: object) => {
    const day = issueMoment(receipt)?.day;
    return day !== undefined && isWithin(days, day);
  };
  return { days, rowCount: sink.rowsBetween(days), isOfPart };
}

function numberIn(receipt: object, name: 'tipo_comprobante' | 'numero'): number {
  return Number(Object.entries(receipt).find(([key]) => key === name)?.[1]);
}

function nearestTo(wanted: number, counts: ReadonlyMap<number | null, number>): [number | undefined, number] {
  let nearest: [number | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const [value, count] of counts) {
    if (value !== null && Math.abs(count - wanted) < Math.abs(nearest[1] - wanted)) nearest = [value, count];
  }
  return nearest;
}

/**
 * Services may refuse a filter. Whether a long list was cut is then not clear either, but trouble on the server's side
 * passes: its days are better read again. Short lists are hardly ever cut.
 */
function unclearIfRefused(error: unknown, { listedCount }: RangeSink): 'unclear' {
  const isRefused = error instanceof HttpStatusError && (error.status < 500 || listedCount < LONG_LIST_ROWS);
  if (isRefused) return 'unclear';
  throw error;
}

type PartEnd = 'is there' | 'goes on' | 'comes before' | 'unclear';

/** The page with the last row, which reaches past it if pages may have any size, and one that begins after it. */
function windowsAtEnd(rowCount: number, habits: ListHabits): [PageWindow, PageWindow] {
  const pageCap = fullPageRows(habits);
  if (habits.isAnyPageSizeHonoured === true && pageCap >= MIN_CAP_FOR_OVERLAP) {
    return [overlappingWindow(rowCount, pageCap), windowStartingAt(rowCount, pageCap)];
  }
  const last = windowHolding(rowCount - 1, pageCap);
  return [last, windowOf(last.pageNumber + 1, pageCap)];
}

/**
 * Compares where a part ends with the rows read of it, by the page with its last row and the next one. It also goes on
 * if its last rows are not those that were read: a list that lacked the newest rows may have had as many.
 */
async function endOf(
  { rowCount, isOfPart }: Part,
  sink: RangeSink,
  habits: ListHabits,
  source: PageSource,
): Promise<PartEnd> {
  const [lastWindow, afterWindow] = windowsAtEnd(rowCount, habits);
  const rowsInLast = rowCount - lastWindow.start;
  const isOther = (item: unknown) => typeof item !== 'object' || item === null || !isOfPart(item);
  const look = async (): Promise<PartEnd> => {
    const [last, after] = await Promise.all([source.read(lastWindow), source.read(afterWindow)]);
    if (last.items.some(isOther) || after.items.some(isOther)) return 'unclear';
    if (after.items.length > 0 || last.items.length > rowsInLast || !sink.hasAll(last.ids)) return 'goes on';
    return last.items.length === rowsInLast ? 'is there' : 'comes before';
  };
  const end = await look();
  // A page may have come empty or short: if rows that were read are lacking, or only an empty page shows the end.
  const isDoubtful = end === 'comes before' || (end === 'is there' && rowsInLast === lastWindow.pageSize);
  return isDoubtful ? await look() : end;
}
