import { ForeignReceiptError, type RequestContext } from '../api/errors.ts';
import type { ListPage } from '../api/list/page.ts';
import type { DayRange, DaySink } from '../api/list/read-day.ts';
import type { ReceiptRows } from '../lake/rows/receipt-rows.ts';

/**
 * Takes the receipts of one unit, and refuses what can't be of it: a received receipt whose recipient is
 * another company, or one of a day that was not asked for. Throws ForeignReceiptError.
 */
export class UnitSink implements DaySink {
  readonly rows: ReceiptRows;
  hasRowsOfNextDay: boolean;
  private readonly context: RequestContext;
  private readonly range: DayRange;

  constructor(rows: ReceiptRows, context: RequestContext, range: DayRange, hasRowsOfNextDay = false) {
    this.hasRowsOfNextDay = hasRowsOfNextDay;
    this.rows = rows;
    this.context = context;
    this.range = range;
  }

  get rowCount(): number {
    return this.rows.rowCount;
  }

  add(page: ListPage, from: number): void {
    for (let index = from; index < page.items.length; index += 1) {
      const item = page.items[index];
      // Every item is an object: its id was read already.
      if (typeof item === 'object' && item !== null) this.addReceipt(item, page.ids[index] ?? 0);
    }
  }

  private addReceipt(receipt: object, id: number | bigint): void {
    if (this.context.direction === 'recibidos') this.checkRecipient(receipt, id);
    const day = issueDay(receipt);
    if (day !== undefined && day !== this.range.from) {
      if (day !== this.range.to) {
        throw new ForeignReceiptError(this.context, id, `has the issue date ${day}, which was not asked for`);
      }
      this.hasRowsOfNextDay = true;
      return;
    }
    this.rows.append(receipt);
  }

  private checkRecipient(receipt: object, id: number | bigint): void {
    const recipient = 'receptor' in receipt ? receipt.receptor : undefined;
    if (typeof recipient !== 'object' || recipient === null || !('nro_doc' in recipient)) return;
    const document = recipient.nro_doc;
    if (typeof document !== 'string' && typeof document !== 'number') return;
    const digits = String(document).replace(/\D/g, '');
    if (digits !== '' && digits !== this.context.rut) {
      throw new ForeignReceiptError(this.context, id, 'has another company as its recipient');
    }
  }
}

/** The day of `fecha_emision`; undefined where it is missing or unreadable: then the day asked for holds. */
function issueDay(receipt: object): string | undefined {
  const value = 'fecha_emision' in receipt ? receipt.fecha_emision : undefined;
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d(T|$)/.test(value) ? value.slice(0, 10) : undefined;
}
