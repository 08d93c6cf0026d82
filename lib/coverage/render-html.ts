import { forEachAtOnce } from '../concurrency/for-each-at-once.ts';
import type { Unit } from '../export/unit-plan.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { uruguayDateTime } from '../time/days.ts';
import type { CompanyCoverage } from './company-coverage.ts';
import { readDayTotals, type TypeTotal } from './day-totals.ts';
import { htmlDocument } from './html/document.ts';
import { compressedText, type DayTotals, packCalendars, packCompany, packDetails } from './html/pack.ts';
import type { PackedCompany } from './html/packed.ts';
import { type AskedCoverage, type Coverage, readCoverage } from './read-coverage.ts';
import { typeName } from './type-names.ts';

const OBJECTS_AT_ONCE = 16;

/** Which calendars to draw, and when it is. */
export interface CoverageHtmlOptions extends Omit<AskedCoverage, 'today'> {
  /** Milliseconds since the epoch. */
  nowMs: number;
  /** Whether the days' receipts are read for totals by type: most of the work. Default true. */
  hasTotals?: boolean;
  /** Sums a unit's receipts up by type; by default from the unit's object. */
  readUnitTotals?: (unit: Unit) => Promise<readonly TypeTotal[]>;
  /** Called when a company is done. */
  onCompany?: (done: number, of: number) => void;
  signal?: AbortSignal;
}

/**
 * The coverage of a lake as one HTML file that asks for nothing. Reads the audit and, for the totals by type,
 * every unit's object; one company is held at a time, and of those done what the page holds of them.
 */
export async function renderCoverageHtml(store: LakeStore, options: CoverageHtmlOptions): Promise<string> {
  const today = uruguayDateTime(options.nowMs).slice(0, 10);
  return await coverageHtml(await readCoverage(store, { ...options, today }), store, options);
}

/** The same for calendars that were read already. */
export async function coverageHtml(
  coverage: Coverage,
  store: LakeStore,
  options: CoverageHtmlOptions,
): Promise<string> {
  const companies: PackedCompany[] = [];
  const texts: string[] = [];
  const types = new Set<number>();
  const { readUnitTotals = (unit) => readDayTotals(store, unit) } = options;
  for await (const company of coverage.companies) {
    options.signal?.throwIfAborted();
    const totals = options.hasTotals === false ? undefined : await readTotals(company, readUnitTotals);
    for (const day of totals?.values() ?? []) {
      if ('totals' in day) for (const { tipo } of day.totals) types.add(tipo ?? 0);
    }
    const details = packDetails(company, ({ direction }, day) => totals?.get(unitName(direction, day)));
    companies.push(packCompany(company));
    texts.push(compressedText(packCalendars(company)), compressedText(details));
    options.onCompany?.(companies.length, coverage.ruts.length);
  }
  const madeAt = uruguayDateTime(options.nowMs);
  const { from, to, directions } = options;
  const typeNames = Object.fromEntries([...types].map((code) => [code, typeName(code) ?? '']));
  return htmlDocument(
    { from, to, today: madeAt.slice(0, 10), madeAt, lake: store.address, directions, companies, typeNames },
    texts,
  );
}

/** Of every day that has receipts. A day whose object can't be read says so; the others are drawn all the same. */
async function readTotals(
  { rut, calendars }: CompanyCoverage,
  readUnitTotals: (unit: Unit) => Promise<readonly TypeTotal[]>,
): Promise<Map<string, DayTotals>> {
  const found = new Map<string, DayTotals>();
  const units = calendars.flatMap(({ direction, days }) =>
    days.flatMap(({ day, receipts }, index) =>
      (receipts ?? 0) > 0 ? [{ direction, index, unit: { rut, direccion: direction, fecha: day } }] : [],
    ),
  );
  await forEachAtOnce(units, OBJECTS_AT_ONCE, async ({ direction, index, unit }) => {
    const totals: DayTotals = await readUnitTotals(unit).then(
      (read) => ({ totals: read }),
      (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
    );
    found.set(unitName(direction, index), totals);
  });
  return found;
}

function unitName(direction: string, dayIndex: number): string {
  return `${direction} ${dayIndex}`;
}
