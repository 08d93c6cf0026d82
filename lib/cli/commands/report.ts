import { readCompaniesFile } from '../../companies/company-list.ts';
import { amountText } from '../../coverage/texts/texts.ts';
import { EXIT_FAILED } from '../../errors.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import { writePrivateFile } from '../../private-files.ts';
import { type Answer, plainTable } from '../../query/answer.ts';
import type { Report } from '../../report/read-report.ts';
import { ENGLISH_REPORT, type ReportTexts } from '../../report/texts/english.ts';
import { SPANISH_REPORT } from '../../report/texts/spanish.ts';
import { counted, receiptsWithoutCurrency, translated, withoutMixedTotals } from '../../report/values.ts';
import { currencyHint, verdictOf } from '../../report/verdict.ts';
import { plural, wordLines } from '../../text/terminal.ts';
import { uruguayDateTime, uruguayDay } from '../../time/days.ts';
import { defineCommand } from '../command.ts';
import { fileToWrite, flag, oneValue, tokensFile } from '../option.ts';
import { assertFileCanBe } from '../options/files.ts';
import { FOUND_LAKE_OPTION, foundLake } from '../options/lake.ts';
import { askedUi, checkedRut, monthDays, UI_OPTION } from '../options/units.ts';
import { UsageError } from '../usage.ts';
import { assertWorkbookName, writeWorkbook } from '../workbook-file.ts';

const REPORT_LANGUAGES = ['es', 'en'] as const;

export const reportCommand = defineCommand({
  options: {
    rut: oneValue('RUT', 'the company; without it, all companies of the lake'),
    month: oneValue('YYYY-MM', 'the month, by issue date'),
    html: oneValue('FILE', 'write it as one page; of all companies, a folder of pages'),
    xlsx: fileToWrite('write it as a workbook, one sheet per part'),
    json: flag('print it as JSON'),
    lang: oneValue('LANGUAGE', "es or en (default: es; of a page, the browser's)", {
      choices: REPORT_LANGUAGES,
    }),
    ...UI_OPTION,
    ...FOUND_LAKE_OPTION,
    companies: tokensFile('JSON file to take the names of companies from; tokens are not used'),
  },
  examples: [
    'report --rut 219999830019 --month 2026-11',
    'report --month 2026-11 --html pages',
    'report --rut 219999830019 --month 2026-11 --html report.html --xlsx report.xlsx',
    'report --rut 219999830019 --month 2026-11 --lang en',
    'report --month 2026-10 --lake s3://bucket/lake --html pages --xlsx office.xlsx',
  ],
  run: async (options, _words, terminal) => {
    const { rut, month, html, xlsx } = options;
    if (month === undefined) throw new UsageError('Which month? Give --month YYYY-MM.');
    const { from, to } = monthDays(month);
    const nowMs = Date.now();
    const madeAt = uruguayDateTime(nowMs);
    const today = uruguayDay(nowMs);
    if (from > today) {
      throw new UsageError(
        `${month} is in the future: today is ${today} in Uruguay. Ask again when the month has begun.`,
      );
    }
    assertWorkbookName(xlsx);
    if (rut !== undefined) checkedRut(rut);
    const names = await namesOf(options.companies);
    const ui = askedUi(options.ui);
    const texts = options.lang === 'en' ? ENGLISH_REPORT : SPANISH_REPORT;
    const language = options.lang === undefined ? undefined : texts.language;
    if (rut === undefined) {
      const { reportOffice } = await import('../report-office.ts');
      const store = await openStoreToRead(await foundLake(options, terminal));
      const asked = { from, to, today, names };
      const output = { folder: html, xlsx, isJson: options.json === true, madeAt, language };
      return await reportOffice(store, asked, ui, output, texts, terminal);
    }
    const name = names?.get(rut);
    if (html !== undefined) await assertFileCanBe('html', html);
    const store = await openStoreToRead(await foundLake(options, terminal));
    const { daysAnswer, readReport } = await import('../../report/read-report.ts');
    const report = await readReport(
      store,
      { rut, name, from, to, today },
      {
        signal: terminal.signal,
        onPart: (part) => terminal.stderr.replaceLine(texts.parts[part].title),
        ui,
      },
    );
    terminal.stderr.eraseLine();
    const { state, sentence } = verdictOf(report, texts);
    const told = options.json === true ? terminal.stderr : terminal.stdout;
    if (html !== undefined) {
      const { reportHtml } = await import('../../report/html.ts');
      await writePrivateFile(html, reportHtml(report, madeAt, language));
      told.write(`Wrote ${html}: ${sentence}\n`);
    }
    if (xlsx !== undefined) {
      const workbook = workbookSheets(report, daysAnswer(report.days, texts), texts);
      const what = `${plural(workbook.sheets.length, 'sheet')} and the notes`;
      await writeWorkbook(xlsx, workbook, texts.workbook, what, { stdout: told, stderr: terminal.stderr });
    }
    if (options.json === true) {
      const { reportJson } = await import('../../report/office.ts');
      terminal.stdout.write(`${JSON.stringify(reportJson(report, texts), undefined, 2)}\n`);
    } else if (html === undefined && xlsx === undefined) {
      terminal.stdout.writeProse(`${reportText(report, texts, terminal.stdout.columns)}\n`);
    }
    return state === 'incomplete' ? EXIT_FAILED : 0;
  },
});

async function namesOf(file: string | undefined): Promise<ReadonlyMap<string, string> | undefined> {
  if (file === undefined) return undefined;
  const { companies } = await readCompaniesFile(file);
  return new Map(companies.flatMap(({ rut, name }) => (name === undefined ? [] : [[rut, name]])));
}

/** A sheet a part, one of the days, and the verdict in the notes. */
function workbookSheets(report: Report, days: Answer, texts: ReportTexts) {
  const asked = report.parts.flatMap(({ part, answer }) =>
    answer === undefined ? [] : [{ ...texts.parts[part.id], answer }],
  );
  const whose = headOf(report, texts);
  const sheets = [...asked, { title: texts.days, answer: days }].map(({ title, answer }) => ({
    name: title,
    above: [title, whose],
    answer: translated(answer, texts),
  }));
  const { sentence, concerns } = verdictOf(report, texts);
  const about = asked.map((part) => `${part.title}: ${part.about}`);
  return { sheets, notes: [whose, sentence, ...concerns.map(({ text }) => `- ${text}`), '', ...about] };
}

/** Whose report it is, and of when. */
function headOf({ rut, name, from }: Report, texts: ReportTexts): string {
  return `${name ?? ''} RUT ${rut}, ${texts.forms.longMonth(from)}`.trim();
}

/** Parts short enough for a terminal. */
const SHOWN = ['ventas', 'compras', 'iva', 'posicion'];
/** Parts of which the first rows are shown, if there are any. */
const FIRST_SHOWN = ['numeracion', 'duplicados'];
const FIRST_ROWS = 5;

/** The report for a terminal: the verdict, what to look into, and the sums. */
function reportText(
  report: Report,
  texts: ReportTexts,
  width: number | undefined = Number.POSITIVE_INFINITY,
): string {
  const { parts, damaged } = report;
  const { sentence, concerns } = verdictOf(report, texts);
  const lines = [
    ...damaged,
    ...concerns.map(({ text, command }) => (command === undefined ? text : `${text}: ${command}`)),
  ].map((text) => `  - ${wordLines(text, width - 4).join('\n    ')}`);
  const sums = parts.flatMap(({ part, answer }) => {
    if (answer === undefined) return [];
    const isLong = FIRST_SHOWN.includes(part.id) && answer.rows.length > 0;
    if (!SHOWN.includes(part.id) && !isLong) return [];
    const summed = part.id === 'ventas' || part.id === 'compras' ? part.id : undefined;
    const { columns, rows } = translated(summed ? withoutMixedTotals(answer) : answer, texts);
    const shown = (isLong ? rows.slice(0, FIRST_ROWS) : rows).map((row) =>
      row.map((value, index) =>
        value !== null && columns[index]?.type.startsWith('DECIMAL') ? amountText(value, texts.forms) : value,
      ),
    );
    const { title, nothing } = texts.parts[part.id];
    const unknown = counted(receiptsWithoutCurrency(answer), texts.receipt, texts);
    const advice = summed && currencyHint(report, summed, texts);
    const left =
      rows.length > shown.length
        ? ['', texts.shownRows(shown.length, amountText(String(rows.length), texts.forms))]
        : [];
    const hint = advice === undefined ? left : ['', `${unknown}: ${texts.unknownCurrency}. ${advice}`];
    return [
      '',
      title,
      '',
      rows.length === 0 ? nothing : plainTable({ columns, rows: shown }, width),
      ...hint,
    ];
  });
  return [headOf(report, texts), '', ...wordLines(sentence, width), ...lines, ...sums].join('\n');
}
