import type { Hash } from 'node:crypto';
import type { Value } from '../parquet/writer.ts';
import type { Column } from '../tables.ts';
import { IntegerBuffer } from './integers.ts';
import { LooseTextBuffer } from './loose-texts.ts';
import { TextBuffer } from './texts.ts';

/** The values of one column, kept compactly while the rows of a unit come in. */
export interface ColumnBuffer {
  append(value: number | bigint | string | null): void;
  /** Appends all values of a buffer of the same kind. */
  appendAll(other: ColumnBuffer): void;
  /** The value of a row as the Parquet writers take it. */
  value(row: number): Value;
  /** The values of these rows, in this order. */
  valuesOf(rows: Uint32Array): Value[];
  /** About how many bytes the text of a row has; absent where there is none. */
  textBytes?(row: number): number;
  /** Feeds the values of these rows, in this order, into a hash: equal values always give equal bytes. */
  hash(rows: Uint32Array, into: Hash): void;
}

export function newBuffer({ type }: Column): ColumnBuffer {
  if (type === 'string') return new TextBuffer();
  if (type === 'json') return new LooseTextBuffer();
  return new IntegerBuffer(type !== 'int32' && type !== 'date');
}
