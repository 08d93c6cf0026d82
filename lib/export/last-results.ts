import { DIRECTIONS, type Direction } from '../api/directions.ts';
import { forEachAtOnce } from '../concurrency/for-each-at-once.ts';
import { readRows } from '../lake/parquet/reader.ts';
import type { Value } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { addDays, dayNumber } from '../time/days.ts';

/** Objects are small: reading them is waiting for answers. */
const OBJECTS_AT_ONCE = 16;
/** Receipts may be dated this far ahead, so a run of so many days before may have had the day. */
export const DAYS_AHEAD = 60;

const COLUMNS = EXPORTACIONES.columns.filter(({ name }) =>
  ['rut', 'direccion', 'fecha', 'estado', 'error', 'inicio'].includes(name),
);

/** What the audit says last of a unit. */
export interface LastResult {
  /** As in `exportaciones`. */
  estado: string;
  error: string | null;
}

/** The units that are asked about: these companies, and days from `from` to `to`, both included. */
export interface AskedUnits {
  ruts: ReadonlySet<string>;
  from: string;
  to: string;
}

export interface LastResults {
  find(rut: string, direction: Direction, day: string): LastResult | undefined;
  /** Companies of the audit that were not asked about. */
  otherRuts: ReadonlySet<string>;
}

interface Entry extends LastResult {
  /** Microseconds of the local clock; -1 where the audit doesn't say. */
  startedMicros: bigint;
}

/**
 * Reads the audit: the newest row of each unit, by `inicio`. Objects are read one by one and only the newest row
 * is kept, so memory grows with the units asked about and not with the runs.
 */
export async function readLastResults(store: LakeStore, asked: AskedUnits): Promise<LastResults> {
  const newest = new Map<string, Entry>();
  const otherRuts = new Set<string>();
  const days = { first: dayNumber(asked.from), last: dayNumber(asked.to) };
  await forEachAtOnce(store.list(EXPORTACIONES.name), OBJECTS_AT_ONCE, async (key) => {
    const named = parseAuditKey(key);
    if (named === undefined) return;
    if (!asked.ruts.has(named.rut)) otherRuts.add(named.rut);
    else if (named.runDay >= addDays(asked.from, -DAYS_AHEAD)) await readObject(store, key, days, newest);
  });
  return {
    find: (rut, direction, day) => newest.get(unitName(rut, direction, dayNumber(day))),
    otherRuts,
  };
}

async function readObject(
  store: LakeStore,
  key: string,
  days: { first: number; last: number },
  newest: Map<string, Entry>,
): Promise<void> {
  const file = await store.open(key);
  try {
    for await (const { rut, direccion, fecha, estado, error, inicio } of readRows(file, COLUMNS)) {
      if (typeof fecha !== 'number' || fecha < days.first || fecha > days.last) continue;
      if (!DIRECTIONS.some((direction) => direction === direccion)) continue;
      const entry = {
        estado: String(estado),
        error: typeof error === 'string' ? error : null,
        startedMicros: typeof inicio === 'bigint' ? inicio : -1n,
      };
      const name = unitName(rut, direccion, fecha);
      const known = newest.get(name);
      if (known === undefined || isLater(entry, known)) newest.set(name, entry);
    }
  } finally {
    await file.close();
  }
}

function unitName(rut: Value | undefined, direction: Value | undefined, dayNumber: number): string {
  return `${rut} ${direction} ${dayNumber}`;
}

/** `inicio` counts whole seconds; of two within one, that which did not fail holds: its object is there. */
function isLater(a: Entry, b: Entry): boolean {
  return a.startedMicros === b.startedMicros ? b.estado === 'fallido' : a.startedMicros > b.startedMicros;
}

/** What the key of an audit object says (see `auditKey`); undefined for any other object. */
export function parseAuditKey(key: string): { runDay: string; rut: string } | undefined {
  const match = /\/fecha_corrida=(\d{4}-\d\d-\d\d)\/[^/]*-(\d{12})-\d+\.parquet$/.exec(key);
  const [, runDay, rut] = match ?? [];
  return runDay === undefined || rut === undefined ? undefined : { runDay, rut };
}
