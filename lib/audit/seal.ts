import { unitKey } from '../lake/layout.ts';
import { notingDamage, readFileMetadata } from '../lake/parquet/reader.ts';
import { type LakeStore, readObject, retriedOnRace, type StoredObject } from '../lake/store/store.ts';
import { CAMBIOS, EXPORTACIONES, TABLE_OF, type Table } from '../lake/tables.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import { isDay } from '../time/days.ts';
import type { Unit } from '../units/unit.ts';
import {
  CHANGED_FROM,
  changesPartKey,
  LAST_WRITE,
  listOpenRuns,
  listParts,
  type Part,
  type Run,
  runKey,
  SEALED_PARTS,
  writeName,
} from './keys.ts';
import { addUnrecorded, type PlannedRun, plannedByChanges } from './planned.ts';
import { loadRun, PARTS_AT_ONCE } from './run-rows.ts';
import type { AuditTools } from './write.ts';

/**
 * Seals what runs have left: the parts of all runs that are `asked` for, by default all. A run that is still active
 * may be sealed too; what it writes later is added next time. Safe to run several times at once, and to interrupt.
 * Returns why something could not be read; damaged parts stay where they are.
 */
export async function sealRuns(
  tools: AuditTools,
  isAsked: (run: Run) => boolean | Promise<boolean> = () => true,
): Promise<string[]> {
  const damaged: string[] = [];
  for (const run of await listOpenRuns(tools.store)) {
    if (await isAsked(run)) damaged.push(...(await sealRun(tools, run)));
  }
  return damaged;
}

/**
 * Moves the rows of a run's parts into its one object in each table, sorted by RUT. `planned`: of a run that has ended;
 * its units without a row get one that says that they failed. Of any other run, those do that it staged changes of.
 * Another process may do the same at the same time.
 */
export async function sealRun(tools: AuditTools, run: Run, planned?: PlannedRun): Promise<string[]> {
  const staged = await listParts(tools.store, CAMBIOS, run);
  const stagedKeys = new Set(staged.map(({ key }) => key));
  const lacking = planned ?? (staged.length === 0 ? undefined : plannedByChanges(run, staged));
  const seal = (table: Table, options: MergeOptions) =>
    retriedOnRace(() => mergeParts(tools, table, run, options));
  const damaged = [
    // First: until their units have a row, the staged changes alone tell that their lists may be newer than the audit.
    ...(await seal(EXPORTACIONES, { planned: lacking })),
    ...(await seal(CAMBIOS, { isOver: ({ key }) => stagedKeys.has(key) })),
  ];
  return [...new Set(damaged)];
}

/**
 * Moves the changes of a unit's last write into `cambios`, unless they are there already. Call it before the object is
 * replaced: afterwards nothing shows that this write took place.
 */
export async function confirmChanges(tools: AuditTools, unit: Unit, stored: StoredObject): Promise<void> {
  const [day = '', id, write] = stored.metadata[LAST_WRITE]?.split('/') ?? [];
  if (!isDay(day) || id === undefined || write === undefined) return;
  const run = { day, id };
  const key = changesPartKey(run, unit, write);
  if ((await tools.store.find(key)) === undefined) return;
  // The parts stay: who exports in AWS may not write the rows that have to be there before they go.
  await retriedOnRace(() => mergeParts(tools, CAMBIOS, run, { isOver: () => false }));
}

interface MergeOptions {
  planned?: PlannedRun | undefined;
  /** Which parts are removed once the object has their rows; default: all. */
  isOver?: (part: Part) => boolean;
}

async function mergeParts(
  { store, writer }: AuditTools,
  table: Table,
  run: Run,
  { planned, isOver = () => true }: MergeOptions,
): Promise<string[]> {
  if (planned === undefined && (await listParts(store, table, run)).length === 0) return [];
  const { columns } = table;
  const damaged: string[] = [];
  const onDamage = (reason: string) => damaged.push(reason);
  let dropped: readonly Part[] = [];
  const choose = async (parts: readonly Part[]) => {
    const sorted = await sortOut(store, parts, onDamage);
    dropped = sorted.dropped;
    return sorted.wanted;
  };
  const loaded = await loadRun(store, table, run, { columns, choose, onDamage });
  const { rows, sealed, known, added, unread } = loaded;
  if (loaded.isSealedDamaged) return damaged;
  const lackingCount = planned === undefined ? 0 : addUnrecorded(rows, planned, unread);
  if (added.length + lackingCount > 0) {
    const names = [...known, ...added].map(({ name }) => name);
    const bytes = writer({ columns, rows, metadata: { [SEALED_PARTS]: names.join(' ') } });
    await store.replace(runKey(table, run), bytes, { metadata: {}, expected: sealed });
  }
  const over = [...known, ...added, ...dropped].filter(isOver);
  await forEachConcurrent(over, PARTS_AT_ONCE, (part) => store.remove(part.key));
  return damaged;
}

/**
 * Which parts belong in the run's object: results, and changes whose write of the unit took place. Changes whose write
 * can no longer take place are dropped. The others stay, since their write may still take place.
 */
async function sortOut(
  store: LakeStore,
  parts: readonly Part[],
  onDamage: (reason: string) => void,
): Promise<{ wanted: Part[]; dropped: Part[] }> {
  const wanted: Part[] = [];
  const dropped: Part[] = [];
  const sort = async (part: Part) => {
    if (part.changes === undefined) {
      wanted.push(part);
      return;
    }
    const { unit, write } = part.changes;
    const from = await changedFrom(store, part);
    const stored = await store.find(unitKey(TABLE_OF[unit.direction].name, unit.day, unit.rut));
    if (stored?.metadata[LAST_WRITE] === writeName(part.run, write)) wanted.push(part);
    else if ((stored?.version ?? '') !== from) dropped.push(part);
  };
  await forEachConcurrent(parts, PARTS_AT_ONCE, (part) => notingDamage(onDamage, () => sort(part)));
  return { wanted, dropped };
}

async function changedFrom(store: LakeStore, { key }: Part): Promise<string | undefined> {
  const { metadata } = await readObject(store, key, readFileMetadata);
  return metadata[CHANGED_FROM];
}
