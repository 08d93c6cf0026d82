import { namesOf, readCompaniesFile } from '../../companies/company.ts';
import {
  type CompanyCoverage,
  countReceipts,
  countStates,
  type DayCoverage,
} from '../../coverage/company-coverage.ts';
import { coveragePage } from '../../coverage/coverage-page.ts';
import { areMany, DAY_STATES, noStates } from '../../coverage/day.ts';
import { COVERAGE, SAY } from '../../coverage/phrases.ts';
import {
  type AskedCoverage,
  type Coverage,
  firstCoveredDay,
  readCoverage,
} from '../../coverage/read-coverage.ts';
import { companyLines, legendLines, statesText, terminalOverview } from '../../coverage/terminal.ts';
import { readAgainCommand } from '../../lake/source.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { WrongInputError } from '../../system/errors.ts';
import { writePrivateFile } from '../../system/private-files.ts';
import { PROGRAM } from '../../system/program.ts';
import { printableLine } from '../../text/terminal.ts';
import { addDays, CHANGING_DAYS, localDateTime, uruguayDay } from '../../time/days.ts';
import { defineCommand, fileToWrite, JSON_OPTION, oneValue, type Terminal, tokensFile } from '../command.ts';
import { LAKE_OPTION, nothingExported, openFoundLake } from '../options/lake.ts';
import {
  askedDays,
  askedDirections,
  checkedPeriod,
  checkedRut,
  checkYear,
  DIRECTION_OPTION,
  RUTS_OPTION,
} from '../options/units.ts';
import { SAY as EXPORT } from '../phrases/export.ts';
import { DEFAULT_COLUMNS } from '../printer.ts';
import { startProgress } from '../progress.ts';

export const coverageCommand = defineCommand({
  options: {
    from: oneValue('D', SAY.from()),
    to: oneValue('D', EXPORT.lastDay()),
    ...DIRECTION_OPTION,
    ...RUTS_OPTION,
    companies: tokensFile(SAY.companies()),
    ...LAKE_OPTION,
    html: fileToWrite(SAY.html()),
    ...JSON_OPTION,
  },
  examples: [
    'coverage --from 2026-01-01 --to 2026-11-19 --rut 219999830019',
    'coverage --lake s3://bucket/lake --companies companies.json --html coverage.html',
  ],
  run: async (options, _words, terminal) => {
    if (options.html !== undefined && options.json === true) throw new WrongInputError(SAY.htmlOrJson());
    const store = await openFoundLake(options, terminal);
    const nowMs = Date.now();
    const today = uruguayDay(nowMs);
    const directions = askedDirections(options.direction);
    const { from: typedFrom, to = addDays(today, -1) } = checkedPeriod(options);
    checkYear(to);
    const from = typedFrom ?? (await firstCoveredDay(store, directions, to));
    // Refuses ranges that no receipts can be in.
    askedDays({ from, to }, nowMs, terminal);
    const { ruts, names } = await askedCompanies(options);
    const asked: AskedCoverage = { from, to, today, directions, ruts, names };
    const coverage = await readCoverage(store, asked);
    if (coverage.ruts.length === 0 && coverage.damaged.length === 0) {
      terminal.stderr.writeProblem(nothingExported(store.address, { from, to }));
      return 1;
    }
    if (options.html !== undefined)
      await writeHtml(options.html, coverage, store, { ...asked, nowMs }, terminal);
    else if (options.json === true) await printJson(coverage, asked, store.address, terminal);
    else await printText(coverage, asked, store.address, terminal);
    for (const reason of coverage.damaged) terminal.stderr.writeProblem(reason);
    return coverage.damaged.length === 0 ? 0 : 1;
  },
});

async function askedCompanies(options: {
  rut?: readonly string[];
  companies?: string;
}): Promise<Pick<AskedCoverage, 'ruts' | 'names'>> {
  options.rut?.forEach(checkedRut);
  if (options.companies === undefined) return { ruts: options.rut };
  const { companies: known } = await readCompaniesFile(options.companies);
  return { ruts: options.rut ?? known.map(({ rut }) => rut), names: namesOf(known) };
}

async function writeHtml(
  file: string,
  coverage: Coverage,
  store: LakeStore,
  asked: AskedCoverage & { nowMs: number },
  { stdout, stderr, signal }: Terminal,
): Promise<void> {
  const progress = startProgress(stderr, coverage.ruts.length);
  const onCompany = (done: number) => progress.step(coverage.ruts[done - 1] ?? '');
  const readAgain = await readAgainCommand(PROGRAM, store);
  const page = { ...asked, lake: store.address, readAgain, onCompany, signal };
  const html = await coveragePage(coverage, page);
  progress.end();
  await writePrivateFile(file, html);
  const size = (Buffer.byteLength(html) / 1024).toFixed(0);
  stdout.say(SAY.wrote(file, asked.from, asked.to, coverage.ruts.length, size));
}

/** Prints the companies one by one, so that only one is in memory. */
async function printJson(
  { companies, damaged }: Coverage,
  { from, to, today }: AskedCoverage,
  lake: string,
  { stdout, signal }: Terminal,
): Promise<void> {
  const head = JSON.stringify({ from, to, today, lake, changingDays: CHANGING_DAYS });
  stdout.write(`${head.slice(0, -1)},"companies":[`);
  let separator = '\n';
  for await (const company of companies) {
    signal.throwIfAborted();
    stdout.write(`${separator}${companyJson(company, damaged)}`);
    separator = ',\n';
  }
  stdout.write('\n]}\n');
}

/** For people: calendars of a few companies, or an overview of many; then the legend and the totals. */
async function printText(
  { ruts, companies }: Coverage,
  asked: AskedCoverage,
  lake: string,
  { stdout, signal }: Terminal,
): Promise<void> {
  const { paint, language } = stdout;
  const form = { columns: stdout.columns || DEFAULT_COLUMNS, paint, language };
  const overview = areMany(ruts.length) ? terminalOverview(form) : undefined;
  const counts = noStates();
  for await (const company of companies) {
    signal.throwIfAborted();
    const states = countStates(company.calendars.flatMap(({ days }) => days));
    for (const state of DAY_STATES) counts[state] += states[state];
    if (overview === undefined) stdout.writeColoured(`${companyLines(company, form).join('\n')}\n\n`);
    else overview.add(company);
  }
  const total = DAY_STATES.reduce((sum, state) => sum + counts[state], 0);
  const lines = [
    ...(overview === undefined ? [...legendLines(form), ''] : [...overview.lines(), '']),
    COVERAGE[language].total(total, asked.from, asked.to, printableLine(lake), statesText(counts, language)),
  ];
  stdout.writeColoured(`${lines.join('\n')}\n`);
}

/** A company's days, for programs. `damaged`: why objects of the audit could not be read, of any company. */
export function companyJson({ rut, name, calendars }: CompanyCoverage, damaged: readonly string[]): string {
  const directions = calendars.map(({ direction, days }) => [
    direction,
    { receipts: countReceipts(days), states: countStates(days), days: days.map(dayJson) },
  ]);
  return JSON.stringify({ rut, name: name ?? null, ...Object.fromEntries(directions), damaged });
}

function dayJson({ day, state, receipts, readings }: DayCoverage): Record<string, unknown> {
  const readAt = readings?.lastGood?.startedAtSeconds;
  return {
    fecha: day,
    state,
    receipts,
    readAt: typeof readAt === 'number' ? localDateTime(readAt) : null,
    readings: readings?.count ?? 0,
    error: state === 'failed' ? (readings?.last.error ?? null) : null,
  };
}
