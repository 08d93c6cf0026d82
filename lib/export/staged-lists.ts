import * as v from 'valibot';
import { stagedListsFolder } from '../lake/layout.ts';
import { DamagedObjectError, readFileMetadata } from '../lake/parquet/reader.ts';
import { ReceiptRows } from '../lake/rows/receipt-rows.ts';
import { type LakeStore, readObject } from '../lake/store/store.ts';
import { appendStored } from '../lake/stored-rows.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { readInt64 } from '../text/exact-json.ts';
import { type Day, daySchema } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import type { Direction } from '../units/unit.ts';
import type { ExportTools } from './export-tools.ts';
import type { PausedList } from './reading/company-lists.ts';
import type { AskedDays } from './reading/facts.ts';
import { List } from './reading/list.ts';

const POSITION = 'cfe-lake.position';

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const DayText = daySchema();
const Id = v.pipe(
  v.string(),
  v.transform((text) => readInt64(text) ?? 0),
);
function mapOf<Schema extends v.GenericSchema>(value: Schema) {
  return v.pipe(
    v.array(v.tuple([DayText, value])),
    v.transform((entries) => new Map(entries)),
  );
}
const StagedPosition = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    position: v.object({
      pageCap: v.number(),
      knownEnd: v.number(),
      knownTail: v.array(Id),
      lastWindow: v.object({ pageNumber: v.number(), pageSize: v.number(), start: v.number() }),
    }),
    asked: v.object({ from: DayText, to: DayText, isPast: v.boolean() }),
    marks: v.object({
      rowCount: Count,
      hasStray: v.boolean(),
      hasEveningBefore: v.boolean(),
      undated: v.array(Id),
      unknownMembers: v.pipe(
        v.array(v.string()),
        v.transform((names) => new Set(names)),
      ),
      movedAtMidnight: v.pipe(
        v.nullable(Id),
        v.transform((id) => id ?? undefined),
      ),
      hasZonedTimes: v.boolean(),
      boundIds: v.pipe(v.array(Id), v.mapItems(BigInt)),
      foreign: mapOf(Id),
      marks: mapOf(
        v.object({
          count: Count,
          hasTimes: v.boolean(),
          hasRowBeforeEvening: v.boolean(),
          hasEveningRow: v.boolean(),
        }),
      ),
    }),
    /** In the order of the rows. */
    rows: v.array(v.object({ day: DayText, rowCount: Count, misfits: Count })),
    /** The version of each needed day's object when the reading began; null where there was none. */
    olderVersions: mapOf(
      v.pipe(
        v.nullable(v.string()),
        v.transform((version) => version ?? undefined),
      ),
    ),
  }),
);

/** The company, direction and run of a staged list. */
export interface StagedOwner {
  runId: string;
  rut: Rut;
  direction: Direction;
}

/** A list that was read in part, for the run's next invocation. */
export interface StagedList {
  list: PausedList;
  /** By day that is needed: the version of the unit's object when the reading began; undefined when there was none. */
  olderVersions: ReadonlyMap<Day, string | undefined>;
}

/** Stores a list that was read in part. */
export async function saveStaged(
  { store, writer }: Pick<ExportTools, 'store' | 'writer'>,
  owner: StagedOwner,
  { list, olderVersions }: StagedList,
): Promise<void> {
  const { asked, sink, position } = list;
  const table = TABLE_OF[owner.direction];
  const all = new ReceiptRows(table, owner.rut);
  const rows = [...sink.days].map(([day, of]) => {
    all.appendRows(of);
    return { day, rowCount: of.rowCount, misfits: of.misfits };
  });
  const { undated, foreign, marks, boundIds, unknownMembers, movedAtMidnight, ...rest } = sink.toStaged();
  const kept = {
    position: { ...position, knownTail: position.knownTail.map(String) },
    asked,
    marks: {
      ...rest,
      undated: undated.map(String),
      unknownMembers: [...unknownMembers],
      movedAtMidnight: movedAtMidnight === undefined ? null : String(movedAtMidnight),
      boundIds: boundIds.map(String),
      foreign: [...foreign].map(([day, id]) => [day, String(id)]),
      marks: [...marks],
    },
    rows,
    olderVersions: [...olderVersions].map(([day, version]) => [day, version ?? null]),
  };
  const metadata = { [POSITION]: JSON.stringify(kept) };
  const bytes = writer({ columns: table.columns, rows: all.inOrderOfArrival(), metadata });
  const key = stagedListKey(owner, asked);
  // In the footer only: it is too long for the metadata of an object in a bucket.
  await store.replace(key, bytes, { metadata: {}, expected: await store.find(key) });
}

export function stagedListKey({ runId, rut, direction }: StagedOwner, { from, to }: AskedDays): string {
  return `${stagedListsFolder(runId, rut, direction)}/${from}..${to}.parquet`;
}

/**
 * The lists of this company and direction that an earlier invocation of the run stored. A damaged one is removed: that
 * list is read again from its beginning.
 */
export async function loadStaged(store: LakeStore, owner: StagedOwner): Promise<StagedList[]> {
  const { runId, rut, direction } = owner;
  const lists: StagedList[] = [];
  for await (const key of store.list(stagedListsFolder(runId, rut, direction))) {
    try {
      lists.push(await loadList(store, key, owner));
    } catch (error) {
      if (!(error instanceof DamagedObjectError)) throw error;
      await store.remove(key);
    }
  }
  return lists;
}

async function loadList(store: LakeStore, key: string, { rut, direction }: StagedOwner): Promise<StagedList> {
  const table = TABLE_OF[direction];
  return await readObject(store, key, async (file) => {
    const { metadata } = await readFileMetadata(file);
    const parsed = v.safeParse(StagedPosition, metadata[POSITION]);
    if (!parsed.success) throw new DamagedObjectError(file.name, 'its footer does not say where to go on');
    const { asked, position, marks, rows, olderVersions } = parsed.output;
    const days = new Map<Day, ReceiptRows>();
    /** For each stored row, the rows of its day. */
    function* inOrder(): Generator<ReceiptRows, undefined> {
      for (const { day, rowCount, misfits } of rows) {
        const ofDay = new ReceiptRows(table, rut);
        ofDay.misfits = misfits;
        days.set(day, ofDay);
        for (let row = 0; row < rowCount; row += 1) yield ofDay;
      }
    }
    const inTurn = inOrder();
    await appendStored(file, table, () => {
      const { value } = inTurn.next();
      if (value === undefined) throw new DamagedObjectError(file.name, 'it has rows of no day');
      return value;
    });
    const sink = List.fromStaged({ rut, direction }, asked, days, marks);
    return { list: { kind: 'paused', asked, sink, position }, olderVersions };
  });
}
