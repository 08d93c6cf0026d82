import { randomUUID } from 'node:crypto';
import type { Unit } from '../export/units.ts';
import { type Row, rowsOf } from '../lake/parquet/writer.ts';
import type { StoredObject } from '../lake/store/store.ts';
import { CAMBIOS } from '../lake/tables.ts';
import { isDay } from '../time/days.ts';
import { closeTable } from './close.ts';
import { CHANGED_FROM, changesPartName, LAST_WRITE, partKey, type Run, writeName } from './keys.ts';
import type { AuditTools } from './write.ts';

/**
 * Stages the rows of `cambios` that come with a write of a unit, and returns the name of that write. They count once
 * the unit's object has this name in its footer, and are dropped if it can no longer get it.
 */
export async function stageChanges(
  { store, writer }: AuditTools,
  run: Run,
  unit: Unit,
  stored: StoredObject | undefined,
  rows: readonly Row[],
): Promise<string> {
  const write = randomUUID().replaceAll('-', '');
  const { columns } = CAMBIOS;
  const metadata = { [CHANGED_FROM]: stored?.version ?? '' };
  const key = partKey(CAMBIOS, run, unit.rut, changesPartName(unit, write));
  await store.replace(key, writer({ columns, rows: rowsOf(columns, rows), metadata }), {
    metadata: {},
    expected: undefined,
  });
  return writeName(run, write);
}

/**
 * Moves the changes of a unit's last write into `cambios`, unless they are there already. Call it before the object is
 * replaced: afterwards nothing shows that this write took place.
 */
export async function confirmChanges(tools: AuditTools, unit: Unit, stored: StoredObject): Promise<void> {
  const [day = '', id, write] = stored.metadata[LAST_WRITE]?.split('/') ?? [];
  if (!isDay(day) || id === undefined || write === undefined) return;
  const run = { day, id };
  const key = partKey(CAMBIOS, run, unit.rut, changesPartName(unit, write));
  if ((await tools.store.find(key)) !== undefined) await closeTable(tools, CAMBIOS, run);
}
