import { type ListHabits, notePageLength } from './habits.ts';
import {
  assertPageOf,
  isPageOf,
  isSameIds,
  isSameSet,
  type ListPage,
  MAX_PAGE_SIZE,
  ONLY_KNOWN_ROWS,
  type PageSource,
  torn,
  windowOf,
} from './page.ts';

/** With this many rows or fewer, the page that starts at the last one has no room for another. */
const TOO_FEW_ROWS = 2;

/**
 * Whether a first page with fewer rows than asked for is the whole list.
 *
 * Its last row must still be at its position, with nothing after it: if a row had left the page meanwhile, the next one
 * would have moved into it, unseen. This takes one more request if the page can't have been full and any page size is
 * known to be honoured; for very few rows, it is the same page again. Otherwise the page after its rows must be empty
 * first. Throws PagingFaultError if the pages contradict each other.
 */
export async function isWholeList(source: PageSource, first: ListPage, habits: ListHabits): Promise<boolean> {
  const isSurelyShort = first.items.length < (habits.longestPage ?? 0);
  notePageLength(habits, first.items.length);
  const hasFewRows = first.ids.length <= TOO_FEW_ROWS;
  if (isSurelyShort && habits.isAnyPageSizeHonoured === true) {
    if (hasFewRows) {
      if (await isSameAgain(source, first)) return true;
    } else {
      const found = await atLastRow(source, first);
      if (found === 'nothing more') return true;
      if (found === 'more rows') return false;
    }
  }
  // If the page may have been full, at an unknown cap, the empty page after it is requested twice, and then the next
  // one. If any size is honoured, the page of another size that is requested below proves as much.
  const mustBeEmpty = isSurelyShort || habits.isAnyPageSizeHonoured === true ? [2] : [2, 2, 3];
  for (const pageNumber of mustBeEmpty) {
    const window = windowOf(pageNumber, first.items.length);
    const page = await source.read(window);
    assertPageOf(window, page, source);
    if (page.items.length === 0) continue;
    if (page.ids.every((id) => first.ids.includes(id))) throw torn(source, window, ONLY_KNOWN_ROWS);
    return false;
  }
  if (!hasFewRows && habits.isAnyPageSizeHonoured !== false) {
    const found = await atLastRow(source, first);
    if (found === 'more rows') return false;
    if (found === 'nothing more') {
      habits.isAnyPageSizeHonoured = true;
      return true;
    }
  }
  if (await isSameAgain(source, first)) return true;
  throw torn(source, windowOf(1, MAX_PAGE_SIZE), 'changed meanwhile');
}

async function isSameAgain(source: PageSource, first: ListPage): Promise<boolean> {
  const again = await source.read(windowOf(1, MAX_PAGE_SIZE));
  return isSameSet(new Set(first.ids), new Set(again.ids));
}

/**
 * Requests the page that begins with the last row and reaches past it, in a size that only an API that honours any size
 * can give. Rows that the first page lacks prove that the list goes on, whatever size came.
 */
async function atLastRow(
  source: PageSource,
  first: ListPage,
): Promise<'nothing more' | 'more rows' | 'unclear'> {
  const window = windowOf(2, first.ids.length - 1);
  const page = await source.read(window);
  if (!isPageOf(window, page)) return 'unclear';
  if (isSameIds(page.ids, first.ids.slice(-1))) return 'nothing more';
  return page.ids.every((id) => first.ids.includes(id)) ? 'unclear' : 'more rows';
}
