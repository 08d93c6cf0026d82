import type { Column } from '../tables.ts';

/**
 * A value that its column cannot hold exactly: a 22-digit amount, an id past 64 bits, a number where text
 * belongs, a null in a required column. Nothing of the value is in the message: it may be anyone's data.
 */
export class ValueOutOfRangeError extends Error {
  override readonly name = 'ValueOutOfRangeError';
  readonly columnName: string;
  /** Index of the row in the file, from 0. */
  readonly rowIndex: number;

  constructor(column: Column, rowIndex: number, found: string) {
    super(
      `Column ${column.name} (${column.type}), row ${rowIndex}: cannot hold ${found}. ` +
        'Nothing is rounded: pass null and keep the value in otros.',
    );
    this.columnName = column.name;
    this.rowIndex = rowIndex;
  }
}

/** A column of a stored file is of another type than the lake's tables say. */
export class ColumnMismatchError extends Error {
  override readonly name = 'ColumnMismatchError';
  readonly columnName: string;

  constructor(column: Column, found: string) {
    super(
      `Column ${column.name} should be ${column.type}, but the file has ${found}. ` +
        'Another version or program wrote it: update this one (git pull && npm ci), or move the file away and export ' +
        'its day again.',
    );
    this.columnName = column.name;
  }
}
