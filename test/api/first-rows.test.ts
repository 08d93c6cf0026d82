import { describe, expect, it } from 'vitest';
import { PagingFaultError } from '../../lib/api/errors.ts';
import { firstRows, RowsById, unionOf } from '../../lib/api/first-rows.ts';
import type { ListPage, PageSource, PageWindow } from '../../lib/api/list/page.ts';

interface Asked {
  pageNumber: number;
  pageSize: number;
}

/** A list whose pages come from `pageOf`, and the pages that were asked for. */
function sourceOf(pageOf: (window: PageWindow, times: number) => readonly number[]) {
  const asked: Asked[] = [];
  const source: PageSource = {
    context: { rut: '219999830019', direction: 'emitidos' },
    maxInFlight: 1,
    read: async (window): Promise<ListPage> => {
      const { pageNumber, pageSize } = window;
      const times = asked.filter((earlier) => earlier.pageNumber === pageNumber).length;
      asked.push({ pageNumber, pageSize });
      const ids = pageOf(window, times);
      return { pageNumber, ids, items: ids.map((id) => ({ id })) };
    },
  };
  return { source, asked };
}

function listOf(count: number, mostOnAPage = 100) {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  return sourceOf(({ pageNumber, pageSize }) => {
    const size = Math.min(pageSize, mostOnAPage);
    return all.slice((pageNumber - 1) * size, pageNumber * size);
  });
}

async function read(source: PageSource, limit: number) {
  const { items, hasMore } = await firstRows(source, limit);
  return { count: items.length, hasMore };
}

describe('the first rows of a list', () => {
  it.each([
    { of: 0, limit: 100, count: 0, hasMore: false },
    { of: 99, limit: 100, count: 99, hasMore: false },
    { of: 100, limit: 100, count: 100, hasMore: false },
    { of: 101, limit: 100, count: 100, hasMore: true },
    { of: 5, limit: 4, count: 4, hasMore: true },
    { of: 5, limit: 5, count: 5, hasMore: false },
    { of: 250, limit: 1000, count: 250, hasMore: false },
    { of: 1, limit: 1, count: 1, hasMore: false },
  ])('at most $limit of $of', async ({ of, limit, count, hasMore }) => {
    for (const mostOnAPage of [100, 3]) {
      expect(await read(listOf(of, mostOnAPage).source, limit)).toEqual({ count, hasMore });
    }
  });

  it('are in the order of the list', async () => {
    const { items } = await firstRows(listOf(250).source, 3);
    expect(items).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  it('take one request where one full page shows that there are more', async () => {
    const { source, asked } = listOf(500);
    await read(source, 5);
    expect(asked).toEqual([{ pageNumber: 1, pageSize: 100 }]);
  });

  it.each([
    ['the page parameter is ignored', sourceOf(() => [1, 2, 3])],
    ['rows come after an empty page', sourceOf(({ pageNumber }) => (pageNumber === 2 ? [] : [pageNumber]))],
  ])('fail where %s', async (_what, { source }) => {
    await expect(firstRows(source, 100)).rejects.toThrow(PagingFaultError);
  });
});

it('of a receipt in several attempts, the row of the first counts', () => {
  const rowsOf = (state: string, ...ids: number[]) => {
    const rows = new RowsById();
    rows.add({ pageNumber: 1, ids, items: ids.map((id) => ({ id, state })) }, 0);
    return rows;
  };
  expect(unionOf([rowsOf('new', 1, 2), rowsOf('old', 2, 3)])).toEqual([
    { id: 1, state: 'new' },
    { id: 2, state: 'new' },
    { id: 3, state: 'old' },
  ]);
});
