import { DamagedObjectError, notingDamage, readRowGroups } from '../lake/parquet/reader.ts';
import type { Row, RowBatch, RowSource, Value } from '../lake/parquet/writer.ts';
import { type LakeStore, type ObjectBytes, readObject, undefinedIfMissing } from '../lake/store/store.ts';
import type { Column, Table } from '../lake/tables.ts';
import { forEachConcurrent } from '../system/concurrency.ts';
import { listParts, type Part, type Run, readRunFooter, runKey } from './keys.ts';

export const PARTS_AT_ONCE = 16;

/** All rows of a run are in memory when its object is written: those of 800,000 units take a GB there, and less in it. */
const MOST_BYTES = 2 ** 30;

/** The rows of a run's object or part. Throws DamagedObjectError: a file of holes would be read for minutes. */
export async function* auditRows(file: ObjectBytes, columns: readonly Column[]): AsyncGenerator<RowBatch> {
  const { name, byteLength } = file;
  if (byteLength > MOST_BYTES)
    throw new DamagedObjectError(name, `it has ${byteLength} bytes, more than a run writes`);
  yield* readRowGroups(file, columns);
}

export interface CompanyBatch extends RowBatch {
  rut: string;
}

/** Rows of one run in a table, in memory, by RUT. Those of a company stay in the order in which they came. */
export class RunRows implements RowSource {
  rowCount = 0;
  private readonly columns: ReadonlyMap<string, Value[]>;
  private order: Uint32Array | undefined;

  constructor(columns: readonly Column[]) {
    this.columns = new Map(columns.map(({ name }) => [name, []]));
  }

  add(batch: RowBatch): void {
    for (const [index, column] of [...this.columns.values()].entries()) {
      const values = batch.columns[index] ?? [];
      for (let row = 0; row < batch.rowCount; row += 1) column.push(values[row] ?? null);
    }
    this.rowCount += batch.rowCount;
    this.order = undefined;
  }

  addRow(row: Row): void {
    for (const [name, column] of this.columns) column.push(row[name] ?? null);
    this.rowCount += 1;
    this.order = undefined;
  }

  /** The values of a column in the order in which the rows came. */
  unsorted(name: string): readonly Value[] {
    return this.columns.get(name) ?? [];
  }

  private sorted(): Uint32Array {
    const ruts = this.unsorted('rut');
    this.order ??= Uint32Array.from({ length: this.rowCount }, (_, row) => row).sort((a, b) => {
      const [rut, nextRut] = [ruts[a] ?? '', ruts[b] ?? ''];
      return rut === nextRut ? a - b : rut < nextRut ? -1 : 1;
    });
    return this.order;
  }

  values(columnIndex: number, start: number, end: number): readonly Value[] {
    const column = [...this.columns.values()][columnIndex] ?? [];
    return Array.from(this.sorted().subarray(start, end), (row) => column[row] ?? null);
  }

  textBytes(index: number): number {
    const row = this.sorted()[index] ?? 0;
    let length = 0;
    for (const column of this.columns.values()) {
      const value = column[row];
      if (typeof value === 'string') length += value.length;
    }
    return length;
  }

  *byCompany(): Generator<CompanyBatch> {
    const order = this.sorted();
    const ruts = this.unsorted('rut');
    const rutAt = (index: number) => ruts[order[index] ?? 0];
    for (let start = 0, end = 0; start < this.rowCount; start = end) {
      while (end < this.rowCount && rutAt(end) === rutAt(start)) end += 1;
      const columns = Array.from(this.columns, (_, index) => this.values(index, start, end));
      yield { rut: String(rutAt(start)), rowCount: end - start, columns };
    }
  }
}

export interface LoadedRun {
  rows: RunRows;
  /** The run's object and the names of its parts; undefined if there is none, or it is damaged. */
  sealed: { version: string; parts: ReadonlySet<string> } | undefined;
  isSealedDamaged: boolean;
  /** Parts whose rows the object had, parts whose rows were added to it, and damaged parts. */
  known: readonly Part[];
  added: readonly Part[];
  unread: readonly Part[];
}

export interface LoadOptions {
  columns: readonly Column[];
  /** Which parts to read of those that the object lacks; default: all. */
  choose?: (parts: readonly Part[]) => Promise<readonly Part[]> | readonly Part[];
  onDamage(reason: string): void;
}

/**
 * Reads all of a run in one table: its object, and the parts that this lacks. What is damaged is left out whole. Throws
 * for a race with another process that seals the run.
 */
export async function loadRun(
  store: LakeStore,
  table: Table,
  run: Run,
  { columns, choose = (parts) => parts, onDamage }: LoadOptions,
): Promise<LoadedRun> {
  const rows = new RunRows(columns);
  // Added once all of it is read.
  const addWhole = async (file: ObjectBytes) => {
    const batches: RowBatch[] = [];
    for await (const batch of auditRows(file, columns)) batches.push(batch);
    for (const batch of batches) rows.add(batch);
  };
  // Listed before the object is opened, which has every part that is gone by then.
  const parts = await listParts(store, table, run);
  const file = await store.open(runKey(table, run)).catch(undefinedIfMissing);
  let sealed: LoadedRun['sealed'];
  try {
    if (file !== undefined) {
      sealed = await notingDamage(onDamage, async () => {
        const names = await readRunFooter(file);
        await addWhole(file);
        return { version: file.version, parts: names };
      });
    }
  } finally {
    await file?.close();
  }
  const isKnown = ({ name }: Part) => sealed?.parts.has(name) === true;
  const wanted = await choose(parts.filter((part) => !isKnown(part)));
  const added: Part[] = [];
  await forEachConcurrent(wanted, PARTS_AT_ONCE, async (part) => {
    await notingDamage(onDamage, async () => {
      await readObject(store, part.key, addWhole);
      added.push(part);
    });
  });
  return {
    rows,
    sealed,
    isSealedDamaged: file !== undefined && sealed === undefined,
    known: parts.filter(isKnown),
    added,
    unread: wanted.filter((part) => !added.includes(part)),
  };
}
