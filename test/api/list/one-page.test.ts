import { describe, expect, it } from 'vitest';
import { readList } from '../../../lib/api/list/read-list.ts';
import { type FakeEvent, FakeList, IdSink, unionOf } from './fake-list.ts';

const CAPS = [4, 7, 13, 20];
const REQUESTS = [1, 2, 3, 4, 5, 6];

/** Reads lists of a little over one page and of about two. Returns their lengths and the numbers of rows found. */
async function lengthsFound(pageCap: number, longestPage: number, event: FakeEvent) {
  const lengths = [pageCap + 1, pageCap + 2, 2 * pageCap, 2 * pageCap + 1];
  const found = lengths.map(async (length) => {
    const list = new FakeList(length, { pageCap }, [event]);
    const facts = { longestPage, isAnyPageSizeHonoured: true };
    const reading = await readList(list, facts, () => new IdSink());
    return reading.kind === 'read' ? unionOf(reading.sinks).size : 0;
  });
  return { lengths, found: await Promise.all(found) };
}

describe('a list that goes on past its first page', () => {
  it.each(CAPS)('is read to its end, whichever page is cut short: pages of %d rows', async (pageCap) => {
    for (const kind of ['emptyPage', 'shortPage'] as const) {
      for (const at of [0, 0.5]) {
        for (const atRequest of REQUESTS) {
          const { lengths, found } = await lengthsFound(pageCap, pageCap, { kind, at, atRequest });
          expect({ kind, at, atRequest, found }).toEqual({ kind, at, atRequest, found: lengths });
        }
      }
    }
  });

  it.each(CAPS)(
    'is also read to its end where longer pages were seen and a row shows that it goes on: pages of %d rows',
    async (pageCap) => {
      for (const atRequest of REQUESTS) {
        // Only the second page shows that there is another row; if that page is empty, nothing does.
        if (atRequest === 2) continue;
        const { lengths, found } = await lengthsFound(pageCap, 100, { kind: 'emptyPage', at: 0, atRequest });
        expect({ atRequest, found }).toEqual({ atRequest, found: lengths });
      }
    },
  );

  it('is known to go on as soon as a row shows it', async () => {
    const list = new FakeList(8, { pageCap: 7 });
    await readList(list, { longestPage: 100, isAnyPageSizeHonoured: true }, () => new IdSink());
    // Page 2 of 6 begins with the seventh row and has the eighth, so the reading starts again.
    const sizes = list.asked.slice(0, 3).map(({ pageNumber, pageSize }) => [pageNumber, pageSize]);
    expect(sizes).toEqual([
      [1, 100],
      [2, 6],
      [1, 100],
    ]);
  });
});
