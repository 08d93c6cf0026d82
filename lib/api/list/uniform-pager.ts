import {
  FIRST_PAGE,
  isSameIds,
  type ListPage,
  MAX_PAGE_SIZE,
  ONLY_KNOWN_ROWS,
  type PageWindow,
  torn,
  windowOf,
  windowOfRow,
} from './page.ts';
import { type AttemptEnd, type PagerTools, type PageSteps, pageWithRows } from './pager.ts';

const HAS_MORE_ROWS = 'has rows past the last one: the API may leave out pages that are not full';

const following = ({ pageNumber }: PageWindow) => windowOf(pageNumber + 1, MAX_PAGE_SIZE);

/**
 * Reads the rest of a list in pages of one size, for an API that honours no other. A row that is removed from the middle
 * can't be seen this way: two attempts must agree. `first`: the first page, whose rows were passed on.
 */
export function* uniformPager({ context, sink }: PagerTools, first: ListPage): PageSteps<AttemptEnd> {
  const fullLength = first.items.length;
  const ids = new Set(first.ids);
  const isKnown = (page: ListPage) => page.ids.every((id) => ids.has(id));
  let rowCount = fullLength;
  let window = FIRST_PAGE;
  let length = fullLength;
  while (length === fullLength) {
    window = following(window);
    let page: ListPage = yield { window, following };
    // All pages but the last are as long as the first.
    if (page.items.length !== fullLength && page.items.length > 0) {
      const again: ListPage = yield { window };
      if (again.items.length >= page.items.length) page = again;
    }
    ({ length } = page.items);
    if (length > fullLength) throw torn(context, window, 'is longer than the first');
    if (length === 0) break;
    if (isKnown(page)) throw torn(context, window, ONLY_KNOWN_ROWS);
    for (const id of page.ids) ids.add(id);
    rowCount += length;
    sink.add(page, 0);
  }
  const mustBeEmpty = length > 0 ? [following(window)] : [window, following(window)];
  const goesOn = yield* pageWithRows(mustBeEmpty, ids, context);
  if (goesOn) throw torn(context, goesOn, 'has rows, although the page before it seemed the last');
  const firstAgain = yield { window: FIRST_PAGE };
  if (!isSameIds(firstAgain.ids, first.ids)) throw torn(context, FIRST_PAGE, 'changed meanwhile');
  // If sizes are honoured after all, this shows what a short last page left out; if not, it is some page of the list.
  const pastEnd = windowOfRow(rowCount);
  if (!isKnown(yield { window: pastEnd })) throw torn(context, pastEnd, HAS_MORE_ROWS);
  return { kind: 'complete', ids, hasRepeats: ids.size !== rowCount };
}
