import { findMissingUnits, type MissingUnit, type MissingUnits } from '../../audit/history.ts';
import { nameLookup } from '../../companies/company.ts';
import { checkSource, claimedLake } from '../../lake/source.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { PROGRAM } from '../../system/program.ts';
import type { Language } from '../../text/language.ts';
import { printableLine } from '../../text/terminal.ts';
import { shortened, textTable, titled } from '../../text/text-table.ts';
import { CHANGING_DAYS, type Day, dayRanges, uruguayDay } from '../../time/days.ts';
import type { Rut } from '../../units/rut.ts';
import { defineCommand, flag, JSON_OPTION, oneValue } from '../command.ts';
import { reasonLines, rowsByCompany } from '../export-report.ts';
import { type Connection, noteSandbox, withConnection } from '../options/connection.ts';
import { withLakeToWrite } from '../options/lake.ts';
import { askedDays } from '../options/units.ts';
import { EXPORT, SAY } from '../phrases/export.ts';
import { failureOf, type Printer } from '../printer.ts';
import { askedExport, continuationOf, EXPORT_OPTIONS, runExport, WRITERS } from './export.ts';

export const missingCommand = defineCommand({
  options: {
    from: oneValue('D', SAY.firstDay(CHANGING_DAYS)),
    to: oneValue('D', SAY.lastDay()),
    ...EXPORT_OPTIONS,
    details: {
      ...EXPORT_OPTIONS.details,
      help: SAY.alsoDetails(),
    },
    export: flag(SAY.exportMissing()),
    ...JSON_OPTION,
  },
  examples: [
    'missing --from 2026-11-01 --to 2026-11-19 --details emitidos',
    'missing --api https://api.example.com --companies companies.json --export',
  ],
  run: async (options, _words, terminal) => {
    // As for export: wrong days are told before the wait.
    askedDays(options, Date.now(), undefined, CHANGING_DAYS);
    const { directions, details, claim, access, address } = await askedExport(options);
    const { companies, source } = access;
    const isJson = options.json === true;
    const find = async (store: LakeStore): Promise<{ found: FoundUnits; scope: MissingScope }> => {
      const nowMs = Date.now();
      const days = askedDays(options, nowMs, terminal, CHANGING_DAYS);
      const ruts = companies.map(({ rut }) => rut);
      const audit = await findMissingUnits(store, ruts, directions, days, details?.directions);
      for (const reason of audit.damaged) terminal.stderr.writeProblem(reason);
      const hasEnded = ({ day }: MissingUnit) => day < uruguayDay(nowMs);
      const notEnded = audit.missing.filter((unit) => !hasEnded(unit));
      const found = { ...audit, missing: audit.missing.filter(hasEnded), notEnded };
      const continuation = continuationOf(options, days);
      const scope = { days, lake: store.address, nameOf: nameLookup(companies), continuation };
      // A user who asks for one company knows that there are others.
      return { found: options.rut === undefined ? found : { ...found, otherRuts: new Set() }, scope };
    };
    if (options.export !== true) {
      const store = await openStoreToRead(address, terminal.foreignNames);
      await checkSource(store, source, claim);
      noteSandbox(access, terminal);
      const { found, scope } = await find(store);
      if (isJson) for (const part of missingJson(found, scope)) terminal.stdout.write(part);
      else terminal.stdout.writeColoured(`${missingTable(found, scope, terminal.stdout)}\n`);
      return found.missing.length + found.damaged.length === 0 ? 0 : 1;
    }
    return await withLakeToWrite(address, 'missing --export', options, terminal, async (store) => {
      const lake = await claimedLake(store, source, claim);
      const { found, scope } = await find(store);
      const { damaged } = found;
      // An interrupted export of today goes on; what was read of today is not read again before its end.
      const missing = [...found.missing, ...found.notEnded.filter(({ reason }) => reason !== 'early')];
      const writer = await WRITERS.hyparquet();
      if (missing.length === 0 && !isJson) {
        terminal.stdout.writeColoured(`${missingTable(found, scope, terminal.stdout)}\n`);
        const { publishWaiting } = await import('../../run/export-and-publish.ts');
        const inWords = (error: unknown) => failureOf(error, terminal.stderr.language).message;
        const unpublished = await publishWaiting({ store, writer, inWords });
        for (const line of unpublished) terminal.stderr.writeProblem(line);
        return unpublished.length + damaged.length === 0 ? 0 : 1;
      }
      const byRut = Map.groupBy(missing, ({ rut }) => rut);
      const unitsOf = (rut: Rut) =>
        (byRut.get(rut) ?? []).map(({ direction, day }) => ({ rut, direction, day }));
      const job = { ...lake, writer, details, unitsOf, isJson, continuation: scope.continuation };
      const work = (connection: Connection) => runExport({ ...job, connection }, terminal);
      return await withConnection(options, access, terminal, work, { waits: true });
    });
  },
});

const MAX_RANGES_SHOWN = 6;

interface FoundUnits extends MissingUnits {
  /** Units of days that have not ended, which nobody could have read whole. */
  notEnded: readonly MissingUnit[];
}

interface MissingScope {
  days: readonly Day[];
  lake: string;
  nameOf: (rut: string) => string;
  /** The command, without the program's name, that exports what is missing. */
  continuation: string;
}

/** For programs: one JSON document, the newest day first within each company. One text has no room for many companies' days. */
function* missingJson(
  { missing, notEnded, unitCount, damaged }: FoundUnits,
  { days, lake }: MissingScope,
): Generator<string> {
  const counts = REASONS.map(({ reason }) => [reason, countOf(missing, reason)] as const);
  const totals = {
    units: unitCount,
    missing: missing.length,
    ...Object.fromEntries(counts),
    notEnded: notEnded.length,
  };
  const head = JSON.stringify({ from: days[0], to: days.at(-1), lake, totals, damaged });
  yield `${head.slice(0, -1)},"units":[`;
  yield* unitLines(missing);
  yield '\n],"notEnded":[';
  yield* unitLines(notEnded);
  yield '\n]}\n';
}

function* unitLines(units: readonly MissingUnit[]): Generator<string> {
  let separator = '\n';
  for (const { rut, direction, day, reason, error = null, readAt = null } of units) {
    const unit = { rut, direccion: direction, fecha: day, reason, error, readAt };
    yield `${separator}${JSON.stringify(unit)}`;
    separator = ',\n';
  }
}

/** For people: a line for each company and direction that lacks days, then why days failed. */
function missingTable(
  found: FoundUnits,
  { days, lake, nameOf, continuation }: MissingScope,
  { columns, language }: Pick<Printer, 'columns' | 'language'>,
): string {
  const say = EXPORT[language];
  const { missing, notEnded, unitCount } = found;
  // A company's day is two units: one of each list.
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const range = say.range(unitCount - notEnded.length, notEnded.length === 0, first, last);
  const place = printableLine(lake);
  const open =
    notEnded.length === 0 ? '' : `\n${say.notEnded(notEnded.length, rangesText(notEnded, language))}`;
  if (missing.length === 0) {
    return `${say.nothingMissing(place, range)}${open}${otherCompaniesNote(found, language)}`;
  }
  const reasons = REASONS.filter(
    ({ reason }) => reason === 'never' || reason === 'failed' || countOf(missing, reason) > 0,
  );
  const rows = rowsByCompany(missing, nameOf, (units) => [
    ...reasons.map(({ reason }) => String(countOf(units, reason))),
    rangesText(units, language),
  ]);
  const failed = missing.filter(({ reason }) => reason === 'failed');
  const headings = [
    'rut',
    say.company(),
    say.direction(),
    ...reasons.map(({ heading }) => say[heading]()),
    say.days(),
  ];
  const numbers = reasons.map(() => 'right' as const);
  const table = textTable(headings, rows, ['left', 'left', 'left', ...numbers, 'left'], {
    columns,
    droppable: failed.length > 0 ? [] : [say.failedLast()],
    droppableLast: [say.company(), ...(failed.length > 0 ? [] : [say.never()])],
    wraps: say.days(),
  });
  const lines = [
    table,
    ...titled(say.failedLastTime(), reasonLines(failed, language)),
    '',
    say.missing(missing.length, range, place),
    `${say.toExport()}\n  ${PROGRAM} ${continuation}`,
  ];
  return `${lines.join('\n')}${open}${otherCompaniesNote(found, language)}`;
}

const REASONS = [
  { reason: 'never', heading: 'never' },
  { reason: 'early', heading: 'early' },
  { reason: 'details', heading: 'noDetails' },
  { reason: 'failed', heading: 'failedLast' },
] as const satisfies readonly { reason: MissingUnit['reason']; heading: keyof typeof EXPORT.en }[];

function countOf(units: readonly MissingUnit[], asked: MissingUnit['reason']): number {
  return units.filter(({ reason }) => reason === asked).length;
}

function rangesText(units: readonly MissingUnit[], language: Language): string {
  const ranges = dayRanges(units.map(({ day }) => day));
  return shortened(ranges, MAX_RANGES_SHOWN, EXPORT[language].moreRanges).join(', ');
}

/** A lake of other companies looks like one that lacks everything; this tells the two apart. */
function otherCompaniesNote({ otherRuts }: FoundUnits, language: Language): string {
  const [first] = otherRuts;
  return first === undefined ? '' : `\n${EXPORT[language].otherCompanies(otherRuts.size, first)}`;
}
