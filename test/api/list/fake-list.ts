import {
  type ListPage,
  MAX_PAGE_SIZE,
  type PageSource,
  type PageWindow,
  type RowSink,
} from '../../../lib/api/list/page.ts';
import type { ReceiptId } from '../../../lib/api/receipt.ts';

/** The API's behaviour where the contract leaves it open. */
export interface FakeBehaviour {
  /** The largest page: larger ones are cut without notice. */
  pageCap: number;
  /** Whether every page has `pageCap` rows, whatever size is asked for. */
  isSizeIgnored: boolean;
  pastEnd: 'empty' | 'repeat';
  /** Whether the last page is left out if it is not full, as where the total is divided by the size without a rest. */
  areOnlyWholePagesShown: boolean;
  /** Pages of fewer rows are refused. */
  leastPageSize: number;
  /** The replicas that answer the requests, in turn: each number is another order of the rows; none: there is one. */
  replicas: readonly number[];
  /** Whether ties are broken in a way that depends on the page's number, as by a database that sorts its top rows. */
  isSortedByPage: boolean;
  isPageNumberIgnored: boolean;
  maxInFlight: number;
}

export const USUAL: FakeBehaviour = {
  pageCap: 100,
  isSizeIgnored: false,
  pastEnd: 'empty',
  areOnlyWholePagesShown: false,
  leastPageSize: 1,
  replicas: [],
  isSortedByPage: false,
  isPageNumberIgnored: false,
  maxInFlight: 1,
};

/** Happens just before the n-th request, from 1, is answered. */
export interface FakeEvent {
  atRequest: number;
  kind: 'insert' | 'remove' | 'emptyPage' | 'shortPage';
  /** The position, as a fraction of the list's length. */
  at: number;
}

/** A list in memory that is read like the API's. `states` keeps every content that it has had. */
export class FakeList implements PageSource {
  readonly context = { rut: '219999830019', direction: 'recibidos', day: '2026-11-19' } as const;
  readonly maxInFlight: number;
  isDivisible = false;
  readonly states: ReceiptId[][] = [];
  readonly asked: PageWindow[] = [];
  /** The rows that any page has shown. */
  readonly shown = new Set<ReceiptId>();
  private ids: ReceiptId[];
  private nextId: number;
  private readonly behaviour: FakeBehaviour;
  private readonly events: readonly FakeEvent[];

  constructor(length: number, behaviour: Partial<FakeBehaviour> = {}, events: readonly FakeEvent[] = []) {
    this.behaviour = { ...USUAL, ...behaviour };
    this.maxInFlight = this.behaviour.maxInFlight;
    this.ids = Array.from({ length }, (_, index) => index + 1);
    this.nextId = length + 1;
    this.events = events;
    this.states.push([...this.ids]);
  }

  /** Rows 1 to `length`, one of them twice in a row. */
  listTwice(length: number, id: number): void {
    this.ids = Array.from({ length: length + 1 }, (_, index) => index + Number(index < id));
  }

  async read(window: PageWindow): Promise<ListPage> {
    const { pageNumber, pageSize } = window;
    if (!Number.isInteger(pageNumber) || pageSize < 1 || pageSize > MAX_PAGE_SIZE)
      throw new RangeError(`there is no page ${pageNumber} of ${pageSize} rows`);
    this.asked.push(window);
    const request = this.asked.length;
    let page = this.pageNow(window);
    for (const event of this.events.filter(({ atRequest }) => atRequest === request)) {
      if (event.kind === 'emptyPage') page = { ...page, items: [], ids: [] };
      else if (event.kind === 'shortPage') page = shorten(page, Math.floor(event.at * page.ids.length));
      else {
        this.change(event);
        page = this.pageNow(window);
      }
    }
    // Pages that are read ahead arrive in a different order than they were asked for.
    for (let turn = (request * 7) % 5; turn > 0; turn -= 1) await Promise.resolve();
    for (const id of page.ids) this.shown.add(id);
    return page;
  }

  private pageNow({ pageNumber, pageSize }: PageWindow): ListPage {
    const { pageCap, isSizeIgnored, isPageNumberIgnored, pastEnd } = this.behaviour;
    if (pageSize < this.behaviour.leastPageSize) return { pageNumber, ids: [], items: [], isRefused: true };
    const size = isSizeIgnored ? pageCap : Math.min(pageCap, pageSize, MAX_PAGE_SIZE);
    const lastPage = Math.max(1, Math.ceil(this.ids.length / size));
    const number = isPageNumberIgnored
      ? 1
      : pastEnd === 'repeat'
        ? Math.min(pageNumber, lastPage)
        : pageNumber;
    const isLeftOut = this.behaviour.areOnlyWholePagesShown && number * size > this.ids.length;
    const ids = isLeftOut ? [] : this.inOrder(number).slice((number - 1) * size, number * size);
    return { pageNumber, ids, items: ids.map((id) => ({ id })) };
  }

  /** As they are sorted for the next answer. */
  private inOrder(pageNumber: number): readonly ReceiptId[] {
    const { replicas, isSortedByPage } = this.behaviour;
    const order = isSortedByPage ? pageNumber : replicas[this.asked.length % replicas.length];
    if (order === undefined) return this.ids;
    const place = (id: ReceiptId) => (Number(id) * order) % 61;
    return this.ids.toSorted((a, b) => place(a) - place(b));
  }

  private change({ kind, at }: FakeEvent): void {
    const index = Math.floor(at * this.ids.length);
    if (kind === 'insert') this.ids.splice(index, 0, this.nextId++);
    else this.ids.splice(index, 1);
    this.states.push([...this.ids]);
  }
}

function shorten(page: ListPage, length: number): ListPage {
  return { ...page, ids: page.ids.slice(0, length), items: page.items.slice(0, length) };
}

/** Keeps the ids in order of arrival. */
export class IdSink implements RowSink {
  readonly ids: ReceiptId[] = [];
  add(page: ListPage, from: number): void {
    this.ids.push(...page.ids.slice(from));
  }
  get rowCount(): number {
    return this.ids.length;
  }
  idsInOrder(): BigInt64Array {
    return BigInt64Array.from(this.ids, BigInt);
  }
}

export function unionOf(sinks: readonly IdSink[]): Set<ReceiptId> {
  return new Set(sinks.flatMap(({ ids }) => ids));
}
