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
  hasRowsOfDay = false;
  hasRowsOfNextDay: boolean;
  hasTimesOfDay = false;
  hasTimesOfLastDay = false;
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
    const { from, to } = this.range;
    const issued = issueMoment(receipt);
    if (issued !== undefined) {
      if (issued.day !== from && issued.day !== to) {
        const reason = `has the issue date ${issued.day}, which was not asked for`;
        throw new ForeignReceiptError(this.context, id, reason);
      }
      if (issued.isAfterMidnight) {
        this.hasTimesOfDay = true;
        if (issued.day === to) this.hasTimesOfLastDay = true;
      }
      if (issued.day !== from) {
        this.hasRowsOfNextDay = true;
        return;
      }
      this.hasRowsOfDay = true;
    }
    this.rows.append(receipt);
  }

  private checkRecipient(receipt: object, id: number | bigint): void {
    const recipient = 'receptor' in receipt ? receipt.receptor : undefined;
    if (typeof recipient !== 'object' || recipient === null || !('nro_doc' in recipient)) return;
    const document = recipient.nro_doc;
    if (document === this.context.rut) return;
    if (typeof document !== 'string' && typeof document !== 'number') return;
    const digits = String(document).replace(/\D/g, '');
    // A RUT that came as a number has lost its leading zero.
    if (digits !== '' && digits.padStart(this.context.rut.length, '0') !== this.context.rut) {
      throw new ForeignReceiptError(this.context, id, 'has another company as its recipient');
    }
  }
}

/** Of `fecha_emision`; undefined where it is missing or unreadable: then the day asked for holds. */
function issueMoment(receipt: object): { day: string; isAfterMidnight: boolean } | undefined {
  const value = 'fecha_emision' in receipt ? receipt.fecha_emision : undefined;
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d(T|$)/.test(value)) return undefined;
  const isAtMidnight = value.startsWith('00:00:00', 11) && /T00:00:00(\.0*)?$/.test(value);
  return { day: value.slice(0, 10), isAfterMidnight: value.length > 10 && !isAtMidnight };
}
