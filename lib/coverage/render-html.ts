import { parseTotals } from '../audit/type-totals.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { uruguayDateTime } from '../time/days.ts';
import type { DayCoverage } from './company-coverage.ts';
import { htmlDocument } from './html/document.ts';
import { compressedText, type DayTotals, packCalendars, packCompany, packDetails } from './html/pack.ts';
import type { PackedCompany } from './html/packed.ts';
import { type AskedCoverage, type Coverage, readCoverage } from './read-coverage.ts';
import { typeName } from './type-names.ts';

/** Which calendars to draw, and when it is. */
export interface CoverageHtmlOptions extends Omit<AskedCoverage, 'today'> {
  /** Milliseconds since the epoch. */
  nowMs: number;
  /** Called when a company is done. */
  onCompany?: (done: number, of: number) => void;
  /** Told of each object of the audit that could not be read, and why. */
  onDamaged?: (reason: string) => void;
  signal?: AbortSignal;
}

/** The coverage of a lake as one HTML file that asks for nothing, from the audit alone. */
export async function renderCoverageHtml(store: LakeStore, options: CoverageHtmlOptions): Promise<string> {
  const today = uruguayDateTime(options.nowMs).slice(0, 10);
  return await coverageHtml(await readCoverage(store, { ...options, today }), store.address, options);
}

/** The same for calendars that were read already, of the lake at an address. */
export async function coverageHtml(
  coverage: Coverage,
  lake: string,
  options: CoverageHtmlOptions,
): Promise<string> {
  const companies: PackedCompany[] = [];
  const texts: string[] = [];
  const types = new Set<number>();
  for (const reason of coverage.damaged) options.onDamaged?.(reason);
  for await (const company of coverage.companies) {
    options.signal?.throwIfAborted();
    const details = packDetails(company, ({ days }, day) => totalsOf(days[day], types));
    companies.push(packCompany(company));
    texts.push(compressedText(packCalendars(company)), compressedText(details));
    options.onCompany?.(companies.length, coverage.ruts.length);
  }
  const madeAt = uruguayDateTime(options.nowMs);
  const { from, to, directions } = options;
  const typeNames = Object.fromEntries([...types].map((code) => [code, typeName(code) ?? '']));
  return htmlDocument(
    { from, to, today: madeAt.slice(0, 10), madeAt, lake, directions, companies, typeNames },
    texts,
  );
}

const NO_TOTALS = 'its last reading is from before the audit kept them. Its next export brings them.';

/** Of a day that has receipts; adds their types to `types`. */
function totalsOf(day: DayCoverage | undefined, types: Set<number>): DayTotals | undefined {
  if (day?.readings === undefined || (day.receipts ?? 0) === 0) return undefined;
  const totals = parseTotals(day.readings.totales);
  if (totals === undefined) return { problem: NO_TOTALS };
  for (const { tipo } of totals) types.add(tipo ?? 0);
  return { totals };
}
