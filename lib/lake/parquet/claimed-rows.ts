import { findFooter, parsedFooter } from './footer.ts';
import { asyncBuffer, orDamaged, type ParquetInput } from './reader.ts';

/** That of ten million rows is smaller. Parsed, a byte may be an object. */
const MOST_FOOTER_BYTES = 2 ** 20;

/** How many rows a reader looks for, by the footer's row groups: nothing has to be there. Throws DamagedObjectError. */
export async function claimedRows(input: ParquetInput): Promise<number> {
  return await orDamaged(
    input,
    findFooter(asyncBuffer(input), MOST_FOOTER_BYTES).then((place) =>
      parsedFooter(place).row_groups.reduce((sum, { num_rows: rows }) => sum + Math.abs(Number(rows)), 0),
    ),
  );
}
