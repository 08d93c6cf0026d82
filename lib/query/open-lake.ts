import { LAKE } from '../lake/phrases.ts';
import { openStoreToRead, parseS3Address } from '../lake/store/open-store.ts';
import { type LakeStore, retriedOnRace } from '../lake/store/store.ts';
import { TABLES, type Table } from '../lake/tables.ts';
import { lagNote as lagNoteOf } from '../publish/publish-days.ts';
import { WrongInputError } from '../system/errors.ts';
import { privateCacheFolder } from '../system/private-folders.ts';
import { plural } from '../text/terminal.ts';
import { isWithin, type Period } from '../time/days.ts';
import { askedDays, tablesIn } from './asked-days.ts';
import type { DatabaseLimits } from './database-limits.ts';
import { type LakeDatabase, openDatabase, type Trial } from './lake-database.ts';
import {
  copyObjects,
  type LakeFile,
  listBucket,
  listFolder,
  type MirroredFile,
  makeMirror,
  newHoldFolder,
  removeStale,
  trimMirrors,
} from './lake-files.ts';

const GIB = 2 ** 30;

export interface MirrorLimits {
  /** Most bytes of copies to keep between queries. */
  keptBytes: number;
  /** The most to copy for a question without a first day. */
  openObjects: number;
  openBytes: number;
}

const MIRROR_LIMITS: MirrorLimits = { keptBytes: 4 * GIB, openObjects: 10_000, openBytes: GIB };

export interface OpenOptions {
  /** The names among the tables' objects that were not read. */
  foreignNames?: Set<string>;
  /** Ends the opening, and what the database works on until it is closed. */
  signal?: AbortSignal;
  /** What is called for each object of a bucket once there is a copy of it. */
  onObject?: (key: string) => void;
  mirrorLimits?: MirrorLimits;
  /** The views that openDatabase takes. */
  views?: ReadonlyMap<string, readonly string[]>;
  limits?: DatabaseLimits;
}

export class LakeEmptyError extends WrongInputError {
  override name = 'LakeEmptyError';
  constructor(address: string) {
    super(LAKE.isEmpty(address), { advice: LAKE.exportOrOther() });
  }
}

/** A question would copy too much of a large lake to this machine: without a first day, or for who may copy so much. */
export class QuestionTooLargeError extends WrongInputError {
  override name = 'QuestionTooLargeError';
  constructor(files: readonly MirroredFile[], address: string, isOpen: boolean) {
    const tables = new Set(files.map(({ table }) => table));
    const names = [...tables].map(({ name }) => name).join(' and ');
    const columns = [...new Set([...tables].map(({ partition }) => partition))].join(' and ');
    const megabytes = Math.ceil(bytesOf(files) / 2 ** 20);
    super(
      `This question needs ${isOpen ? 'all' : 'many'} days of ${names}: ${plural(files.length, 'object')}, ` +
        `${megabytes} MiB, would be copied from ${address}.`,
      {
        advice: isOpen
          ? `Name its first day, in WHERE ${columns} >= DATE '…', or by --from (and --to).`
          : `Ask for fewer days at a time, by ${columns} in WHERE.`,
      },
    );
  }
}

export interface AskedLake extends LakeDatabase {
  /** Says which of the days asked for lag behind what was exported; undefined if none does. */
  lagNote: string | undefined;
  store: LakeStore;
}

/**
 * Opens the lake at an address for questions, with the partitions within `range` that they need. Those of a bucket
 * are copied first, unless they are in the cache. Throws LakeMissingError, LakeEmptyError, LakeAddressError,
 * WrongInputError, QueryError, QuestionRefusedError or QuestionTooLargeError.
 */
export async function openLake(
  address: string,
  questions: readonly string[],
  range: Period,
  options: OpenOptions = {},
): Promise<AskedLake> {
  // Made before the files are listed, so that it misses no day that lags in the answer.
  const store = await openStoreToRead(address, options.foreignNames);
  const lagNote = await noteOf(store, questions.flatMap(tablesIn), range, options.signal);
  return { ...(await openTables(store, questions, range, options)), lagNote, store };
}

/** The same without the note on lagging days. The questions see the same moment of the lake. */
export async function openTables(
  store: LakeStore,
  questions: readonly string[],
  range: Period,
  options: OpenOptions = {},
): Promise<LakeDatabase> {
  const tables = [...new Set(questions.flatMap(tablesIn))];
  const open = parseS3Address(store.address) === undefined ? openFolder : openMirror;
  const lake = await open(store, questions, tables, range, options);
  const isNothingThere = tables.length > 0 && tables.every(({ name }) => lake.emptyTables.includes(name));
  if (isNothingThere && (await isLakeEmpty(store))) {
    lake.close();
    throw new LakeEmptyError(store.address);
  }
  return lake;
}

/** The note is an extra: if it can't be made, the answer comes without it. */
async function noteOf(
  store: LakeStore,
  tables: readonly Table[],
  range: Period,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return await lagNoteOf(store, tables, range, { signal });
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

async function openFolder(
  store: LakeStore,
  questions: readonly string[],
  tables: readonly Table[],
  range: Period,
  { signal, views, limits }: OpenOptions,
): Promise<LakeDatabase> {
  const folder = store.address;
  return await retriedOnRace(async () => {
    const { files, foreignNames } = await listFolder(folder, tables);
    for (const name of foreignNames) store.foreignNames?.add(name);
    const choose = async (trial: Trial) => (await neededFiles(trial, questions, files, range)).needed;
    return await openDatabase(folder, files, choose, { signal, views, limits });
  });
}

async function openMirror(
  store: LakeStore,
  questions: readonly string[],
  tables: readonly Table[],
  range: Period,
  { signal, onObject, views, limits, mirrorLimits = MIRROR_LIMITS }: OpenOptions,
): Promise<LakeDatabase> {
  // The copies of all lakes.
  const mirrors = privateCacheFolder('lakes');
  const folder = await makeMirror(mirrors, store.address);
  return await retriedOnRace(async () => {
    const files = await listBucket(store, tables);
    removeStale(folder, tables, files);
    const choose = async (trial: Trial) => {
      const { needed, openTables } = await neededFiles(trial, questions, files, range);
      assertSmallEnough(needed, openTables, mirrorLimits, store.address);
      if (limits !== undefined && bytesOf(needed) > limits.spillBytes)
        throw new QuestionTooLargeError(needed, store.address, false);
      // A question that was killed leaves its copies.
      trimMirrors(mirrors, mirrorLimits.keptBytes);
      await copyObjects(store, needed, folder, { signal, onObject });
      return needed;
    };
    const database = await openDatabase(folder, files, choose, {
      signal,
      views,
      limits,
      held: newHoldFolder(),
    });
    const close = () => {
      database.close();
      trimMirrors(mirrors, mirrorLimits.keptBytes);
    };
    return { ...database, close };
  });
}

/** The files that the questions need, and the tables for which they have no first day. */
async function neededFiles<File extends LakeFile>(
  { connection, stubs }: Trial,
  questions: readonly string[],
  files: readonly File[],
  range: Period,
): Promise<{ needed: readonly File[]; openTables: readonly Table[] }> {
  const filesInRange = files.filter(({ day }) => isWithin(range, day));
  const daysOf = Map.groupBy(filesInRange, ({ table }) => table);
  const days = new Map([...daysOf].map(([table, found]) => [table, new Set(found.map(({ day }) => day))]));
  const asked = await askedDays(connection, questions, days, stubs);
  return {
    needed: filesInRange.filter(({ table, day }) => asked.has(table, day)),
    openTables: range.from === undefined ? [...days.keys()].filter((table) => asked.isOpen(table)) : [],
  };
}

/** Throws QuestionTooLargeError. */
function assertSmallEnough(
  needed: readonly MirroredFile[],
  openTables: readonly Table[],
  { openObjects, openBytes }: MirrorLimits,
  address: string,
): void {
  const open = needed.filter(({ table }) => openTables.includes(table));
  if (open.length > openObjects || bytesOf(open) > openBytes) {
    throw new QuestionTooLargeError(open, address, true);
  }
}

function bytesOf(files: readonly MirroredFile[]): number {
  return files.reduce((sum, { byteCount }) => sum + byteCount, 0);
}

async function isLakeEmpty(store: LakeStore): Promise<boolean> {
  for (const { name } of TABLES) {
    for await (const _key of store.list(name)) return false;
  }
  return true;
}
