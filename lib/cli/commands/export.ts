import { AuditNotWrittenError } from '../../audit/write.ts';
import { nameLookup, type Rut, tokenExpiry } from '../../companies/company.ts';
import type { DetailOptions } from '../../export/export-tools.ts';
import type { ParquetWriter } from '../../lake/parquet/writer.ts';
import { type ClaimedLake, claimedLake } from '../../lake/source-claim.ts';
import { PROGRAM } from '../../program.ts';
import { exportAndPublish } from '../../publish/export-and-publish.ts';
import { plural, shellWord } from '../../text/terminal.ts';
import { type Day, uruguayDateTime } from '../../time/days.ts';
import { isFailed, planUnits, type Unit, type UnitResult } from '../../units.ts';
import { defineCommand, type Terminal, ToldInterruption } from '../command.ts';
import { jsonReport, tableReport, unitText } from '../export-report.ts';
import { failureOf } from '../failure.ts';
import { flag, oneValue } from '../option.ts';
import { askedAccess, CONNECTION_OPTIONS, type Connection, withConnection } from '../options/connection.ts';
import {
  askedClaim,
  CLAIM_OPTIONS,
  LAKE_OPTION,
  lakeWords,
  WAIT_OPTION,
  withLakeToWrite,
} from '../options/lake.ts';
import {
  askedDays,
  askedDetails,
  askedDirections,
  DAY_OPTIONS,
  DETAIL_OPTIONS,
  DIRECTION_OPTION,
} from '../options/units.ts';
import { publishingProgress, startProgress } from '../printer.ts';

/** The writers by name. Only the one asked for is loaded. */
export const WRITERS = {
  hyparquet: async (): Promise<ParquetWriter> =>
    (await import('../../lake/parquet/hyparquet.ts')).writeWithHyparquet,
  'parquetjs-lite': async (): Promise<ParquetWriter> =>
    (await import('../../lake/parquet/parquetjs-lite.ts')).writeWithParquetjsLite,
} as const;

const WRITER_NAMES = Object.keys(WRITERS) as readonly (keyof typeof WRITERS)[];

export const exportCommand = defineCommand({
  options: {
    ...DAY_OPTIONS,
    ...DIRECTION_OPTION,
    ...DETAIL_OPTIONS,
    ...CONNECTION_OPTIONS,
    ...LAKE_OPTION,
    ...CLAIM_OPTIONS,
    ...WAIT_OPTION,
    writer: oneValue('NAME', `${WRITER_NAMES.join(' or ')} (default hyparquet)`, {
      choices: WRITER_NAMES,
    }),
    json: flag('print one JSON document; progress goes to stderr'),
  },
  examples: [
    'export',
    'export --date 2026-11-19 --direction recibidos',
    'export --from 2026-11-01 --to 2026-11-19 --rut 219999830019',
    'export --last 3',
    'export --date 2026-11-19 --details emitidos',
    'export --api https://api.example.com --companies companies.json --json',
  ],
  run: async (options, _words, given) => {
    // Wrong days are told before the wait for another writer; those that count are reckoned after it.
    askedDays(options, Date.now(), undefined);
    const directions = askedDirections(options.direction);
    const details = askedDetails(options, directions);
    const writer = await WRITERS[options.writer ?? 'hyparquet']();
    const claim = askedClaim(options);
    const access = await askedAccess(options);
    const address = options.lake ?? access.defaultLake;
    return await withLakeToWrite(address, 'export', options, given, async (store, terminal) => {
      const days = askedDays(options, Date.now(), terminal);
      const lake = await claimedLake(store, access.source, claim);
      const work = async (connection: Connection) => {
        const unitsOf = (rut: Rut) => planUnits(rut, directions, days);
        const unitCount = connection.companies.length * directions.length * days.length;
        const isJson = options.json === true;
        const continuation = continuationOf(options, days);
        const job = { ...lake, connection, writer, details, unitsOf, unitCount, isJson, continuation };
        return await runExport(job, terminal);
      };
      return await withConnection(options, access, work, terminal.stderr);
    });
  },
});

export interface ExportJob extends ClaimedLake {
  connection: Pick<Connection, 'session' | 'companies' | 'maxInFlight'>;
  writer: ParquetWriter;
  details?: DetailOptions;
  unitsOf: (rut: Rut) => readonly Unit[];
  unitCount: number;
  isJson: boolean;
  /** The command, without the program's name, that exports what this one did not and no earlier one did. */
  continuation: string;
}

/** Exports the units, showing progress, and prints their results. Returns the exit code. */
export async function runExport(job: ExportJob, terminal: Terminal): Promise<number> {
  const { session, companies } = job.connection;
  const now = session.clock.now();
  for (const { rut, token } of companies) {
    const expiry = tokenExpiry(token);
    if (expiry === undefined || expiry.getTime() > now) continue;
    const moment = uruguayDateTime(expiry.getTime());
    terminal.stderr.write(
      `The token of ${rut} expired at ${moment} (Uruguay): renew it in the companies file.\n`,
    );
  }
  const progress = startProgress(terminal.stderr, job.unitCount);
  let receipts = 0;
  let kept = 0;
  const onUnitEnd = (result: UnitResult) => {
    const { receipts: listed = 0 } = result;
    const hasFailed = isFailed(result);
    receipts += listed;
    if (!hasFailed) kept += 1;
    progress.step(`${plural(receipts, 'receipt')} · ${unitText(result)}`, hasFailed);
  };
  const publishing = publishingProgress(terminal.stderr);
  const { runId, results, fault, problems } = await exportAndPublish({
    ...job,
    ...job.connection,
    onUnitEnd,
    onExportEnd: () => progress.end(),
    onDayEnd: publishing.onDayEnd,
    inWords: (error) => failureOf(error).message,
    signal: terminal.signal,
  });
  publishing.end();
  for (const line of problems) terminal.stderr.writeProblem(line);
  if (terminal.signal.aborted) {
    // An interruption hides the error that is thrown.
    if (fault instanceof AuditNotWrittenError) terminal.stderr.writeProblem(failureOf(fault).message);
    const count = `${kept.toLocaleString('en')} of ${plural(job.unitCount, 'company-day')}`;
    const which = 'Of the others, this exports those that were never exported before, or failed';
    terminal.stderr.write(`Kept ${count}. ${which}:\n  ${PROGRAM} ${job.continuation}\n`);
    throw new ToldInterruption();
  }
  if (fault !== undefined && !(fault instanceof AuditNotWrittenError)) throw fault;
  if (job.isJson) terminal.stdout.write(`${jsonReport(runId, results)}\n`);
  else {
    const table = tableReport(results, nameLookup(companies), terminal.stdout);
    terminal.stdout.writeColoured(`${table}\n`);
    terminal.stdout.write(
      `\nRun ${runId}, in ${job.store.address}.\n` +
        `Query it:  ${PROGRAM} query${lakeWords(job.store.address)} "SELECT fecha, direccion, estado, sum(filas) AS filas FROM exportaciones GROUP BY ALL ORDER BY ALL"\n`,
    );
  }
  if (fault !== undefined) throw fault;
  return results.some(isFailed) || problems.length > 0 ? 1 : 0;
}

/** Options that a continuation sets in another way, or must not repeat. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'date',
  'from',
  'to',
  'last',
  'writer',
  'json',
  'export',
  'adopt-lake',
  'source-moved',
]);

/** The command, quoted for a shell, that exports those of these days that were never exported or failed. */
export function continuationOf(options: Readonly<Record<string, unknown>>, days: readonly Day[]): string {
  const range = ['--from', days[0] ?? '', '--to', days.at(-1) ?? ''];
  const kept = Object.fromEntries(Object.entries(options).filter(([name]) => !LEFT_OUT.has(name)));
  return ['missing', ...range, ...optionWords(kept), '--export'].join(' ');
}

export function optionWords(options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values
      .filter((each) => each !== undefined)
      .flatMap((each) => [`--${name}`, ...(each === true ? [] : [shellWord(String(each))])]);
  });
}
