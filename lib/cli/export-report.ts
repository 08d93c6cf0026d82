import { auditColumn } from '../audit/row.ts';
import { PAGE_MEMBER } from '../lake/rows/fields.ts';
import type { Language } from '../text/language.ts';
import { printableLine, STYLES } from '../text/terminal.ts';
import { shortened, textTable, titled } from '../text/text-table.ts';
import { dayRanges } from '../time/days.ts';
import { type DetailState, inOrder, type Unit, type UnitResult, type UnitState } from '../units/unit.ts';
import { EXPORT } from './phrases/export.ts';
import { retold } from './phrases/retold.ts';
import type { Printer } from './printer.ts';

const STATES: readonly UnitState[] = ['exportado', 'sin_cambios', 'vacio', 'fallido'];

export function unitText({ day, direction, rut }: Unit, language: Language = 'en'): string {
  return EXPORT[language].unit(day, direction, rut);
}

/** A row for each company and direction, in their order: who it is, then the cells of its units; and rows below it. */
export function rowsByCompany<U extends Unit>(
  units: readonly U[],
  nameOf: (rut: string) => string,
  cellsOf: (units: readonly U[]) => readonly string[],
  rowsBelow: (units: readonly U[]) => readonly string[][] = () => [],
): string[][] {
  const groups = Map.groupBy(units, ({ rut, direction }) => `${rut} ${direction}`);
  return [...groups.values()].flatMap((group) => {
    const { rut = '', direction = '' } = group[0] ?? {};
    return [[rut, nameOf(rut), direction, ...cellsOf(group)], ...rowsBelow(group)];
  });
}

const SUMMED = ['receipts', 'conversionErrors', 'requests', 'retries', 'bytes'] as const;

type Totals = Record<UnitState | 'units' | (typeof SUMMED)[number], number>;

function totalsOf(results: readonly UnitResult[]): Totals {
  const states = { exportado: 0, sin_cambios: 0, vacio: 0, fallido: 0 };
  const sums = { receipts: 0, conversionErrors: 0, requests: 0, retries: 0, bytes: 0 };
  for (const result of results) {
    states[result.state] += 1;
    for (const count of SUMMED) sums[count] += result[count] ?? 0;
  }
  return { units: results.length, ...states, ...sums };
}

/** The fields of a unit for programs, named as the columns of `exportaciones`. */
const JSON_FIELDS = [
  'state',
  'receipts',
  'conversionErrors',
  'isStable',
  'pages',
  'requests',
  'retries',
  'bytes',
  'detailState',
  'detailReason',
  'detailsStored',
  'detailsRead',
  'detailsUnread',
  'error',
] as const;

/** For programs: one JSON document, the units in the order of company, direction and day. */
export function jsonReport(runId: string, results: readonly UnitResult[]): string {
  const units = inOrder(results).map((result) => ({
    rut: result.rut,
    direccion: result.direction,
    fecha: result.day,
    ...Object.fromEntries(JSON_FIELDS.map((field) => [auditColumn(field), result[field] ?? null])),
  }));
  const { units: unidades, exportado, sin_cambios, vacio, fallido, ...sums } = totalsOf(results);
  const totals = {
    unidades,
    exportado,
    sin_cambios,
    vacio,
    fallido,
    ...Object.fromEntries(SUMMED.map((field) => [auditColumn(field), sums[field]])),
  };
  return JSON.stringify({ runId, units, totals }, null, 2);
}

/** For people: a line for each company and direction, then what failed and why. */
export function tableReport(
  results: readonly UnitResult[],
  nameOf: (rut: string) => string,
  { columns, paint, language }: Pick<Printer, 'columns' | 'paint' | 'language'>,
): string {
  const say = EXPORT[language];
  const units = inOrder(results);
  const totals = totalsOf(results);
  const states = STATES.map((state) => say[state]());
  const notices = totals.conversionErrors === 0 ? [say.notices()] : [];
  const emptyStates = STATES.filter((state) => totals[state] === 0).map((state) => say[state]());
  const cells = (resultsOfRow: readonly UnitResult[]) => cellsOf(resultsOfRow, language);
  const table = textTable(
    ['rut', say.company(), say.direction(), say.days(), ...states, say.receipts(), say.notices()],
    [...rowsByCompany(units, nameOf, cells), ['total', '', '', ...cells(units)]],
    ['left', 'left', 'left', ...Array.from({ length: 7 }, () => 'right' as const)],
    { columns, droppable: [...notices, ...emptyStates, say.days()], droppableLast: [say.company()] },
  );
  const failed = results.filter(({ state }) => state === 'fallido');
  return [
    table,
    ...titled(`${paint(STYLES.failure, say.failed())} ${failed.length}`, reasonLines(failed, language)),
    ...listed(
      say.unstable(),
      units.filter(({ isStable }) => isStable === false),
      () => '',
      language,
    ),
    ...listed(
      say.gone(),
      units.filter(({ vanished = 0 }) => vanished > 0),
      ({ vanished }) => `: ${vanished}`,
      language,
      'cambios',
    ),
    ...pageMemberLines(units, language),
    ...detailLines(units, language),
  ].join('\n');
}

function cellsOf(results: readonly UnitResult[], language: Language): string[] {
  const totals = totalsOf(results);
  const { units, receipts, conversionErrors } = totals;
  const counts = [units, ...STATES.map((state) => totals[state]), receipts, conversionErrors];
  return counts.map(EXPORT[language].count);
}

/** Any further units are only counted; a table has them all. */
const MAX_UNITS_SHOWN = 20;

function shownLines(
  title: string,
  lines: readonly string[],
  language: Language,
  table = 'exportaciones',
): string[] {
  return titled(
    title,
    shortened(lines, MAX_UNITS_SHOWN, (count) => EXPORT[language].more(count, table)),
  );
}

function listed(
  title: string,
  units: readonly UnitResult[],
  said: (unit: UnitResult) => string,
  language: Language,
  table?: string,
): string[] {
  const lines = units.map((unit) => printableLine(`  ${unitText(unit, language)}${said(unit)}`));
  return shownLines(title, lines, language, table);
}

/** What lists' pages have besides their rows that says nothing clear. */
function pageMemberLines(results: readonly UnitResult[], language: Language): string[] {
  const names = results.flatMap(({ unknownFields }) => [...(unknownFields?.keys() ?? [])]);
  const members = names.filter((name) => name.startsWith(PAGE_MEMBER));
  const lines = [...new Set(members)].sort().map((name) => `  ${name.slice(PAGE_MEMBER.length)}`);
  return shownLines(EXPORT[language].pageMembers(), lines, language);
}

function detailLines(results: readonly UnitResult[], language: Language): string[] {
  const say = EXPORT[language];
  const asked = results.filter(({ detailState }) => detailState !== undefined);
  if (asked.length === 0) return [];
  const sum = (count: 'detailsStored' | 'detailsRead' | 'detailsUnread') =>
    say.count(asked.reduce((total, result) => total + (result[count] ?? 0), 0));
  const titledUnits = (state: DetailState, title: string) => {
    const units = asked.filter(({ detailState }) => detailState === state);
    return listed(
      `${title}: ${units.length}`,
      units,
      ({ detailReason = '' }) => `: ${detailReason}`,
      language,
    );
  };
  return [
    '',
    say.details(sum('detailsStored'), sum('detailsRead'), sum('detailsUnread')),
    ...titledUnits('omitido', say.omitido()),
    ...titledUnits('fallido', say.detailsFailed()),
  ];
}

/** The most reasons that are named, and units of each; further ones are only counted. */
const MOST_REASONS = 20;
const MOST_RANGES = 5;
const MOST_RUTS = 5;

/** How a request's error begins: its list, day and page. */
const CONTEXT = /^(recibidos|emitidos) of \d{12}(, (days?|page|receipt) [\d.-]+)*: /;

type FailedUnit = Pick<UnitResult, 'rut' | 'direction' | 'day' | 'error'>;

/** Why units failed, one line per reason: an API that is down fails a thousand units alike. */
export function reasonLines(failed: readonly FailedUnit[], language: Language = 'en'): string[] {
  const byReason = Map.groupBy(failed, ({ error = '' }) => withoutContext(error));
  const lines = [...byReason]
    .map(([reason, units]) => `  ${whichOf(units, language)}: ${retold(reason, language)}`)
    .sort();
  return shortened(lines, MOST_REASONS, EXPORT[language].moreReasons);
}

/** An API error's message in one line, without its list, day and page, so that equal ones are shown once. */
export function withoutContext(message: string): string {
  return printableLine(message.replace(CONTEXT, ''));
}

/** `2026-11-19 emitidos of 219999830019`, or the same of many units. */
function whichOf(units: readonly FailedUnit[], language: Language): string {
  const say = EXPORT[language];
  const ranges = dayRanges(units.map(({ day }) => day));
  const days = shortened(ranges, MOST_RANGES, () => '…').join(', ');
  const directions = [...new Set(units.map(({ direction }) => direction))].sort().join(say.and());
  const ruts = [...new Set(units.map(({ rut }) => rut))].sort();
  return say.unit(days, directions, companiesText(ruts, language));
}

export function companiesText(ruts: readonly string[], language: Language = 'en'): string {
  return ruts.length > MOST_RUTS ? EXPORT[language].companies(ruts.length) : ruts.join(', ');
}
