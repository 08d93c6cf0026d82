import { notingDamage, readRowGroups } from '../lake/parquet/reader.ts';
import type { RowBatch } from '../lake/parquet/writer.ts';
import { type LakeStore, type ObjectBytes, readObject, undefinedIfMissing } from '../lake/store/store.ts';
import { type Column, EXPORTACIONES, indexOfColumn } from '../lake/tables.ts';
import { dayNumber } from '../time/days.ts';
import { listParts, type Part, type Run, readRunFooter, runKey } from './keys.ts';
import { type RunPlan, unitsByCompany, unrecordedResult } from './plan.ts';
import { batchOf, rowOf, unitName } from './row.ts';

/** The rows of one run by RUT, from its object, its parts and its plan. */

export const PARTS_AT_ONCE = 16;

export interface CompanyBatch extends RowBatch {
  rut: string;
}

type CompanyBatches = AsyncIterable<CompanyBatch> | Iterable<CompanyBatch>;

/**
 * The rows of a run company by company: those of its object, and of the parts that the object lacks. What is damaged is
 * left out. `isAsked`: which parts to open.
 */
export async function* rowsByCompany(
  store: LakeStore,
  run: Run,
  onDamage: (reason: string) => void,
  columns: readonly Column[] = EXPORTACIONES.columns,
  isAsked: (part: Part) => boolean = () => true,
): AsyncGenerator<CompanyBatch> {
  const parts = await listParts(store, EXPORTACIONES, run);
  const closed = await store.open(runKey(EXPORTACIONES, run)).catch(undefinedIfMissing);
  try {
    const known = await notingDamage(onDamage, () => readRunFooter(closed));
    const others = parts.filter((part) => known?.parts.has(part.name) !== true && isAsked(part));
    const added = batchesOfParts(store, others, columns, (_part, damage) => {
      if (damage !== undefined) onDamage(damage);
    });
    yield* mergedByRut(
      closed === undefined || known === undefined ? [] : readable(closed, columns, onDamage),
      added,
    );
  } finally {
    await closed?.close();
  }
}

async function* readable(
  file: ObjectBytes,
  columns: readonly Column[],
  onDamage: (reason: string) => void,
): AsyncGenerator<CompanyBatch> {
  const batches = byRut(file, columns);
  for (;;) {
    const next = await notingDamage(onDamage, () => batches.next());
    if (next === undefined || next.done === true) return;
    yield next.value;
  }
}

/**
 * The rows of the parts, company by company. `onEnd` gets each part once read, with its damage if it can't be. Holds
 * the rows of some parts at a time. A part of one company and several row groups may be large: it is read to its end,
 * since what is damaged is left out whole, and once more when its turn comes.
 */
export async function* batchesOfParts(
  store: LakeStore,
  parts: readonly Part[],
  columns: readonly Column[],
  onEnd: (part: Part, damage?: string) => void,
): AsyncGenerator<CompanyBatch> {
  for (const some of overlapping(parts)) {
    const read = some.map(async (part): Promise<PartRows[]> => {
      const isOfOne = part.rut === part.lastRut;
      const held: CompanyBatch[] = [];
      let isLarge = false;
      let damage: string | undefined;
      const note = (reason: string) => {
        damage = reason;
      };
      await notingDamage(note, () =>
        readObject(store, part.key, async (file) => {
          for await (const batch of byRut(file, columns)) {
            isLarge ||= isOfOne && held.length > 0;
            if (isLarge) held.length = 0;
            else held.push(batch);
          }
        }),
      );
      onEnd(part, damage);
      if (damage !== undefined) return [];
      return isLarge ? [{ rut: part.rut, part }] : held.map((batch) => ({ rut: batch.rut, batch }));
    });
    const rows = (await Promise.all(read)).flat();
    for (const { batch, part } of rows.sort((a, b) => (a.rut < b.rut ? -1 : Number(a.rut > b.rut)))) {
      if (batch !== undefined) yield batch;
      else if (part !== undefined) yield* batchesOf(store, part, columns);
    }
  }
}

/** A batch that is held, or a part that is to be read. */
interface PartRows {
  rut: string;
  batch?: CompanyBatch;
  part?: Part;
}

async function* batchesOf(
  store: LakeStore,
  part: Part,
  columns: readonly Column[],
): AsyncGenerator<CompanyBatch> {
  const file = await store.open(part.key);
  try {
    yield* byRut(file, columns);
  } finally {
    await file.close();
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
export async function* byRut(file: ObjectBytes, columns: readonly Column[]): AsyncGenerator<CompanyBatch> {
  const place = indexOfColumn(columns, 'rut');
  for await (const group of readRowGroups(file, columns)) {
    const ruts = group.columns[place] ?? [];
    for (let start = 0, end = 0; start < group.rowCount; start = end) {
      while (end < group.rowCount && ruts[end] === ruts[start]) end += 1;
      const ofCompany = group.columns.map((column) => column.slice(start, end));
      yield { rut: String(ruts[start]), rowCount: end - start, columns: ofCompany };
    }
  }
}

export async function* mergedByRut(
  older: CompanyBatches,
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
export async function* completed(
  batches: CompanyBatches,
  plan: RunPlan,
  unread: readonly Part[] = [],
  columns: readonly Column[] = EXPORTACIONES.columns,
): AsyncGenerator<CompanyBatch> {
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
      const [first] = lacking;
      if (first === undefined) continue;
      // One row for all: made apart, those of a run that recorded nothing would take most of closing's time and memory.
      const failed = rowOf(plan.run, unrecordedResult(plan, first));
      const rows = lacking.map(({ direction, day }) => ({
        ...failed,
        direccion: direction,
        fecha: dayNumber(day),
      }));
      yield { rut, ...batchOf(columns, rows) };
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
