import { freshOf } from '../audit/run-changes.ts';
import { isFailed, type Unit, type UnitResult } from '../units/unit.ts';
import { type CompanyFindings, type Counts, countsOf, isAnythingFound } from './run-event.ts';

/** The version of the document below. Fields may be added to it; a change that breaks a reader raises it. */
const NOTICE_VERSION = 1;
/** A chat shows no more, and a document stays below 64 KB. */
const MOST_COMPANIES = 100;
const MOST_COMPANIES_IN_TEXT = 10;

export interface EndedRun {
  runId: string;
  /** What the run was to read. */
  planned: readonly Unit[];
  results: readonly UnitResult[];
  /** The name of a company; '' for none. */
  names: (rut: string) => string;
  /** A line for each thing that could not be published. */
  problems: readonly string[];
  /** Whether all was read and published. */
  isComplete: boolean;
}

interface NoticeCounts extends Counts {
  /** Units that were not read at all. */
  faltantes: number;
}

/** What is posted when a run on one machine ends, documented in docs/one-machine.md. It holds no token and no amount. */
export interface Notice {
  version: typeof NOTICE_VERSION;
  /** The same in a sentence, in the place where chats look for it. */
  text: string;
  corrida: string;
  desde: string | null;
  hasta: string | null;
  completa: boolean;
  total: NoticeCounts & { empresas: number; sin_publicar: number };
  /** Those of which anything is new, the first 100; only where they may be named. */
  empresas?: (NoticeCounts & { rut: string; nombre: string })[];
}

type CompanyEnd = CompanyFindings & { missing: number };

export function noticeOf(run: EndedRun, isNaming: boolean): Notice {
  const { runId, planned, problems, isComplete, names } = run;
  const companies = companiesOf(run);
  const days = planned.map(({ day }) => day).sort();
  const total = { empresas: companies.length, ...noticeCounts(companies), sin_publicar: problems.length };
  const found = companies.filter((company) => isAnythingFound(company) || company.missing > 0);
  const named = found.slice(0, MOST_COMPANIES).map((company) => {
    return { rut: company.rut, nombre: names(company.rut), ...noticeCounts([company]) };
  });
  const [from = null, to = null] = [days[0], days.at(-1)];
  const runCounts = { corrida: runId, desde: from, hasta: to, completa: isComplete, total };
  const text = [
    `cfe-lake${rangeText(from, to)}: ${countsText(total)}.`,
    ...(isComplete ? [] : ['Hay que mirarlo: el registro de la corrida dice qué falló.']),
    ...(isNaming ? companyLines(named, found.length) : []),
  ].join('\n');
  return { version: NOTICE_VERSION, text, ...runCounts, ...(isNaming && { empresas: named }) };
}

function companiesOf({ planned, results }: EndedRun): CompanyEnd[] {
  const unitsOf = Map.groupBy(results, ({ rut }) => rut);
  return [...Map.groupBy(planned, ({ rut }) => rut)].map(([rut, asked]) => {
    const units = unitsOf.get(rut) ?? [];
    const sum = (count: (unit: UnitResult) => number | undefined) =>
      units.reduce((total, unit) => total + (count(unit) ?? 0), 0);
    return {
      rut,
      fresh: sum(freshOf),
      changed: sum(({ changed }) => changed),
      vanished: sum(({ vanished }) => vanished),
      rejected: sum(({ rejected }) => rejected),
      failed: units.filter(isFailed).length,
      missing: asked.length - units.length,
    };
  });
}

function noticeCounts(companies: readonly CompanyEnd[]): NoticeCounts {
  return { ...countsOf(companies), faltantes: companies.reduce((total, { missing }) => total + missing, 0) };
}

function rangeText(from: string | null, to: string | null): string {
  if (from === null) return '';
  return from === to ? `, ${from}` : `, del ${from} al ${to}`;
}

function countsText({
  nuevas,
  cambiadas,
  desaparecidas,
  rechazadas,
  fallidas,
  faltantes,
}: NoticeCounts): string {
  const receipts = [
    nuevas === 1 ? '1 comprobante nuevo' : `${nuevas} comprobantes nuevos`,
    cambiadas === 1 ? '1 cambiado' : `${cambiadas} cambiados`,
    ...(desaparecidas > 0 ? [`${desaparecidas} que la API ya no lista`] : []),
    rechazadas === 1 ? '1 rechazado' : `${rechazadas} rechazados`,
  ];
  const lacking = [
    ...(fallidas > 0 ? [`${fallidas} con error`] : []),
    ...(faltantes > 0 ? [`${faltantes} sin leer`] : []),
  ];
  const end = lacking.length > 0 ? `; días de listas: ${lacking.join(', ')}` : '';
  return `${receipts.join(', ')}${end}`;
}

function companyLines(named: NonNullable<Notice['empresas']>, count: number): string[] {
  const shown = named.slice(0, MOST_COMPANIES_IN_TEXT);
  const lines = shown.map(({ rut, nombre, ...counts }) => `${escaped(nombre) || rut}: ${countsText(counts)}`);
  return count > shown.length ? [...lines, `… y ${count - shown.length} más`] : lines;
}

/** The escapes that Slack asks for: a name like `<!channel>` would call everybody. */
function escaped(name: string): string {
  return name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
