import { readLagRecords } from '../lake/lag-record.ts';
import type { LakeStore } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import { isLagging } from '../publish/publish-day.ts';
import { isWithin, type Period } from '../time/days.ts';

/** The most days to check: the note is not worth a long wait. */
const MOST_DAYS = 62;

/** A note that names the days within the range that lag behind their units; undefined if none does. */
export async function lagNote(
  store: LakeStore,
  tables: readonly Table[],
  range: Period,
): Promise<string | undefined> {
  const days = new Set<string>();
  const records = (await readLagRecords(store)).filter(({ table }) => tables.includes(table));
  const asked = records
    .flatMap(({ table, days: recorded }) => recorded.map((day) => ({ table, day })))
    .filter(({ table, day }) => {
      const name = `${table.name} ${day}`;
      if (!isWithin(range, day) || days.has(name)) return false;
      days.add(name);
      return true;
    });
  const looked = asked.slice(-MOST_DAYS);
  const lagging = [];
  for (const day of looked) if (await isLagging(store, day)) lagging.push(`${day.table.name} ${day.day}`);
  const rest = asked.length - looked.length;
  if (lagging.length === 0 && rest === 0) return undefined;
  const named =
    lagging.length === 0
      ? `${rest} days`
      : `${lagging.slice(0, 3).join(', ')}${lagging.length > 3 ? ', …' : ''}`;
  return (
    `This answer may lack some of what was exported: ${named} may lag behind. An export is running, or was ` +
    'interrupted; publish, or the next export, brings the tables up to date.'
  );
}
