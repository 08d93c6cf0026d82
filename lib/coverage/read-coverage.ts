import { UnitHistory } from '../audit/history.ts';
import { readAudit, runDaysOf } from '../audit/read.ts';
import { unitsFolder } from '../lake/layout.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { TABLE_OF } from '../lake/tables.ts';
import { shortCompanyName } from '../text/printable-name.ts';
import { addDays, CHANGING_DAYS, type Day, dayNumber, daysBetween, isDay } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import { type CompanyCoverage, dayCoverage } from './company-coverage.ts';
import { READING_FIELDS } from './day-detail.ts';

/** Most days of a calendar for which no first day was given. */
const MOST_DAYS = 400;
/** The audit's columns that a calendar needs. */
const COLUMNS = [
  ...READING_FIELDS,
  'totals',
  'unknownFields',
  'companyName',
  'sha256',
  'detailState',
  'detailsStored',
] as const;

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
export async function readCoverage(store: LakeStore, asked: AskedCoverage): Promise<Coverage> {
  const days = daysBetween(asked.from, asked.to);
  const { units, damaged } = await readUnits(store, asked, days);
  const ruts = [...new Set(asked.ruts ?? [...units.keys(), ...(asked.alsoRuts ?? [])])].sort();
  async function* companies(): AsyncGenerator<CompanyCoverage> {
    for (const rut of ruts) {
      const calendars = units.get(rut);
      // What was shown is let go.
      units.delete(rut);
      yield coverageOf(rut, asked, days, (list, day) => calendars?.[list]?.[day]);
    }
  }
  return { ruts, companies: companies(), damaged };
}

/** The units of a company: a list per direction asked for, by day. */
type CompanyUnits = readonly (UnitHistory | undefined)[][];

/** The units of the companies asked for, or of all in the audit, by RUT. */
async function readUnits(
  store: LakeStore,
  { from, to, directions, ruts }: AskedCoverage,
  days: readonly Day[],
) {
  const units = new Map<string, CompanyUnits>();
  const firstDay = dayNumber(from);
  const question = {
    runDays: runDaysOf(from),
    days: { from, to },
    columns: COLUMNS,
    ...(ruts !== undefined && { ruts: new Set(ruts) }),
  };
  const { damaged } = await readAudit(store, question, (row) => {
    const known = units.get(row.rut);
    const calendars = known ?? directions.map(() => new Array<UnitHistory | undefined>(days.length));
    if (known === undefined) units.set(row.rut, calendars);
    const calendar = calendars[directions.indexOf(row.direction)];
    if (calendar === undefined) return;
    const place = row.dayNumber - firstDay;
    const history = calendar[place];
    if (history === undefined) calendar[place] = new UnitHistory(row);
    else history.add(row);
  });
  return { units, damaged };
}

function coverageOf(
  rut: string,
  { directions, today, names }: AskedCoverage,
  days: readonly Day[],
  find: (list: number, day: number) => UnitHistory | undefined,
): CompanyCoverage {
  const todayNumber = dayNumber(today);
  const calendars = directions.map((direction, list) => ({
    direction,
    days: days.map((day, place) => dayCoverage(day, todayNumber, find(list, place))),
  }));
  const newestFirst = calendars.flatMap((calendar) => calendar.days.toReversed());
  const named = newestFirst.flatMap(
    ({ readings }) => readings?.last.companyName ?? readings?.lastGood?.companyName ?? [],
  );
  const name = names?.get(rut) ?? named[0];
  return { rut, name: name && shortCompanyName(name), calendars };
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
