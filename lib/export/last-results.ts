import { DIRECTIONS, type Direction } from '../api/directions.ts';
import { forEachAtOnce } from '../concurrency/for-each-at-once.ts';
import type { DamagedObjectError } from '../lake/parquet/errors.ts';
import type { Value } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { addDays, dayNumber } from '../time/days.ts';
import { forEachAuditRow } from './audit-rows.ts';

/** Objects are small: reading them is waiting for answers. */
const OBJECTS_AT_ONCE = 16;
/** Receipts may be dated this far ahead, so a run of so many days before may have had the day. */
export const DAYS_AHEAD = 60;

const COLUMN_NAMES = [
  'rut',
  'direccion',
  'fecha',
  'estado',
  'filas',
  'sha256',
  'error',
  'detalle',
  'detalle_motivo',
  'inicio',
];
const COLUMNS = EXPORTACIONES.columns.filter(({ name }) => COLUMN_NAMES.includes(name));

/** What the audit says last of a unit; names and values as in `exportaciones`. */
export interface LastResult {
  estado: string;
  error: string | null;
  filas: number;
  /** Of the list's content; null where there was none. */
  sha256: string | null;
  /** Of the last run that was asked for details, and of the list that it had; undefined when none was. */
  details?: { detalle: string; motivo: string | null; sha256: string | null };
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
  /** Why objects of the audit could not be read: what they say is not known. */
  damaged: readonly string[];
}

/** Of two rows the one that began later holds; of two within a second, that which did not fail. */
interface Said<What> {
  what: What;
  hasFailed: boolean;
  /** Microseconds of the local clock; -1 where the audit doesn't say. */
  startedMicros: bigint;
}

/** What is said last of each unit's list, and of its details: not every run is asked for those. */
interface LastWords {
  lists: Map<string, Said<Omit<LastResult, 'details'>>>;
  details: Map<string, Said<NonNullable<LastResult['details']>>>;
}

/**
 * Reads the audit: the newest row of each unit, by `inicio`. Objects are read one by one and only what is newest
 * is kept, so memory grows with the units asked about and not with the runs.
 */
export async function readLastResults(store: LakeStore, asked: AskedUnits): Promise<LastResults> {
  const last: LastWords = { lists: new Map(), details: new Map() };
  const otherRuts = new Set<string>();
  const damaged: string[] = [];
  const days = { first: dayNumber(asked.from), last: dayNumber(asked.to) };
  await forEachAtOnce(store.list(EXPORTACIONES.name), OBJECTS_AT_ONCE, async (key) => {
    const named = parseAuditKey(key);
    if (named === undefined) return;
    if (!asked.ruts.has(named.rut)) otherRuts.add(named.rut);
    else if (named.runDay >= addDays(asked.from, -DAYS_AHEAD)) {
      const damage = await readObject(store, key, days, last);
      if (damage !== undefined) damaged.push(damage.message);
    }
  });
  return {
    find: (rut, direction, day) => {
      const name = unitName(rut, direction, dayNumber(day));
      const list = last.lists.get(name)?.what;
      return list && { ...list, details: last.details.get(name)?.what };
    },
    otherRuts,
    damaged: damaged.sort(),
  };
}

async function readObject(
  store: LakeStore,
  key: string,
  days: { first: number; last: number },
  last: LastWords,
): Promise<DamagedObjectError | undefined> {
  return await forEachAuditRow(store, key, COLUMNS, (row) => {
    const { rut, direccion, fecha, estado, filas, error, detalle, detalle_motivo: motivo, inicio } = row;
    const sha256 = textOf(row.sha256);
    if (typeof fecha !== 'number' || fecha < days.first || fecha > days.last) return;
    if (!DIRECTIONS.some((direction) => direction === direccion)) return;
    const startedMicros = typeof inicio === 'bigint' ? inicio : -1n;
    const name = unitName(rut, direccion, fecha);
    const list = { estado: String(estado), error: textOf(error), filas: Number(filas ?? 0), sha256 };
    keepLast(last.lists, name, { what: list, hasFailed: estado === 'fallido', startedMicros });
    if (typeof detalle !== 'string') return;
    const details = { detalle, motivo: textOf(motivo), sha256 };
    keepLast(last.details, name, { what: details, hasFailed: detalle === 'fallido', startedMicros });
  });
}

function unitName(rut: Value | undefined, direction: Value | undefined, dayNumber: number): string {
  return `${rut} ${direction} ${dayNumber}`;
}

/** `inicio` counts whole seconds; of two within one, that which did not fail holds: its object is there. */
function keepLast<What>(words: Map<string, Said<What>>, name: string, said: Said<What>): void {
  const known = words.get(name);
  const isLater =
    known === undefined ||
    (said.startedMicros === known.startedMicros ? known.hasFailed : said.startedMicros > known.startedMicros);
  if (isLater) words.set(name, said);
}

function textOf(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** What the key of an audit object says (see `auditKey`); undefined for any other object. */
export function parseAuditKey(key: string): { runDay: string; rut: string } | undefined {
  const match = /\/fecha_corrida=(\d{4}-\d\d-\d\d)\/[^/]*-(\d{12})-\d+\.parquet$/.exec(key);
  const [, runDay, rut] = match ?? [];
  return runDay === undefined || rut === undefined ? undefined : { runDay, rut };
}
