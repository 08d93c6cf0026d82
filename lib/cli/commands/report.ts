import { readCompaniesFile } from '../../companies/company-list.ts';
import { amountText } from '../../coverage/texts/texts.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import { writePrivateFile } from '../../private-files.ts';
import type { Report } from '../../report/read-report.ts';
import { ENGLISH_REPORT, type ReportTexts } from '../../report/texts/english.ts';
import { SPANISH_REPORT } from '../../report/texts/spanish.ts';
import { counted, receiptsWithoutCurrency, translated, withoutMixedTotals } from '../../report/values.ts';
import { currencyHint, verdictOf } from '../../report/verdict.ts';
import { plural, wordLines } from '../../text/terminal.ts';
import { tableOrRecords } from '../../text/text-table.ts';
import { uruguayDateTime, uruguayDay } from '../../time/days.ts';
import { defineCommand, type Terminal } from '../command.ts';
import { fileToWrite, oneValue, tokensFile } from '../option.ts';
import { FOUND_LAKE_OPTION, foundLake } from '../options/lake.ts';
import { checkedRut, monthDays } from '../options/units.ts';
import { UsageError } from '../usage.ts';

const REPORT_LANGUAGES = ['es', 'en'] as const;

export const reportCommand = defineCommand({
  options: {
    rut: oneValue('RUT', 'the company'),
    month: oneValue('YYYY-MM', 'the month, by issue date'),
    html: fileToWrite('write it as one page'),
    xlsx: fileToWrite('write it as a workbook, one sheet per part'),
    lang: oneValue('LANGUAGE', "es or en (default: es; of a page, the browser's)", {
      choices: REPORT_LANGUAGES,
    }),
    ...FOUND_LAKE_OPTION,
    companies: tokensFile('JSON file to take the company’s name from; tokens are not used'),
  },
  examples: [
    'report --rut 219999830019 --month 2026-11',
    'report --rut 219999830019 --month 2026-11 --html report.html --xlsx report.xlsx',
    'report --rut 219999830019 --month 2026-11 --lang en',
    'report --rut 219999830019 --month 2026-10 --lake s3://bucket/lake --html report.html',
  ],
  run: async (options, _words, terminal) => {
    const { rut, month, html, xlsx } = options;
    if (rut === undefined || month === undefined) {
      throw new UsageError('Which company and month? Give --rut RUT and --month YYYY-MM.');
    }
    const { from, to } = monthDays(month);
    const nowMs = Date.now();
    const madeAt = uruguayDateTime(nowMs);
    const today = uruguayDay(nowMs);
    if (from > today) {
      throw new UsageError(
        `${month} is in the future: today is ${today} in Uruguay. Ask again when the month has begun.`,
      );
    }
    checkedRut(rut);
    // Excel opens no workbook under another extension without a warning.
    if (xlsx !== undefined && !/\.xlsx$/i.test(xlsx)) {
      throw new UsageError('--xlsx: give the file a name that ends with .xlsx.');
    }
    const name = await nameOf(rut, options.companies);
    const store = await openStoreToRead(await foundLake(options, terminal));
    const asked = { rut, name, from, to, today };
    const texts = options.lang === 'en' ? ENGLISH_REPORT : SPANISH_REPORT;
    const { readReport } = await import('../../report/read-report.ts');
    const report = await readReport(store, asked, {
      signal: terminal.signal,
      onPart: (part) => terminal.stderr.replaceLine(texts.parts[part].title),
    });
    terminal.stderr.eraseLine();
    if (html !== undefined) {
      const { reportHtml } = await import('../../report/html.ts');
      await writePrivateFile(
        html,
        reportHtml(report, madeAt, options.lang === undefined ? undefined : texts.language),
      );
      terminal.stdout.write(`Wrote ${html}: ${verdictOf(report, texts).sentence}\n`);
    }
    if (xlsx !== undefined) await writeWorkbook(xlsx, report, texts, terminal);
    if (html === undefined && xlsx === undefined) {
      terminal.stdout.writeProse(`${reportText(report, texts, terminal.stdout.columns)}\n`);
    }
    return 0;
  },
});

async function nameOf(rut: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const { companies } = await readCompaniesFile(file);
  return companies.find((company) => company.rut === rut)?.name;
}

async function writeWorkbook(
  file: string,
  report: Report,
  texts: ReportTexts,
  { stdout, stderr }: Terminal,
): Promise<void> {
  const [{ workbookOf }, { daysAnswer }] = await Promise.all([
    import('../../query/workbook.ts'),
    import('../../report/read-report.ts'),
  ]);
  const asked = report.parts.flatMap(({ part, answer }) =>
    answer === undefined ? [] : [{ ...texts.parts[part.id], answer }],
  );
  const sheets = [
    ...asked.map(({ title, answer }) => ({ name: title, answer: translated(answer, texts) })),
    { name: texts.days, answer: translated(daysAnswer(report.days, texts), texts) },
  ];
  const { sentence, concerns } = verdictOf(report, texts);
  const notes = [
    `${report.name ?? ''} RUT ${report.rut}, ${texts.forms.longMonth(report.from)}`.trim(),
    sentence,
    ...concerns.map(({ text }) => `- ${text}`),
    '',
    ...asked.map(({ title, about }) => `${title}: ${about}`),
  ];
  const { bytes, remarks } = await workbookOf(sheets, notes, texts.workbook);
  await writePrivateFile(file, bytes);
  stdout.write(`Wrote ${file}: ${plural(sheets.length, 'sheet')} and the notes.\n`);
  for (const remark of remarks) stderr.write(`${remark}\n`);
}

/** Parts short enough for a terminal. */
const SHOWN = ['ventas', 'compras', 'iva'];

/** The report for a terminal: the verdict, what to look into, and the sums. */
function reportText(
  report: Report,
  texts: ReportTexts,
  width: number | undefined = Number.POSITIVE_INFINITY,
): string {
  const { rut, name, from, parts, damaged } = report;
  const { sentence, concerns } = verdictOf(report, texts);
  const lines = [...damaged, ...concerns.map(({ text }) => text)].map(
    (text) => `  - ${wordLines(text, width - 4).join('\n    ')}`,
  );
  const sums = parts.flatMap(({ part, answer }) => {
    if (!SHOWN.includes(part.id) || answer === undefined) return [];
    const summed = part.id === 'ventas' || part.id === 'compras' ? part.id : undefined;
    const { columns, rows } = translated(summed ? withoutMixedTotals(answer) : answer, texts);
    const body = rows.map((row) =>
      row.map((value, index) =>
        columns[index]?.type.startsWith('DECIMAL') ? amountText(value ?? '', texts.forms) : (value ?? ''),
      ),
    );
    const alignments = columns.map(({ isNumber }) => (isNumber ? 'right' : 'left'));
    const names = columns.map((column) => column.name);
    const { title, nothing } = texts.parts[part.id];
    const unknown = counted(receiptsWithoutCurrency(answer), texts.receipt, texts);
    const advice = summed && currencyHint(report, summed, texts);
    const hint = advice === undefined ? [] : ['', `${unknown}: ${texts.unknownCurrency}. ${advice}`];
    return [
      '',
      title,
      '',
      rows.length === 0 ? nothing : tableOrRecords(names, body, alignments, width),
      ...hint,
    ];
  });
  const head = `${name ?? ''} RUT ${rut}, ${texts.forms.longMonth(from)}`.trim();
  return [head, '', ...wordLines(sentence, width), ...lines, ...sums].join('\n');
}
