import { canonicalJsonObject, isJsonObject, type JsonObject } from '../../text/exact-json.ts';
import { type Column, indexOfColumn, type Table } from '../tables.ts';
import type { ColumnBuffer } from './buffers.ts';
import { type FieldReader, fieldReader } from './fields.ts';

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
export class ReceiptDecoder {
  /** Number of values that did not fit their column, or had to be converted. */
  conversionErrors = 0;
  private readonly top: Level;
  private readonly columns: readonly ColumnBuffer[];
  private readonly othersIndex: number;
  /** Values for `otros` of the current receipt, by path. A Map, in which a name such as `__proto__` is harmless. */
  private readonly others = new Map<string, unknown>();

  /** `columns`: one buffer for each column of the table, in its order. */
  constructor(table: Table, columns: readonly ColumnBuffer[]) {
    this.columns = columns;
    this.othersIndex = indexOfColumn(table.columns, 'otros');
    if (this.othersIndex < 0) throw new TypeError(`table ${table.name} has no column otros`);
    this.top = topLevelOf(table);
  }

  /** Appends one value to the buffer of every column that has a path, and to `otros`. */
  append(receipt: object): void {
    // Clearing allocates, even if the map is empty.
    if (this.others.size > 0) this.others.clear();
    this.appendLevel(this.top, receipt as JsonObject);
    this.bufferAt(this.othersIndex).append(this.others.size === 0 ? null : canonicalJsonObject(this.others));
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
        this.others.set(inner.path, value);
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
      if (!level.names.has(name)) this.others.set(prefix + name, value);
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
    this.others.set(field.path, value);
    if (fit !== 'cutOff') this.conversionErrors += 1;
  }

  private bufferAt(columnIndex: number): ColumnBuffer {
    const buffer = this.columns[columnIndex];
    if (buffer === undefined) throw new TypeError(`there is no buffer for column ${columnIndex}`);
    return buffer;
  }
}

const NOTHING: JsonObject = {};

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
    const [name = '', ...rest] = column.path.slice(prefix.length).split('.');
    if (rest.length > 0) innerNames.add(name);
    else fields.push({ name, path: column.path, read: fieldReader(column), columnIndex });
  }
  const levels = [...innerNames].map((name) => levelOf(prefix + name, columns));
  const names = new Set([...fields.map(({ name }) => name), ...innerNames]);
  return { name: path.split('.').at(-1) ?? '', path, fields, levels, names };
}
