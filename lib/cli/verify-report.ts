import {
  type Paint,
  plain,
  plural,
  printableLine,
  STYLES,
  type Style,
  type TextForm,
  wrapped,
} from '../text/terminal.ts';
import { shortened, textTable, titled } from '../text/text-table.ts';
import { inOrder } from '../units.ts';
import type { WrongDay } from '../verify/verify-lake.ts';
import { type DifferenceExample, isEqual, type UnitVerification } from '../verify/verify-unit.ts';
import { countPainter, reasonLines, unitText } from './export-report.ts';

const COUNTS = ['equal', 'missing', 'extra', 'different', 'vanished'] as const;
/** Any further ones are only counted; --json has them all. */
const MAX_DAYS_SHOWN = 20;
const MAX_UNITS_EXPLAINED = 20;

export interface VerifyScope {
  list: 'v2' | 'legacy';
  lake: string;
  nameOf: (rut: string) => string;
  exportAgain: (units: readonly UnitVerification[]) => string;
}

/** The counts in the order of their columns, and those columns that are left out first if they are all 0. */
const COLUMNS = [...COUNTS, 'damaged', 'not read'] as const;
const DROPPABLE = ['not read', 'vanished', 'damaged', 'extra', 'different', 'missing'] as const;

type Totals = Record<(typeof COLUMNS)[number], number>;

function totalsOf(units: readonly UnitVerification[]): Totals {
  const totals = { equal: 0, missing: 0, extra: 0, different: 0, vanished: 0, damaged: 0, 'not read': 0 };
  for (const unit of units) {
    for (const count of COUNTS) totals[count] += unit[count];
    if (unit.damaged !== undefined) totals.damaged += 1;
    if (unit.error !== undefined) totals['not read'] += 1;
  }
  return totals;
}

/** For programs: one JSON document, the units in the order of company, direction and day. */
export function verifyJson(
  results: readonly UnitVerification[],
  wrong: readonly WrongDay[],
  { list, lake }: VerifyScope,
): string {
  const units = inOrder(results).map(({ rut, direction, day, error, damaged, ...found }) => ({
    rut,
    direccion: direction,
    fecha: day,
    ...found,
    error: error ?? null,
    damaged: damaged ?? null,
  }));
  const { 'not read': notRead, ...counts } = totalsOf(results);
  const totals = { units: results.length, ...counts, notRead };
  const tables = wrong.map(({ table, day, reason }) => ({ table: table.name, fecha: day, reason }));
  const isWhollyEqual = results.every(isEqual) && wrong.length === 0;
  return JSON.stringify({ list, lake, isEqual: isWhollyEqual, units, totals, tables }, null, 2);
}

/** For people: a line for each company and direction, below it one for each day that differs; then the differences. */
export function verifyTable(
  results: readonly UnitVerification[],
  wrong: readonly WrongDay[],
  scope: VerifyScope,
  { columns, paint = plain }: TextForm = {},
): string {
  const groups = Map.groupBy(inOrder(results), ({ rut, direction }) => `${rut} ${direction}`);
  const rows = [...groups.values()].flatMap((units) => groupRows(units, scope));
  const totals = totalsOf(results);
  const total = ['total', '', '', plural(results.length, 'day'), ...cells(totals)];
  const table = textTable(
    ['rut', 'company', 'direction', 'day', ...COLUMNS],
    [...rows, total],
    ['left', 'left', 'left', 'left', ...Array.from({ length: 7 }, () => 'right' as const)],
    {
      columns,
      droppable: DROPPABLE.filter((name) => totals[name] === 0),
      droppableLast: ['company'],
      paintCell: countPainter(paint, COUNT_STYLES),
    },
  );
  return [
    table,
    '',
    ...(columns === undefined ? LEGEND : [wrapped(LEGEND.join(' '), columns)]),
    ...differences(results),
    ...damages(results, paint),
    ...failures(results, paint),
    ...tableLines(wrong, paint),
    ...remarks(results),
    '',
    verdict(results, wrong, scope, paint),
  ].join('\n');
}

function groupRows(units: readonly UnitVerification[], { nameOf }: VerifyScope): string[][] {
  const { rut = '', direction = '' } = units[0] ?? {};
  const differing = units.filter((unit) => !isEqual(unit));
  return [
    [rut, nameOf(rut), direction, plural(units.length, 'day'), ...cells(totalsOf(units))],
    ...shortened(
      differing.map((unit) => ['', '', '', `  ${unit.day}`, ...cells(totalsOf([unit]))]),
      MAX_DAYS_SHOWN,
      (rest) => ['', '', '', `  … ${rest} more`],
    ),
  ];
}

const LEGEND = [
  'missing: the API lists it, the lake lacks it. extra: only the lake has it. vanished: kept in the lake,',
  'marked as gone from the list. damaged: days whose object is not as it was written.',
];

const TROUBLES = ['missing', 'extra', 'different', 'damaged', 'not read'];
const COUNT_STYLES: readonly { heading: string; style: Style }[] = [
  { heading: 'equal', style: STYLES.good },
  ...TROUBLES.map((heading) => ({ heading, style: STYLES.failure })),
];

function cells(totals: Totals): string[] {
  return COLUMNS.map((name) => totals[name].toLocaleString('en'));
}

function differences(results: readonly UnitVerification[]): string[] {
  const differing = inOrder(results).filter(({ examples }) => examples.length > 0);
  const lines = differing.map((unit) => {
    const rest = unit.missing + unit.extra + unit.different - unit.examples.length;
    return [
      `  ${unitText(unit)}`,
      ...unit.examples.flatMap(exampleLines),
      ...(rest > 0 ? [`    … and ${plural(rest, 'more receipt')}`] : []),
    ];
  });
  const shown = shortened(lines, MAX_UNITS_EXPLAINED, (rest) => [`  … and ${plural(rest, 'more day')}`]);
  return titled('Differences, such as:', shown.flat());
}

function exampleLines({ kind, id, fields }: DifferenceExample): string[] {
  const what = kind === 'twice' ? 'extra: it is in the lake more than once' : kind;
  if (kind !== 'different') return [`    receipt ${id}  ${what}`];
  return fields.map(({ field, lake, api }) =>
    printableLine(
      `    receipt ${id}  ${field}: ${lake ?? 'nothing'} in the lake, ${api ?? 'nothing'} in the API`,
    ),
  );
}

function failures(results: readonly UnitVerification[], paint: Paint): string[] {
  const failed = inOrder(results).filter(({ error }) => error !== undefined);
  return titled(`${paint(STYLES.failure, 'Not read:')} ${failed.length}`, reasonLines(failed));
}

function damages(results: readonly UnitVerification[], paint: Paint): string[] {
  const damaged = inOrder(results).flatMap(({ damaged: reason }) =>
    reason === undefined ? [] : [printableLine(`  ${reason}`)],
  );
  const title = `${paint(STYLES.failure, 'Damaged in the lake:')} ${damaged.length}`;
  return titled(title, shortened(damaged, MAX_UNITS_EXPLAINED, othersInJson));
}

function tableLines(wrong: readonly WrongDay[], paint: Paint): string[] {
  const lines = wrong.map(({ table, day, reason }) =>
    printableLine(`  ${table.name}, day ${day}: ${reason}`),
  );
  const title = `${paint(STYLES.failure, 'Wrong in the tables:')} ${wrong.length}`;
  return titled(title, shortened(lines, MAX_DAYS_SHOWN, othersInJson));
}

function othersInJson(count: number): string {
  return `  … and ${count} more; --json has them all`;
}

function remarks(results: readonly UnitVerification[]): string[] {
  const columns = [...new Set(results.flatMap(({ notCompared }) => notCompared))].sort();
  const unstable = results.filter(
    ({ isStable, error, damaged }) => !isStable && error === undefined && damaged === undefined,
  ).length;
  return [
    ...(columns.length > 0 ? ['', `Not compared with the legacy list: ${columns.join(', ')}.`] : []),
    ...(unstable > 0
      ? ['', `The list changed at every reading on ${plural(unstable, 'day')}: compare again.`]
      : []),
  ];
}

function verdict(
  results: readonly UnitVerification[],
  wrong: readonly WrongDay[],
  { list, lake: address, exportAgain }: VerifyScope,
  paint: Paint,
): string {
  const lake = printableLine(address);
  const source = list === 'legacy' ? 'the legacy list' : 'the API';
  const { 'not read': notRead, damaged } = totalsOf(results);
  const differing = results.filter((unit) => !isEqual(unit) && unit.error === undefined);
  const all = plural(results.length, 'company-day');
  const unread = notRead > 0 ? ` ${notRead.toLocaleString('en')} of ${all} could not be compared.` : '';
  if (differing.length > 0) {
    const share = `${differing.length.toLocaleString('en')} of ${all} of ${lake}`;
    const first =
      damaged > 0 ? `Repair the damaged object${damaged === 1 ? '' : 's'}, then export` : 'Export';
    const them = differing.length === 1 ? 'it' : 'them';
    return `${paint(STYLES.failure, 'Different')} from ${source}: ${share}. ${first} ${them} again.${unread}\n  ${exportAgain(differing)}`;
  }
  if (notRead === results.length) return unread.trim();
  if (wrong.length > 0) {
    const share = `${plural(wrong.length, 'day')} of its tables ${wrong.length === 1 ? 'does' : 'do'} not`;
    return `${paint(STYLES.failure, 'Not what SQL reads:')} the units of ${lake} hold exactly what ${source} lists, but ${share}.${unread}`;
  }
  return `${paint(STYLES.good, 'Equal:')} ${lake} holds exactly what ${source} lists.${unread}`;
}
