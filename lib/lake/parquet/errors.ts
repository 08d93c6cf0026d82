import { CfeLakeError } from '../../errors.ts';
import type { Column } from '../tables.ts';

/**
 * A value that its column cannot hold exactly: a 22-digit amount, an id past 64 bits, a number in a text column, a null
 * in a required one. The message does not show the value, which is a customer's data.
 */
export class ValueOutOfRangeError extends CfeLakeError {
  override readonly name = 'ValueOutOfRangeError';
  readonly columnName: string;
  /** Index of the row in the file, from 0. */
  readonly rowIndex: number;

  constructor(column: Column, rowIndex: number, found: string) {
    super(`Column ${column.name} (${column.type}), row ${rowIndex}: cannot hold ${found}.`, {
      advice: 'Nothing is rounded: pass null and keep the value in otros.',
    });
    this.columnName = column.name;
    this.rowIndex = rowIndex;
  }
}

/** A column of a stored file has another type than in the lake's tables. */
export class ColumnMismatchError extends CfeLakeError {
  override readonly name = 'ColumnMismatchError';
  readonly columnName: string;

  constructor(column: Column, found: string) {
    super(`Column ${column.name} should be ${column.type}, but the file has ${found}.`, {
      advice:
        'Another version or program wrote it: update this one (git pull && npm ci), or move the file away and export ' +
        'its day again.',
    });
    this.columnName = column.name;
  }
}

/**
 * An object of the lake is not a Parquet file, or not as its writer left it: bytes were lost or changed. Reading it ends
 * with this error, in time and memory bounded by its size.
 */
export class DamagedObjectError extends CfeLakeError {
  override readonly name = 'DamagedObjectError';

  /** `object`: its key and store. */
  constructor(object: string, whatIsWrong: string, options?: ErrorOptions) {
    super(`${object} is damaged, or not a Parquet file: ${whatIsWrong}.`, {
      ...options,
      advice:
        'Restore a copy (in a bucket, an earlier version). If there is none, move the object away and export its ' +
        'days again; rows that the API no longer lists were only in it.',
    });
  }
}

/** A row does not come after the one before it: the merged file would be unsorted, or have a row twice. */
export class UnsortedRowsError extends CfeLakeError {
  override readonly name = 'UnsortedRowsError';
  /** Index of the row in the merged file, from 0. */
  readonly rowIndex: number;

  constructor(key: readonly string[], rowIndex: number) {
    super(
      `Row ${rowIndex} of the merged objects does not come after the row before it, by ${key.join(' and ')}: an object ` +
        'came in the wrong place or twice, or has rows of another company.',
      { advice: 'Nothing was replaced. Check the objects of that day.' },
    );
    this.rowIndex = rowIndex;
  }
}
