import { isDeepStrictEqual } from 'node:util';
import type { ListPage, PageSource, RowSink } from './list/page.ts';
import { readListing } from './list/read-listing.ts';
import type { ReceiptId } from './receipt.ts';

/** The rows of one reading by their ids. */
export class RowsById implements RowSink {
  readonly byId = new Map<ReceiptId, unknown>();
  private readonly ids: ReceiptId[] = [];
  private differing: ReceiptId | undefined;

  add({ ids, items }: ListPage, from: number): void {
    for (const [index, id] of ids.entries()) {
      if (index < from) continue;
      if (this.byId.has(id) && !isDeepStrictEqual(this.byId.get(id), items[index])) this.differing = id;
      this.byId.set(id, items[index]);
      this.ids.push(id);
    }
  }

  get rowCount(): number {
    return this.ids.length;
  }

  differingId(): ReceiptId | undefined {
    return this.differing;
  }

  idsInOrder(): BigInt64Array {
    return BigInt64Array.from(this.ids, BigInt);
  }
}

/** The rows of these attempts: of a receipt in several of them, that of the first. */
export function unionOf(attempts: readonly RowsById[]): unknown[] {
  const rows = new Map<ReceiptId, unknown>();
  for (const { byId } of attempts) for (const [id, row] of byId) if (!rows.has(id)) rows.set(id, row);
  return [...rows.values()];
}

export interface FirstRows {
  /** The receipts as they came. */
  items: readonly unknown[];
  /** Whether the list goes on. */
  hasMore: boolean;
}

/**
 * At most `limit` first rows of a list, which is read no further; proved to its end if it has no more. Throws
 * PagingFaultError, and what the source throws.
 */
export async function firstRows(source: PageSource, limit: number): Promise<FirstRows> {
  let first = new RowsById();
  const isStopped = async (rows: RowsById) => {
    first = rows;
    return rows.byId.size > limit;
  };
  const reading = await readListing(source, {}, () => new RowsById(), { isStopped });
  const items = unionOf(reading?.attempts ?? [first]);
  return { items: items.slice(0, limit), hasMore: items.length > limit };
}
