import { expect, it } from 'vitest';
import { type ListPage, type PageWindow, windowOf } from '../../../lib/api/list/page.ts';
import { type ListLength, ReadAhead } from '../../../lib/api/list/read-ahead.ts';

const PAGE_SIZE = 100;

/** The number of pages asked for at once when the page at this position is needed. None is answered. */
function askedAt(position: number, length: ListLength): number {
  const asked: PageWindow[] = [];
  const source = {
    context: { rut: '219999830019', direction: 'recibidos' } as const,
    maxInFlight: 8,
    read: (window: PageWindow) => {
      asked.push(window);
      return new Promise<ListPage>(() => undefined);
    },
  };
  const following = ({ pageNumber }: PageWindow) => windowOf(pageNumber + 1, PAGE_SIZE);
  const window = windowOf(position / PAGE_SIZE + 1, PAGE_SIZE);
  void new ReadAhead(source, false, length).take({ window, following });
  return asked.length;
}

it.each([
  ['two pages a permit where the list probably goes on', 1_000, { expectedRows: 8_000 }, 16],
  ['one page and the next where nothing is known', 100, {}, 2],
  ['nothing right behind the expected rows', 1_000, { expectedRows: 1_000 }, 1],
  ['more and more where a list is longer than expected', 3_000, { expectedRows: 1_000 }, 7],
])('reads ahead: %s', (_name, position, length, pages) => {
  expect(askedAt(position, length)).toBe(pages);
});

it('asks for pages that end with the list, or with this reading of it', async () => {
  for (const ending of ['list', 'reading'] as const) {
    const list = new AbortController();
    let asked: AbortSignal | undefined;
    const source = {
      context: { rut: '219999830019', direction: 'recibidos' } as const,
      signal: list.signal,
      maxInFlight: 8,
      read: (_window: PageWindow, { signal }: { signal?: AbortSignal } = {}) => {
        asked = signal;
        return new Promise<ListPage>(() => undefined);
      },
    };
    const ahead = new ReadAhead(source, false);
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
  const source = {
    context: { rut: '219999830019', direction: 'recibidos' } as const,
    maxInFlight: 8,
    read: async (_window: PageWindow): Promise<ListPage> => {
      asked += 1;
      throw refusal;
    },
  };
  const following = ({ pageNumber }: PageWindow) => windowOf(pageNumber + 1, PAGE_SIZE);
  const ahead = new ReadAhead(source, false, { expectedRows: 8_000 });
  await expect(ahead.take({ window: windowOf(1, PAGE_SIZE), following })).rejects.toBe(refusal);
  expect(asked).toBeLessThanOrEqual(16);
});
