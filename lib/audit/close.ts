import { unitKey } from '../lake/layout.ts';
import { DamagedObjectError, notingDamage, readFileMetadata } from '../lake/parquet/reader.ts';
import { inRowGroups } from '../lake/parquet/writer.ts';
import { type LakeStore, readObject, retriedOnRace, type StoredObject } from '../lake/store/store.ts';
import { CAMBIOS, EXPORTACIONES, TABLE_OF, type Table } from '../lake/tables.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import { systemClock } from '../time/clock.ts';
import { isDay } from '../time/days.ts';
import type { Unit } from '../units/unit.ts';
import {
  CHANGED_FROM,
  CLOSED_PARTS,
  changesPartName,
  IS_COMPLETE,
  isLatePart,
  isSameRun,
  LAST_WRITE,
  listOpenRuns,
  listParts,
  type Part,
  parseChangesPartName,
  partKey,
  type Run,
  readRunFooter,
  runKey,
  writeName,
} from './keys.ts';
import { findLateUnits, stageLateReceipts } from './late-receipts.ts';
import { type RunPlan, readPlanIfOver } from './plan.ts';
import { batchesOfParts, byRut, completed, mergedByRut, PARTS_AT_ONCE } from './run-rows.ts';
import type { AuditTools } from './write.ts';

/**
 * Closes all runs that have parts: moves their rows into the run's one object in each table, sorted by RUT. A run that
 * is still active is closed too; what it writes later is added next time. Of runs that are over, and of `ended`, units
 * without a row get one that says that they failed, and late receipts are told of. Safe to run several times at once,
 * and to interrupt. Returns why something could not be read; damaged parts stay where they are.
 */
export async function closeRuns(
  tools: AuditTools,
  nowMs = systemClock.now(),
  ended?: RunPlan,
): Promise<string[]> {
  const damaged = new Set<string>();
  const note = (reason: string) => damaged.add(reason);
  const close = async (run: Run, plan: RunPlan | undefined) => {
    for (const reason of await closeRun(tools, run, plan)) note(reason);
  };
  for (const run of await listOpenRuns(tools.store)) {
    if (isSameRun(run, ended?.run)) continue;
    await close(run, await notingDamage(note, () => readPlanIfOver(tools.store, run, nowMs)));
  }
  if (ended !== undefined) await close(ended.run, ended);
  return [...damaged];
}

/** Closes one run. `plan`: of one that is over. Returns why something could not be read. */
export async function closeRun(tools: AuditTools, run: Run, plan: RunPlan | undefined): Promise<string[]> {
  const ofChanges = await closeTable(tools, CAMBIOS, run);
  const ofAudit = await closeTable(tools, EXPORTACIONES, run, plan);
  return [...new Set([...ofChanges, ...ofAudit])];
}

/** Tells of the late receipts of a run whose rows are all in its object. Returns why something could not be read. */
async function tellLateReceipts(tools: AuditTools, run: Run): Promise<string[]> {
  const { store } = tools;
  const late = await findLateUnits(store, run);
  if (late.units.length === 0) return [...late.damaged];
  // What all runs have told of has to be in their objects. What is damaged of the others is theirs to say.
  for (const open of await listOpenRuns(store)) {
    const damaged = await closeTable(tools, CAMBIOS, open);
    if (isSameRun(open, run) && damaged.length > 0) return damaged;
  }
  const { isAnyStaged, damaged } = await stageLateReceipts(tools, run, late.units);
  return isAnyStaged ? [...damaged, ...(await closeTable(tools, CAMBIOS, run))] : damaged;
}

/**
 * Closes one run in one table. Another process may do the same at the same time. `plan`: that of a run that is over,
 * for `exportaciones`.
 */
export async function closeTable(
  tools: AuditTools,
  table: Table,
  run: Run,
  plan?: RunPlan,
): Promise<string[]> {
  try {
    return await retriedOnRace(() => foldParts(tools, table, run, plan));
  } catch (error) {
    if (!(error instanceof DamagedObjectError)) throw error;
    return [error.message];
  }
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

async function foldParts(
  tools: AuditTools,
  table: Table,
  run: Run,
  plan: RunPlan | undefined,
): Promise<string[]> {
  const { store, writer } = tools;
  const key = runKey(table, run);
  // Found before the parts are listed, so that it holds every part that is gone by then.
  const found = await store.find(key);
  const parts = await listParts(store, table, run);
  // A run of no company leaves nothing.
  if (parts.length === 0 && (plan?.companies ?? []).length === 0) return [];
  const closed = found && (await store.open(key));
  try {
    const known = await readRunFooter(closed);
    const done = parts.filter(({ name }) => known.parts.has(name));
    const late = [...known.parts].filter(isLatePart);
    const damaged: string[] = [];
    const { wanted, dropped } = await sortOut(
      store,
      parts.filter(({ name }) => !known.parts.has(name)),
      damaged,
    );
    const toComplete = known.isComplete ? undefined : plan;
    const untold: string[] = [];
    const tellLate = async () => {
      const isNews = parts.length > 0 || toComplete !== undefined;
      if (plan !== undefined && isNews && damaged.length === 0)
        untold.push(...(await tellLateReceipts(tools, run)));
    };
    // Perhaps no part is left to say that this has to be tried again: until it is told, the run is not complete.
    if (wanted.length === 0) await tellLate();
    const folded: Part[] = [];
    if (wanted.length > 0 || toComplete !== undefined) {
      const { columns } = table;
      const unread: Part[] = [];
      const added = batchesOfParts(store, wanted, columns, (part, damage) => {
        if (damage === undefined) folded.push(part);
        else {
          damaged.push(damage);
          unread.push(part);
        }
      });
      const recorded = mergedByRut(closed === undefined ? [] : byRut(closed, columns), added);
      const batches = toComplete === undefined ? recorded : completed(recorded, toComplete, unread);
      // Only when all rows are written is it known which parts they include.
      const metadata = () => ({
        [CLOSED_PARTS]: [...new Set([...late, ...[...done, ...folded].map(({ name }) => name)])].join(' '),
        ...((known.isComplete ||
          (toComplete !== undefined && unread.length === 0 && untold.length === 0)) && {
          [IS_COMPLETE]: 'true',
        }),
      });
      const bytes = writer({ columns, rows: inRowGroups(batches, columns.length), metadata });
      await store.replace(key, bytes, { metadata: {}, expected: found });
    }
    if (wanted.length > 0) await tellLate();
    // The parts stay: they say that this has to be tried again.
    if (untold.length > 0) return untold;
    await forEachConcurrent([...done, ...folded, ...dropped], PARTS_AT_ONCE, (part) =>
      store.remove(part.key),
    );
    return damaged;
  } finally {
    await closed?.close();
  }
}

/**
 * Which parts belong in the run's object: results, and changes whose write of the unit took place. Changes whose write
 * can no longer take place are dropped. The others stay, since their write may still take place.
 */
async function sortOut(
  store: LakeStore,
  parts: readonly Part[],
  damaged: string[],
): Promise<{ wanted: Part[]; dropped: Part[] }> {
  const wanted: Part[] = [];
  const dropped: Part[] = [];
  const sort = async (part: Part) => {
    const unit = parseChangesPartName(part.name);
    if (part.table !== CAMBIOS.name || unit === undefined) {
      wanted.push(part);
      return;
    }
    const from = await changedFrom(store, part);
    const stored = await store.find(unitKey(TABLE_OF[unit.direction].name, unit.day, part.rut));
    if (stored?.metadata[LAST_WRITE] === writeName(part.run, unit.write)) wanted.push(part);
    else if ((stored?.version ?? '') !== from) dropped.push(part);
  };
  const note = (reason: string) => damaged.push(reason);
  await forEachConcurrent(parts, PARTS_AT_ONCE, (part) => notingDamage(note, () => sort(part)));
  // By key, and so by RUT.
  return { wanted: wanted.sort((a, b) => (a.key < b.key ? -1 : 1)), dropped };
}

async function changedFrom(store: LakeStore, { key }: Part): Promise<string | undefined> {
  const { metadata } = await readObject(store, key, readFileMetadata);
  return metadata[CHANGED_FROM];
}
