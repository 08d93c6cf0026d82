import { nameLookup } from '../../companies/company.ts';
import { checkSource } from '../../lake/source.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import { PROGRAM } from '../../system/program.ts';
import type { Language } from '../../text/language.ts';
import { printableLine, STYLES, wrapped } from '../../text/terminal.ts';
import { shortened, textTable, titled } from '../../text/text-table.ts';
import { inOrder, type Unit } from '../../units/unit.ts';
import { verifyLake, type WrongDay, wrongDays } from '../../verify/verify-lake.ts';
import { type DifferenceExample, isEqual, type UnitVerification } from '../../verify/verify-unit.ts';
import { defineCommand, flag, JSON_OPTION, wholeNumber } from '../command.ts';
import { reasonLines, rowsByCompany, unitText } from '../export-report.ts';
import { askedAccess, CONNECTION_OPTIONS, type Connection, withConnection } from '../options/connection.ts';
import { CLAIM_OPTIONS, LAKE_OPTION } from '../options/lake.ts';
import { askedDays, askedDirections, DAY_OPTIONS, DIRECTION_OPTION } from '../options/units.ts';
import { SAY, VERIFY } from '../phrases/verify.ts';
import type { Printer } from '../printer.ts';
import { startProgress } from '../progress.ts';
import { optionWords } from './export.ts';

const DEFAULT_EXAMPLES = 5;

export const verifyCommand = defineCommand({
  options: {
    ...DAY_OPTIONS,
    ...DIRECTION_OPTION,
    legacy: flag(SAY.legacy()),
    ...CONNECTION_OPTIONS,
    ...LAKE_OPTION,
    'source-moved': {
      ...CLAIM_OPTIONS['source-moved'],
      help: SAY.sourceMoved(),
    },
    examples: wholeNumber(0, 10_000, SAY.examples(DEFAULT_EXAMPLES)),
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
    const store = await openStoreToRead(options.lake ?? access.defaultLake, terminal.foreignNames);
    await checkSource(store, access.source, options['source-moved'] === true ? 'moved' : undefined);
    const work = async ({ session, companies, maxInFlight }: Connection) => {
      const { stdout, stderr, signal } = terminal;
      const progress = startProgress(stderr, companies.length * directions.length * days.length);
      const asked = { directions, days, signal };
      const results = await verifyLake({
        ...asked,
        companies,
        session,
        store,
        isLegacy,
        maxExamples,
        maxInFlight,
        onUnitEnd: (unit) => progress.step(unitText(unit, stderr.language)),
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

/** The options that say where API and lake are, which export takes as verify does. */
const CONNECTION_NAMES: ReadonlySet<string> = new Set([...Object.keys(CONNECTION_OPTIONS), 'lake']);

/** The command, without the program's name, that exports at least these units. */
function exportCommandOf(options: Readonly<Record<string, unknown>>, units: readonly Unit[]): string {
  const days = units.map(({ day }) => day).sort();
  const directions = [...new Set(units.map(({ direction }) => direction))];
  const kept = Object.entries(options).filter(([name]) => CONNECTION_NAMES.has(name) && name !== 'rut');
  const asked = {
    from: days[0],
    to: days.at(-1),
    rut: [...new Set(units.map(({ rut }) => rut))],
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
const COLUMNS = [...COUNTS, 'damaged', 'notRead'] as const;
const DROPPABLE = ['notRead', 'vanished', 'damaged', 'extra', 'different', 'missing'] as const;

type Totals = Record<(typeof COLUMNS)[number], number>;

function totalsOf(units: readonly UnitVerification[]): Totals {
  const totals = { equal: 0, missing: 0, extra: 0, different: 0, vanished: 0, damaged: 0, notRead: 0 };
  for (const unit of units) {
    for (const count of COUNTS) totals[count] += unit[count];
    if (unit.damaged !== undefined) totals.damaged += 1;
    if (unit.error !== undefined) totals.notRead += 1;
  }
  return totals;
}

function verifyJson({ results, wrong, isWhollyEqual, list, lake }: Verified): string {
  const units = results.map(({ rut, direction, day, error = null, damaged = null, ...found }) => ({
    rut,
    direccion: direction,
    fecha: day,
    ...found,
    error,
    damaged,
  }));
  const totals = { units: results.length, ...totalsOf(results) };
  const tables = wrong.map(({ table, day, reason }) => ({ table: table.name, fecha: day, reason }));
  return JSON.stringify({ list, lake, isEqual: isWhollyEqual, units, totals, tables }, null, 2);
}

/** Any further ones are only counted; --json has them all. */
const MAX_SHOWN = 20;

/** For people: a line for each company and direction, below it one for each day that differs; then the differences. */
function verifyTable(
  verified: Verified,
  { columns, paint, language }: Pick<Printer, 'columns' | 'paint' | 'language'>,
): string {
  const say = VERIFY[language];
  const { results, wrong, nameOf } = verified;
  const totals = totalsOf(results);
  const cellsOf = (units: readonly UnitVerification[]) => {
    const counts = totalsOf(units);
    return [say.days(units.length), ...COLUMNS.map((name) => say.number(counts[name]))];
  };
  const differingRows = (units: readonly UnitVerification[]) =>
    shortened(
      units
        .filter((unit) => !isEqual(unit))
        .map((unit) => ['', '', '', `  ${unit.day}`, ...cellsOf([unit]).slice(1)]),
      MAX_SHOWN,
      (count) => ['', '', '', say.more(count)],
    );
  const table = textTable(
    ['rut', say.company(), say.direction(), say.day(), ...COLUMNS.map((name) => say[name]())],
    [...rowsByCompany(results, nameOf, cellsOf, differingRows), ['total', '', '', ...cellsOf(results)]],
    ['left', 'left', 'left', 'left', ...COLUMNS.map(() => 'right' as const)],
    {
      columns,
      droppable: DROPPABLE.filter((name) => totals[name] === 0).map((name) => say[name]()),
      droppableLast: [say.company()],
    },
  );
  const section = (title: string, lines: readonly string[], count = lines.length) =>
    titled(`${paint(STYLES.failure, title)} ${count}`, shortened(lines, MAX_SHOWN, say.moreInJson));
  const damages = results.flatMap(({ damaged }) => (damaged === undefined ? [] : [`  ${damaged}`]));
  const failed = results.filter(({ error }) => error !== undefined);
  return [
    table,
    '',
    columns === undefined ? say.legend() : wrapped(say.legend(), columns),
    ...titled(say.differences(), differences(results, language)),
    ...section(say.damagedInLake(), damages.map(printableLine)),
    ...section(say.unread(), reasonLines(failed, language), failed.length),
    ...section(
      say.wrongInTables(),
      wrong.map(({ table: { name }, day, reason }) => printableLine(say.wrongDay(name, day, reason))),
    ),
    ...remarks(results, language),
    '',
    verdict(verified, totals, paint, language),
  ].join('\n');
}

function differences(results: readonly UnitVerification[], language: Language): string[] {
  const say = VERIFY[language];
  const differing = results.filter(({ examples }) => examples.length > 0);
  const lines = differing.map((unit) => {
    const hiddenCount = unit.missing + unit.extra + unit.different - unit.examples.length;
    return [
      `  ${unitText(unit, language)}`,
      ...unit.examples.flatMap((example) => exampleLines(example, language)),
      ...(hiddenCount > 0 ? [say.moreReceipts(hiddenCount)] : []),
    ];
  });
  return shortened(lines, MAX_SHOWN, (count) => [say.moreDays(count)]).flat();
}

function exampleLines({ kind, id, fields }: DifferenceExample, language: Language): string[] {
  const say = VERIFY[language];
  if (kind !== 'different') return [say.receipt(id, say[kind]())];
  return fields.map(({ field, lake, api }) => printableLine(say.field(id, field, lake, api)));
}

function remarks(results: readonly UnitVerification[], language: Language): string[] {
  const say = VERIFY[language];
  const names = [...new Set(results.flatMap(({ notCompared }) => notCompared))].sort();
  const unstable = results.filter(
    ({ isStable, error, damaged }) => !isStable && error === undefined && damaged === undefined,
  );
  return [
    ...(names.length > 0 ? ['', say.notCompared(names.join(', '))] : []),
    ...(unstable.length > 0 ? ['', say.unstable(unstable.length)] : []),
  ];
}

function verdict(
  { results, wrong, list, lake: address, exportAgain }: Verified,
  { notRead, damaged }: Totals,
  paint: Printer['paint'],
  language: Language,
): string {
  const say = VERIFY[language];
  const lake = printableLine(address);
  const source = list === 'legacy' ? say.legacyList() : say.api();
  const differing = results.filter((unit) => !isEqual(unit) && unit.error === undefined);
  const unitCount = results.length;
  const unread = notRead > 0 ? say.couldNotCompare(notRead, unitCount) : '';
  if (differing.length > 0) {
    const found = say.differing(source, differing.length, unitCount, lake, damaged > 0, unread);
    return `${paint(STYLES.failure, say.differs())}${found}\n  ${exportAgain(differing)}`;
  }
  if (notRead === unitCount) return unread.trim();
  if (wrong.length > 0) {
    const found = say.wrongTables(lake, source, wrong.length, unread);
    return `${paint(STYLES.failure, say.notWhatSqlReads())}${found}`;
  }
  const [style, equal] = notRead > 0 ? [STYLES.warning, say.isEqualSoFar()] : [STYLES.good, say.isEqual()];
  return `${paint(style, equal)}${say.holds(lake, source, unread)}`;
}
