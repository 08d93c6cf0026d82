import { describe, expect, it } from 'vitest';
import type { Envelope, Total } from '../../../lib/api/envelope.ts';
import { PagingFaultError } from '../../../lib/api/errors.ts';
import type { ListPage } from '../../../lib/api/list/page.ts';
import { PageWatch } from '../../../lib/api/list/page-watch.ts';
import { IdSink } from './fake-list.ts';

/** Keeps the rows themselves, too, and how often all were gone through. */
class RowSink extends IdSink {
  readonly items: unknown[] = [];
  looks = 0;
  readonly unknownMembers = new Set<string>();
  override add(page: ListPage, from: number): void {
    super.add(page, from);
    this.items.push(...page.items.slice(from));
  }
  override idsInOrder(): BigInt64Array {
    this.looks += 1;
    return super.idsInOrder();
  }
}

const CONTEXT = { rut: '219999830019', direction: 'recibidos' } as const;

const says = (members: Partial<Envelope>): Envelope => ({ goesOn: [], totals: [], unknown: [], ...members });
const counts = (count: number, counted: Total['counted']) =>
  says({ totals: [{ name: 'total', count, counted }] });
const GOES_ON = says({ goesOn: ['more'] });

function page(pageNumber: number, ids: readonly number[], envelope?: Envelope): ListPage {
  return { pageNumber, ids, items: ids.map((id) => ({ id })), envelope };
}

/** An attempt that took these pages, and looked at those besides, in this order. */
function watched(taken: readonly ListPage[], besides: readonly ListPage[] = [], sinks: RowSink[] = []) {
  const watch = new PageWatch(CONTEXT, () => {
    const sink = new RowSink();
    sinks.push(sink);
    return sink;
  });
  for (const page of taken) {
    watch.look(page);
    watch.add(page, 0);
  }
  for (const page of besides) watch.look(page);
  return watch;
}

it.each([
  ['its last page says that the list goes on', [page(1, [1]), page(2, [2], GOES_ON)], []],
  ['a page past the end says so', [page(1, [1])], [page(2, [], GOES_ON)]],
  ['another page that ends with its last row says so', [page(1, [1, 2])], [page(2, [2], GOES_ON)]],
  ['that page counts other rows', [page(1, [1, 2])], [page(2, [2], counts(3, 'rows'))]],
  ['its last page counts more rows', [page(1, [1, 2]), page(2, [3], counts(4, 'rows'))], []],
  [
    'the count is neither of the list nor of the page',
    [page(1, [1, 2]), page(2, [3], counts(2, 'rowsOrPage'))],
    [],
  ],
  ["its last page counts its own rows as the list's", [page(1, [1, 2]), page(2, [3], counts(1, 'rows'))], []],
  ['its last page counts more pages', [page(1, [1]), page(2, [2], counts(3, 'pages'))], []],
  ['a list without rows counts some', [], [page(1, [], counts(2, 'rows'))]],
  ['a list without rows counts pages', [], [page(1, [], counts(2, 'pages'))]],
])('the end of a list is contradicted where %s', (_what, taken, besides) => {
  expect(() => watched(taken, besides).checkEnd()).toThrow(PagingFaultError);
});

it.each([
  ['an earlier page says that the list goes on', [page(1, [1], GOES_ON), page(2, [2])], []],
  ['an earlier page counts its own rows', [page(1, [1], counts(1, 'rows')), page(2, [2])], []],
  ['its last page counts the rows of the list', [page(1, [1, 2]), page(2, [3], counts(3, 'rows'))], []],
  ['a receipt that is listed twice counts twice', [page(1, [1, 2, 2], counts(3, 'rows'))], []],
  ['a receipt that is listed twice counts once', [page(1, [1, 2, 2], counts(2, 'rows'))], []],
  ['its last page counts its own rows', [page(1, [1, 2]), page(2, [3], counts(1, 'rowsOrPage'))], []],
  ['its last page is as many as there are pages', [page(1, [1]), page(2, [2], counts(2, 'pages'))], []],
  ['a page past the end counts nothing', [page(1, [1])], [page(2, [], counts(0, 'rows'))]],
  ['a list without rows has no page', [], [page(1, [], counts(0, 'pages'))]],
  ['a list without rows has one page', [], [page(1, [], counts(1, 'pages'))]],
])('the end of a list is not contradicted where %s', (_what, taken, besides) => {
  expect(() => watched(taken, besides).checkEnd()).not.toThrow();
});

it('an error says what the page said, and which rows were seen', () => {
  const last = page(2, [3], counts(4, 'rows'));
  expect(() => watched([page(1, [1, 2]), last]).checkEnd()).toThrow(
    'the list has 3 rows, the last on page 2, but that page says otherwise (`total`: 4)',
  );
});

it('an attempt that took all its pages is not gone through', () => {
  const taken = Array.from({ length: 30 }, (_, index) => page(index + 1, [index]));
  expect(watched(taken).rows.looks).toBe(0);
});

it('members that are no evidence are told with the rows', () => {
  const watch = watched(
    [page(1, [1], says({ unknown: ['nuevo'] })), page(2, [2])],
    [page(2, [], says({ unknown: ['otro'] }))],
  );
  expect([...watch.rows.unknownMembers]).toEqual(['nuevo', 'otro']);
  const withoutNames = new PageWatch(CONTEXT, () => new IdSink());
  expect(() => withoutNames.look(page(1, [1], says({ unknown: ['nuevo'] })))).not.toThrow();
});

describe('rows of pages that the attempt did not take', () => {
  const rowsIn = (watch: PageWatch<RowSink>) => watch.allRows().map(({ items }) => items);

  it('are kept, each once, beside those that it took', () => {
    const shown = [page(2, [2, 3]), page(3, [3, 4])];
    expect(rowsIn(watched([page(1, [1, 2])], shown))).toEqual([
      [{ id: 1 }, { id: 2 }],
      [{ id: 3 }, { id: 4 }],
    ]);
    expect(rowsIn(watched([page(1, [1, 2])], [page(2, [2])]))).toEqual([[{ id: 1 }, { id: 2 }]]);
  });

  it('are kept however many there are, also if the attempt takes some of them later', () => {
    const shown = Array.from({ length: 30 }, (_, index) => page(index + 2, [index + 2]));
    const sinks: RowSink[] = [];
    const watch = watched([page(1, [1])], shown, sinks);
    // The pages themselves are held for a while alone.
    expect(sinks[1]?.rowCount).toBeGreaterThan(20);
    watch.add(page(40, [40]), 0);
    watch.look(page(41, [40, 41]));
    expect(rowsIn(watch)).toEqual([
      [{ id: 1 }, { id: 40 }],
      [...shown.keys(), 39].map((index) => ({ id: index + 2 })),
    ]);
    // The list itself is gone through once.
    expect(watch.rows.looks).toBe(1);
  });
});
