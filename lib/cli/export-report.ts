import { auditColumn } from '../audit/row.ts';
import { PAGE_MEMBER } from '../lake/rows/fields.ts';
import { printableLine, STYLES } from '../text/terminal.ts';
import { shortened, textTable, titled } from '../text/text-table.ts';
import { dayRanges } from '../time/days.ts';
import { type DetailState, inOrder, type Unit, type UnitResult, type UnitState } from '../units/unit.ts';
import type { Printer } from './printer.ts';

const STATES: readonly { state: UnitState; heading: string }[] = [
  { state: 'exportado', heading: 'exported' },
  { state: 'sin_cambios', heading: 'unchanged' },
  { state: 'vacio', heading: 'empty' },
  { state: 'fallido', heading: 'failed' },
];

export function unitText({ day, direction, rut }: Unit): string {
  return `${day} ${direction} of ${rut}`;
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
  ...(['state', 'receipts', 'conversionErrors', 'isStable', 'pages', 'requests', 'retries'] as const),
  ...(['bytes', 'detailState', 'detailReason', 'detailsStored', 'detailsRead'] as const),
  ...(['detailsUnread', 'error'] as const),
];

/** For programs: one JSON document, the units in the order of company, direction and day. */
export function jsonReport(runId: string, results: readonly UnitResult[]): string {
  const units = inOrder(results).map((result) => ({
    ...{ rut: result.rut, direccion: result.direction, fecha: result.day },
    ...Object.fromEntries(JSON_FIELDS.map((field) => [auditColumn(field), result[field] ?? null])),
  }));
  const { units: unidades, exportado, sin_cambios, vacio, fallido, ...sums } = totalsOf(results);
  const totals = {
    ...{ unidades, exportado, sin_cambios, vacio, fallido },
    ...Object.fromEntries(SUMMED.map((field) => [auditColumn(field), sums[field]])),
  };
  return JSON.stringify({ runId, units, totals }, null, 2);
}

/** For people: a line for each company and direction, then what failed and why. */
export function tableReport(
  results: readonly UnitResult[],
  nameOf: (rut: string) => string,
  { columns, paint }: Pick<Printer, 'columns' | 'paint'>,
): string {
  const units = inOrder(results);
  const totals = totalsOf(results);
  const states = STATES.map(({ heading }) => heading);
  const notices = totals.conversionErrors === 0 ? ['notices'] : [];
  const emptyStates = STATES.filter(({ state }) => totals[state] === 0).map(({ heading }) => heading);
  const table = textTable(
    ['rut', 'company', 'direction', 'days', ...states, 'receipts', 'notices'],
    [...rowsByCompany(units, nameOf, cellsOf), ['total', '', '', ...cellsOf(units)]],
    ['left', 'left', 'left', ...Array.from({ length: 7 }, () => 'right' as const)],
    { columns, droppable: [...notices, ...emptyStates, 'days'], droppableLast: ['company'] },
  );
  const failed = results.filter(({ state }) => state === 'fallido');
  return [
    table,
    ...titled(`${paint(STYLES.failure, 'Failed:')} ${failed.length}`, reasonLines(failed)),
    ...listed(
      'All receipts seen were kept, but the list changed at every reading, or its end could not be checked; export again:',
      units.filter(({ isStable }) => isStable === false),
      () => '',
    ),
    // One that moved to a day which no run reads again is on none.
    ...listed(
      'Receipts gone from their day, kept and marked; where cambios says movido, export the day in despues too:',
      units.filter(({ vanished = 0 }) => vanished > 0),
      ({ vanished }) => `: ${vanished}`,
      'cambios',
    ),
    ...pageMemberLines(units),
    ...detailLines(units),
  ].join('\n');
}

function cellsOf(results: readonly UnitResult[]): string[] {
  const totals = totalsOf(results);
  const { units, receipts, conversionErrors } = totals;
  const counts = [units, ...STATES.map(({ state }) => totals[state]), receipts, conversionErrors];
  return counts.map((count) => count.toLocaleString('en'));
}

/** Any further units are only counted; a table has them all. */
const MAX_UNITS_SHOWN = 20;

function shownLines(title: string, lines: readonly string[], table = 'exportaciones'): string[] {
  return titled(
    title,
    shortened(lines, MAX_UNITS_SHOWN, (rest) => `  … and ${rest} more; see ${table}`),
  );
}

function listed(
  title: string,
  units: readonly UnitResult[],
  said: (unit: UnitResult) => string,
  table?: string,
): string[] {
  const lines = units.map((unit) => printableLine(`  ${unitText(unit)}${said(unit)}`));
  return shownLines(title, lines, table);
}

/** What lists' pages have besides their rows that says nothing clear. */
function pageMemberLines(results: readonly UnitResult[]): string[] {
  const names = results.flatMap(({ unknownFields }) => [...(unknownFields?.keys() ?? [])]);
  const members = names.filter((name) => name.startsWith(PAGE_MEMBER));
  const lines = [...new Set(members)].sort().map((name) => `  ${name.slice(PAGE_MEMBER.length)}`);
  return shownLines(
    'The pages of lists have members that the contract does not name, so no receipt of these lists was called gone:',
    lines,
  );
}

function detailLines(results: readonly UnitResult[]): string[] {
  const asked = results.filter(({ detailState }) => detailState !== undefined);
  if (asked.length === 0) return [];
  const sum = (count: 'detailsStored' | 'detailsRead' | 'detailsUnread') =>
    asked.reduce((total, result) => total + (result[count] ?? 0), 0).toLocaleString('en');
  const titledUnits = (state: DetailState, title: string) => {
    const units = asked.filter(({ detailState }) => detailState === state);
    return listed(`${title}: ${units.length}`, units, ({ detailReason = '' }) => `: ${detailReason}`);
  };
  return [
    '',
    `Details: ${sum('detailsStored')} in the lake, ${sum('detailsRead')} of them read now; ` +
      `${sum('detailsUnread')} could not be read.`,
    ...titledUnits('omitido', 'Left out'),
    ...titledUnits('fallido', 'Details failed'),
  ];
}

/** Of a reason, and of its units; any further ones are only counted. */
const MOST_REASONS = 20;
const MOST_RANGES = 5;
const MOST_RUTS = 5;

/** How a request's error begins: its list, day and page. */
const CONTEXT = /^(recibidos|emitidos) of \d{12}(, (days?|page|receipt) [\d.-]+)*: /;

type FailedUnit = Pick<UnitResult, 'rut' | 'direction' | 'day' | 'error'>;

/** Why units failed, one line per reason: an API that is down fails a thousand units alike. */
export function reasonLines(failed: readonly FailedUnit[]): string[] {
  const byReason = Map.groupBy(failed, ({ error = '' }) => withoutContext(error));
  const lines = [...byReason].map(([reason, units]) => `  ${whichOf(units)}: ${reason}`).sort();
  return shortened(lines, MOST_REASONS, (rest) => `  … and ${rest} more reasons; --json has them all`);
}

/** An API error's message in one line, without its list, day and page, so that equal ones are shown once. */
export function withoutContext(message: string): string {
  return printableLine(message.replace(CONTEXT, ''));
}

/** `2026-11-19 emitidos of 219999830019`, or the same of many units. */
function whichOf(units: readonly FailedUnit[]): string {
  const ranges = dayRanges(units.map(({ day }) => day));
  const days = shortened(ranges, MOST_RANGES, () => '…').join(', ');
  const directions = [...new Set(units.map(({ direction }) => direction))].sort().join(' and ');
  const ruts = [...new Set(units.map(({ rut }) => rut))].sort();
  return `${days} ${directions} of ${companiesText(ruts)}`;
}

export function companiesText(ruts: readonly string[]): string {
  return ruts.length > MOST_RUTS ? `${ruts.length} companies` : ruts.join(', ');
}
