import { createHash } from 'node:crypto';
import { canonicalJsonObject, isJsonObject, type JsonObject } from '../../text/exact-json.ts';
import type { RowSource, Value } from '../parquet/writer.ts';
import { type Column, indexOfColumn, type Table } from '../tables.ts';
import { type ColumnBuffer, IntegerBuffer, newBuffer } from './buffers.ts';
import { type FieldReader, fieldReader } from './fields.ts';

/** The footer's key for the hash of the content. */
export const CONTENT_HASH = 'cfe-lake.content-sha256';

/** The column that is set in rows that the API no longer lists. */
export const LAST_SEEN_COLUMN = 'visto_por_ultima_vez';

/** The receipts of one unit, column by column, in order of arrival. */
export class ReceiptRows {
  readonly table: Table;
  readonly rut: string;
  rowCount = 0;
  private readonly columns: readonly ColumnBuffer[];
  private readonly ids = new IntegerBuffer(true);
  /** Columns that the API's object has no value for, without `otros`, which the decoder fills. */
  private readonly computed: readonly { name: string; buffer: ColumnBuffer | undefined }[];
  private readonly decoder: ReceiptDecoder;

  constructor(table: Table, rut: string) {
    this.table = table;
    this.rut = rut;
    this.columns = table.columns.map((column) => (column.name === 'id' ? this.ids : newBuffer(column)));
    this.computed = table.columns.flatMap(({ name, path }, index) =>
      path === undefined && name !== 'otros' ? [{ name, buffer: this.columns[index] }] : [],
    );
    this.decoder = new ReceiptDecoder(table, this.columns);
  }

  /** Number of values that did not fit their column and went to `otros`. */
  get conversionErrors(): number {
    return this.decoder.conversionErrors;
  }

  set conversionErrors(count: number) {
    this.decoder.conversionErrors = count;
  }

  /** Appends a receipt as the API gave it. `computedValues`: those of the computed columns, without `rut`. */
  append(
    receipt: object,
    computedValues: Readonly<Record<string, number | bigint | string | null>> = NOTHING,
  ): void {
    this.decoder.append(receipt);
    for (const { name, buffer } of this.computed) {
      buffer?.append(name === 'rut' ? this.rut : (computedValues[name] ?? null));
    }
    this.rowCount += 1;
  }

  /** Appends all rows of another part of the same list. */
  appendRows(part: ReceiptRows): void {
    for (const [index, column] of this.columns.entries()) {
      const values = part.columns[index];
      if (values !== undefined) column.appendAll(values);
    }
    this.decoder.conversionErrors += part.conversionErrors;
    this.rowCount += part.rowCount;
  }

  /** Appends a stored row: values in the order of the table's columns. */
  appendValues(values: readonly Value[]): void {
    for (const [index, column] of this.columns.entries()) {
      const value = values[index] ?? null;
      column.append(typeof value === 'boolean' ? null : value);
    }
    this.rowCount += 1;
  }

  /** Appends a row that the API no longer lists. One that is already marked keeps its mark. */
  appendVanished(values: readonly Value[], lastSeenMicros: bigint): void {
    const { columns } = this.table;
    this.appendValues(
      values.map((value, index) =>
        columns[index]?.name === LAST_SEEN_COLUMN ? (value ?? lastSeenMicros) : value,
      ),
    );
  }

  /** The values of a row, in the order of the table's columns. */
  valuesOf(row: number): Value[] {
    return this.columns.map((column) => column.value(row));
  }

  id(row: number): bigint {
    const id = this.ids.value(row);
    return typeof id === 'bigint' ? id : 0n;
  }

  /** The id of two rows with different values. */
  differingId(): bigint | undefined {
    const firstRow = new Map<bigint, number>();
    for (let row = 0; row < this.rowCount; row += 1) {
      const id = this.id(row);
      const first = firstRow.get(id);
      if (first === undefined) firstRow.set(id, row);
      else if (this.columns.some((column) => column.value(first) !== column.value(row))) return id;
    }
    return undefined;
  }

  inOrderOfArrival(): SortedRows {
    return new SortedRows(this, this.columns, this.arrivalOrder());
  }

  private arrivalOrder(): Uint32Array {
    const order = new Uint32Array(this.rowCount);
    for (let row = 0; row < order.length; row += 1) order[row] = row;
    return order;
  }

  /** The rows sorted by id. Of rows with the same id, the first to arrive. */
  sorted(): SortedRows {
    const order = this.arrivalOrder();
    if (!this.isAscending()) order.sort((a, b) => this.ids.compare(a, b) || a - b);
    let unique = 0;
    for (const row of order) {
      if (unique > 0 && this.ids.compare(order[unique - 1] ?? 0, row) === 0) continue;
      order[unique] = row;
      unique += 1;
    }
    return new SortedRows(this, this.columns, order.subarray(0, unique));
  }

  private isAscending(): boolean {
    for (let row = 1; row < this.rowCount; row += 1) if (this.ids.compare(row - 1, row) > 0) return false;
    return true;
  }
}

interface Field {
  name: string;
  /** Dotted, from the top. */
  path: string;
  read: FieldReader;
  columnIndex: number;
}

/** The fields that the contract names at one level of the API's object. */
interface Level {
  name: string;
  path: string;
  fields: readonly Field[];
  levels: readonly Level[];
  names: ReadonlySet<string>;
}

/** Decodes the API's receipts into the columns of a table. */
class ReceiptDecoder {
  /** Number of values that did not fit their column, or had to be converted. */
  conversionErrors = 0;
  private readonly top: Level;
  private readonly columns: readonly ColumnBuffer[];
  private readonly otrosIndex: number;
  /** Values for `otros` of the current receipt, by path. A Map, in which a name such as `__proto__` is harmless. */
  private readonly unknownValues = new Map<string, unknown>();

  /** `columns`: one buffer for each column of the table, in its order. */
  constructor(table: Table, columns: readonly ColumnBuffer[]) {
    this.columns = columns;
    this.otrosIndex = indexOfColumn(table.columns, 'otros');
    if (this.otrosIndex < 0) throw new TypeError(`table ${table.name} has no column otros`);
    this.top = topLevelOf(table);
  }

  /** Appends one value to the buffer of every column that has a path, and to `otros`. */
  append(receipt: object): void {
    // Clearing allocates, even if the map is empty.
    if (this.unknownValues.size > 0) this.unknownValues.clear();
    this.appendLevel(this.top, receipt as JsonObject);
    this.bufferAt(this.otrosIndex).append(
      this.unknownValues.size === 0 ? null : canonicalJsonObject(this.unknownValues),
    );
  }

  private appendLevel(level: Level, wire: JsonObject): void {
    let known = 0;
    for (const field of level.fields) {
      const value = wire[field.name];
      if (value !== undefined) known += 1;
      this.appendField(field, value);
    }
    for (const inner of level.levels) {
      const value = wire[inner.name];
      if (value !== undefined) known += 1;
      const isObject = isJsonObject(value);
      if (!isObject && value !== null && value !== undefined) {
        this.conversionErrors += 1;
        this.unknownValues.set(inner.path, value);
      }
      this.appendLevel(inner, isObject ? value : NOTHING);
    }
    // Counting is cheaper than looking up every name, and hardly any receipt has unknown fields.
    for (const _name in wire) known -= 1;
    if (known < 0) this.keepUnknown(level, wire);
  }

  private keepUnknown(level: Level, wire: JsonObject): void {
    const prefix = level.path === '' ? '' : `${level.path}.`;
    for (const [name, value] of Object.entries(wire)) {
      if (!level.names.has(name)) this.unknownValues.set(prefix + name, value);
    }
  }

  private appendField(field: Field, value: unknown): void {
    const buffer = this.bufferAt(field.columnIndex);
    if (value === null || value === undefined) {
      buffer.append(null);
      return;
    }
    const fit = field.read(value, buffer);
    if (fit === 'fits') return;
    this.unknownValues.set(field.path, value);
    if (fit !== 'cutOff') this.conversionErrors += 1;
  }

  private bufferAt(columnIndex: number): ColumnBuffer {
    const buffer = this.columns[columnIndex];
    if (buffer === undefined) throw new TypeError(`there is no buffer for column ${columnIndex}`);
    return buffer;
  }
}

const NOTHING = {};

const topLevels = new WeakMap<Table, Level>();

/** Computed once for each table, since every day of every list has a decoder. */
function topLevelOf(table: Table): Level {
  const top = topLevels.get(table) ?? levelOf('', table.columns);
  topLevels.set(table, top);
  return top;
}

function levelOf(path: string, columns: readonly Column[]): Level {
  const prefix = path === '' ? '' : `${path}.`;
  const fields: Field[] = [];
  const innerNames = new Set<string>();
  for (const [columnIndex, column] of columns.entries()) {
    if (column.path === undefined || !column.path.startsWith(prefix)) continue;
    const [name = '', ...innerPath] = column.path.slice(prefix.length).split('.');
    if (innerPath.length > 0) innerNames.add(name);
    else fields.push({ name, path: column.path, read: fieldReader(column), columnIndex });
  }
  const levels = [...innerNames].map((name) => levelOf(prefix + name, columns));
  const names = new Set([...fields.map(({ name }) => name), ...innerNames]);
  return { name: path.split('.').at(-1) ?? '', path, fields, levels, names };
}

/** The rows of a unit's object: sorted by id, none twice. */
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
    if (column === undefined) return [];
    const values = new Array<Value>(Math.min(end, this.rowCount) - start);
    for (let index = 0; index < values.length; index += 1)
      values[index] = column.value(this.order[start + index] ?? 0);
    return values;
  }

  textBytes(index: number): number {
    const row = this.order[index] ?? 0;
    let bytes = 0;
    for (const column of this.columns) bytes += column.textBytes?.(row) ?? 0;
    return bytes;
  }

  id(index: number): bigint {
    return this.rows.id(this.order[index] ?? 0);
  }

  /** The values of the row at this index, in the order of the table's columns. */
  valuesOf(index: number): Value[] {
    return this.rows.valuesOf(this.order[index] ?? 0);
  }

  /**
   * SHA-256 of the content, in hexadecimal. The same receipts give the same hash, in whatever order they arrived and
   * whichever writer stores them. It depends on the columns.
   */
  contentHash(): string {
    const { table } = this.rows;
    // Most units of a night are empty.
    const known = this.rowCount === 0 ? HASHES_OF_NONE.get(table) : undefined;
    if (known !== undefined) return known;
    const hash = createHash('sha256').update(columnsText(table.columns));
    if (this.rowCount > 0) for (const column of this.columns) column.hash(this.order, hash);
    const digest = hash.digest('hex');
    if (this.rowCount === 0) HASHES_OF_NONE.set(table, digest);
    return digest;
  }
}

const HASHES_OF_NONE = new WeakMap<Table, string>();

function columnsText(columns: readonly Column[]): string {
  return JSON.stringify(columns.map(({ name, type }) => [name, type]));
}
