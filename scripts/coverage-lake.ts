import type { LakeStore } from '../lib/lake/store/store.ts';
import { addDays, type Day, daysBetween, uruguayDateTime, uruguayDay } from '../lib/time/days.ts';
import { DIRECTIONS, planUnits, type Unit, type UnitResult, withCompanyName } from '../lib/units/unit.ts';
import { sandboxCompanies } from '../sandbox/generator/parties.ts';
import { audit, failedOn, readOn } from '../test/support/coverage/coverage-lake.ts';

/** A run of the lake's history: its moment, and the issue dates that it read. */
interface PastRun {
  atMs: number;
  from: Day;
  to: Day;
}

const RUTS = { shop: '219999830019', hardware: '214844360018', dairy: '218617380010' } as const;

export const FIRST_DAY = '2026-06-01';
export const LAST_DAY = '2026-11-19';
export const NOW_MS = Date.parse('2026-11-20T06:12:00Z');

/** A backfill, a later reading and last night's: some days were read after their 65 days. */
const HISTORY: readonly PastRun[] = [
  { atMs: Date.parse('2026-08-12T06:00:00Z'), from: FIRST_DAY, to: '2026-08-11' },
  { atMs: Date.parse('2026-10-01T06:00:00Z'), from: '2026-07-05', to: '2026-09-30' },
  { atMs: Date.parse('2026-11-20T06:00:00Z'), from: '2026-09-16', to: LAST_DAY },
];

/** Writes the audit of half a year, with some planted failures: the page is drawn from it alone. */
export async function fillLake(store: LakeStore): Promise<void> {
  for (const { atMs, from, to } of HISTORY) {
    const results = sandboxCompanies(3).flatMap(({ rut, name }) => {
      const units = planUnits(rut, DIRECTIONS, daysBetween(from, to)).filter((unit) => !isSkipped(unit));
      return withCompanyName(
        units.map((unit) => resultOf(unit, uruguayDay(atMs), to === LAST_DAY && hasFault(unit))),
        name,
      );
    });
    await audit(store, `${uruguayDateTime(atMs).replaceAll(/\D/g, '')}-nocturna`, results);
  }
}

function resultOf(unit: Unit, runDay: Day, isFailing: boolean): UnitResult {
  if (isFailing)
    return failedOn(
      runDay,
      unit,
      unit.rut === RUTS.dairy ? 'the API answered 500' : 'the API refused the token (401)',
    );
  const receipts = receiptsPerDay(unit);
  return readOn(runDay, unit, {
    receipts,
    totals: undefined,
    state: receipts === 0 ? 'vacio' : 'exportado',
    isStable: !UNSTABLE_DAYS.includes(unit.day) || unit.rut !== RUTS.shop || unit.direction !== 'emitidos',
  });
}

/** One company is busy on Saturdays, one is closed on Sundays, and one buys towards the month's end. */
function receiptsPerDay({ rut, direction, day }: Unit): number {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  const noise = (Number(day.slice(5, 7)) * 31 + Number(day.slice(8)) * 17) % 12;
  const isIssued = direction === 'emitidos';
  if (rut === RUTS.shop)
    return isIssued ? ([150, 96, 90, 104, 118, 160, 190][weekday ?? 0] ?? 0) : weekday === 0 ? 0 : 28 + noise;
  if (rut === RUTS.hardware)
    return weekday === 0 ? 0 : Math.round((isIssued ? 52 + noise : 14 + noise / 2) / (weekday === 6 ? 2 : 1));
  return (
    Math.round((isIssued ? 4 : 16) + noise / 3 + Number(day.slice(8)) * (isIssued ? 0.5 : 0.9)) -
    (weekday % 6 === 0 ? 4 : 0)
  );
}

/** Units that no run read: two weeks, and a day that a schedule missed. */
function isSkipped({ rut, direction, day }: Unit): boolean {
  return (
    (rut === RUTS.hardware && direction === 'emitidos' && day >= '2026-06-15' && day <= '2026-06-28') ||
    (rut === RUTS.dairy && day === '2026-10-17')
  );
}

/** Days on which the shop's list did not hold still. */
const UNSTABLE_DAYS: readonly Day[] = ['2026-09-24', '2026-11-05'];

/** A day whose list answers 500, after an earlier reading was stored. */
const BROKEN = { rut: RUTS.dairy, direction: 'emitidos', day: '2026-09-22' } as const;

/** Failing units: the broken day, and the last days of a company whose token is refused. */
function hasFault({ rut, direction, day }: Unit): boolean {
  const isRefused = rut === RUTS.hardware && direction === 'recibidos' && day >= addDays(LAST_DAY, -3);
  return isRefused || (rut === BROKEN.rut && direction === BROKEN.direction && day === BROKEN.day);
}
