import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT_FAILED, type ExitCode } from '../errors.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { assertReplaceable, PRIVATE_FOLDER_MODE, writePrivateFile } from '../private-files.ts';
import { plainTable } from '../query/answer.ts';
import type { Narrowing } from '../query/named-queries.ts';
import {
  amountsAnswer,
  failedSummary,
  type MonthSummary,
  officeAnswer,
  shownSums,
  summaryOf,
} from '../report/office.ts';
import { companyPageName, officeHtml } from '../report/office-html.ts';
import { type AskedReports, readReports } from '../report/read-report.ts';
import type { ReportTexts } from '../report/texts/english.ts';
import { plural } from '../text/terminal.ts';
import type { Terminal } from './command.ts';
import { startProgress } from './printer.ts';
import { writeWorkbook } from './workbook-file.ts';

export interface OfficeOutput {
  /** Where the pages go. */
  folder: string | undefined;
  xlsx: string | undefined;
  isJson: boolean;
  madeAt: string;
  language: string | undefined;
}

/** A month of all companies of a lake: a row a company, and a page of each. One that fails stops no other. */
export async function reportOffice(
  store: LakeStore,
  asked: AskedReports,
  ui: Narrowing['ui'],
  { folder, xlsx, isJson, madeAt, language }: OfficeOutput,
  texts: ReportTexts,
  { stdout, stderr, signal }: Terminal,
): Promise<ExitCode | 0> {
  if (folder !== undefined) await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  const { reportHtml } = await import('../report/html.ts');
  const summaries: MonthSummary[] = [];
  const onPart = (part: keyof ReportTexts['parts']) => stderr.replaceLine(texts.parts[part].title);
  let progress: ReturnType<typeof startProgress> | undefined;
  for await (const { report, companyCount } of readReports(store, asked, { signal, onPart, ui })) {
    progress ??= startProgress(stderr, companyCount);
    let summary: MonthSummary;
    try {
      if ('error' in report) throw report.error;
      summary = summaryOf(report, texts);
      if (folder !== undefined) {
        await writePrivateFile(
          join(folder, companyPageName(report.rut)),
          reportHtml(report, madeAt, language),
        );
      }
    } catch (error) {
      signal?.throwIfAborted();
      summary = failedSummary({ rut: report.rut, name: report.name, error });
    }
    summaries.push(summary);
    progress.step(summary.name ?? summary.rut, summary.state === 'failed');
  }
  progress?.end();
  const told = isJson ? stderr : stdout;
  if (folder !== undefined) {
    const first = join(folder, 'index.html');
    await assertReplaceable(first);
    await writePrivateFile(
      first,
      officeHtml({ summaries, from: asked.from, lake: store.address, madeAt, language }),
    );
    told.write(`Wrote ${first} and ${plural(summaries.length, 'page')}.\n`);
  }
  const month = texts.forms.longMonth(asked.from);
  if (xlsx !== undefined) {
    const { title, amounts, about } = texts.office;
    const sheets = [
      { name: title, above: [title, month], answer: officeAnswer(summaries, [], texts) },
      { name: amounts, above: [amounts, month], answer: amountsAnswer(summaries, texts) },
    ];
    const what = plural(summaries.length, 'company', 'companies');
    await writeWorkbook(xlsx, { sheets, notes: [month, about] }, texts.workbook, what, {
      stdout: told,
      stderr,
    });
  }
  if (isJson) {
    const whole = { month: asked.from.slice(0, 7), lake: store.address, companies: summaries };
    stdout.write(`${JSON.stringify(whole, undefined, 2)}\n`);
  } else if (folder === undefined && xlsx === undefined) {
    const answer = officeAnswer(summaries, shownSums(summaries), texts);
    stdout.write(`${month}\n\n${plainTable(answer, stdout.columns)}\n`);
  }
  const isAnyOpen = summaries.some(({ state }) => state === 'incomplete' || state === 'failed');
  return isAnyOpen ? EXIT_FAILED : 0;
}
