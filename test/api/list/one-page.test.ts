import { describe, expect, it } from 'vitest';
import { readListing } from '../../../lib/api/list/read-listing.ts';
import { FakeList, IdSink, unionOf } from './fake-list.ts';

const CAPS = [4, 7, 13, 20];
const REQUESTS = [1, 2, 3, 4, 5, 6];

describe('a list that goes on past its first page, where longer pages were seen', () => {
  it.each(CAPS)(
    'is read to its end, whichever page is empty, if a row shows that it goes on: pages of %d rows',
    async (pageCap) => {
      for (const atRequest of REQUESTS) {
        // Only the second page shows that there is another row; if that page is empty, nothing does.
        if (atRequest === 2) continue;
        // A little over one page, and about two.
        for (const length of [pageCap + 1, pageCap + 2, 2 * pageCap, 2 * pageCap + 1]) {
          const list = new FakeList(length, { pageCap }, [{ kind: 'emptyPage', at: 0, atRequest }]);
          const facts = { longestPage: 100, isAnyPageSizeHonoured: true };
          const reading = await readListing(list, facts, () => new IdSink());
          const found = unionOf(reading?.attempts ?? []).size;
          expect({ atRequest, found }).toEqual({ atRequest, found: length });
        }
      }
    },
  );

  it('is known to go on as soon as a row shows it', async () => {
    const list = new FakeList(8, { pageCap: 7 });
    await readListing(list, { longestPage: 100, isAnyPageSizeHonoured: true }, () => new IdSink());
    // Page 2 of 6 begins with the seventh row and has the eighth, so the reading starts again.
    const sizes = list.asked.slice(0, 3).map(({ pageNumber, pageSize }) => [pageNumber, pageSize]);
    expect(sizes).toEqual([
      [1, 100],
      [2, 6],
      [1, 100],
    ]);
  });
});
