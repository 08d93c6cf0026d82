import { findMissingUnits, type MissingUnit, type MissingUnits } from '../../audit/history.ts';
import { nameLookup } from '../../companies/company.ts';
import { checkSource, claimedLake } from '../../lake/source.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { PROGRAM } from '../../system/program.ts';
import { plural, printableLine } from '../../text/terminal.ts';
import { shortened, textTable, titled } from '../../text/text-table.ts';
import { CHANGING_DAYS, type Day, dayRanges } from '../../time/days.ts';
import type { Rut } from '../../units/rut.ts';
import { defineCommand, flag, JSON_OPTION, oneValue } from '../command.ts';
import { reasonLines, rowsByCompany } from '../export-report.ts';
import { type Connection, noteSandbox, withConnection } from '../options/connection.ts';
import { withLakeToWrite } from '../options/lake.ts';
import { askedDays } from '../options/units.ts';
import { failureOf, type Printer } from '../printer.ts';
import { askedExport, continuationOf, EXPORT_OPTIONS, runExport, WRITERS } from './export.ts';

export const missingCommand = defineCommand({
  options: {
    from: oneValue('D', `first issue date (default: ${CHANGING_DAYS} days ago in Uruguay)`),
    to: oneValue('D', 'last issue date, included (default: yesterday)'),
    ...EXPORT_OPTIONS,
    details: {
      ...EXPORT_OPTIONS.details,
      help: 'also list days whose details were not read',
    },
    export: flag('export the missing company-days'),
    ...JSON_OPTION,
  },
  examples: [
    'missing --from 2026-11-01 --to 2026-11-19 --details emitidos',
    'missing --api https://api.example.com --companies companies.json --export',
  ],
  run: async (options, _words, given) => {
    // As for export: wrong days are told before the wait.
    askedDays(options, Date.now(), undefined, CHANGING_DAYS);
    const { directions, details, claim, access, address } = await askedExport(options);
    const { companies, source } = access;
    const isJson = options.json === true;
    const find = async (store: LakeStore): Promise<{ found: MissingUnits; scope: MissingScope }> => {
      const days = askedDays(options, Date.now(), given, CHANGING_DAYS);
      const ruts = companies.map(({ rut }) => rut);
      const found = await findMissingUnits(store, ruts, directions, days, details?.directions);
      for (const reason of found.damaged) given.stderr.writeProblem(reason);
      const continuation = continuationOf(options, days);
      const scope = { days, lake: store.address, nameOf: nameLookup(companies), continuation };
      // A user who asks for one company knows that there are others.
      return { found: options.rut === undefined ? found : { ...found, otherRuts: new Set() }, scope };
    };
    if (options.export !== true) {
      const store = await openStoreToRead(address, given.others);
      await checkSource(store, source, claim);
      noteSandbox(access, given);
      const { found, scope } = await find(store);
      if (isJson) given.stdout.write(`${missingJson(found, scope)}\n`);
      else given.stdout.write(`${missingTable(found, scope, given.stdout)}\n`);
      return found.missing.length + found.damaged.length === 0 ? 0 : 1;
    }
    return await withLakeToWrite(address, 'missing --export', options, given, async (store, terminal) => {
      const lake = await claimedLake(store, source, claim);
      const { found, scope } = await find(store);
      const { missing, damaged } = found;
      const writer = await WRITERS.hyparquet();
      if (missing.length === 0 && !isJson) {
        terminal.stdout.write(`${missingTable(found, scope, terminal.stdout)}\n`);
        const { publishWaiting } = await import('../../run/export-and-publish.ts');
        const inWords = (error: unknown) => failureOf(error).message;
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

interface MissingScope {
  days: readonly Day[];
  lake: string;
  nameOf: (rut: string) => string;
  /** The command, without the program's name, that exports what is missing. */
  continuation: string;
}

/** For programs: one JSON document, the newest day first within each company. */
function missingJson({ missing, unitCount, damaged }: MissingUnits, { days, lake }: MissingScope): string {
  const units = missing.map(({ rut, direction, day, reason, error = null }) => ({
    ...{ rut, direccion: direction, fecha: day, reason, error },
  }));
  const [never, details, failed] = (['never', 'details', 'failed'] as const).map((reason) =>
    countOf(missing, reason),
  );
  const totals = { units: unitCount, missing: missing.length, never, details, failed };
  return JSON.stringify({ from: days[0], to: days.at(-1), lake, units, totals, damaged }, null, 2);
}

/** For people: a line for each company and direction that lacks days, then why days failed. */
function missingTable(
  found: MissingUnits,
  { days, lake, nameOf, continuation }: MissingScope,
  { columns }: Pick<Printer, 'columns'>,
): string {
  const { missing, unitCount } = found;
  // A company's day is two units: one of each list.
  const range = `${plural(unitCount, 'unit')} (company, direction, day) from ${days[0]} to ${days.at(-1)}`;
  const place = printableLine(lake);
  if (missing.length === 0) {
    return `Nothing is missing: the audit in ${place} has all ${range}.${othersNote(found)}`;
  }
  const reasons = REASONS.filter(({ reason }) => reason !== 'details' || countOf(missing, reason) > 0);
  const rows = rowsByCompany(missing, nameOf, (units) => [
    ...reasons.map(({ reason }) => String(countOf(units, reason))),
    rangesText(units),
  ]);
  const failed = missing.filter(({ reason }) => reason === 'failed');
  const headings = ['rut', 'company', 'direction', ...reasons.map(({ heading }) => heading), 'days'];
  const numbers = reasons.map(() => 'right' as const);
  const table = textTable(headings, rows, ['left', 'left', 'left', ...numbers, 'left'], {
    columns,
    droppable: failed.length > 0 ? [] : ['failed'],
    droppableLast: ['company', ...(failed.length > 0 ? [] : ['never exported'])],
    wraps: 'days',
  });
  const summary = `Missing: ${missing.length.toLocaleString('en')} of ${range}, in ${place}.`;
  const lines = [
    table,
    ...titled('Failed last time:', reasonLines(failed)),
    '',
    summary,
    `To export just these:\n  ${PROGRAM} ${continuation}`,
  ];
  return `${lines.join('\n')}${othersNote(found)}`;
}

const REASONS: readonly { reason: MissingUnit['reason']; heading: string }[] = [
  { reason: 'never', heading: 'never exported' },
  { reason: 'details', heading: 'no details' },
  { reason: 'failed', heading: 'failed' },
];

function countOf(units: readonly MissingUnit[], asked: MissingUnit['reason']): number {
  return units.filter(({ reason }) => reason === asked).length;
}

function rangesText(units: readonly MissingUnit[]): string {
  const ranges = dayRanges(units.map(({ day }) => day));
  return shortened(ranges, MAX_RANGES_SHOWN, (rest) => `… and ${rest} more`).join(', ');
}

/** A lake of other companies looks like one that lacks everything; this tells the two apart. */
function othersNote({ otherRuts }: MissingUnits): string {
  if (otherRuts.size === 0) return '';
  const [first] = otherRuts;
  const others = otherRuts.size === 1 ? `${first}, which was` : `${otherRuts.size} companies that were`;
  return `\nThe audit also has ${others} not asked for; --companies says which to look up.`;
}
