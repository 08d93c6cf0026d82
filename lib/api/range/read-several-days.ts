import { type PageSource, windowOf } from '../list/page.ts';
import type { ListHabits } from '../list/reading.ts';

/** About how many rows a list has. */
export interface LongLength {
  leastRows: number;
  mostRows: number;
}

/** Where a long list is looked into to tell how long it is: at so many times the rows that it has more than. */
const DEPTHS = [4, 16, 64];

/** About how long a list is that has more than so many rows: by a page at each of some greater depths. */
export async function measured(
  moreThanRows: number,
  pageCap: number,
  source: PageSource,
  habits: ListHabits,
): Promise<LongLength> {
  let leastRows = moreThanRows;
  const depths = DEPTHS.map((times) => times * moreThanRows);
  const behind = await Promise.all(depths.map((rows) => rowsBehind(rows, pageCap, source, habits)));
  for (const [index, rows] of depths.entries()) {
    if ((behind[index] ?? 0) === 0) return { leastRows, mostRows: rows };
    leastRows = rows;
  }
  return { leastRows, mostRows: 4 * leastRows };
}

/** How many rows the page has that begins behind so many. One request. */
export async function rowsBehind(
  rows: number,
  pageCap: number,
  source: PageSource,
  habits: ListHabits,
): Promise<number> {
  const window = windowOf(Math.floor(rows / pageCap) + 1, pageCap);
  const { items, pageNumber } = await source.read(window);
  if (items.length > pageCap || pageNumber !== window.pageNumber) return 0;
  if (items.length > 0 && habits.isAnyPageSizeHonoured === true) {
    habits.deepestRow = Math.max(habits.deepestRow ?? 0, window.start + items.length);
  }
  return items.length;
}
