import type { Direction } from '../api/directions.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { addDays, daysBetween } from '../time/days.ts';
import { listAuditObjects } from './audit-objects.ts';
import { type CompanyCoverage, calendarOf } from './company-coverage.ts';
import { findCompanyName } from './company-name.ts';
import { readCompanyAudit } from './company-readings.ts';

/** Without a first day, the calendar begins with the lake, but shows no more than these. */
const MOST_DAYS = 400;
/** … and these when the lake has no receipt yet. */
const FEWEST_DAYS = 65;

/** Which calendars to read. */
export interface AskedCoverage {
  /** Issue dates, both included. */
  from: string;
  to: string;
  /** The day that it is in Uruguay. */
  today: string;
  directions: readonly Direction[];
  /** The companies to show; all that the audit has when absent. */
  ruts?: readonly string[];
  /** Names that are known; for others the lake is asked. */
  names?: ReadonlyMap<string, string>;
}

/** The companies' calendars one after another, by RUT, so that only one is held; and how many they are. */
export interface Coverage {
  ruts: readonly string[];
  companies: AsyncIterable<CompanyCoverage>;
}

export async function readCoverage(store: LakeStore, asked: AskedCoverage): Promise<Coverage> {
  const objects = await listAuditObjects(store, asked.from);
  const ruts = asked.ruts === undefined ? objects.ruts() : [...new Set(asked.ruts)].sort();
  const days = daysBetween(asked.from, asked.to);
  async function* companies(): AsyncGenerator<CompanyCoverage> {
    for (const rut of ruts) {
      const readings = await readCompanyAudit(store, objects.keysOf(rut), asked);
      const calendars = asked.directions.map((direction) =>
        calendarOf(direction, days, asked.today, readings),
      );
      const received = calendars.find(({ direction }) => direction === 'recibidos')?.days ?? [];
      const withReceipts = received.filter(({ receipts }) => (receipts ?? 0) > 0).map(({ day }) => day);
      const name = asked.names?.get(rut) ?? (await findCompanyName(store, rut, withReceipts));
      yield { rut, name, calendars, damaged: [...readings.damaged.values()] };
    }
  }
  return { ruts, companies: companies() };
}

/**
 * Where a calendar begins when nobody says: with the first issue date that the lake has a receipt of, at most
 * 400 days before `to`. Keys come in order, so that one look at each direction is enough.
 */
export async function firstCoveredDay(
  store: LakeStore,
  directions: readonly Direction[],
  to: string,
): Promise<string> {
  const earliest = addDays(to, 1 - MOST_DAYS);
  let first: string | undefined;
  for (const direction of directions) {
    for await (const key of store.list(TABLE_OF[direction].name)) {
      const day = /\/fecha=(\d{4}-\d\d-\d\d)\//.exec(key)?.[1];
      if (day === undefined) continue;
      if (first === undefined || day < first) first = day;
      break;
    }
  }
  if (first === undefined || first > to) return addDays(to, 1 - FEWEST_DAYS);
  return first < earliest ? earliest : first;
}
