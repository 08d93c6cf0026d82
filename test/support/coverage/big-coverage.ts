import { UnitHistory } from '../../../lib/audit/history.ts';
import { totalsJson } from '../../../lib/audit/row.ts';
import type { Calendar, CompanyCoverage, DayCoverage } from '../../../lib/coverage/company-coverage.ts';
import { coveragePage } from '../../../lib/coverage/coverage-page.ts';
import { DAY_STATES, type DayState } from '../../../lib/coverage/day.ts';
import { addDays, type Day, daysBetween } from '../../../lib/time/days.ts';
import { DIRECTIONS, type TypeTotal } from '../../../lib/units/unit.ts';
import { sandboxCompanies } from '../../../sandbox/generator/parties.ts';
import { auditRow } from '../audit-row.ts';
import { NOW_MS, TODAY } from './coverage-lake.ts';

const LAST_DAY = addDays(TODAY, -1);
const TYPES = [101, 102, 111, 112, 181, 182];

/** A coverage page without a lake. Every day has receipts, a reading and several types. */
export async function bigCoverageHtml(companyCount: number, dayCount: number): Promise<string> {
  const from = addDays(LAST_DAY, 1 - dayCount);
  const days = daysBetween(from, LAST_DAY);
  const known = sandboxCompanies(companyCount);
  async function* companies(): AsyncGenerator<CompanyCoverage> {
    for (const [place, { rut, name }] of known.entries()) {
      const calendars = DIRECTIONS.map((direction): Calendar => {
        const cells = days.map((day, index) => dayOf(day, place * 7919 + index * 31 + direction.length));
        return { direction, days: cells };
      });
      yield { rut, name, calendars };
    }
  }
  const coverage = { ruts: known.map(({ rut }) => rut), companies: companies(), damaged: [] };
  return await coveragePage(coverage, {
    from,
    to: LAST_DAY,
    nowMs: NOW_MS,
    lake: 's3://lake',
    readAgain: 'npm run -s cfe-lake -- backfill',
    directions: DIRECTIONS,
  });
}

function dayOf(day: Day, seed: number): DayCoverage {
  const state: DayState = seed % 97 === 0 ? (DAY_STATES[seed % 3] ?? 'open') : 'exported';
  if (state === 'missing') return { day, state, receipts: null, readings: undefined };
  const receipts = (seed * seed) % 211;
  const row = auditRow({
    runId: `20261120030000-${(seed % 400).toString(16)}`,
    state: 'exportado',
    receipts,
    appeared: seed % 5,
    bytes: 4000 + (seed % 997),
    startedAtSeconds: 1_790_000_000 + seed * 13,
    totals: totalsJson(totalsOf(receipts)),
  });
  return { day, state, receipts, readings: new UnitHistory(row) };
}

function totalsOf(receipts: number): TypeTotal[] {
  return TYPES.map((type, index) => ({
    type,
    currency: 'UYU',
    receipts: Math.floor(receipts / (index + 1)),
    withoutTotal: 0,
    total: `${receipts * 1234}.${10 + index}`,
  }));
}
