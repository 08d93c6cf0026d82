import { describe, expect, it } from 'vitest';
import type { ListPage, PageSource, PageWindow } from '../../../lib/api/list/page.ts';
import { readInSlices, type Slice, slicesOf } from '../../../lib/api/list/slices.ts';
import type { ReceiptId } from '../../../lib/api/receipt.ts';
import { campaign } from '../../support/campaign.ts';
import { IdSink } from './fake-list.ts';

interface Row {
  id: number;
  tipo_comprobante: number | string | null;
}

type FilterHabit = 'honoured' | 'ignored' | 'excludeIgnored' | 'nullIsNoType' | 'refused';

const TYPES = [101, 111, 182, 181, 201, 211];

/** A list of receipts of several types, filtered as the API would. */
class TypedList {
  readonly asked: { slice: Slice | undefined; window: PageWindow }[] = [];
  rows: Row[];
  /** Called just before the n-th request, from 1, is answered. */
  readonly events = new Map<number, () => void>();
  private readonly habit: FilterHabit;

  constructor(rows: readonly Row[], habit: FilterHabit = 'honoured') {
    this.rows = [...rows];
    this.habit = habit;
  }

  source(slice?: Slice): PageSource {
    return {
      context: { rut: '219999830019', direction: 'emitidos', day: '2026-11-19' },
      maxInFlight: 4,
      tryAcquire: () => undefined,
      whenFree: () => () => undefined,
      read: async (window) => this.page(window, slice),
    };
  }

  read(isTimeUp = () => false): Promise<IdSink[] | undefined> {
    return readInSlices({
      types: TYPES,
      whole: this.source(),
      sliceOf: (slice) => this.source(slice),
      pageCap: 100,
      habits: {},
      newSink: () => new IdSink(),
      isTimeUp,
    });
  }

  private page(window: PageWindow, slice: Slice | undefined): ListPage {
    this.asked.push({ slice, window });
    this.events.get(this.asked.length)?.();
    const rows = this.rows.filter((row) => slice === undefined || this.isIn(row, slice));
    const items = rows.slice(window.start, window.start + window.pageSize);
    return { pageNumber: window.pageNumber, items, ids: items.map(({ id }) => id) };
  }

  private isIn({ tipo_comprobante: type }: Row, { types, isExcluded }: Slice): boolean {
    if (this.habit === 'ignored') return true;
    const isListed = types.includes(Number(type));
    if (!isExcluded || this.habit === 'excludeIgnored') return isListed;
    // As in SQL, where NULL is neither in a set nor out of it.
    return this.habit === 'nullIsNoType' && type === null ? false : !isListed;
  }
}

function rowsOf(...counts: readonly [type: Row['tipo_comprobante'], count: number][]): Row[] {
  let id = 0;
  return counts.flatMap(([type, count]) =>
    Array.from({ length: count }, () => {
      id += 1;
      return { id, tipo_comprobante: type };
    }),
  );
}

const MANY = rowsOf([101, 1234], [111, 700], [112, 99], [281, 100], [999, 301], [null, 7]);

function idsOf(sinks: readonly IdSink[] | undefined): ReceiptId[] | undefined {
  return sinks?.flatMap(({ ids }) => ids).sort((a, b) => Number(a) - Number(b));
}

describe('a list in slices', () => {
  it('is complete, each row once, including rows of unknown types and of none', async () => {
    const list = new TypedList(MANY);
    expect(idsOf(await list.read())).toEqual(MANY.map(({ id }) => id));
    // The last two requests prove it: a page that ends with the last row, and an empty page after it.
    const proof = list.asked.slice(-2);
    expect(proof.map(({ slice }) => slice)).toEqual([undefined, undefined]);
    expect(proof.map(({ window }) => window.start)).toEqual([expect.any(Number), MANY.length]);
  });

  it('knows types that come as text', async () => {
    const rows = rowsOf(['101', 150], [111, 10]);
    expect(idsOf(await new TypedList(rows).read())).toHaveLength(160);
  });

  it('asks for each type once, and finally for all others', async () => {
    const list = new TypedList(MANY);
    await list.read();
    const asked = new Set(list.asked.flatMap(({ slice }) => slice ?? []));
    expect(asked).toEqual(new Set(slicesOf(TYPES)));
    expect(slicesOf(TYPES).filter(({ isExcluded }) => isExcluded)).toHaveLength(1);
  });

  it.each<FilterHabit>(['ignored', 'excludeIgnored', 'nullIsNoType'])(
    'is not believed where the filter is %s',
    async (habit) => {
      expect(await new TypedList(MANY, habit).read()).toBeUndefined();
    },
  );

  it('is not believed when an id is of two types', async () => {
    const twice = [...rowsOf([101, 150]), { id: 7, tipo_comprobante: 111 }];
    expect(await new TypedList(twice).read()).toBeUndefined();
  });

  it.each<[string, (list: TypedList) => void]>([
    ['goes', (list) => list.rows.splice(3, 1)],
    ['comes', (list) => list.rows.unshift({ id: 1_000_000, tipo_comprobante: 101 })],
  ])('is what the list was at one moment, or not believed, whenever a row %s', async (_what, change) => {
    const undisturbed = new TypedList(MANY);
    await undisturbed.read();
    let believed = 0;
    const stride = campaign({ quick: 3, long: 1 });
    for (let request = 1; request <= undisturbed.asked.length; request += stride) {
      const list = new TypedList(MANY);
      list.events.set(request, () => change(list));
      const before = list.rows.map(({ id }) => id);
      const read = idsOf(await list.read());
      const after = list.rows.map(({ id }) => id).sort((a, b) => a - b);
      if (read === undefined) continue;
      believed += 1;
      expect([before, after]).toContainEqual(read);
    }
    expect(believed).toBeGreaterThan(0);
  });

  it('is given up when time is up, and nothing more is asked', async () => {
    const list = new TypedList(MANY);
    let answers = 0;
    const sinks = await list.read(() => {
      answers += 1;
      return answers > 5;
    });
    expect(sinks).toBeUndefined();
    const asked = list.asked.length;
    await new Promise(setImmediate);
    expect(list.asked.length).toBe(asked);
  });

  it('that turns out to be empty is not believed', async () => {
    expect(await new TypedList([]).read()).toBeUndefined();
  });
});
