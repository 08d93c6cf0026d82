import { forEachConcurrent } from '../concurrency.ts';
import { unitKey } from '../lake/layout.ts';
import { inRowGroups } from '../lake/parquet/merge-objects.ts';
import {
  DamagedObjectError,
  notingDamage,
  type RowBatch,
  readFileMetadata,
  readRowGroups,
} from '../lake/parquet/reader.ts';
import {
  type LakeStore,
  type ObjectBytes,
  readObject,
  retriedOnRace,
  type StoredObject,
  undefinedIfMissing,
} from '../lake/store/store.ts';
import { CAMBIOS, EXPORTACIONES, indexOfColumn, TABLE_OF, type Table } from '../lake/tables.ts';
import { systemClock } from '../time/clock.ts';
import { dayNumber, isDay } from '../time/days.ts';
import type { Unit } from '../units.ts';
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
import { stageLateReceipts } from './late-receipts.ts';
import { isOver, type RunPlan, readPlan, unitsByCompany, unrecordedResult } from './plan.ts';
import { rowOf, unitName } from './row.ts';
import type { AuditTools } from './write.ts';

const PARTS_AT_ONCE = 16;

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
  const over: RunPlan[] = [];
  const others = (await listOpenRuns(tools.store)).filter((run) => !isSameRun(run, ended?.run));
  for (const run of ended === undefined ? others : [...others, ended.run]) {
    let plan = isSameRun(run, ended?.run) ? ended : undefined;
    await notingDamage(note, async () => {
      const stored = await readPlan(tools.store, run);
      if (stored !== undefined && isOver(stored, nowMs)) plan ??= stored;
    });
    const ofRun = await closeTables(tools, run, plan);
    for (const reason of ofRun) note(reason);
    if (plan !== undefined && ofRun.length === 0) over.push(plan);
  }
  // What all runs told of is in their objects by now.
  for (const { run } of over) for (const reason of await tellLateReceipts(tools, run)) note(reason);
  return [...damaged];
}

/** Closes a run that is over. Returns why something could not be read. */
export async function closeRun(tools: AuditTools, plan: RunPlan): Promise<string[]> {
  const damaged = await closeTables(tools, plan.run, plan);
  return damaged.length > 0 ? damaged : await tellLateReceipts(tools, plan.run);
}

async function closeTables(tools: AuditTools, run: Run, plan: RunPlan | undefined): Promise<string[]> {
  const ofAudit = await closeTable(tools, EXPORTACIONES, run, plan);
  return [...ofAudit, ...(await closeTable(tools, CAMBIOS, run))];
}

async function tellLateReceipts(tools: AuditTools, run: Run): Promise<string[]> {
  const damaged: string[] = [];
  const isAnyStaged = await stageLateReceipts(tools, run, (reason) => damaged.push(reason));
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
  { store, writer }: AuditTools,
  table: Table,
  run: Run,
  plan: RunPlan | undefined,
): Promise<string[]> {
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
    const folded: Part[] = [];
    if (wanted.length > 0 || toComplete !== undefined) {
      const { columns } = table;
      const unread: Part[] = [];
      const added = batchesOfParts(store, wanted, table, (part, damage) => {
        if (damage === undefined) folded.push(part);
        else {
          damaged.push(damage);
          unread.push(part);
        }
      });
      const recorded = mergedByRut(closed === undefined ? [] : byRut(closed, table), added);
      const batches = toComplete === undefined ? recorded : completed(recorded, toComplete, unread);
      // Only when all rows are written is it known which parts they include.
      const metadata = () => ({
        [CLOSED_PARTS]: [...new Set([...late, ...[...done, ...folded].map(({ name }) => name)])].join(' '),
        ...((known.isComplete || (toComplete !== undefined && unread.length === 0)) && {
          [IS_COMPLETE]: 'true',
        }),
      });
      const bytes = writer({ columns, rows: inRowGroups(batches, columns.length), metadata });
      await store.replace(key, bytes, { metadata: {}, expected: found });
    }
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

interface CompanyBatch extends RowBatch {
  rut: string;
}

/** The rows of the parts, company by company. `onEnd` gets each part once read, with its damage if it can't be. */
async function* batchesOfParts(
  store: LakeStore,
  parts: readonly Part[],
  table: Table,
  onEnd: (part: Part, damage?: string) => void,
): AsyncGenerator<CompanyBatch> {
  for (const some of overlapping(parts)) {
    const read = some.map(async (part) => {
      const batches: CompanyBatch[] = [];
      try {
        await readObject(store, part.key, async (file) => {
          for await (const batch of byRut(file, table)) batches.push(batch);
        });
        onEnd(part);
        return batches;
      } catch (error) {
        if (!(error instanceof DamagedObjectError)) throw error;
        onEnd(part, error.message);
        return [];
      }
    });
    const batches = (await Promise.all(read)).flat();
    yield* batches.sort((a, b) => (a.rut < b.rut ? -1 : Number(a.rut > b.rut)));
  }
}

/** Groups parts that are sorted by RUT. All companies of a group come before those of the next. */
function* overlapping(parts: readonly Part[]): Generator<Part[]> {
  let group: Part[] = [];
  let lastRut = '';
  for (const part of parts) {
    if (group.length >= PARTS_AT_ONCE && part.rut > lastRut) {
      yield group;
      group = [];
    }
    group.push(part);
    if (part.lastRut > lastRut) lastRut = part.lastRut;
  }
  if (group.length > 0) yield group;
}

/** The rows of an object sorted by RUT, company by company. */
async function* byRut(file: ObjectBytes, { columns }: Table): AsyncGenerator<CompanyBatch> {
  const place = indexOfColumn(columns, 'rut');
  for await (const group of readRowGroups(file, columns)) {
    const ruts = group.columns[place] ?? [];
    for (let start = 0, end = 0; start < group.rowCount; start = end) {
      while (end < group.rowCount && ruts[end] === ruts[start]) end += 1;
      const columns = group.columns.map((column) => column.slice(start, end));
      yield { rut: String(ruts[start]), rowCount: end - start, columns };
    }
  }
}

async function* mergedByRut(
  older: AsyncIterable<CompanyBatch> | readonly CompanyBatch[],
  newer: AsyncGenerator<CompanyBatch>,
): AsyncGenerator<CompanyBatch> {
  let next = await newer.next();
  for await (const batch of older) {
    for (; next.done !== true && next.value.rut < batch.rut; next = await newer.next()) yield next.value;
    yield batch;
  }
  for (; next.done !== true; next = await newer.next()) yield next.value;
}

/**
 * The rows of a run by RUT, and after those of each company one for each planned unit without a row, which failed. Units
 * that a part may have that could not be read are left out; when a company's turn comes, all that may have it were.
 */
async function* completed(
  batches: AsyncIterable<CompanyBatch>,
  plan: RunPlan,
  unread: readonly Part[],
): AsyncGenerator<CompanyBatch> {
  const { columns } = EXPORTACIONES;
  const places = ['direccion', 'fecha'].map((name) => indexOfColumn(columns, name));
  const planned = unitsByCompany(plan);
  let next = planned.next();
  const recorded = new Set<string>();
  function* lackingBefore(end: string | undefined): Generator<CompanyBatch> {
    for (; next.done !== true && (end === undefined || next.value[0] < end); next = planned.next()) {
      const [rut, units] = next.value;
      if (unread.some((part) => part.rut <= rut && rut <= part.lastRut)) continue;
      const lacking = units.filter(
        (unit) => !recorded.has(unitName(rut, unit.direction, dayNumber(unit.day))),
      );
      const rows = lacking.map((unit) => rowOf(plan.run, unrecordedResult(plan, unit)));
      if (rows.length === 0) continue;
      const values = columns.map(({ name }) => rows.map((row) => row[name] ?? null));
      yield { rut, rowCount: rows.length, columns: values };
    }
  }
  let current: string | undefined;
  for await (const batch of batches) {
    if (batch.rut !== current) {
      yield* lackingBefore(batch.rut);
      recorded.clear();
      current = batch.rut;
    }
    const [directions = [], days = []] = places.map((place) => batch.columns[place]);
    for (let row = 0; row < batch.rowCount; row += 1) {
      recorded.add(`${batch.rut} ${directions[row]} ${days[row]}`);
    }
    yield batch;
  }
  yield* lackingBefore(undefined);
}

/** The rows of a run company by company, by RUT: those of its object, and of the parts that the object lacks. */
export async function* rowsByCompany(
  store: LakeStore,
  run: Run,
  onDamage: (reason: string) => void,
): AsyncGenerator<CompanyBatch> {
  const parts = await listParts(store, EXPORTACIONES, run);
  const closed = await store.open(runKey(EXPORTACIONES, run)).catch(undefinedIfMissing);
  try {
    const known = await readRunFooter(closed);
    const others = parts.filter(({ name }) => !known.parts.has(name));
    const added = batchesOfParts(store, others, EXPORTACIONES, (_part, damage) => {
      if (damage !== undefined) onDamage(damage);
    });
    yield* mergedByRut(closed === undefined ? [] : byRut(closed, EXPORTACIONES), added);
  } finally {
    await closed?.close();
  }
}
