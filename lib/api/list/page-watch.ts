import { plural } from '../../text/terminal.ts';
import { type Envelope, named, type Total } from '../envelope.ts';
import { PagingFaultError, type RequestContext } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import type { ListPage, RowSink } from './page.ts';

/** So many pages that the pager did not take are held: those that end an ordinary attempt. */
const MOST_HELD = 8;

/** A page, without its rows, that says more than the contract names. */
interface TellingPage {
  pageNumber: number;
  rowCount: number;
  lastId: ReceiptId | undefined;
  envelope: Envelope;
}

/**
 * Watches the pages of one attempt for what they say besides their rows: whether the page that is taken for the last says
 * so too. The pager gives it the rows that it takes; it keeps what that does not take.
 */
export class PageWatch<Rows extends RowSink> implements RowSink {
  /** The rows of the attempt. */
  readonly rows: Rows;
  private readonly context: RequestContext;
  private readonly newRows: () => Rows;
  private lastId: ReceiptId | undefined;
  private readonly telling: TellingPage[] = [];
  /** Pages that the pager did not take: they only proved something, or contradicted the others. */
  private readonly notTaken = new Set<ListPage>();
  /** The ids of all rows so far, once some are kept: so no page is compared with the whole list. */
  private known: Set<bigint> | undefined;
  private otherRows: Rows | undefined;

  constructor(context: RequestContext, newRows: () => Rows) {
    this.context = context;
    this.newRows = newRows;
    this.rows = newRows();
  }

  get rowCount(): number {
    return this.rows.rowCount;
  }

  add(page: ListPage, from: number): void {
    this.lastId = page.ids.at(-1);
    this.notTaken.delete(page);
    this.rows.add(page, from);
    if (this.known !== undefined) for (const id of page.ids) this.known.add(BigInt(id));
  }

  idsInOrder(): BigInt64Array {
    return this.rows.idsInOrder();
  }

  /** Looks at a page, before the pager does. */
  look(page: ListPage): void {
    const { envelope, pageNumber, ids } = page;
    for (const name of envelope?.unknown ?? []) this.rows.unknownMembers?.add(name);
    if (envelope !== undefined)
      this.telling.push({ pageNumber, rowCount: ids.length, lastId: ids.at(-1), envelope });
    if (this.notTaken.size === MOST_HELD) this.keepNotTaken();
    this.notTaken.add(page);
  }

  /** The attempt's rows, and those of pages that it did not take, each once. */
  allRows(): Rows[] {
    this.keepNotTaken();
    return this.otherRows === undefined ? [this.rows] : [this.rows, this.otherRows];
  }

  private keepNotTaken(): void {
    this.known ??= new Set(this.rows.idsInOrder());
    for (const page of this.notTaken) {
      for (const [place, id] of page.ids.entries()) {
        if (this.known.has(BigInt(id))) continue;
        this.known.add(BigInt(id));
        this.otherRows ??= this.newRows();
        this.otherRows.add({ ...page, ids: [id], items: page.items.slice(place, place + 1) }, 0);
      }
    }
    this.notTaken.clear();
  }

  /** The attempt is over: what it took for its last page, and for the end, must say so too. Throws PagingFaultError. */
  checkEnd(): void {
    const telling = this.telling.filter(({ lastId }) => lastId === undefined || lastId === this.lastId);
    const goesOn = telling.flatMap(({ envelope }) => envelope.goesOn);
    if (goesOn.length > 0) {
      const reason = `the list seems to end, but its last page says that it goes on (${named(goesOn)})`;
      throw new PagingFaultError(this.context, reason);
    }
    for (const { pageNumber, rowCount, lastId, envelope } of telling) {
      // A page past the end may count nothing.
      if (lastId !== this.lastId) continue;
      const wrong = envelope.totals.filter((total) => !this.isTrue(total, pageNumber, rowCount));
      if (wrong.length === 0) continue;
      const counts = wrong.map(({ name, count }) => `${named([name])}: ${count}`).join(', ');
      const seen = `${plural(this.rowCount, 'row')}, the last on page ${pageNumber}`;
      const reason = `the list has ${seen}, but that page says otherwise (${counts})`;
      throw new PagingFaultError(this.context, reason);
    }
  }

  private isTrue({ count, counted }: Total, pageNumber: number, rowsOfPage: number): boolean {
    // A list without rows has no page, or one.
    if (counted === 'pages') return Math.max(1, count) === pageNumber;
    if (count === this.rowCount || (counted === 'rowsOrPage' && count === rowsOfPage)) return true;
    const ids = this.idsInOrder();
    return count === this.rowCount - ids.length + new Set(ids).size;
  }
}
