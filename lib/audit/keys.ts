import { OPEN_RUNS_FOLDER, openRunFolder } from '../lake/layout.ts';
import { readFileMetadata } from '../lake/parquet/reader.ts';
import type { LakeStore, ObjectBytes } from '../lake/store/store.ts';
import type { Table } from '../lake/tables.ts';
import { type Day, isDay } from '../time/days.ts';
import { isTwelveDigits, type Rut } from '../units/rut.ts';
import type { Direction } from '../units/unit.ts';

/** A run: the units of one invocation, under one id. */
export interface Run {
  id: string;
  /** The day in Uruguay on which it began. */
  day: Day;
}

export function isSameRun(run: Run, other: Run | undefined): boolean {
  return run.id === other?.id && run.day === other.day;
}

/** Key of a closed run's one object in a table, sorted by RUT. */
export function runKey({ name }: Table, { day, id }: Run): string {
  return `${name}/fecha_corrida=${day}/${id}.parquet`;
}

export function parseRunKey(key: string): Run | undefined {
  const [, day = '', id] = /\/fecha_corrida=(\d{4}-\d\d-\d\d)\/([^/]+)\.parquet$/.exec(key) ?? [];
  return !isDay(day) || id === undefined ? undefined : { day, id };
}

/** Folder of a run's parts until it is closed. Their names begin with their company. */
function partsFolder(table: Table, run: Run): string {
  return `${openRunFolder(run)}/${table.name}`;
}

/** Key of a part with rows from one RUT to another. `name` is unique. */
export function partKey(table: Table, run: Run, rut: string, name: string, lastRut = rut): string {
  const ruts = lastRut === rut ? rut : `${rut}-${lastRut}`;
  return `${partsFolder(table, run)}/${ruts}-${name}.parquet`;
}

export interface Part {
  key: string;
  run: Run;
  table: string;
  /** RUTs of its first and last rows. */
  rut: Rut;
  lastRut: string;
  name: string;
}

function parsePartKey(key: string): Part | undefined {
  const [folder, day = '', id, table, file = '', ...more] = key.split('/');
  const [, rut, lastRut = rut, name] = /^(\d{12})-(?:(\d{12})-)?(.+)\.parquet$/.exec(file) ?? [];
  if (folder !== OPEN_RUNS_FOLDER || !isDay(day) || more.length > 0) return undefined;
  if (!isTwelveDigits(rut) || lastRut === undefined || name === undefined) return undefined;
  return { key, run: { day, id: id ?? '' }, table: table ?? '', rut, lastRut, name };
}

/** Name of a part of `cambios`: its unit, and the write that the changes came with. */
export function changesPartName(unit: { direction: Direction; day: Day }, write: string): string {
  return `${unit.direction}-${unit.day}-${write}`;
}

export function parseChangesPartName(
  name: string,
): { direction: Direction; day: Day; write: string } | undefined {
  const [, direction, day, write] = /^(recibidos|emitidos)-(\d{4}-\d\d-\d\d)-(\w+)$/.exec(name) ?? [];
  if (day === undefined || !isDay(day) || write === undefined) return undefined;
  return { direction: direction === 'emitidos' ? 'emitidos' : 'recibidos', day, write };
}

/** The write that made a unit's object, if it brought changes. In the footer, so that every store has it. */
export const LAST_WRITE = 'cfe-lake.write';
/** For staged changes: the version of the object that the write replaces; '' if there is none. */
export const CHANGED_FROM = 'cfe-lake.changed-from';

/** `2026-11-20/20261120020000-nocturna/3f2504e04f89`: the run and a unique name. */
export function writeName({ day, id }: Run, write: string): string {
  return `${day}/${id}/${write}`;
}

/** Names of the parts whose rows the run's object has: those whose files may still exist. */
export const CLOSED_PARTS = 'cfe-lake.parts';

/** The runs that have parts, oldest first; of one day if given. */
export async function listOpenRuns(store: LakeStore, day?: Day): Promise<Run[]> {
  const runs = new Map<string, Run>();
  for await (const key of store.list(day === undefined ? OPEN_RUNS_FOLDER : `${OPEN_RUNS_FOLDER}/${day}`)) {
    const [, of = '', id, file] = key.split('/');
    if (isDay(of) && id !== undefined && file !== undefined) runs.set(`${of}/${id}`, { day: of, id });
  }
  return [...runs.values()];
}

/** A run's parts in one table, by RUT. */
export async function listParts(store: LakeStore, table: Table, run: Run): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const key of store.list(partsFolder(table, run))) {
    const part = parsePartKey(key);
    if (part !== undefined) parts.push(part);
  }
  return parts;
}

/** The names of the parts that are in a run's object, by its footer. */
export async function readRunFooter(closed: ObjectBytes): Promise<ReadonlySet<string>> {
  const { metadata } = await readFileMetadata(closed);
  return new Set(metadata[CLOSED_PARTS]?.split(' '));
}
