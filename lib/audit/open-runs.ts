import { OPEN_RUNS_FOLDER } from '../lake/layout.ts';
import { readFileMetadata } from '../lake/parquet/reader.ts';
import type { LakeStore, ObjectBytes } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import { type Part, parsePartKey, partsFolder, type Run } from './keys.ts';

/** The parts that a run's object has the rows of: those that may still stand beside it, by their names. */
export const CLOSED_PARTS = 'cfe-lake.parts';

/** The runs that have parts, in order of time; those of one day, if one is given. */
export async function listOpenRuns(store: LakeStore, day?: string): Promise<Run[]> {
  const runs = new Map<string, Run>();
  for await (const key of store.list(day === undefined ? OPEN_RUNS_FOLDER : `${OPEN_RUNS_FOLDER}/${day}`)) {
    const run = parsePartKey(key)?.run;
    if (run !== undefined) runs.set(`${run.day}/${run.id}`, run);
  }
  return [...runs.values()];
}

/** The parts of a run that are not closed, by RUT. */
export async function listParts(store: LakeStore, table: Table, run: Run): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const key of store.list(partsFolder(table, run))) {
    const part = parsePartKey(key);
    if (part !== undefined) parts.push(part);
  }
  return parts;
}

/** The names of the parts that are in a run's object. */
export async function namesOfParts(closed: ObjectBytes | undefined): Promise<ReadonlySet<string>> {
  if (closed === undefined) return new Set();
  const { metadata } = await readFileMetadata(closed);
  return new Set(metadata[CLOSED_PARTS]?.split(' '));
}
