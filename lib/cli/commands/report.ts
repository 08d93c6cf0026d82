import { readCompaniesFile } from '../../companies/file.ts';
import { writePrivateFile } from '../../files/private-file.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import type { Report } from '../../report/read-report.ts';
import { reportText } from '../../report/text.ts';
import { uruguayDateTime } from '../../time/days.ts';
import { defineCommand, type Terminal, UsageError } from '../command.ts';
import { LAKE_OPTION, lakeToAsk } from '../options/lake.ts';
import { assertFolderOf } from '../options/out-file.ts';
import { monthDays } from '../options/period.ts';
import { checkedRut } from '../usage.ts';

export const reportCommand = defineCommand({
  name: 'report',
  options: {
    rut: { kind: 'value', placeholder: 'RUT', help: 'the company' },
    month: { kind: 'value', placeholder: 'YYYY-MM', help: 'the month, by issue date' },
    html: { kind: 'value', placeholder: 'FILE', help: 'write it as one page', path: 'file' },
    xlsx: {
      kind: 'value',
      placeholder: 'FILE',
      help: 'write it as a workbook, a sheet a part',
      path: 'file',
    },
    ...LAKE_OPTION,
    companies: {
      kind: 'value',
      placeholder: 'FILE',
      help: 'JSON file to take the company’s name from; tokens are not used',
      path: 'file',
      holdsTokens: true,
    },
  },
  examples: [
    'report --rut 219999830019 --month 2026-11',
    'report --rut 219999830019 --month 2026-11 --html report.html --xlsx report.xlsx',
    'report --rut 219999830019 --month 2026-10 --lake s3://bucket/lake --html report.html',
  ],
  run: async (options, _words, terminal) => {
    const { rut, month, html, xlsx } = options;
    if (rut === undefined || month === undefined) {
      throw new UsageError('Whose month, and which? Give --rut RUT and --month YYYY-MM.');
    }
    const { from, to } = monthDays(month);
    const madeAt = uruguayDateTime(Date.now());
    const today = madeAt.slice(0, 10);
    if (from > today) {
      throw new UsageError(
        `${month} is in the future: today is ${today} in Uruguay. Ask again when the month has begun.`,
      );
    }
    checkedRut(rut);
    if (html !== undefined) await assertFolderOf('html', html);
    if (xlsx !== undefined) await assertFolderOf('xlsx', xlsx);
    const name = await nameOf(rut, options.companies);
    const store = await openStoreToRead(await lakeToAsk(options, terminal));
    const asked = { rut, name, from, to, today };
    const { readReport } = await import('../../report/read-report.ts');
    const report = await readReport(store, asked, (title) => {
      terminal.signal.throwIfAborted();
      terminal.stderr.replaceLine(title);
    });
    terminal.stderr.eraseLine();
    if (html !== undefined) {
      const { reportHtml } = await import('../../report/html.ts');
      await writePrivateFile(html, reportHtml(report, madeAt));
      terminal.stdout.write(`Wrote ${html}: ${report.verdict.sentence}\n`);
    }
    if (xlsx !== undefined) await writeWorkbook(xlsx, report, terminal);
    if (html === undefined && xlsx === undefined) terminal.stdout.write(`${reportText(report)}\n`);
    return 0;
  },
});

async function nameOf(rut: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const { companies } = await readCompaniesFile(file);
  return companies.find((company) => company.rut === rut)?.name;
}

async function writeWorkbook(file: string, report: Report, { stdout, stderr }: Terminal): Promise<void> {
  const [{ workbookOf }, { daysAnswer }] = await Promise.all([
    import('../../query/workbook.ts'),
    import('../../report/read-report.ts'),
  ]);
  const asked = report.parts.flatMap(({ part, answer }) => (answer === undefined ? [] : [{ part, answer }]));
  const sheets = [
    ...asked.map(({ part, answer }) => ({ name: part.title, answer })),
    { name: 'Días', answer: daysAnswer(report.days) },
  ];
  const notes = [
    `${report.name ?? ''} RUT ${report.rut}, ${report.from.slice(0, 7)}`.trim(),
    report.verdict.sentence,
    ...report.verdict.concerns.map(({ text }) => `- ${text}`),
    '',
    ...asked.map(({ part }) => `${part.title}: ${part.about}`),
  ];
  const { bytes, remarks } = await workbookOf(sheets, notes, 'Notas');
  await writePrivateFile(file, bytes);
  stdout.write(`Wrote ${file}: ${sheets.length} sheets and the notes.\n`);
  for (const remark of remarks) stderr.write(`${remark}\n`);
}
