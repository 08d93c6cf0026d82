import { canonicalJsonObject } from '../../api/json.ts';
import type { Column, Table } from '../tables.ts';
import type { ColumnBuffer } from './buffers.ts';
import { type FieldReader, fieldReader } from './fields.ts';

type WireObject = Readonly<Record<string, unknown>>;

interface Field {
  column: Column;
  read: FieldReader;
  buffer: ColumnBuffer;
}

/** What the contract names at one level of the wire object. */
interface Level {
  /** Dotted path up to here, with its dot; empty at the top. */
  prefix: string;
  fields: ReadonlyMap<string, Field>;
  levels: ReadonlyMap<string, Level>;
}

/** Puts receipts, as they came, into the columns of a table. */
export class ReceiptDecoder {
  /** Values that did not fit their column, so far. */
  misfits = 0;
  private readonly top: Level;
  private readonly othersBuffer: ColumnBuffer;
  /** By path, of the receipt at hand; a Map, since a name such as `__proto__` is only a name here. */
  private readonly others = new Map<string, unknown>();

  /** `buffers` are those of the table's columns, by name. */
  constructor(table: Table, buffers: ReadonlyMap<string, ColumnBuffer>) {
    const othersBuffer = buffers.get('otros');
    if (othersBuffer === undefined) throw new TypeError(`table ${table.name} has no column otros`);
    this.othersBuffer = othersBuffer;
    this.top = levelOf('', table.columns, buffers);
  }

  /** Appends one value to the buffer of every column that has a path, and to `otros`. */
  append(receipt: object): void {
    this.others.clear();
    this.appendLevel(this.top, receipt as WireObject);
    this.othersBuffer.append(this.others.size === 0 ? null : canonicalJsonObject(this.others));
  }

  private appendLevel(level: Level, wire: WireObject): void {
    for (const [name, field] of level.fields) this.appendField(field, wire[name], level.prefix + name);
    for (const [name, inner] of level.levels) {
      const value = wire[name];
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (!isObject && value !== null && value !== undefined) {
        this.misfits += 1;
        this.others.set(level.prefix + name, value);
      }
      this.appendLevel(inner, isObject ? (value as WireObject) : {});
    }
    for (const name in wire) {
      if (!level.fields.has(name) && !level.levels.has(name))
        this.others.set(level.prefix + name, wire[name]);
    }
  }

  private appendField(field: Field, value: unknown, path: string): void {
    if (value === null || value === undefined) {
      field.buffer.append(null);
      return;
    }
    const reading = field.read(value);
    field.buffer.append(reading.kind === 'misfit' ? null : reading.value);
    if (reading.kind === 'fits') return;
    this.others.set(path, value);
    if (reading.kind === 'misfit') this.misfits += 1;
  }
}

function levelOf(
  prefix: string,
  columns: readonly Column[],
  buffers: ReadonlyMap<string, ColumnBuffer>,
): Level {
  const fields = new Map<string, Field>();
  const innerNames = new Set<string>();
  for (const column of columns) {
    if (column.path === undefined || !column.path.startsWith(prefix)) continue;
    const [name = '', ...rest] = column.path.slice(prefix.length).split('.');
    if (rest.length > 0) {
      innerNames.add(name);
      continue;
    }
    const buffer = buffers.get(column.name);
    if (buffer !== undefined) fields.set(name, { column, read: fieldReader(column), buffer });
  }
  const levels = new Map(
    [...innerNames].map((name) => [name, levelOf(`${prefix}${name}.`, columns, buffers)] as const),
  );
  return { prefix, fields, levels };
}
