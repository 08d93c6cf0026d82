import { describe, expect, it } from 'vitest';
import { DepthWatch } from '../../../lib/api/list/depth-watch.ts';
import { type PageSource, windowOf } from '../../../lib/api/list/page.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** A list of this many pages, with latencies that depend on the page number. */
function listOf(pages: number, latencyMs: (pageNumber: number) => number, clock: FakeClock): PageSource {
  return {
    context: { rut: '219999830019', direction: 'emitidos' },
    maxInFlight: 1,
    tryAcquire: () => () => undefined,
    whenFree: () => () => undefined,
    read: async ({ pageNumber }) => {
      clock.passUnnoticed(latencyMs(pageNumber));
      const ids = pageNumber <= pages ? [pageNumber] : [];
      return { pageNumber, ids, items: ids };
    },
  };
}

/** The page after which the list is found to be steep; undefined if that does not happen within `read` pages. */
async function steepAfter(
  read: number,
  latencyMs: (pageNumber: number) => number,
  { hasPermit = true } = {},
): Promise<number | undefined> {
  const clock = new FakeClock();
  const watch = new DepthWatch(clock);
  const source = watch.timed(listOf(10_000, latencyMs, clock));
  for (let page = 1; page <= read; page += 1) {
    await source.read(windowOf(page, 100), hasPermit ? { permit: source.tryAcquire() } : {});
    if (watch.isSteep) return page;
  }
  return undefined;
}

describe('a list', () => {
  it('whose pages take longer the deeper they are is steep once enough of it is read', async () => {
    expect(await steepAfter(2000, (page) => 50 + page)).toBe(250);
    expect(await steepAfter(2000, (page) => 50 + page / 5)).toBeGreaterThan(500);
  });

  it('whose pages take equally long everywhere is not steep, nor is one with a few slow pages', async () => {
    expect(await steepAfter(2000, () => 50)).toBeUndefined();
    expect(await steepAfter(2000, (page) => (page % 10 === 0 ? 5000 : 50))).toBeUndefined();
  });

  it('that is hardly slower is not steep: slices would not pay', async () => {
    expect(await steepAfter(2000, (page) => 5 + page / 100)).toBeUndefined();
  });

  it('whose pages had to wait for a permit is not judged', async () => {
    expect(await steepAfter(2000, (page) => 50 + page, { hasPermit: false })).toBeUndefined();
  });

  it.each([
    [700, false],
    [800, true],
  ])('of %i pages goes on much deeper than page 250: %s', async (pages, isDeeper) => {
    const clock = new FakeClock();
    const watch = new DepthWatch(clock);
    const list = listOf(pages, (page) => 50 + page, clock);
    const source = watch.timed(list);
    for (let page = 1; page <= 250; page += 1) {
      await source.read(windowOf(page, 100), { permit: source.tryAcquire() });
    }
    expect(watch.isSteep).toBe(true);
    expect(await watch.isMuchDeeper(list, 100)).toBe(isDeeper);
    // The question is asked only once.
    expect(watch.isSteep).toBe(false);
  });
});
