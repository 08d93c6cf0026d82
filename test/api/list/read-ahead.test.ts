import { expect, it, onTestFinished, vi } from 'vitest';
import { type ListPage, type PageSource, type PageWindow, windowOf } from '../../../lib/api/list/page.ts';
import { type ListLength, ReadAhead } from '../../../lib/api/list/read-ahead.ts';
import { settled } from '../../support/fake-clock.ts';

const PAGE_SIZE = 100;
const following = ({ pageNumber }: PageWindow) => windowOf(pageNumber + 1, PAGE_SIZE);

function sourceOf(read: PageSource['read'], signal?: AbortSignal): PageSource {
  return { context: { rut: '219999830019', direction: 'recibidos' }, maxInFlight: 8, read, signal };
}

function pageOf(pageNumber: number, rowCount = PAGE_SIZE): ListPage {
  return { pageNumber, ids: [], items: Array(rowCount).fill({}) };
}

/** The number of pages asked for at once when the page at this position is needed. None is answered. */
function askedAt(position: number, length: ListLength): number {
  const asked: PageWindow[] = [];
  const source = sourceOf((window) => {
    asked.push(window);
    return new Promise<ListPage>(() => undefined);
  });
  const window = windowOf(position / PAGE_SIZE + 1, PAGE_SIZE);
  void new ReadAhead(source, length).take({ window, following });
  return asked.length;
}

it.each([
  ['two pages a permit where the list probably goes on', 1_000, { expectedRows: 8_000 }, 16],
  ['nothing right behind the expected rows', 900, { expectedRows: 1_000 }, 1],
  ['more and more where a list is longer than expected', 3_000, { expectedRows: 1_000 }, 7],
])('reads ahead: %s', (_name, position, length, pages) => {
  expect(askedAt(position, length)).toBe(pages);
});

it.each([
  ['the next page, and slowly more', 99, [2, 3, 5, 6, 8, 9, 11]],
  ['no more behind a page that is not full', 3, [2, 3, 5, 5, 5]],
])('reads ahead where nothing is known: %s', async (_name, fullPages, pages) => {
  const asked: number[] = [];
  const source = sourceOf(async ({ pageNumber }) => {
    asked.push(pageNumber);
    return pageOf(pageNumber, pageNumber > fullPages ? 50 : PAGE_SIZE);
  });
  const ahead = new ReadAhead(source);
  const counts: number[] = [];
  for (const index of pages.keys()) {
    await ahead.take({ window: windowOf(index + 1, PAGE_SIZE), following });
    counts.push(asked.length);
  }
  expect(counts).toEqual(pages);
  expect(asked).toEqual(asked.map((_, index) => index + 1));
});

it('tells of a page that was read ahead when it is needed', async () => {
  const asked: ({ isNeeded: boolean } | undefined)[] = [];
  const source = sourceOf(async ({ pageNumber }, { ahead } = {}) => {
    asked.push(ahead);
    return pageOf(pageNumber);
  });
  const ahead = new ReadAhead(source, { expectedRows: 300 });
  for (const [pageNumber, needed] of [
    [1, [undefined, false, false]],
    [2, [undefined, true, false]],
  ] as const) {
    await ahead.take({ window: windowOf(pageNumber, PAGE_SIZE), following });
    expect(asked.map((request) => request?.isNeeded)).toEqual(needed);
  }
});

it('gives another page than the one that was read ahead where that is asked for, and reads none behind it', async () => {
  let asked = 0;
  const source = sourceOf(async ({ pageNumber }) => {
    asked += 1;
    return pageOf(pageNumber);
  });
  const ahead = new ReadAhead(source, { expectedRows: 8_000 });
  await ahead.take({ window: windowOf(1, PAGE_SIZE), following });
  expect((await ahead.take({ window: windowOf(40, PAGE_SIZE), following })).pageNumber).toBe(40);
  expect(asked).toBe(16 + 1);
});

it('a page that fails and is not taken is no error', async () => {
  const onRejection = vi.fn();
  process.on('unhandledRejection', onRejection);
  onTestFinished(() => void process.off('unhandledRejection', onRejection));
  const source = sourceOf(async ({ pageNumber }) => {
    if (pageNumber > 1) throw new Error('given up');
    return pageOf(pageNumber);
  });
  await new ReadAhead(source).take({ window: windowOf(1, PAGE_SIZE), following });
  await settled();
  expect(onRejection).not.toHaveBeenCalled();
});

it('asks for pages that end with the list, or with this reading of it', async () => {
  for (const ending of ['list', 'reading'] as const) {
    const list = new AbortController();
    let asked: AbortSignal | undefined;
    const source = sourceOf((_window, { signal } = {}) => {
      asked = signal;
      return new Promise<ListPage>(() => undefined);
    }, list.signal);
    const ahead = new ReadAhead(source);
    void ahead.take({ window: windowOf(1, PAGE_SIZE) });
    expect(asked?.aborted).toBe(false);
    if (ending === 'list') list.abort();
    else ahead.close();
    expect(asked?.aborted).toBe(true);
  }
});

it('asks for no more pages than that where each is refused at once, as by a client that gave up on the API', async () => {
  const refusal = new Error('given up');
  let asked = 0;
  const source = sourceOf(async () => {
    asked += 1;
    throw refusal;
  });
  const ahead = new ReadAhead(source, { expectedRows: 8_000 });
  await expect(ahead.take({ window: windowOf(1, PAGE_SIZE), following })).rejects.toBe(refusal);
  expect(asked).toBeLessThanOrEqual(16);
});

it('goes on ahead where pages are full again after one that was not', async () => {
  const asked: number[] = [];
  const source = sourceOf(async ({ pageNumber }) => {
    asked.push(pageNumber);
    return pageOf(pageNumber, pageNumber === 1 ? 50 : PAGE_SIZE);
  });
  const ahead = new ReadAhead(source, { expectedRows: 0 });
  for (const pageNumber of [1, 2, 5])
    await ahead.take({ window: windowOf(pageNumber, PAGE_SIZE), following });
  expect(asked).toEqual([1, 2, 5, 6]);
});
