import type { Table } from '../lake/tables.ts';

/** A stored object has columns that this program does not know; writing it anew would lose them. */
export class NewerObjectError extends Error {
  override name = 'NewerObjectError';
  constructor(key: string, address: string, columnNames: readonly string[]) {
    super(
      `${key} in ${address} has columns that this version does not know (${columnNames.join(', ')}): a newer one ` +
        'wrote it. Update this program (git pull && npm ci); nothing was replaced.',
    );
  }
}

/** A stored object is Parquet, but not of the lake's table. */
export class ForeignObjectError extends Error {
  override name = 'ForeignObjectError';
  constructor(key: string, address: string, columnName: string) {
    super(
      `${key} in ${address} has no column ${columnName}, so another program wrote it. Move it away, then export ` +
        'that day again; nothing was replaced.',
    );
  }
}

/**
 * The table's columns that a stored object lacks, because it was written before they were. Throws ForeignObjectError
 * or NewerObjectError when it is not to be read as that table.
 */
export function lackingColumns(
  { columns }: Table,
  storedNames: readonly string[],
  { key, address }: { key: string; address: string },
): ReadonlySet<string> {
  const lacking = columns.filter(({ name }) => !storedNames.includes(name));
  const missing = lacking.find(({ required }) => required === true);
  if (missing !== undefined) throw new ForeignObjectError(key, address, missing.name);
  const unknown = storedNames.filter((stored) => !columns.some(({ name }) => name === stored));
  if (unknown.length > 0) throw new NewerObjectError(key, address, unknown);
  return new Set(lacking.map(({ name }) => name));
}
