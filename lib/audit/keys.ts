import type { Direction } from '../api/directions.ts';
import { OPEN_RUNS_FOLDER } from '../lake/layout.ts';
import { readFileMetadata } from '../lake/parquet/reader.ts';
import type { LakeStore, ObjectBytes } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';

/** A run: the units of one invocation, under one id. */
export interface Run {
  id: string;
  /** The day in Uruguay on which it began. */
  day: string;
}

/** The one object of a run in a table of runs, sorted by RUT, once the run is closed. */
export function runKey({ name }: Table, { day, id }: Run): string {
  return `${name}/fecha_corrida=${day}/${id}.parquet`;
}

/** What an object of a table of runs is named by; undefined of any other key. */
export interface RunObject {
  run: Run;
  /** In lakes from before runs were closed, whose objects are of one company each. */
  rut: string | undefined;
}

export function parseRunKey(key: string): RunObject | undefined {
  const match = /\/fecha_corrida=(?<day>\d{4}-\d\d-\d\d)\/(?<id>[^/]+?)(-(?<rut>\d{12})-\d+)?\.parquet$/.exec(
    key,
  );
  const { day, id, rut } = match?.groups ?? {};
  return day === undefined || id === undefined ? undefined : { run: { day, id }, rut };
}

/** Where the parts of a table of a run stand until it is closed; they are named by their company first. */
export function partsFolder(table: Table, { day, id }: Run): string {
  return `${OPEN_RUNS_FOLDER}/${day}/${id}/${table.name}`;
}

/** A part of a company, or of all that have rows from one RUT to another; `name` is no other part's. */
export function partKey(table: Table, run: Run, rut: string, name: string, lastRut = rut): string {
  const ruts = lastRut === rut ? rut : `${rut}-${lastRut}`;
  return `${partsFolder(table, run)}/${ruts}-${name}.parquet`;
}

export interface Part {
  key: string;
  run: Run;
  table: string;
  /** Of its first and last rows: the same where it is of one company. */
  rut: string;
  lastRut: string;
  name: string;
}

/** Undefined of what is no part. */
export function parsePartKey(key: string): Part | undefined {
  const [folder, day, id, table, file = '', ...more] = key.split('/');
  const [, rut, lastRut = rut, name] = /^(\d{12})-(?:(\d{12})-)?(.+)\.parquet$/.exec(file) ?? [];
  if (folder !== OPEN_RUNS_FOLDER || more.length > 0) return undefined;
  if (rut === undefined || lastRut === undefined || name === undefined) return undefined;
  return { key, run: { day: day ?? '', id: id ?? '' }, table: table ?? '', rut, lastRut, name };
}

/** The unit that a part of `cambios` is of, and the write of it that they came with. */
export function changesPartName(unit: { direccion: Direction; fecha: string }, write: string): string {
  return `${unit.direccion}-${unit.fecha}-${write}`;
}

export function parseChangesPartName(
  name: string,
): { direccion: Direction; fecha: string; write: string } | undefined {
  const [, direccion, fecha, write] = /^(recibidos|emitidos)-(\d{4}-\d\d-\d\d)-(\w+)$/.exec(name) ?? [];
  if (fecha === undefined || write === undefined) return undefined;
  return { direccion: direccion === 'emitidos' ? 'emitidos' : 'recibidos', fecha, write };
}

/** The write that a unit's object comes from, where it brought changes: in its footer, so that every store knows it. */
export const LAST_WRITE = 'cfe-lake.write';
/** Of staged changes: the version of the object that the write replaces; '' where there is none. */
export const CHANGED_FROM = 'cfe-lake.changed-from';

/** `2026-11-20/20261120020000-nocturna/3f2504e04f89`: the run, and what no other write is named. */
export function writeName({ day, id }: Run, write: string): string {
  return `${day}/${id}/${write}`;
}

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
