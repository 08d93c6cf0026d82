import { nameLookup } from '../../companies/company.ts';
import { tokenExpiry } from '../../companies/token.ts';
import type { DetailOptions } from '../../export/export-tools.ts';
import type { ParquetWriter } from '../../lake/parquet/writer.ts';
import { type ClaimedLake, claimedLake } from '../../lake/source.ts';
import type { EndedRun } from '../../run/notice.ts';
import { PROGRAM } from '../../system/program.ts';
import { shellWord } from '../../text/terminal.ts';
import { type Day, uruguayDateTime } from '../../time/days.ts';
import type { Rut } from '../../units/rut.ts';
import { isFailed, planUnits, type Unit } from '../../units/unit.ts';
import { defineCommand, JSON_OPTION, oneValue, type Parsed, type Terminal } from '../command.ts';
import { jsonReport, tableReport } from '../export-report.ts';
import { askedNotices, NOTICE_OPTIONS } from '../notices.ts';
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
import { SAY } from '../phrases/export.ts';
import { failureOf, TOLD_HOW_TO_GO_ON } from '../printer.ts';
import { exportProgress, publishingProgress } from '../progress.ts';

/** The writers by name. Only the one asked for is loaded. */
export const WRITERS = {
  hyparquet: async () => (await import('../../lake/parquet/hyparquet.ts')).writeWithHyparquet,
  'parquetjs-lite': async () => (await import('../../lake/parquet/parquetjs-lite.ts')).writeWithParquetjsLite,
};

const WRITER_NAMES = Object.keys(WRITERS) as readonly (keyof typeof WRITERS)[];

export const EXPORT_OPTIONS = {
  ...DIRECTION_OPTION,
  ...DETAIL_OPTIONS,
  ...CONNECTION_OPTIONS,
  ...LAKE_OPTION,
  ...CLAIM_OPTIONS,
  ...WAIT_OPTION,
};

export async function askedExport(options: Parsed<typeof EXPORT_OPTIONS>) {
  const directions = askedDirections(options.direction);
  const details = askedDetails(options, directions);
  const claim = askedClaim(options);
  const access = await askedAccess(options);
  return { directions, details, claim, access, address: options.lake ?? access.defaultLake };
}

export const exportCommand = defineCommand({
  options: {
    ...DAY_OPTIONS,
    ...EXPORT_OPTIONS,
    ...NOTICE_OPTIONS,
    writer: oneValue('NAME', SAY.writer(), { choices: WRITER_NAMES }),
    ...JSON_OPTION,
  },
  examples: [
    'export',
    'export --from 2026-11-01 --to 2026-11-19 --rut 219999830019',
    'export --api https://api.example.com --companies companies.json --json',
    'export --last 3 --notify https://chat.example.com/hooks/… --ping https://ping.example.com/…',
  ],
  run: async (options, _words, terminal) => {
    // Wrong days are told before the wait for another writer; those that count are reckoned after it.
    askedDays(options, Date.now(), undefined);
    const onRunEnd = askedNotices(options, terminal);
    const { directions, details, claim, access, address } = await askedExport(options);
    const writer = await WRITERS[options.writer ?? 'hyparquet']();
    return await withLakeToWrite(address, 'export', options, terminal, async (store) => {
      const days = askedDays(options, Date.now(), terminal);
      const lake = await claimedLake(store, access.source, claim);
      const unitsOf = (rut: Rut) => planUnits(rut, directions, days);
      const continuation = continuationOf(options, days);
      const isJson = options.json === true;
      const job = { ...lake, writer, details, unitsOf, isJson, continuation, onRunEnd };
      const work = (connection: Connection) => runExport({ ...job, connection }, terminal);
      return await withConnection(options, access, terminal, work, { waits: true });
    });
  },
});

export interface ExportJob extends ClaimedLake {
  connection: Pick<Connection, 'session' | 'companies' | 'maxInFlight'>;
  writer: ParquetWriter;
  details?: DetailOptions;
  unitsOf: (rut: Rut) => readonly Unit[];
  isJson: boolean;
  /** The command, without the program's name, that exports what this one did not and no earlier one did. */
  continuation: string;
  /** What follows a run that nobody interrupted. */
  onRunEnd?: (end: EndedRun) => Promise<void>;
}

/** Exports the units, showing progress, and prints their results. Returns the exit code. */
export async function runExport(job: ExportJob, terminal: Terminal): Promise<number> {
  // The help of a command need not wait for these.
  const [{ exportAndPublish }, { AuditNotWrittenError }] = await Promise.all([
    import('../../run/export-and-publish.ts'),
    import('../../audit/write.ts'),
  ]);
  const { stdout, stderr, signal } = terminal;
  const { session, companies } = job.connection;
  const now = session.clock.now();
  for (const { rut, token } of companies) {
    const expiry = token && tokenExpiry(token);
    if (expiry === undefined || expiry.getTime() > now) continue;
    const moment = uruguayDateTime(expiry.getTime());
    stderr.say(SAY.tokenExpired(rut, moment));
  }
  const unitCount = companies.reduce((sum, { rut }) => sum + job.unitsOf(rut).length, 0);
  const { keptText, ...watch } = exportProgress(stderr, unitCount);
  const publishing = publishingProgress(stderr);
  const { runId, results, fault, problems } = await exportAndPublish({
    ...job,
    ...job.connection,
    ...watch,
    onDayEnd: publishing.onDayEnd,
    inWords: (error) => failureOf(error, stderr.language).message,
    signal,
  });
  publishing.end();
  for (const line of problems) stderr.writeProblem(line);
  const isAuditLost = fault instanceof AuditNotWrittenError;
  if (signal.aborted) {
    if (isAuditLost) stderr.writeProblem(failureOf(fault, stderr.language).message);
    stderr.write(
      `${keptText()} ${stderr.textOf(SAY.goOn())}:\n  ${stderr.textOf(`${PROGRAM} ${job.continuation}`)}\n`,
    );
    // An interruption hides any other error.
    throw TOLD_HOW_TO_GO_ON;
  }
  const isComplete = fault === undefined && problems.length === 0 && !results.some(isFailed);
  const planned = companies.flatMap(({ rut }) => job.unitsOf(rut));
  await job.onRunEnd?.({ runId, planned, results, names: nameLookup(companies), problems, isComplete });
  if (fault !== undefined && !isAuditLost) throw fault;
  if (job.isJson) stdout.write(`${jsonReport(runId, results)}\n`);
  else {
    const { address } = job.store;
    stdout.writeColoured(`${tableReport(results, nameLookup(companies), stdout)}\n`);
    stdout.write(
      `\n${stdout.textOf(SAY.run(runId, address))}\n` +
        `${stdout.textOf(SAY.query())}  ${stdout.textOf(`${PROGRAM} query${lakeWords(address)}`)} "SELECT fecha, direccion, estado, sum(filas) AS filas FROM exportaciones GROUP BY fecha, direccion, estado ORDER BY fecha, direccion, estado"\n`,
    );
  }
  if (fault !== undefined) throw fault;
  return isComplete ? 0 : 1;
}

/** Options that a continuation sets in another way, or must not repeat. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...Object.keys({ ...DAY_OPTIONS, ...CLAIM_OPTIONS, ...NOTICE_OPTIONS }),
  'writer',
  'json',
  'export',
]);

/** The command, quoted for a shell, that exports those of these days that were never exported or failed. */
export function continuationOf(options: Readonly<Record<string, unknown>>, days: readonly Day[]): string {
  const range = ['--from', days[0] ?? '', '--to', days.at(-1) ?? ''];
  const kept = Object.fromEntries(Object.entries(options).filter(([name]) => !LEFT_OUT.has(name)));
  return ['missing', ...range, ...optionWords(kept), '--export'].join(' ');
}

export function optionWords(options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((word) => word !== undefined)
      .flatMap((word) => [`--${name}`, ...(word === true ? [] : [shellWord(String(word))])]),
  );
}
