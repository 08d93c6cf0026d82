import { deflateRawSync } from 'node:zlib';
import type { TypeTotal } from '../../audit/columns.ts';
import { parseTotals } from '../../audit/type-totals.ts';
import { RECEIPT_TYPES } from '../../lake/receipt-types.ts';
import { readAgainCommand } from '../../lake/source.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { escapeHtml, jsonForScript, pageHead } from '../../text/html.ts';
import { uruguayDateTime, uruguayDay } from '../../time/days.ts';
import { type CompanyCoverage, countReceipts, countStates, type DayCoverage } from '../company-coverage.ts';
import { busyDay, READING_FIELDS, troubledDays } from '../day.ts';
import { type AskedCoverage, type Coverage, readCoverage } from '../read-coverage.ts';
import { ENGLISH } from '../texts/english.ts';
import { PAGE_SCRIPT, PAGE_STYLE } from './assets.generated.ts';
import {
  groupedColumns,
  type PackedCalendars,
  type PackedCompany,
  type PackedDetails,
  type PackedIndex,
} from './packed.ts';

export interface CoverageHtmlOptions extends Omit<AskedCoverage, 'today'> {
  /** The command by which a reader of the page runs this program. */
  program: string;
  /** Milliseconds since the epoch. */
  nowMs: number;
  /** Called when a company is done. */
  onCompany?: (done: number, of: number) => void;
  /** Called for each object of the audit that could not be read, with the reason. */
  onDamaged?: (reason: string) => void;
  signal?: AbortSignal;
}

/** Reads a lake's audit and renders its coverage as one HTML file, which requests nothing. */
export async function renderCoverageHtml(store: LakeStore, options: CoverageHtmlOptions): Promise<string> {
  const today = uruguayDay(options.nowMs);
  const coverage = await readCoverage(store, { ...options, today });
  return await coverageHtml(coverage, store, options);
}

/** The same for calendars that were read already. */
export async function coverageHtml(
  coverage: Coverage,
  store: LakeStore,
  options: CoverageHtmlOptions,
): Promise<string> {
  const read: { company: PackedCompany; texts: readonly [string, string] }[] = [];
  const types = new Set<number>();
  for (const reason of coverage.damaged) options.onDamaged?.(reason);
  for await (const company of coverage.companies) {
    options.signal?.throwIfAborted();
    const details = packDetails(company, (day) => totalsOf(day, types));
    read.push({
      company: packCompany(company),
      texts: [compressedText(packCalendars(company)), compressedText(details)],
    });
    options.onCompany?.(read.length, coverage.ruts.length);
  }
  // Companies with problems come first; the sort keeps the order by RUT among equals.
  read.sort((one, other) => companyTrouble(other.company) - companyTrouble(one.company));
  const companies = read.map(({ company }) => company);
  const lake = store.address;
  const readAgain = await readAgainCommand(options.program, store);
  const madeAt = uruguayDateTime(options.nowMs);
  const { from, to, directions } = options;
  const known = RECEIPT_TYPES.filter(({ code }) => types.has(code));
  const typeNames = Object.fromEntries(known.map(({ code, name }) => [code, name]));
  const creditNotes = known.filter(({ sign }) => sign === -1).map(({ code }) => code);
  return htmlDocument(
    {
      from,
      to,
      today: uruguayDay(options.nowMs),
      madeAt,
      lake,
      readAgain,
      directions,
      companies,
      typeNames,
      creditNotes,
    },
    read.flatMap(({ texts }) => texts),
  );
}

function companyTrouble({ summaries }: PackedCompany): number {
  return summaries.reduce((sum, { states }) => sum + troubledDays(states), 0);
}

/** A day's totals; undefined if its last reading is from before the audit kept them. Adds their types to `types`. */
function totalsOf({ readings, receipts }: DayCoverage, types: Set<number>): TypeTotal[] | undefined {
  if (readings === undefined || (receipts ?? 0) === 0) return [];
  const totals = parseTotals(readings.totals);
  for (const { type } of totals ?? []) types.add(type ?? 0);
  return totals;
}

/**
 * The whole page, which requests nothing. `texts` are the companies' compressed texts, two each. The content security
 * policy allows only its own script and style, by their hashes; data is read as text, never as markup. The script
 * rewrites the page's head in the reader's language.
 */
export function htmlDocument(index: PackedIndex, texts: readonly string[]): string {
  const range = ENGLISH.range(index.from, index.to);
  const title = `${ENGLISH.title} ${range}`;
  return `${pageHead({ language: 'en', title, style: PAGE_STYLE, script: PAGE_SCRIPT })}
<body>
<header class="top" id="top">
<h1>${ENGLISH.title}</h1>
<p>${ENGLISH.whichDays} <b>${range}</b>, in <b>${escapeHtml(index.lake)}</b>. ${ENGLISH.asOf(index.madeAt.replace('T', ' '))}</p>
</header>
<noscript><p class="notice">A script in this file draws the calendars; enable scripts to see them.
It requests nothing and sends nothing.</p>
<p class="notice" lang="es">Los calendarios los dibuja un script que está en este archivo: hay que habilitar los scripts. No pide ni
envía nada.</p></noscript>
<main id="page"></main>
<script type="application/json" id="index">${jsonForScript(index)}</script>
<script type="text/plain" id="texts">${texts.join('\n')}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

export function packCompany({ rut, name, calendars }: CompanyCoverage): PackedCompany {
  const summaries = calendars.map(({ days }) => ({
    states: countStates(days),
    receipts: countReceipts(days),
  }));
  return { rut, name: name ?? '', summaries };
}

export function packCalendars({ calendars }: CompanyCoverage): PackedCalendars {
  return calendars.map(({ days }) => {
    const receipts = days.map((day) => day.receipts);
    return {
      states: days.map(({ state }) => state[0]).join(''),
      receipts,
      busy: busyDay(receipts),
    };
  });
}

export function packDetails(
  { calendars }: CompanyCoverage,
  totalsOfDay: (day: DayCoverage) => readonly TypeTotal[] | undefined,
): PackedDetails {
  return calendars.map(({ days }) => {
    const readings = days.map((day) => day.readings?.shown ?? []);
    const totals = days.map(totalsOfDay);
    return {
      counts: days.map((day) => day.readings?.count ?? 0),
      readings: groupedColumns(READING_FIELDS, readings),
      totals: groupedColumns(
        TOTAL_FIELDS,
        totals.map((ofDay) => ofDay ?? []),
      ),
      unrecorded: totals.map((ofDay) => ofDay === undefined),
    };
  });
}

const TOTAL_FIELDS = [
  'type',
  'currency',
  'receipts',
  'withoutTotal',
  'total',
] as const satisfies readonly (keyof TypeTotal)[];

/** The document as JSON, compressed, in base64: nothing in it can end an HTML element. */
export function compressedText(document: PackedCalendars | PackedDetails): string {
  return deflateRawSync(JSON.stringify(document), { level: 9 }).toString('base64');
}
