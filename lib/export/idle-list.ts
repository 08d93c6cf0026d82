import type { ApiClient } from '../api/client.ts';
import type { Direction } from '../api/directions.ts';
import type { FiltersByDirection } from '../api/filters.ts';
import type { ListHabits } from '../api/list/habits.ts';
import { ApiPageSource, type ListTally } from '../api/list/page-request.ts';
import { confirmedFirstPage } from '../api/list/read-list.ts';
import { addDays } from '../time/days.ts';

/** Whether a company's list has nothing at all on the days of a run, and what it took to learn that. */
export interface IdleList {
  isIdle: boolean;
  tally: ListTally;
}

/**
 * Asks for all days of a run at once: most companies are idle on most days, and two requests then stand for
 * all their units. Where the bound is not known to include its day, the day after the last is asked too.
 * A failure means only that it is not known; the units then say what is wrong.
 */
export async function findIdleList(
  client: ApiClient,
  direction: Direction,
  days: readonly string[],
  habits: ListHabits,
  signal?: AbortSignal,
): Promise<IdleList> {
  const tally: ListTally = { requests: 0, retries: 0, pages: 0 };
  const sorted = [...days].sort();
  const [from] = sorted;
  const last = sorted.at(-1);
  if (from === undefined || last === undefined || from === last) return { isIdle: false, tally };
  const to = habits.upperBound === 'inclusive' ? last : addDays(last, 1);
  const filters: FiltersByDirection[Direction] = { FechaDesde: from, FechaHasta: to };
  try {
    const firstPage = await confirmedFirstPage(new ApiPageSource(client, direction, filters, tally, signal));
    return { isIdle: firstPage.items.length === 0 && firstPage.pageNumber === 1, tally };
  } catch {
    // Also when there is no token to be had: one company's trouble must not end the others' export.
    return { isIdle: false, tally };
  }
}
