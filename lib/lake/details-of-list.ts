import type { Day } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import type { Direction } from '../units/unit.ts';
import { unitKey } from './layout.ts';
import { CONTENT_HASH } from './rows/receipt-rows.ts';
import type { LakeStore } from './store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF } from './tables.ts';

/** The hash of the list that the details of an object were read for; absent while they are of several. */
export const LIST_HASH = 'cfe-lake.list-sha256';

/**
 * Whether a unit's details were stored for another list than the one that is stored, so that some may be of receipts as
 * they were; undefined if it has none. Throws what LakeStore.find throws.
 */
export async function areDetailsOlder(
  store: LakeStore,
  { rut, direction, day }: { rut: Rut; direction: Direction; day: Day },
): Promise<boolean | undefined> {
  const details = await store.find(unitKey(DETAIL_TABLE_OF[direction].name, day, rut));
  if (details === undefined) return undefined;
  const list = await store.find(unitKey(TABLE_OF[direction].name, day, rut));
  return details.metadata[LIST_HASH] !== list?.metadata[CONTENT_HASH];
}
