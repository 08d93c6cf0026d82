import { describe, expect, it } from 'vitest';
import { plainPages, provingPages } from '../../bench/pages.ts';
import type { PageWindow } from '../../lib/api/list/page.ts';
import { readList } from '../../lib/api/list/read-list.ts';
import { FakeList, IdSink } from '../api/list/fake-list.ts';

/** The requests of a reader that reads nothing ahead and knows which parameters the API honours. */
async function asked(rows: number): Promise<PageWindow[]> {
  const list = new FakeList(rows, { maxInFlight: 0 });
  const facts = { longestPage: 100, isAnyPageSizeHonoured: true };
  const reading = await readList(list, facts, () => new IdSink());
  expect(reading).toMatchObject({ isStable: true });
  return list.asked;
}

const inOrder = (pages: readonly PageWindow[]) =>
  pages.map(({ start, pageSize }) => `${start}+${pageSize}`).sort();

describe('the pages that the benchmarks count as needed', () => {
  it.each([0, 1, 2, 3, 60, 99, 100, 101, 199, 999, 1_000, 12_345, 100_000])(
    'are those that are asked for: %d rows',
    async (rows) => {
      expect(inOrder(provingPages(rows))).toEqual(inOrder(await asked(rows)));
    },
  );

  it('are every row and an empty page, if nothing is proved', () => {
    expect(plainPages(1_000)).toHaveLength(11);
    expect(plainPages(999)).toHaveLength(11);
    expect(plainPages(0)).toHaveLength(1);
  });
});
