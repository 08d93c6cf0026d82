import { readAudit, runDaysOf } from '../audit/read.ts';
import { unitsFolder } from '../lake/layout.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { addDays, CHANGING_DAYS, type Day, dayNumber, daysBetween, isDay } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import {
  type CompanyCoverage,
  dayCoverage,
  READING_COLUMNS,
  READINGS_KEPT,
  ReadingKeeper,
  type UnitReadings,
} from './company-coverage.ts';

/** Most days of a calendar for which no first day was given. */
const MOST_DAYS = 400;
/**
 * Readings that are held in all, in some 50 MB, but at least one of each unit. With more than 25,000 units, fewer of each
 * are held: the page then has only some days in full.
 */
const READINGS_HELD = 200_000;

export interface AskedCoverage {
  /** Issue dates, both included. */
  from: Day;
  to: Day;
  /** Today in Uruguay. */
  today: Day;
  directions: readonly Direction[];
  /** The companies to show; absent: all that the audit has. */
  ruts?: readonly string[];
  /** Companies that are shown whether the audit has them or not, besides all that it has. */
  alsoRuts?: readonly string[] | undefined;
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
 * Reads the audit for the calendars, once: one object for each run that may have exported these days, and no unit. Memory
 * grows with the units, not with the runs.
 */
export async function readCoverage(
  store: LakeStore,
  asked: AskedCoverage,
  readingsHeld = READINGS_HELD,
): Promise<Coverage> {
  const days = daysBetween(asked.from, asked.to);
  const { units, damaged } = await readUnits(store, asked, days, readingsHeld);
  const ruts = [...new Set(asked.ruts ?? [...units.keys(), ...(asked.alsoRuts ?? [])])].sort();
  async function* companies(): AsyncGenerator<CompanyCoverage> {
    for (const rut of ruts) {
      const calendars = units.get(rut);
      // What was shown is let go.
      units.delete(rut);
      yield coverageOf(rut, asked, days, (list, day) => calendars?.[list]?.[day]?.readings());
    }
  }
  return { ruts, companies: companies(), damaged };
}

/** The units of a company: a list per direction asked for, by day. */
type CompanyUnits = readonly (ReadingKeeper | undefined)[][];

/** The readings of the companies asked for, or of all in the audit, by RUT. */
async function readUnits(
  store: LakeStore,
  { from, to, directions, ruts }: AskedCoverage,
  days: readonly Day[],
  readingsHeld: number,
) {
  const units = new Map<string, CompanyUnits>();
  let unitCount = 0;
  let most = READINGS_KEPT;
  const firstDay = dayNumber(from);
  const question = {
    runDays: runDaysOf(from),
    days: { from, to },
    columns: READING_COLUMNS,
    ...(ruts !== undefined && { ruts: new Set(ruts) }),
  };
  const { damaged } = await readAudit(store, question, (row) => {
    const known = units.get(row.rut);
    const ofCompany = known ?? directions.map(() => new Array<ReadingKeeper | undefined>(days.length));
    if (known === undefined) units.set(row.rut, ofCompany);
    const ofList = ofCompany[directions.indexOf(row.direction)];
    if (ofList === undefined) return;
    const place = row.dayNumber - firstDay;
    let keeper = ofList[place];
    if (keeper === undefined) {
      keeper = new ReadingKeeper();
      ofList[place] = keeper;
      unitCount += 1;
      if (unitCount * most > readingsHeld && most > 1) {
        most -= 1;
        for (const company of units.values())
          for (const list of company) for (const unit of list) unit?.keepNewest(most);
      }
    }
    keeper.add(row, most);
  });
  return { units, damaged };
}

function coverageOf(
  rut: string,
  { directions, today, names }: AskedCoverage,
  days: readonly Day[],
  find: (list: number, day: number) => UnitReadings | undefined,
): CompanyCoverage {
  const todayNumber = dayNumber(today);
  const calendars = directions.map((direction, list) => ({
    direction,
    days: days.map((day, place) => dayCoverage(day, todayNumber, find(list, place))),
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
