import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { namesOf, readCompaniesFile } from '../../companies/company.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { plainTable } from '../../query/answer.ts';
import type { MonthSummary } from '../../report/office.ts';
import type { ReportOptions } from '../../report/read-report.ts';
import { ENGLISH_REPORT, type ReportTexts } from '../../report/texts/english.ts';
import { SPANISH_REPORT } from '../../report/texts/spanish.ts';
import { verdictOf } from '../../report/verdict.ts';
import { EXIT_FAILED, type ExitCode, WrongInputError } from '../../system/errors.ts';
import { assertReplaceable, PRIVATE_FOLDER_MODE, writePrivateFile } from '../../system/private-files.ts';
import { PROGRAM } from '../../system/program.ts';
import { plural } from '../../text/terminal.ts';
import { type Day, type DayRange, uruguayDateTime, uruguayDay } from '../../time/days.ts';
import { writeWorkbook } from '../answer-output.ts';
import {
  assertFileCanBe,
  defineCommand,
  flag,
  oneValue,
  type Terminal,
  tokensFile,
  workbookToWrite,
} from '../command.ts';
import { FOUND_LAKE_OPTION, lakeWords, openFoundLake } from '../options/lake.ts';
import { askedUi, checkedRut, monthDays, UI_OPTION } from '../options/units.ts';
import type { Printer } from '../printer.ts';
import { startProgress } from '../progress.ts';

export const reportCommand = defineCommand({
  options: {
    rut: oneValue(
      'RUT',
      'the company; without it, all that were exported of that month, and those of --companies',
    ),
    month: oneValue('YYYY-MM', 'the month, by issue date'),
    html: oneValue('FILE', 'write it as one page; of all companies, a folder of pages'),
    xlsx: workbookToWrite('write it as a workbook, one sheet per part'),
    json: flag('print it as JSON'),
    lang: oneValue('LANGUAGE', "es or en (default: es; of a page, the browser's)", {
      choices: ['es', 'en'] as const,
    }),
    ...UI_OPTION,
    ...FOUND_LAKE_OPTION,
    companies: tokensFile('JSON file to take companies and their names from; tokens are not used'),
  },
  examples: [
    'report --rut 219999830019 --month 2026-11',
    'report --month 2026-11 --html pages',
    'report --rut 219999830019 --month 2026-11 --html report.html --xlsx report.xlsx',
    'report --rut 219999830019 --month 2026-11 --lang en',
    'report --month 2026-10 --lake s3://bucket/lake --html pages --xlsx office.xlsx',
  ],
  run: async (options, _words, terminal) => {
    const { rut, month, html, xlsx, json: isJson = false, lang } = options;
    if (month === undefined) throw new WrongInputError('Which month? Give --month YYYY-MM.');
    const { from, to } = monthDays(month);
    const nowMs = Date.now();
    const today = uruguayDay(nowMs);
    if (from > today) {
      throw new WrongInputError(
        `${month} is in the future: today is ${today} in Uruguay. Ask again when the month has begun.`,
      );
    }
    if (rut !== undefined) checkedRut(rut);
    const named = options.companies === undefined ? undefined : await readCompaniesFile(options.companies);
    const names = named && namesOf(named.companies);
    const ui = askedUi(options.ui);
    const texts = lang === 'en' ? ENGLISH_REPORT : SPANISH_REPORT;
    if (rut !== undefined && html !== undefined) await assertFileCanBe('html', html);
    const { stdout, stderr, signal } = terminal;
    const asked: AskedMonth = {
      store: await openFoundLake(options, terminal),
      ...{ from, to, today, names, texts, html, xlsx, isJson },
      alsoRuts: named?.companies.map((company) => company.rut),
      madeAt: uruguayDateTime(nowMs),
      language: lang === undefined ? undefined : texts.language,
      told: isJson ? stderr : stdout,
      reading: { signal, onPart: (part) => stderr.replaceLine(texts.parts[part].title), ui },
    };
    return rut === undefined
      ? await reportOffice(asked, terminal)
      : await reportCompany(rut, asked, terminal);
  },
});

interface AskedMonth extends DayRange {
  store: LakeStore;
  today: Day;
  names: ReadonlyMap<string, string> | undefined;
  /** Companies of the file, of which nothing may have been exported. */
  alsoRuts: readonly string[] | undefined;
  texts: ReportTexts;
  /** A page, or the folder of several. */
  html: string | undefined;
  xlsx: string | undefined;
  isJson: boolean;
  madeAt: string;
  /** Of a page; undefined leaves it to the browser. */
  language: string | undefined;
  /** Where it is said what was written. */
  told: Printer;
  reading: ReportOptions;
}

async function reportCompany(
  rut: string,
  { store, names, texts, html, xlsx, isJson, madeAt, language, told, reading, ...month }: AskedMonth,
  { stdout, stderr }: Terminal,
): Promise<ExitCode | 0> {
  const [{ readReport }, { reportSheets, reportText }] = await Promise.all([
    import('../../report/read-report.ts'),
    import('../../report/text.ts'),
  ]);
  const { from, to, today } = month;
  const report = await readReport(store, { rut, name: names?.get(rut), from, to, today }, reading);
  stderr.eraseLine();
  const { state, sentence } = verdictOf(report, texts);
  if (html !== undefined) {
    const { reportHtml } = await import('../../report/html.ts');
    await writePrivateFile(html, reportHtml(report, madeAt, language));
    told.write(`Wrote ${html}: ${sentence}\n`);
  }
  if (xlsx !== undefined) {
    const { sheets, notes } = reportSheets(report, texts);
    const content = `${plural(sheets.length, 'sheet')} and the notes`;
    await writeWorkbook(xlsx, { sheets, notes, texts: texts.workbook }, content, told, stderr);
  }
  if (isJson) {
    const { reportJson } = await import('../../report/office.ts');
    stdout.write(`${JSON.stringify(reportJson(report, texts), undefined, 2)}\n`);
  } else if (html === undefined && xlsx === undefined) {
    stdout.writeProse(`${reportText(report, texts, stdout.columns)}\n`);
  }
  return state === 'incomplete' ? EXIT_FAILED : 0;
}

/** A month of all companies of a lake: a row a company, and a page of each. One that fails stops no other. */
async function reportOffice(
  {
    store,
    names,
    alsoRuts,
    texts,
    html: folder,
    xlsx,
    isJson,
    madeAt,
    language,
    told,
    reading,
    ...month
  }: AskedMonth,
  { stdout, stderr, signal }: Terminal,
): Promise<ExitCode | 0> {
  const [
    { readReports },
    { amountsAnswer, failedSummary, officeAnswer, shownSums, summaryOf },
    { companyPageName, officeHtml },
    { reportHtml },
  ] = await Promise.all([
    import('../../report/read-report.ts'),
    import('../../report/office.ts'),
    import('../../report/office-html.ts'),
    import('../../report/html.ts'),
  ]);
  if (folder !== undefined) await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  const summaries: MonthSummary[] = [];
  let progress: ReturnType<typeof startProgress> | undefined;
  for await (const { report, companyCount } of readReports(store, { ...month, names, alsoRuts }, reading)) {
    progress ??= startProgress(stderr, companyCount);
    let summary: MonthSummary;
    try {
      if ('error' in report) throw report.error;
      summary = summaryOf(report, texts);
      const page = folder && join(folder, companyPageName(report.rut));
      if (page !== undefined) await writePrivateFile(page, reportHtml(report, madeAt, language));
    } catch (error) {
      signal.throwIfAborted();
      summary = failedSummary({ rut: report.rut, name: report.name, error });
    }
    summaries.push(summary);
    progress.step(summary.name ?? summary.rut, summary.state === 'failed');
  }
  progress?.end();
  if (summaries.length === 0) {
    const to = month.to < month.today ? month.to : month.today;
    const range = `--from ${month.from} --to ${to}${lakeWords(store.address)}`;
    stderr.writeProblem(
      `${store.address} has no audit of ${month.from} to ${to}. Export these days first: ${PROGRAM} export ${range}`,
    );
    return EXIT_FAILED;
  }
  if (folder !== undefined) {
    const first = join(folder, 'index.html');
    await assertReplaceable(first);
    const page = { summaries, from: month.from, lake: store.address, madeAt, language };
    await writePrivateFile(first, officeHtml(page));
    told.write(`Wrote ${first} and ${plural(summaries.length, 'page')}.\n`);
  }
  const title = texts.forms.longMonth(month.from);
  if (xlsx !== undefined) {
    const { title: office, amounts, about } = texts.office;
    const sheets = [
      { name: office, above: [office, title], answer: officeAnswer(summaries, [], texts) },
      { name: amounts, above: [amounts, title], answer: amountsAnswer(summaries, texts) },
    ];
    const content = plural(summaries.length, 'company', 'companies');
    const notes = [title, about];
    await writeWorkbook(xlsx, { sheets, notes, texts: texts.workbook }, content, told, stderr);
  }
  if (isJson) {
    const whole = { month: month.from.slice(0, 7), lake: store.address, companies: summaries };
    stdout.write(`${JSON.stringify(whole, undefined, 2)}\n`);
  } else if (folder === undefined && xlsx === undefined) {
    const answer = officeAnswer(summaries, shownSums(summaries), texts);
    stdout.write(`${title}\n\n${plainTable(answer, stdout.columns)}\n`);
  }
  const isAnyOpen = summaries.some(({ state }) => state === 'incomplete' || state === 'failed');
  return isAnyOpen ? EXIT_FAILED : 0;
}
