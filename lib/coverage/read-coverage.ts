import { DIRECTIONS, type Direction } from '../api/directions.ts';
import { readAudit, runDaysOf } from '../audit/read.ts';
import { unitsFolder } from '../lake/layout.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { addDays, CHANGING_DAYS, type Day, dayNumber, daysBetween, isDay } from '../time/days.ts';
import {
  type CompanyCoverage,
  dayCoverage,
  READING_COLUMNS,
  ReadingKeeper,
  type UnitReadings,
} from './company-coverage.ts';

/** Most days of a calendar for which no first day was given. */
const MOST_DAYS = 400;
/** Units whose readings are held at a time, in some 150 MB. */
const UNITS_AT_ONCE = 100_000;

export interface AskedCoverage {
  /** Issue dates, both included. */
  from: Day;
  to: Day;
  /** Today in Uruguay. */
  today: Day;
  directions: readonly Direction[];
  /** The companies to show; absent: all that the audit has. */
  ruts?: readonly string[];
  /** Names by RUT. Others come from the audit. */
  names?: ReadonlyMap<string, string>;
}

export interface Coverage {
  ruts: readonly string[];
  companies: AsyncIterable<CompanyCoverage>;
  /** Why objects of the audit could not be read; days that only they have are shown as missing. */
  damaged: readonly string[];
}

/**
 * Reads the audit for the calendars: one object for each run that may have exported these days, and no unit. With many
 * companies, some are held at a time, and the audit is read again for the next ones.
 */
export async function readCoverage(
  store: LakeStore,
  asked: AskedCoverage,
  unitsAtOnce = UNITS_AT_ONCE,
): Promise<Coverage> {
  const days = daysBetween(asked.from, asked.to);
  const companiesAtOnce = Math.max(1, Math.floor(unitsAtOnce / (days.length * DIRECTIONS.length)));
  const known = asked.ruts === undefined ? undefined : [...new Set(asked.ruts)].sort();
  const first = await readCompanies(store, asked, companiesAtOnce, known?.slice(0, companiesAtOnce));
  const ruts = known ?? [...first.ruts].sort();
  async function* companies(): AsyncGenerator<CompanyCoverage> {
    for (let start = 0; start < ruts.length; start += companiesAtOnce) {
      const some = ruts.slice(start, start + companiesAtOnce);
      const { units } = start === 0 ? first : await readCompanies(store, asked, companiesAtOnce, some);
      for (const rut of some) {
        yield coverageOf(rut, asked, days, (direction, day) =>
          units
            .get(rut)
            ?.get(`${direction} ${dayNumber(day)}`)
            ?.readings(),
        );
      }
    }
  }
  return { ruts, companies: companies(), damaged: first.damaged };
}

/** The readings of the companies asked for, or of the first ones by RUT; and the RUTs of all companies in the audit. */
async function readCompanies(
  store: LakeStore,
  { from, to }: AskedCoverage,
  most: number,
  asked?: readonly string[],
) {
  const units = new Map<string, Map<string, ReadingKeeper>>();
  const ruts = new Set<string>();
  let leftFrom: string | undefined;
  const question = {
    runDays: runDaysOf(from),
    days: { from, to },
    columns: READING_COLUMNS,
    ...(asked !== undefined && { ruts: new Set(asked) }),
  };
  const { damaged } = await readAudit(store, question, (row) => {
    const { rut } = row;
    ruts.add(rut);
    if (leftFrom !== undefined && rut >= leftFrom) return;
    const ofCompany = units.get(rut) ?? new Map<string, ReadingKeeper>();
    units.set(rut, ofCompany);
    const name = `${row.direction} ${row.dayNumber}`;
    const keeper = ofCompany.get(name) ?? new ReadingKeeper();
    ofCompany.set(name, keeper);
    keeper.add(row);
    if (units.size <= most) return;
    leftFrom = [...units.keys()].reduce((a, b) => (a > b ? a : b));
    units.delete(leftFrom);
  });
  return { units, ruts, damaged };
}

function coverageOf(
  rut: string,
  { directions, today, names }: AskedCoverage,
  days: readonly Day[],
  find: (direction: Direction, day: Day) => UnitReadings | undefined,
): CompanyCoverage {
  const todayNumber = dayNumber(today);
  const calendars = directions.map((direction) => ({
    direction,
    days: days.map((day) => dayCoverage(day, todayNumber, find(direction, day))),
  }));
  const newestFirst = calendars.flatMap((calendar) => calendar.days.toReversed());
  const name = newestFirst.find(({ readings }) => typeof readings?.companyName === 'string')?.readings
    ?.companyName;
  return { rut, name: names?.get(rut) ?? name ?? undefined, calendars };
}

/**
 * The default first day of a calendar that ends with `to`: the lake's first issue date, but at most MOST_DAYS days in
 * all. Keys are listed in order, so one key of each direction is enough.
 */
export async function firstCoveredDay(
  store: LakeStore,
  directions: readonly Direction[],
  to: Day,
): Promise<Day> {
  let first: Day | undefined;
  for (const direction of directions) {
    for await (const key of store.list(unitsFolder(TABLE_OF[direction].name))) {
      const day = /\/fecha=([^/]+)\//.exec(key)?.[1];
      if (day === undefined || !isDay(day)) continue;
      if (first === undefined || day < first) first = day;
      break;
    }
  }
  // The lake has no units yet.
  if (first === undefined || first > to) return addDays(to, 1 - CHANGING_DAYS);
  const earliest = addDays(to, 1 - MOST_DAYS);
  return first < earliest ? earliest : first;
}
