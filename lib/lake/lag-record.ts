import * as v from 'valibot';
import { forEachConcurrent } from '../concurrency/for-each-concurrent.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { addDays, daysBetween, isDay } from '../time/days.ts';
import { LAGGING_FOLDER, laggingKey } from './layout.ts';
import { type LakeStore, readText, replaceText, StaleObjectError } from './store/store.ts';
import { RECEIPT_TABLES, type Table } from './tables.ts';

/**
 * Days that may lag behind their units. A run records them before it first writes a unit of a month, and again each
 * hour as long as it writes; a record is removed after a publication that began when the run had ended, or when it had
 * not been heard of for long.
 */

const FORMAT_VERSION = 1;
const RECORDS_AT_ONCE = 16;
const MAX_ATTEMPTS = 10;
const HOUR_MS = 3_600_000;
/** A run that goes on writing says so. */
const RENEWED_AFTER_MS = HOUR_MS;
/** A run that was not heard of for so long writes no more: no object takes hours to be written. */
const DEAD_AFTER_MS = 6 * HOUR_MS;

const RecordText = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    version: v.literal(FORMAT_VERSION),
    days: v.array(v.pipe(v.string(), v.check(isDay))),
  }),
);

/** What one run may have written of one table and month. */
export interface LagRecord {
  key: string;
  table: Table;
  runId: string;
  days: readonly string[];
  version: string;
  renewedAtMs: number;
}

/** Records of one run which days it is about to write to. */
export class LagRecorder {
  private readonly store: LakeStore;
  private readonly runId: string;
  private readonly days: readonly string[];
  private readonly clock: Clock;
  private readonly recorded = new Map<string, { atMs: number; done: Promise<void> }>();

  /** `days`: all issue dates of the run. */
  constructor(store: LakeStore, runId: string, days: readonly string[], clock: Clock = systemClock) {
    this.store = store;
    this.runId = runId;
    this.days = [...new Set(days)].sort();
    this.clock = clock;
  }

  /** To be awaited before a unit of that day is written. */
  async record(table: Table, fecha: string): Promise<void> {
    const month = fecha.slice(0, 7);
    const key = laggingKey(table.name, month, this.runId);
    const now = this.clock.now();
    let last = this.recorded.get(key);
    if (last === undefined || now - last.atMs >= RENEWED_AFTER_MS) {
      last = { atMs: now, done: this.write(key, month, now) };
      this.recorded.set(key, last);
      // Tried again by the next unit.
      last.done.catch(() => this.recorded.delete(key));
    }
    await last.done;
  }

  private async write(key: string, month: string, now: number): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const found = await this.store.find(key);
      if (found !== undefined && now - found.storedAtMs < RENEWED_AFTER_MS) return;
      // An attempt of before may have left days that this one does not know.
      const before = found === undefined ? [] : ((await readRecord(this.store, key))?.days ?? []);
      const own = this.days.filter((day) => day.startsWith(month));
      const days = [...new Set([...before, ...own])].sort();
      const text = JSON.stringify({ version: FORMAT_VERSION, days });
      try {
        await replaceText(this.store, key, text, found);
        return;
      } catch (error) {
        // Another worker of the run has just done so; or a publisher took it away, and it is there no more.
        if (!(error instanceof StaleObjectError) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}

/** All records of the lake, in no particular order. */
export async function readLagRecords(store: LakeStore): Promise<LagRecord[]> {
  const records: LagRecord[] = [];
  await forEachConcurrent(store.list(LAGGING_FOLDER), RECORDS_AT_ONCE, async (key) => {
    const record = await readRecord(store, key);
    if (record !== undefined) records.push(record);
  });
  return records;
}

/** Whether no unit will be written any more that the record stands for. */
export function isEnded({ runId, renewedAtMs }: LagRecord, endedRunId: string | undefined, nowMs: number) {
  return runId === endedRunId || nowMs - renewedAtMs > DEAD_AFTER_MS;
}

/** Takes the record away, unless its run was heard of since it was read. */
export async function removeRecord(
  store: LakeStore,
  { key, version, renewedAtMs }: LagRecord,
): Promise<void> {
  const found = await store.find(key);
  // A bucket's versions come from the bytes, which are the same when it is renewed.
  if (found?.version === version && found.storedAtMs === renewedAtMs) await store.remove(key);
}

async function readRecord(store: LakeStore, key: string): Promise<LagRecord | undefined> {
  const [, name, month = '', runId = ''] = /^\.lagging\/(\w+)\/(\d{4}-\d\d)\/([\w-]+)\.json$/.exec(key) ?? [];
  const table = RECEIPT_TABLES.find((known) => known.name === name);
  const found = await store.find(key);
  if (table === undefined || found === undefined || !isDay(`${month}-01`)) return undefined;
  const text = await readText(store, key);
  const parsed = v.safeParse(RecordText, text);
  // One that can't be read stands for all days that it may name.
  const days = parsed.success ? parsed.output.days : daysOfMonth(month);
  return { key, table, runId, days, version: found.version, renewedAtMs: found.storedAtMs };
}

function daysOfMonth(month: string): string[] {
  const nextMonth = addDays(`${month}-28`, 4).slice(0, 7);
  return daysBetween(`${month}-01`, addDays(`${nextMonth}-01`, -1));
}
