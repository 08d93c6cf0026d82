import { createHash } from 'node:crypto';
import type { RowSource, Value } from '../parquet/writer.ts';
import type { Column, Table } from '../tables.ts';
import { type ColumnBuffer, IntegerBuffer, TextBuffer } from './buffers.ts';
import { ReceiptDecoder } from './receipt-decoder.ts';

/** The receipts of one unit, column by column, in the order in which they came. */
export class ReceiptRows {
  readonly table: Table;
  readonly rut: string;
  rowCount = 0;
  private readonly buffers: ReadonlyMap<string, ColumnBuffer>;
  private readonly columns: readonly ColumnBuffer[];
  private readonly ids = new IntegerBuffer(true);
  private readonly rutBuffer: ColumnBuffer;
  private readonly decoder: ReceiptDecoder;

  constructor(table: Table, rut: string) {
    this.table = table;
    this.rut = rut;
    this.buffers = new Map(
      table.columns.map((column) => [column.name, column.name === 'id' ? this.ids : newBuffer(column)]),
    );
    this.columns = [...this.buffers.values()];
    this.rutBuffer = this.buffers.get('rut') ?? new TextBuffer();
    this.decoder = new ReceiptDecoder(table, this.buffers);
  }

  /** Values that did not fit their column and are kept in `otros`. */
  get misfits(): number {
    return this.decoder.misfits;
  }

  /** A receipt as the API gave it, from its JSON object. */
  append(receipt: object): void {
    this.decoder.append(receipt);
    this.rutBuffer.append(this.rut);
    this.rowCount += 1;
  }

  /** A row of other rows of the same table, as it is. */
  appendRow(from: ReceiptRows, row: number): void {
    for (const [index, column] of this.columns.entries()) {
      const value = from.value(index, row);
      column.append(typeof value === 'boolean' ? null : value);
    }
    this.rowCount += 1;
  }

  id(row: number): bigint {
    const id = this.ids.value(row);
    return typeof id === 'bigint' ? id : 0n;
  }

  value(columnIndex: number, row: number): Value {
    return this.columns[columnIndex]?.value(row) ?? null;
  }

  /** The rows sorted by id; of rows with the same id, the first that came. */
  sorted(): SortedRows {
    const order = Uint32Array.from({ length: this.rowCount }, (_, row) => row);
    if (!this.isAscending()) order.sort((a, b) => this.ids.compare(a, b) || a - b);
    const unique = order.filter(
      (row, index) => index === 0 || this.ids.compare(order[index - 1] ?? 0, row) !== 0,
    );
    return new SortedRows(this, this.columns, unique);
  }

  private isAscending(): boolean {
    for (let row = 1; row < this.rowCount; row += 1) if (this.ids.compare(row - 1, row) > 0) return false;
    return true;
  }
}

/** Receipts sorted by id, none twice: what a unit's object holds. */
export class SortedRows implements RowSource {
  readonly rowCount: number;
  private readonly rows: ReceiptRows;
  private readonly columns: readonly ColumnBuffer[];
  private readonly order: Uint32Array;

  constructor(rows: ReceiptRows, columns: readonly ColumnBuffer[], order: Uint32Array) {
    this.rows = rows;
    this.columns = columns;
    this.order = order;
    this.rowCount = order.length;
  }

  values(columnIndex: number, start: number, end: number): readonly Value[] {
    const column = this.columns[columnIndex];
    return Array.from(this.order.subarray(start, end), (row) => column?.value(row) ?? null);
  }

  id(index: number): bigint {
    return this.rows.id(this.order[index] ?? 0);
  }

  /**
   * SHA-256 of the content, in hexadecimal: the same receipts give the same hash, whatever order they came in
   * and whichever writer stores them. A change of the table's columns changes it too.
   */
  contentHash(): string {
    const hash = createHash('sha256');
    hash.update(JSON.stringify(this.rows.table.columns.map(({ name, type }) => [name, type])));
    for (const column of this.columns) column.hash(this.order, hash);
    return hash.digest('hex');
  }
}

function newBuffer({ type }: Column): ColumnBuffer {
  if (type === 'string' || type === 'json') return new TextBuffer();
  return new IntegerBuffer(type !== 'int32');
}
