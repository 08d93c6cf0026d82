import { DIRECTIONS } from '../../../lib/api/directions.ts';
import type { TypeTotal } from '../../../lib/audit/columns.ts';
import type { Calendar, CompanyCoverage, DayCoverage } from '../../../lib/coverage/company-coverage.ts';
import { DAY_STATES, type DayState, type Reading } from '../../../lib/coverage/day.ts';
import {
  compressedText,
  htmlDocument,
  packCalendars,
  packCompany,
  packDetails,
} from '../../../lib/coverage/html/render-html.ts';
import { addDays, type Day, daysBetween } from '../../../lib/time/days.ts';
import { sandboxCompanies } from '../../../sandbox/generator/parties.ts';
import { TODAY } from './coverage-lake.ts';

const LAST_DAY = addDays(TODAY, -1);
const READINGS_PER_DAY = 3;
const NOTHING_ELSE = { totals: null, companyName: null };
const TYPES = [101, 102, 111, 112, 181, 182];

/** A coverage page without a lake. Every day has receipts, several readings and several types. */
export function bigCoverageHtml(companyCount: number, dayCount: number): string {
  const from = addDays(LAST_DAY, 1 - dayCount);
  const days = daysBetween(from, LAST_DAY);
  const companies = sandboxCompanies(companyCount).map(({ rut, name }, place): CompanyCoverage => {
    const calendars = DIRECTIONS.map((direction): Calendar => {
      const cells = days.map((day, index) => dayOf(day, place * 7919 + index * 31 + direction.length));
      return { direction, days: cells };
    });
    return { rut, name, calendars };
  });
  const texts = companies.flatMap((company) => [
    compressedText(packCalendars(company)),
    compressedText(packDetails(company, totalsOf)),
  ]);
  return htmlDocument(
    {
      from,
      to: LAST_DAY,
      today: TODAY,
      madeAt: `${TODAY}T03:12:00`,
      lake: 's3://lake',
      readAgain: 'npm run -s cfe-lake -- backfill',
      directions: DIRECTIONS,
      companies: companies.map(packCompany),
      creditNotes: [],
      typeNames: Object.fromEntries(TYPES.map((type) => [type, `type ${type}`])),
    },
    texts,
  );
}

function dayOf(day: Day, seed: number): DayCoverage {
  const state: DayState = seed % 97 === 0 ? (DAY_STATES[seed % 3] ?? 'open') : 'exported';
  if (state === 'missing') return { day, state, receipts: null, readings: undefined };
  const receipts = (seed * seed) % 211;
  const shown = Array.from({ length: READINGS_PER_DAY }, (_, index) => readingOf(seed, receipts, index));
  const [last] = shown;
  if (last === undefined) throw new RangeError('a day needs a reading');
  return {
    day,
    state,
    receipts,
    readings: { ...NOTHING_ELSE, shown, count: shown.length, last, lastGood: last },
  };
}

function readingOf(seed: number, receipts: number, index: number): Reading {
  const runId = `20261120030000-${(seed % 400).toString(16)}${index}`;
  const startedAtSeconds = 1_790_000_000 + seed * 13 - index * 86_400;
  return {
    runId,
    state: index === 0 ? 'exportado' : 'sin_cambios',
    changed: null,
    vanished: null,
    misfits: null,
    isStable: null,
    pages: null,
    requests: null,
    retries: null,
    error: null,
    receipts,
    appeared: seed % 5,
    bytes: 4000 + (seed % 997),
    startedAtSeconds,
    endedAtSeconds: startedAtSeconds + (seed % 9),
  };
}

function totalsOf(day: DayCoverage): TypeTotal[] {
  const receipts = day.receipts ?? 0;
  return TYPES.map((type, index) => ({
    type,
    currency: 'UYU',
    receipts: Math.floor(receipts / (index + 1)),
    withoutTotal: 0,
    total: `${receipts * 1234}.${10 + index}`,
  }));
}
