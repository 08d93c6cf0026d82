import { DIRECTIONS } from '../../api/directions.ts';
import type { Unit } from '../../export/unit-plan.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { addDays, uruguayDay } from '../../time/days.ts';
import { listRecentAuditObjects } from '../audit-objects.ts';
import type { CompanyCoverage } from '../company-coverage.ts';
import { readDayTotals, type TypeTotal } from '../day-totals.ts';
import { coverageHtml } from '../render-html.ts';
import { OpenCompany } from './open-company.ts';

/** Waiting for answers, most of it. */
const COMPANIES_AT_ONCE = 16;

export interface KeptCoverageOptions {
  /** Milliseconds since the epoch. */
  nowMs: number;
  /** Days up to yesterday that the page shows. */
  dayCount: number;
  /** The run that has just ended. */
  runId: string;
  /** Writes an object below COVERAGE_FOLDER, whatever is there. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Told of each object of the audit that could not be read, and why. */
  onDamaged?: (reason: string) => void;
  signal?: AbortSignal;
}

/**
 * The coverage page of a lake that is read every night, as renderCoverageHtml makes it. A company's readings and
 * totals are kept in the lake, so that a night reads the audit objects and the units that came since, and not half
 * a year of them. What is kept names the audit objects that it comes from: of two that write it at once, either may
 * win, and what the other had read is read again. Throws the signal's reason and LakeRequestError; companies that
 * were done by then are kept.
 */
export async function renderKeptCoverage(store: LakeStore, options: KeptCoverageOptions): Promise<string> {
  const { nowMs, dayCount, runId, put, onDamaged, signal } = options;
  const today = uruguayDay(nowMs);
  const range = { from: addDays(today, -dayCount), to: addDays(today, -1) };
  const objects = await listRecentAuditObjects(store, range.from, today);
  const ruts = objects.ruts();
  const open = new Map<string, OpenCompany>();

  const read = async (rut: string): Promise<OpenCompany> => {
    const auditKeys = objects.keysOf(rut);
    const company = await OpenCompany.read(store, { ...range, rut, today, auditKeys, runId });
    open.set(rut, company);
    return company;
  };
  async function* companies(): AsyncGenerator<CompanyCoverage> {
    for (let start = 0; start < ruts.length; start += COMPANIES_AT_ONCE) {
      signal?.throwIfAborted();
      const some = await Promise.all(ruts.slice(start, start + COMPANIES_AT_ONCE).map(read));
      for (const { coverage } of some) {
        for (const reason of coverage.damaged) onDamaged?.(reason);
        yield coverage;
      }
      // Whoever takes the companies has asked for all of their totals by now.
      await Promise.all(some.map((company) => company.keep(put)));
      open.clear();
    }
  }
  const readUnitTotals = (unit: Unit): Promise<readonly TypeTotal[]> =>
    open.get(unit.rut)?.totalsOf(unit) ?? readDayTotals(store, unit);
  return await coverageHtml({ ruts, companies: companies() }, store, {
    ...range,
    directions: DIRECTIONS,
    nowMs,
    readUnitTotals,
    signal,
  });
}
