import { plural } from '../../text/terminal.ts';
import { named, type Total } from '../envelope.ts';
import { PagingFaultError, type RequestContext } from '../errors.ts';
import type { ReceiptId } from '../receipt.ts';
import type { ListPage, RowSink } from './page.ts';

/** Two rows of one id whose contents differ. One of them is kept only if another reading shows them alike. */
export class DifferingRowsError extends PagingFaultError {
  override name = 'DifferingRowsError';
  constructor(context: RequestContext, id: ReceiptId) {
    super(context, `the list has receipt ${id} twice, with different contents`, {
      withoutIds: 'the list has a receipt twice, with different contents',
    });
  }
}

/** The page that is taken for the last one says that it is not. */
export class ContradictedEndError extends PagingFaultError {
  override name = 'ContradictedEndError';
}

/** So many pages are looked back at: the end of a list is proved with fewer. */
const RECENT_PAGES = 8;

/** What a page says besides its rows, which are not kept in memory with it. */
interface SeenPage {
  pageNumber: number;
  rowCount: number;
  lastId: ReceiptId | undefined;
  envelope: ListPage['envelope'];
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
  /** The newest first. */
  private recent: SeenPage[] = [];
  private lastAdded: SeenPage | undefined;
  /** Pages with rows that the pager did not take: they only proved something, or contradicted the others. */
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
    this.lastAdded = seen(page);
    this.notTaken.delete(page);
    this.rows.add(page, from);
    if (this.known !== undefined) for (const id of page.ids) this.known.add(BigInt(id));
  }

  idsInOrder(): BigInt64Array {
    return this.rows.idsInOrder();
  }

  /** Looks at a page, before the pager does. */
  look(page: ListPage): void {
    for (const name of page.envelope?.unknown ?? []) this.rows.unknownMembers?.add(name);
    this.recent = [seen(page), ...this.recent.slice(0, RECENT_PAGES - 1)];
    if (page.items.length === 0) return;
    // Pages are not kept in memory, but for the few that end an ordinary attempt.
    if (this.notTaken.size === RECENT_PAGES) this.keepNotTaken();
    this.notTaken.add(page);
  }

  /** The attempt's rows, and those of pages that it did not take, each once. */
  allRows(): Rows[] {
    this.keepNotTaken();
    return this.otherRows === undefined ? [this.rows] : [this.rows, this.otherRows];
  }

  private keepNotTaken(): void {
    if (this.notTaken.size === 0) return;
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

  /** The attempt is over: what it took for its last page, and for the end, must say so too. Throws a ContradictedEndError. */
  checkEnd(): void {
    const { recent, lastAdded } = this;
    const empty = recent.filter(({ rowCount }) => rowCount === 0);
    const pages = lastAdded === undefined ? recent : [...recent, lastAdded];
    const last = pages.filter(({ lastId }) => lastId === lastAdded?.lastId);
    const goesOn = [...last, ...empty].flatMap(({ envelope }) => envelope?.goesOn ?? []);
    if (goesOn.length > 0) {
      const reason = `the list seems to end, but its last page says that it goes on (${named(goesOn)})`;
      throw new ContradictedEndError(this.context, reason);
    }
    // A page past the end may count nothing.
    for (const page of last) {
      const wrong = page.envelope?.totals.filter((total) => !this.isTrue(total, page)) ?? [];
      if (wrong.length === 0) continue;
      const counts = wrong.map(({ name, count }) => `${named([name])}: ${count}`).join(', ');
      const seen = `${plural(this.rowCount, 'row')}, the last on page ${page.pageNumber}`;
      throw new ContradictedEndError(
        this.context,
        `the list has ${seen}, but that page says otherwise (${counts})`,
      );
    }
  }

  private isTrue({ count, of }: Total, page: SeenPage): boolean {
    // A list without rows has no page, or one.
    if (of === 'pages') return Math.max(1, count) === page.pageNumber;
    if (count === this.rowCount || (of === 'rowsOrPage' && count === page.rowCount)) return true;
    const ids = this.idsInOrder();
    return count === this.rowCount - ids.length + new Set(ids).size;
  }
}

function seen({ pageNumber, ids, envelope }: ListPage): SeenPage {
  return { pageNumber, rowCount: ids.length, lastId: ids.at(-1), envelope };
}
