import type { ReceiptDetail } from '../../api/details.ts';
import type { Value } from '../../lake/parquet/writer.ts';
import { LAST_SEEN_COLUMN, ReceiptRows } from '../../lake/rows/receipt-rows.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import type { Table } from '../../lake/tables.ts';
import { loadWritten } from '../stored-rows.ts';
import type { ListedReceipt } from './listed-receipts.ts';

/** All details of a unit that are at hand: stored ones, staged ones, and those that are read now. */
export class DetailPool {
  /** In the order in which they came, also those that a later one took the place of. */
  readonly rows: ReceiptRows;
  /** Why a receipt has no detail, of those that were asked for now. */
  readonly reasons = new Map<bigint, string>();
  private readonly rowOf = new Map<bigint, number>();
  private readonly index: Readonly<Record<'motivo' | 'leido' | 'summaryHash' | 'lastSeen', number>>;

  constructor(table: Table, rut: string) {
    this.rows = new ReceiptRows(table, rut);
    const indexOf = (column: string) => table.columns.findIndex(({ name }) => name === column);
    this.index = {
      motivo: indexOf('motivo'),
      leido: indexOf('leido'),
      summaryHash: indexOf('resumen_sha256'),
      lastSeen: indexOf(LAST_SEEN_COLUMN),
    };
  }

  get ids(): Iterable<bigint> {
    return this.rowOf.keys();
  }

  /** Adds the rows of an object of the lake; of two of one receipt, the one that was read later holds. */
  async addStored(store: LakeStore, key: string): Promise<void> {
    const { table, rut } = this.rows;
    const { rows: stored } = await loadWritten(store, key, table, rut);
    for (let row = 0; row < stored.rowCount; row += 1) {
      const id = stored.id(row);
      const values = stored.valuesOf(row);
      const known = this.find(id);
      if (known !== undefined && this.isBefore(values, known)) continue;
      this.rowOf.set(id, this.rows.rowCount);
      this.rows.appendValues(values);
    }
  }

  addRead({ id, summaryHash }: ListedReceipt, detail: ReceiptDetail, readMicros: bigint): void {
    this.rowOf.set(id, this.rows.rowCount);
    this.rows.append(detail, { leido: readMicros, resumen_sha256: summaryHash });
    this.reasons.delete(id);
  }

  /** The row of a receipt, its values in the order of the table's columns. */
  find(id: bigint): Value[] | undefined {
    const row = this.rowOf.get(id);
    return row === undefined ? undefined : this.rows.valuesOf(row);
  }

  /** Whether the receipt's detail is at hand as the receipt now stands, and was read since `oldest`. */
  isCurrent({ id, summaryHash }: ListedReceipt, oldest: bigint): boolean {
    const values = this.find(id);
    if (values === undefined || values[this.index.motivo] !== null) return false;
    const read = this.readAt(values);
    return values[this.index.summaryHash] === summaryHash && read !== undefined && read >= oldest;
  }

  /** When the oldest detail of receipts that are listed was read, in microseconds. */
  oldestRead(receipts: readonly ListedReceipt[]): bigint | undefined {
    let oldest: bigint | undefined;
    for (const { id, lastSeen } of receipts) {
      const read = lastSeen === null ? this.readAt(this.find(id) ?? []) : undefined;
      if (read !== undefined && (oldest === undefined || read < oldest)) oldest = read;
    }
    return oldest;
  }

  /** When the detail was read, in microseconds; undefined for a row that only the list's values are in. */
  readAt(values: readonly Value[]): bigint | undefined {
    const read = values[this.index.leido];
    return typeof read === 'bigint' ? read : undefined;
  }

  /** The row of a receipt that is listed: without the mark, and with the reason why it is not as it should be. */
  listed(values: readonly Value[], reason: string | null): Value[] {
    const { motivo, lastSeen } = this.index;
    return values.map((value, index) => (index === lastSeen ? null : index === motivo ? reason : value));
  }

  private isBefore(values: readonly Value[], known: readonly Value[]): boolean {
    return (this.readAt(values) ?? -1n) < (this.readAt(known) ?? -1n);
  }
}
