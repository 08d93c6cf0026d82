import { findFooter, parsedFooter } from './footer.ts';
import { asyncBuffer, orDamaged, type ParquetInput } from './reader.ts';

/** How many rows a reader looks for, by the footer's row groups: nothing has to be there. Throws DamagedObjectError. */
export async function claimedRows(input: ParquetInput): Promise<number> {
  return await orDamaged(
    input,
    findFooter(asyncBuffer(input)).then((place) =>
      parsedFooter(place).row_groups.reduce((sum, { num_rows: rows }) => sum + Math.abs(Number(rows)), 0),
    ),
  );
}
