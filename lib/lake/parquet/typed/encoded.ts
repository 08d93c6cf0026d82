import type { Encoding, SchemaElement } from 'hyparquet';
import type { Column } from '../../tables.ts';
import { bitWidth } from './bit-packer.ts';
import type { ByteSink } from './byte-sink.ts';
import { writeHybrid } from './hybrid.ts';

export interface TypedChunkOptions {
  column: Column;
  type: SchemaElement['type'];
  compress: (bytes: Uint8Array) => Uint8Array;
  /** Whether the column's values tend to rise from row to row. */
  hasSmallDeltas: boolean;
}

/** What the pages of a chunk hold: values without their nulls, encoded. */
export interface EncodedValues {
  encoding: Encoding;
  data: ByteSink;
  dictionary?: { data: ByteSink; count: number };
  /** Absent where there is no value, and for documents: nobody filters by a whole one, and they are long. */
  bounds?: { least: bigint | number | string; greatest: bigint | number | string };
}

/** Places in a dictionary of so many values: how many bits each takes, and they. */
export function writeIndexes(into: ByteSink, indexes: Uint32Array, distinctCount: number): void {
  const bits = bitWidth(distinctCount - 1);
  into.byte(bits);
  writeHybrid(into, indexes, bits);
}
