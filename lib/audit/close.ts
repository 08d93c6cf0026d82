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
} from '../lake/store/store.ts';
import { CAMBIOS, EXPORTACIONES, indexOfColumn, TABLE_OF, type Table } from '../lake/tables.ts';
import { systemClock } from '../time/clock.ts';
import { HOUR_MS, isDay } from '../time/days.ts';
import type { Unit } from '../units.ts';
import {
  CHANGED_FROM,
  CLOSED_PARTS,
  changesPartName,
  isBegunPart,
  LAST_WRITE,
  listOpenRuns,
  listParts,
  namesOfParts,
  type Part,
  parseChangesPartName,
  partKey,
  type Run,
  runKey,
  writeName,
} from './keys.ts';
import type { AuditTools } from './write.ts';

const PARTS_AT_ONCE = 16;
/** Units that began this long ago and have no result never get one: their run is dead. */
const DEAD_AFTER_MS = 6 * HOUR_MS;

/**
 * Closes all runs that have parts: moves their rows into the run's one object in each table, sorted by RUT. A run that
 * is still active is closed too; what it writes later is added next time. Units that have begun are left to their run,
 * unless it is dead. Safe to run several times at once, and to interrupt. Returns why parts could not be read; these
 * stay where they are.
 */
export async function closeRuns(tools: AuditTools, nowMs = systemClock.now()): Promise<string[]> {
  const damaged: string[] = [];
  for (const run of await listOpenRuns(tools.store)) {
    for (const table of [EXPORTACIONES, CAMBIOS])
      damaged.push(...(await closeTable(tools, table, run, nowMs)));
  }
  return damaged;
}

/** Closes one run in one table. Another process may do the same at the same time. */
export async function closeTable(
  tools: AuditTools,
  table: Table,
  run: Run,
  nowMs = systemClock.now(),
): Promise<string[]> {
  try {
    return await retriedOnRace(() => foldParts(tools, table, run, nowMs));
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
  nowMs: number,
): Promise<string[]> {
  const key = runKey(table, run);
  // Found before the parts are listed, so that it holds every part that is gone by then.
  const found = await store.find(key);
  const parts = await listParts(store, table, run);
  if (parts.length === 0) return [];
  const closed = found && (await store.open(key));
  try {
    const known = await namesOfParts(closed);
    const done = parts.filter(({ name }) => known.has(name));
    const damaged: string[] = [];
    const { wanted, dropped } = await sortOut(
      store,
      parts.filter(({ name }) => !known.has(name)),
      nowMs,
      damaged,
    );
    const folded: Part[] = [];
    if (wanted.length > 0) {
      const { columns } = table;
      const added = batchesOfParts(store, wanted, table, (part, damage) => {
        if (damage === undefined) folded.push(part);
        else damaged.push(damage);
      });
      const batches = mergedByRut(closed === undefined ? [] : byRut(closed, table), added);
      // Only when all rows are written is it known which parts they include.
      const metadata = () => ({ [CLOSED_PARTS]: [...done, ...folded].map(({ name }) => name).join(' ') });
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
 * can no longer take place are dropped. The others stay, since their write may still take place, and so do units that
 * have begun while their run may be alive: it removes them once it has their results.
 */
async function sortOut(
  store: LakeStore,
  parts: readonly Part[],
  nowMs: number,
  damaged: string[],
): Promise<{ wanted: Part[]; dropped: Part[] }> {
  const wanted: Part[] = [];
  const dropped: Part[] = [];
  const sort = async (part: Part) => {
    if (isBegunPart(part)) {
      const begun = await store.find(part.key);
      if (begun !== undefined && nowMs - begun.storedAtMs > DEAD_AFTER_MS) wanted.push(part);
      return;
    }
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
): AsyncGenerator<RowBatch> {
  let next = await newer.next();
  for await (const batch of older) {
    for (; next.done !== true && next.value.rut < batch.rut; next = await newer.next()) yield next.value;
    yield batch;
  }
  for (; next.done !== true; next = await newer.next()) yield next.value;
}
