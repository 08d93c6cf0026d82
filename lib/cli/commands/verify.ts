import { nameLookup } from '../../companies/company.ts';
import { checkSource } from '../../lake/source.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import { PROGRAM } from '../../system/program.ts';
import { plural, printableLine, STYLES, wrapped } from '../../text/terminal.ts';
import { shortened, textTable, titled } from '../../text/text-table.ts';
import { inOrder, type Unit } from '../../units/unit.ts';
import { verifyLake, type WrongDay, wrongDays } from '../../verify/verify-lake.ts';
import { type DifferenceExample, isEqual, type UnitVerification } from '../../verify/verify-unit.ts';
import { defineCommand, flag, JSON_OPTION, wholeNumber } from '../command.ts';
import { reasonLines, rowsByCompany, unitText } from '../export-report.ts';
import { askedAccess, CONNECTION_OPTIONS, type Connection, withConnection } from '../options/connection.ts';
import { CLAIM_OPTIONS, LAKE_OPTION } from '../options/lake.ts';
import { askedDays, askedDirections, DAY_OPTIONS, DIRECTION_OPTION } from '../options/units.ts';
import type { Printer } from '../printer.ts';
import { startProgress } from '../progress.ts';
import { optionWords } from './export.ts';

const DEFAULT_EXAMPLES = 5;

export const verifyCommand = defineCommand({
  options: {
    ...DAY_OPTIONS,
    ...DIRECTION_OPTION,
    legacy: flag('compare with the unpaged legacy list, as an independent count'),
    ...CONNECTION_OPTIONS,
    ...LAKE_OPTION,
    'source-moved': {
      ...CLAIM_OPTIONS['source-moved'],
      help: 'compare even if the lake is marked with another address of this API',
    },
    examples: wholeNumber(0, 10_000, `differences to show per company and day (default ${DEFAULT_EXAMPLES})`),
    ...JSON_OPTION,
  },
  examples: [
    'verify --from 2026-11-01 --to 2026-11-19 --rut 219999830019 --legacy',
    'verify --api https://api.example.com --companies companies.json --lake s3://bucket/lake --json',
  ],
  run: async (options, _words, terminal) => {
    const days = askedDays(options, Date.now(), terminal);
    const directions = askedDirections(options.direction);
    const { examples: maxExamples = DEFAULT_EXAMPLES, legacy: isLegacy = false } = options;
    const access = await askedAccess(options);
    const store = await openStoreToRead(options.lake ?? access.defaultLake, terminal.others);
    await checkSource(store, access.source, options['source-moved'] === true ? 'moved' : undefined);
    const work = async ({ session, companies, maxInFlight }: Connection) => {
      const { stdout, stderr, signal } = terminal;
      const progress = startProgress(stderr, companies.length * directions.length * days.length);
      const asked = { directions, days, signal };
      const results = await verifyLake({
        ...asked,
        ...{ companies, session, store, isLegacy, maxExamples, maxInFlight },
        onUnitEnd: (unit) => progress.step(unitText(unit)),
      });
      const wrong = await wrongDays(store, { ...asked, ruts: new Set(companies.map(({ rut }) => rut)) });
      progress.end();
      const verified: Verified = {
        results: inOrder(results),
        wrong,
        isWhollyEqual: results.every(isEqual) && wrong.length === 0,
        list: isLegacy ? 'legacy' : 'v2',
        lake: store.address,
        nameOf: nameLookup(companies),
        exportAgain: (units) => `${PROGRAM} ${exportCommandOf(options, units)}`,
      };
      if (options.json === true) stdout.write(`${verifyJson(verified)}\n`);
      else stdout.writeColoured(`${verifyTable(verified, stdout)}\n`);
      return verified.isWhollyEqual ? 0 : 1;
    };
    return await withConnection(options, access, terminal, work, { waits: true });
  },
});

/** Where the API and the lake are: what export takes as verify does. */
const CONNECTION_NAMES: ReadonlySet<string> = new Set([...Object.keys(CONNECTION_OPTIONS), 'lake']);

/** The command, without the program's name, that exports at least these units. */
function exportCommandOf(options: Readonly<Record<string, unknown>>, units: readonly Unit[]): string {
  const days = units.map(({ day }) => day).sort();
  const directions = [...new Set(units.map(({ direction }) => direction))];
  const kept = Object.entries(options).filter(([name]) => CONNECTION_NAMES.has(name) && name !== 'rut');
  const asked = {
    ...{ from: days[0], to: days.at(-1), rut: [...new Set(units.map(({ rut }) => rut))] },
    ...(directions.length === 1 && { direction: directions }),
    ...Object.fromEntries(kept),
  };
  return ['export', ...optionWords(asked)].join(' ');
}

interface Verified {
  results: readonly UnitVerification[];
  wrong: readonly WrongDay[];
  isWhollyEqual: boolean;
  list: 'v2' | 'legacy';
  lake: string;
  nameOf: (rut: string) => string;
  exportAgain: (units: readonly UnitVerification[]) => string;
}

/** The counts in the order of their columns, and those columns that are left out first if they are all 0. */
const COUNTS = ['equal', 'missing', 'extra', 'different', 'vanished'] as const;
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

function verifyJson({ results, wrong, isWhollyEqual, list, lake }: Verified): string {
  const units = results.map(({ rut, direction, day, error = null, damaged = null, ...found }) => ({
    ...{ rut, direccion: direction, fecha: day, ...found, error, damaged },
  }));
  const { 'not read': notRead, ...counts } = totalsOf(results);
  const totals = { units: results.length, ...counts, notRead };
  const tables = wrong.map(({ table, day, reason }) => ({ table: table.name, fecha: day, reason }));
  return JSON.stringify({ list, lake, isEqual: isWhollyEqual, units, totals, tables }, null, 2);
}

/** Any further ones are only counted; --json has them all. */
const MAX_SHOWN = 20;

const LEGEND =
  'missing: the API lists it, the lake lacks it. extra: only the lake has it. vanished: kept in the lake, marked as gone ' +
  'from the list. damaged: days whose object is not as it was written.';

/** For people: a line for each company and direction, below it one for each day that differs; then the differences. */
function verifyTable(verified: Verified, { columns, paint }: Pick<Printer, 'columns' | 'paint'>): string {
  const { results, wrong, nameOf } = verified;
  const totals = totalsOf(results);
  const cellsOf = (units: readonly UnitVerification[]) => {
    const counts = totalsOf(units);
    return [plural(units.length, 'day'), ...COLUMNS.map((name) => counts[name].toLocaleString('en'))];
  };
  const differingRows = (units: readonly UnitVerification[]) =>
    shortened(
      units
        .filter((unit) => !isEqual(unit))
        .map((unit) => ['', '', '', `  ${unit.day}`, ...cellsOf([unit]).slice(1)]),
      MAX_SHOWN,
      (rest) => ['', '', '', `  … ${rest} more`],
    );
  const table = textTable(
    ['rut', 'company', 'direction', 'day', ...COLUMNS],
    [...rowsByCompany(results, nameOf, cellsOf, differingRows), ['total', '', '', ...cellsOf(results)]],
    ['left', 'left', 'left', 'left', ...COLUMNS.map(() => 'right' as const)],
    { columns, droppable: DROPPABLE.filter((name) => totals[name] === 0), droppableLast: ['company'] },
  );
  const section = (title: string, lines: readonly string[], count = lines.length) =>
    titled(
      `${paint(STYLES.failure, title)} ${count}`,
      shortened(lines, MAX_SHOWN, (rest) => `  … and ${rest} more; --json has them all`),
    );
  const damages = results.flatMap(({ damaged }) => (damaged === undefined ? [] : [`  ${damaged}`]));
  const failed = results.filter(({ error }) => error !== undefined);
  return [
    table,
    '',
    columns === undefined ? LEGEND : wrapped(LEGEND, columns),
    ...titled('Differences, such as:', differences(results)),
    ...section('Damaged in the lake:', damages.map(printableLine)),
    ...section('Not read:', reasonLines(failed), failed.length),
    ...section(
      'Wrong in the tables:',
      wrong.map(({ table: { name }, day, reason }) => printableLine(`  ${name}, day ${day}: ${reason}`)),
    ),
    ...remarks(results),
    '',
    verdict(verified, totals, paint),
  ].join('\n');
}

function differences(results: readonly UnitVerification[]): string[] {
  const differing = results.filter(({ examples }) => examples.length > 0);
  const lines = differing.map((unit) => {
    const rest = unit.missing + unit.extra + unit.different - unit.examples.length;
    return [
      `  ${unitText(unit)}`,
      ...unit.examples.flatMap(exampleLines),
      ...(rest > 0 ? [`    … and ${plural(rest, 'more receipt')}`] : []),
    ];
  });
  return shortened(lines, MAX_SHOWN, (rest) => [`  … and ${plural(rest, 'more day')}`]).flat();
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

function remarks(results: readonly UnitVerification[]): string[] {
  const names = [...new Set(results.flatMap(({ notCompared }) => notCompared))].sort();
  const unstable = results.filter(
    ({ isStable, error, damaged }) => !isStable && error === undefined && damaged === undefined,
  );
  return [
    ...(names.length > 0 ? ['', `Not compared with the legacy list: ${names.join(', ')}.`] : []),
    ...(unstable.length > 0
      ? [
          '',
          `${plural(unstable.length, 'day')} changed at every reading, or their end could not be checked: compare again.`,
        ]
      : []),
  ];
}

function verdict(
  { results, wrong, list, lake: address, exportAgain }: Verified,
  { 'not read': notRead, damaged }: Totals,
  paint: Printer['paint'],
): string {
  const lake = printableLine(address);
  const source = list === 'legacy' ? 'the legacy list' : 'the API';
  const differing = results.filter((unit) => !isEqual(unit) && unit.error === undefined);
  const all = plural(results.length, 'company-day');
  const unread = notRead > 0 ? ` ${notRead.toLocaleString('en')} of ${all} could not be compared.` : '';
  if (differing.length > 0) {
    const share = `${differing.length.toLocaleString('en')} of ${all} of ${lake}`;
    const first = damaged > 0 ? 'Repair what is damaged, then export' : 'Export';
    return `${paint(STYLES.failure, 'Different')} from ${source}: ${share}. ${first} again:${unread}\n  ${exportAgain(differing)}`;
  }
  if (notRead === results.length) return unread.trim();
  if (wrong.length > 0) {
    const share = `the tables are wrong on ${plural(wrong.length, 'day')}`;
    return `${paint(STYLES.failure, 'Not what SQL reads:')} the units of ${lake} hold exactly what ${source} lists, but ${share}.${unread}`;
  }
  const equal = notRead > 0 ? 'Equal as far as compared:' : 'Equal:';
  return `${paint(notRead > 0 ? STYLES.warning : STYLES.good, equal)} ${lake} holds exactly what ${source} lists.${unread}`;
}
