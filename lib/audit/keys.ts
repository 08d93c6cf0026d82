import { AUDIT_PART, CHANGES_PART, openRunFolder, openRunsFolder, RUN_OBJECT } from '../lake/layout.ts';
import { readFileMetadata } from '../lake/parquet/reader.ts';
import type { LakeStore, ObjectBytes } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import { type Day, isDay } from '../time/days.ts';
import { isTwelveDigits, type Rut } from '../units/rut.ts';
import type { Unit } from '../units/unit.ts';

/** A run: the units of one invocation, under one id. */
export interface Run {
  id: string;
  /** The day in Uruguay on which it began. */
  day: Day;
}

export function isSameRun(run: Run, compared: Run | undefined): boolean {
  return run.id === compared?.id && run.day === compared.day;
}

/** Key of a run's one object in a table, sorted by RUT. A run is sealed once that has the rows of all its parts. */
export function runKey({ name }: Table, { day, id }: Run): string {
  return RUN_OBJECT.build({ runTable: name, day, run: id });
}

export function parseRunKey(key: string): Run | undefined {
  return runOf(RUN_OBJECT.parse(key));
}

function runOf({ day = '', run }: { day?: string; run?: string } = {}): Run | undefined {
  return isDay(day) && run !== undefined ? { day, id: run } : undefined;
}

/** Key of a part of `exportaciones`, with rows from one RUT to another. `name` is unique. */
export function auditPartKey({ day, id }: Run, name: string, rut: string, lastRut = rut): string {
  const ruts = lastRut === rut ? rut : `${rut}-${lastRut}`;
  return AUDIT_PART.build({ day, run: id, ruts, name });
}

/** Key of a part of `cambios`: the changes of a unit that came with one write of it. */
export function changesPartKey({ day, id }: Run, unit: Unit, write: string): string {
  return CHANGES_PART.build({
    day,
    run: id,
    rut: unit.rut,
    direction: unit.direction,
    issued: unit.day,
    write,
  });
}

export interface Part {
  key: string;
  run: Run;
  /** RUTs of its first and last rows. */
  rut: Rut;
  lastRut: string;
  /** What the footer of the run's object calls it. */
  name: string;
  /** What a part of `cambios` is of: a unit, and the write that the changes came with. */
  changes?: { unit: Unit; write: string };
}

function parsePartKey(key: string): Part | undefined {
  const found = AUDIT_PART.parse(key) ?? CHANGES_PART.parse(key) ?? {};
  const run = runOf(found);
  const { direction, issued = '', write = '' } = found;
  const [rut, lastRut = rut] = (found.ruts ?? found.rut)?.split('-') ?? [];
  if (run === undefined || !isTwelveDigits(rut) || lastRut === undefined) return undefined;
  const { name = `${direction}-${issued}-${write}` } = found;
  if (direction === undefined || !isDay(issued)) return { key, run, rut, lastRut, name };
  const unit = { rut, direction: direction === 'emitidos' ? direction : 'recibidos', day: issued } as const;
  return { key, run, rut, lastRut, name, changes: { unit, write } };
}

/** The write that made a unit's object, if it brought changes. In the footer, so that every store has it. */
export const LAST_WRITE = 'cfe-lake.write';
/** The version of the object that the write of staged changes replaces; '' if there is none. */
export const CHANGED_FROM = 'cfe-lake.changed-from';

/** `2026-11-20/20261120020000-nocturna/3f2504e04f89`: the run and a unique name. */
export function writeName({ day, id }: Run, write: string): string {
  return `${day}/${id}/${write}`;
}

/** Names of the parts whose rows the run's object has: those whose files may still exist. */
export const SEALED_PARTS = 'cfe-lake.parts';

/** The runs that have parts, oldest first; of one day if given. */
export async function listOpenRuns(store: LakeStore, day?: Day): Promise<Run[]> {
  const runs = new Map<string, Run>();
  for await (const key of store.list(openRunsFolder(day))) {
    const run = parsePartKey(key)?.run;
    if (run !== undefined) runs.set(openRunFolder(run), run);
  }
  return [...runs.values()];
}

/** A run's parts in one table, by RUT. */
export async function listParts(store: LakeStore, table: Table, run: Run): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const key of store.list(`${openRunFolder(run)}/${table.name}`)) {
    const part = parsePartKey(key);
    if (part !== undefined) parts.push(part);
  }
  return parts;
}

/** The names of the parts that are in a run's object, by its footer. */
export async function readRunFooter(file: ObjectBytes): Promise<ReadonlySet<string>> {
  const { metadata } = await readFileMetadata(file);
  return new Set(metadata[SEALED_PARTS]?.split(' '));
}
