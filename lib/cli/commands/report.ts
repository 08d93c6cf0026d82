import { join } from 'node:path';
import { namesOf } from '../../companies/company.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { plainTable } from '../../query/answer.ts';
import type { MonthSummary } from '../../report/office.ts';
import type { DaysOfCompany, Lack, ReadPeriod } from '../../report/read-days.ts';
import type { ReportOptions } from '../../report/read-report.ts';
import { asWritten } from '../../report/values.ts';
import { verdictOf } from '../../report/verdict.ts';
import { EXIT_FAILED, type ExitCode, WrongInputError } from '../../system/errors.ts';
import { assertReplaceable, writePrivateFile } from '../../system/private-files.ts';
import { assertOwnFolders, makeFolder } from '../../system/private-folders.ts';
import type { Said } from '../../text/language.ts';
import { longMonth } from '../../text/spanish.ts';
import { shellWord } from '../../text/terminal.ts';
import { type Day, type DayRange, uruguayDateTime, uruguayDay } from '../../time/days.ts';
import { ACCEPT_OPTION, type WorkbookContent, writeWorkbook } from '../answer-output.ts';
import {
  assertFileCanBe,
  defineCommand,
  JSON_OPTION,
  oneValue,
  type Terminal,
  tokensFile,
  workbookToWrite,
} from '../command.ts';
import { companiesOf } from '../options/found-companies.ts';
import { LAKE_OPTION, nothingExported, openFoundLake } from '../options/lake.ts';
import { askedUi, checkedRut, monthDays, UI_OPTION } from '../options/units.ts';
import { SAY } from '../phrases/declared.ts';
import { SAY as REPORT } from '../phrases/report.ts';
import type { Printer } from '../printer.ts';
import { startProgress } from '../progress.ts';

export const reportCommand = defineCommand({
  options: {
    rut: oneValue('RUT', REPORT.rut()),
    month: oneValue('YYYY-MM', REPORT.month()),
    html: oneValue('FILE', REPORT.html()),
    xlsx: workbookToWrite(REPORT.xlsx()),
    close: oneValue('FOLDER', REPORT.close()),
    ...ACCEPT_OPTION,
    ...JSON_OPTION,
    ...UI_OPTION,
    ...LAKE_OPTION,
    companies: tokensFile(REPORT.companies()),
  },
  examples: [
    'report --month 2026-11 --html pages',
    'report --rut 219999830019 --month 2026-11 --html report.html --xlsx report.xlsx',
  ],
  run: async (options, _words, terminal) => {
    const { rut, month, html, xlsx, json: isJson = false } = options;
    if (month === undefined) throw new WrongInputError(REPORT.whichMonth());
    const { from, to } = monthDays(month);
    const nowMs = Date.now();
    const today = uruguayDay(nowMs);
    if (from > today) {
      throw new WrongInputError(REPORT.inTheFuture(month, today));
    }
    if (rut !== undefined) checkedRut(rut);
    if (options.accept !== undefined && xlsx === undefined) throw new WrongInputError(SAY.reportToAccept());
    const ui = askedUi(options.ui);
    if (rut !== undefined && html !== undefined) await assertFileCanBe('html', html);
    if (rut === undefined && html !== undefined && /\.html?$/i.test(html)) {
      throw new WrongInputError(REPORT.folderOfPages(shellWord(html.replace(/\.html?$/i, ''))));
    }
    if (rut === undefined && html !== undefined) assertOwnFolders(html);
    const { stdout, stderr, signal } = terminal;
    const frozen =
      options.close === undefined
        ? undefined
        : await closedMonth(options.close, month, rut === undefined ? [] : [rut], signal);
    const store = await openFoundLake(options, terminal);
    const named = await companiesOf(options, store, terminal);
    const asked: AskedMonth = {
      store,
      from,
      to,
      today,
      names: named && namesOf(named.companies),
      html,
      xlsx,
      isJson,
      isAccepted: options.accept !== undefined,
      companiesFile: named?.path,
      alsoRuts: named?.companies.map((company) => company.rut),
      madeAt: uruguayDateTime(nowMs),
      printer: isJson ? stderr : stdout,
      reading: { signal, onPart: ({ title }) => stderr.replaceLine(title), ui, closed: frozen },
    };
    try {
      return await (rut === undefined ? reportOffice(asked, terminal) : reportCompany(rut, asked, terminal));
    } finally {
      frozen?.remove();
    }
  },
});

/** The closes of a month, as a report compares with them. Throws WrongInputError. */
async function closedMonth(folder: string, month: string, ruts: readonly string[], signal: AbortSignal) {
  const [{ changedRules, closesIn, frozenMonth }, { closedMonths }] = await Promise.all([
    import('../../close/frozen-month.ts'),
    import('../../close/rectification.ts'),
  ]);
  const frozen = await frozenMonth(await closesIn(folder, month, ruts), signal);
  try {
    const closed = closedMonths(frozen, await changedRules(frozen, signal));
    return { ...closed, remove: frozen.remove };
  } catch (error) {
    frozen.remove();
    throw error;
  }
}

interface AskedMonth extends DayRange {
  store: LakeStore;
  today: Day;
  names: ReadonlyMap<string, string> | undefined;
  companiesFile: string | undefined;
  /** Companies of the file, of which nothing may have been exported. */
  alsoRuts: readonly string[] | undefined;
  /** A page, or the folder of several. */
  html: string | undefined;
  xlsx: string | undefined;
  isJson: boolean;
  /** Whether a workbook is written although days were not read. */
  isAccepted: boolean;
  madeAt: string;
  printer: Printer;
  reading: ReportOptions;
}

/**
 * Writes JSON, or the text if nothing else was asked for, then the workbook if one was, which says what it lacks. Throws
 * MonthNotReadError.
 */
async function writeReport(
  asked: AskedMonth,
  made: { workbook: WorkbookContent; lack: Lack | undefined; content: Said; json: unknown; text: string },
  { stdout, stderr }: Terminal,
): Promise<void> {
  const { html, xlsx, isJson, printer } = asked;
  if (isJson) stdout.write(`${JSON.stringify(made.json, undefined, 2)}\n`);
  else if (html === undefined && xlsx === undefined) stdout.writeProse(`${made.text}\n`);
  if (xlsx === undefined) return;
  const [{ acceptedLack }, { lackText }] = await Promise.all([
    import('../../report/declared-days.ts'),
    import('../../report/read-days.ts'),
  ]);
  const lack = acceptedLack(made.lack, { ...asked, name: xlsx, canWarn: true });
  if (lack !== undefined) stderr.writeProse(`${lackText(lack)}\n`);
  await writeWorkbook(xlsx, { ...made.workbook, warning: lack?.text }, made.content, printer, stderr);
}

async function reportCompany(rut: string, asked: AskedMonth, terminal: Terminal): Promise<ExitCode | 0> {
  const [{ readReport }, { lackOfFigures }, { reportSheets, reportText }, { reportJson }, { reportHtml }] =
    await Promise.all([
      import('../../report/read-report.ts'),
      import('../../report/read-days.ts'),
      import('../../report/text.ts'),
      import('../../report/office.ts'),
      import('../../report/report-page.ts'),
    ]);
  const { store, names, html, madeAt, from, to, today, companiesFile } = asked;
  const company = { rut, name: names?.get(rut), companiesFile };
  const report = await readReport(store, { ...company, from, to, today }, asked.reading);
  terminal.stderr.eraseLine();
  const { state, sentence } = verdictOf(report);
  if (html !== undefined) {
    await writePrivateFile(html, reportHtml(report, madeAt));
    asked.printer.write(`${asked.printer.textOf(REPORT.wrote(html, sentence))}\n`);
  }
  const workbook = reportSheets(report);
  const made = {
    workbook,
    content: REPORT.sheets(workbook.sheets.length),
    json: reportJson(report),
    text: reportText(report, terminal.stdout.columns),
    lack: lackOfFigures([report], report),
  };
  await writeReport(asked, made, terminal);
  return state === 'incomplete' ? EXIT_FAILED : 0;
}

/** A month of all companies of a lake: a row a company, and a page of each. One that fails stops no other. */
async function reportOffice(asked: AskedMonth, terminal: Terminal): Promise<ExitCode | 0> {
  const [{ readReports }, { lackOfFigures }, office, { companyPageName, officeHtml }, { reportHtml }] =
    await Promise.all([
      import('../../report/read-report.ts'),
      import('../../report/read-days.ts'),
      import('../../report/office.ts'),
      import('../../report/office-page.ts'),
      import('../../report/report-page.ts'),
    ]);
  const { store, html: folder, madeAt, from, to, today, reading } = asked;
  const { stdout, stderr, signal } = terminal;
  if (folder !== undefined) makeFolder(folder);
  const summaries: MonthSummary[] = [];
  const days: DaysOfCompany[] = [];
  let period: ReadPeriod | undefined;
  let progress: ReturnType<typeof startProgress> | undefined;
  for await (const { report, companyCount } of readReports(store, asked, reading)) {
    progress ??= startProgress(stderr, companyCount);
    let summary: MonthSummary;
    try {
      if ('error' in report) throw report.error;
      period = report;
      summary = office.summaryOf(report);
      const page = folder && join(folder, companyPageName(report.rut));
      if (page !== undefined) await writePrivateFile(page, reportHtml(report, madeAt));
    } catch (error) {
      signal.throwIfAborted();
      summary = office.failedSummary({ rut: report.rut, name: report.name, error });
    }
    summaries.push(summary);
    const { rut } = report;
    days.push(
      'error' in report ? { rut, days: undefined } : { rut, days: report.days, listings: report.listings },
    );
    progress.step(summary.name ?? summary.rut, summary.state === 'failed');
  }
  progress?.end();
  if (summaries.length === 0) {
    const range = { from, to: to < today ? to : today };
    stderr.writeProblem(nothingExported(store.address, range, from.slice(0, 7)));
    return EXIT_FAILED;
  }
  if (folder !== undefined) {
    const first = join(folder, 'index.html');
    await assertReplaceable(first);
    await writePrivateFile(first, officeHtml({ summaries, from, lake: store.address, madeAt }));
    asked.printer.write(`${asked.printer.textOf(REPORT.wrotePages(first, summaries.length))}\n`);
  }
  const title = longMonth(from);
  const made = {
    workbook: { sheets: office.officeSheets(summaries, title), notes: [title, office.OFFICE.about] },
    content: REPORT.companyCount(summaries.length),
    json: { month: from.slice(0, 7), lake: store.address, companies: summaries },
    lack: period && lackOfFigures(days, period),
    text: `${title}\n\n${plainTable(asWritten(office.officeAnswer(summaries)), stdout.columns)}`,
  };
  await writeReport(asked, made, terminal);
  const isAnyOpen = summaries.some(({ state }) => state === 'incomplete' || state === 'failed');
  return isAnyOpen ? EXIT_FAILED : 0;
}
