import { createHash } from 'node:crypto';
import type { ReceiptDetail } from '../../api/unpaged.ts';
import { rowText } from '../../lake/parquet/column-values.ts';
import type { Value } from '../../lake/parquet/writer.ts';
import { UnknownFieldCounter } from '../../lake/rows/fields.ts';
import { LAST_SEEN_COLUMN, ReceiptRows, type SortedRows } from '../../lake/rows/receipt-rows.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { loadUnit } from '../../lake/stored-rows.ts';
import { DETAIL_TABLE_OF, indexOfColumn, TABLE_OF } from '../../lake/tables.ts';
import { CfeLakeError } from '../../system/errors.ts';
import type { Unit } from '../../units/unit.ts';

/** The content of a unit's object of the list. */
export interface ListObject {
  rows: SortedRows;
  sha256: string;
  /** Receipts that the API lists. */
  listedCount: number;
}

/** A receipt in the list, as far as its detail depends on it. */
export interface ListedReceipt {
  id: bigint;
  /** The row in the list. */
  row: number;
  /** Hash of the row: which state of it a detail belongs to. */
  summaryHash: string;
  /** Null while the API lists the receipt; otherwise when it was last stored as listed, in microseconds. */
  lastSeen: bigint | null;
}

/** The receipts of a unit by id, including those that the API no longer lists. */
export function listedReceipts({ direction }: Unit, { rows }: ListObject): ListedReceipt[] {
  const table = TABLE_OF[direction];
  const lastSeenIndex = indexOfColumn(table.columns, LAST_SEEN_COLUMN);
  return Array.from({ length: rows.rowCount }, (_, row) => {
    const values = rows.valuesOf(row);
    const lastSeen = values[lastSeenIndex];
    return {
      id: rows.id(row),
      row,
      // Of the columns that have a value, so that a new column that is null changes nothing.
      summaryHash: createHash('sha256').update(rowText(table, values)).digest('hex'),
      lastSeen: typeof lastSeen === 'bigint' ? lastSeen : null,
    };
  });
}

/** A day's details have more bytes than fit into memory beside those of other days. */
export class DetailsTooLargeError extends CfeLakeError {
  override name = 'DetailsTooLargeError';
  constructor({ rut, direction, day }: Unit, maxBytes: number) {
    super(
      `The details of ${direction} of ${rut} on ${day} have more than ${Math.round(maxBytes / 2 ** 20)} MB. ` +
        'Report it to the provider of the API, or raise the limit (--max-rows, in AWS maxRowsPerList).',
    );
  }
}

/** All available details of a unit: stored ones and those read now. Throws DetailsTooLargeError as they are added. */
export class DetailPool {
  /** The details in their order of arrival, with those that a later one replaced. */
  readonly rows: ReceiptRows;
  /** Why receipts whose details were requested now have none. */
  readonly reasons = new Map<bigint, string>();
  /** Counts the unknown fields of the details that were read now. */
  readonly unknown: UnknownFieldCounter;
  readCount = 0;
  /** That their texts have in memory, the replaced ones included. */
  byteCount = 0;
  private readonly unit: Unit;
  private readonly maxBytes: number;
  private readonly rowOf = new Map<bigint, number>();
  private readonly index: Readonly<
    Record<'motivo' | 'leido' | 'resumen_sha256' | 'lastSeen' | 'otros', number>
  >;

  constructor(unit: Unit, maxBytes: number) {
    const table = DETAIL_TABLE_OF[unit.direction];
    this.unit = unit;
    this.maxBytes = maxBytes;
    this.rows = new ReceiptRows(table, unit.rut);
    this.unknown = new UnknownFieldCounter(table);
    const indexOf = (column: string) => indexOfColumn(table.columns, column);
    this.index = {
      motivo: indexOf('motivo'),
      leido: indexOf('leido'),
      resumen_sha256: indexOf('resumen_sha256'),
      lastSeen: indexOf(LAST_SEEN_COLUMN),
      otros: indexOf('otros'),
    };
  }

  get ids(): Iterable<bigint> {
    return this.rowOf.keys();
  }

  /** What the pool has of each receipt, as it is. */
  current(): SortedRows {
    const rows = new ReceiptRows(this.rows.table, this.rows.rut);
    for (const row of this.rowOf.values()) rows.appendValues(this.rows.valuesOf(row));
    return rows.sorted();
  }

  /** Adds the rows of an object of the lake. Of two rows of one receipt, the one read later counts. */
  async addStored(store: LakeStore, key: string): Promise<void> {
    const { rows: stored } = await loadUnit(store, key, this.rows.table, this.unit);
    for (let row = 0; row < stored.rowCount; row += 1) {
      const id = stored.id(row);
      const values = stored.valuesOf(row);
      if (this.readAt(values) < this.readAt(this.find(id))) continue;
      this.rowOf.set(id, this.rows.rowCount);
      this.rows.appendValues(values);
      this.count(values);
    }
  }

  addRead({ id, summaryHash }: ListedReceipt, detail: ReceiptDetail, readMicros: bigint): void {
    this.rows.append(detail, { leido: readMicros, resumen_sha256: summaryHash });
    const row = this.rows.rowCount - 1;
    const values = this.rows.valuesOf(row);
    // One that is too much is not stored with the others.
    this.count(values);
    this.rowOf.set(id, row);
    this.readCount += 1;
    this.unknown.add(values[this.index.otros]);
    this.reasons.delete(id);
  }

  private count(values: readonly Value[]): void {
    for (const value of values) if (typeof value === 'string') this.byteCount += value.length;
    if (this.byteCount > this.maxBytes) throw new DetailsTooLargeError(this.unit, this.maxBytes);
  }

  /** The row of a receipt, its values in the order of the table's columns. */
  find(id: bigint): Value[] | undefined {
    const row = this.rowOf.get(id);
    return row === undefined ? undefined : this.rows.valuesOf(row);
  }

  /** Whether there is a detail of the receipt's present state that was read since `oldest`. */
  isCurrent({ id, summaryHash }: ListedReceipt, oldest: bigint): boolean {
    const values = this.find(id);
    return (
      values?.[this.index.motivo] === null &&
      values[this.index.resumen_sha256] === summaryHash &&
      this.readAt(values) >= oldest
    );
  }

  /** When the oldest detail of listed receipts was read, in microseconds; 0 if none is listed. */
  oldestRead(receipts: readonly ListedReceipt[]): bigint {
    const listed = receipts.filter(({ lastSeen }) => lastSeen === null);
    const reads = listed.map(({ id }) => this.readAt(this.find(id)));
    return reads.reduce((oldest, read) => (read < oldest ? read : oldest), reads[0] ?? 0n);
  }

  /** When the detail was read, in microseconds; below 0 for no row, and one with only the list's values. */
  readAt(values: readonly Value[] = []): bigint {
    const read = values[this.index.leido];
    return typeof read === 'bigint' ? read : -1n;
  }

  /** The row of a listed receipt: without the mark of vanished ones, and with the reason why it is not current. */
  listed(values: readonly Value[], reason: string | null): Value[] {
    const { motivo, lastSeen } = this.index;
    return values.map((value, index) => (index === lastSeen ? null : index === motivo ? reason : value));
  }
}
