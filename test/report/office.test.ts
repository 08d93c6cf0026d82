import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { officeAnswer, reportJson, shownSums, summaryOf } from '../../lib/report/office.ts';
import { type Report, readReport, readReports } from '../../lib/report/read-report.ts';
import { SPANISH_REPORT } from '../../lib/report/texts/spanish.ts';
import { columnOf } from '../../lib/report/values.ts';
import { campaign } from '../support/campaign.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { centsText, scaled, sumOf } from '../support/query/exact-sums.ts';
import { newQueriedLake, type QueriedLake } from '../support/query/queried-lake.ts';
import { readWorkbook } from '../support/query/workbook.ts';

const MONTH = { from: '2026-10-01', to: '2026-10-31', today: '2026-11-20' } as const;

let lake: QueriedLake;
let reports: Report[];
beforeAll(async () => {
  lake = await newQueriedLake(
    { lists: ['2026-10-31', '2026-11-18'], details: ['2026-10-01'] },
    campaign({ quick: 0.15, long: 1 }),
  );
  reports = [];
  for await (const { report } of readReports(new FolderStore(lake.folder), MONTH)) {
    if ('error' in report) throw report.error;
    reports.push(report);
  }
});
afterAll(() => lake.close());

describe('the months of all companies', () => {
  it('are what each company alone has', async () => {
    expect(reports.length).toBeGreaterThan(2);
    for (const report of reports) {
      const alone = await readReport(new FolderStore(lake.folder), {
        rut: report.rut,
        name: undefined,
        ...MONTH,
      });
      expect(report).toEqual(alone);
    }
  });

  it('come as a table with a row a company, and its sums and counts', () => {
    const summaries = reports.map((report) => summaryOf(report, SPANISH_REPORT));
    const { columns, rows } = officeAnswer(summaries, shownSums(summaries), SPANISH_REPORT);
    expect(rows.map(([rut]) => rut)).toEqual(reports.map(({ rut }) => rut));
    expect(rows.every((row) => row.length === columns.length)).toBe(true);
    for (const [index, { parts }] of reports.entries()) {
      const rejected = parts.find(({ part }) => part.id === 'rechazados')?.answer?.rows.length;
      expect(summaries[index]).toMatchObject({ state: 'incomplete', rejected });
      expect(summaries[index]?.command).toMatch(/--from 2026-10-\d\d --to 2026-10-\d\d$/);
    }
    expect(summaries.some(({ purchases }) => Object.hasOwn(purchases, 'UYU'))).toBe(true);
  });

  it('have VAT of received e-Tickets apart from that of e-Facturas, each as the company’s own part has it', () => {
    const concepts = {
      salesVat: 'IVA de ventas',
      invoicesVat: 'IVA de e-Facturas recibidas',
      ticketsVat: 'IVA de e-Tickets recibidos',
      otherVat: 'IVA de otros recibidos',
    } as const;
    for (const report of reports) {
      const answer = report.parts.find(({ part }) => part.id === 'posicion')?.answer;
      if (answer === undefined) throw new Error('VAT was not asked for');
      const [concept, currency, minimum, basic] = ['Concepto', 'Moneda', 'IVA mínima', 'IVA básica'].map(
        (name) => columnOf(answer, name),
      );
      const summary = summaryOf(report, SPANISH_REPORT);
      for (const [name, words] of Object.entries(concepts) as [keyof typeof concepts, string][]) {
        const known = answer.rows.flatMap((_, row) => {
          const sum = [minimum, basic].flatMap((column) => column?.[row] ?? []);
          const of = currency?.[row];
          if (concept?.[row] !== words || of == null || sum.length === 0) return [];
          return [[of, centsText(sumOf(sum.map((amount) => scaled(amount, 2))))]];
        });
        expect([name, summary[name]]).toEqual([name, Object.fromEntries(known)]);
      }
    }
    const summaries = reports.map((report) => summaryOf(report, SPANISH_REPORT));
    for (const name of ['salesVat', 'invoicesVat', 'ticketsVat'] as const)
      expect(summaries.some((each) => /[1-9]/.test(each[name].UYU ?? ''))).toBe(true);
  });

  it('are pages with a first one, a workbook and JSON, and exit with 1 while a month lacks days', async () => {
    const folder = newFolder();
    const [pages, xlsx] = [join(folder, 'pages'), join(folder, 'office.xlsx')];
    const words = ['report', '--month', '2026-10', '--lake', lake.folder];
    const { code, stdout } = await runMain(...words, '--html', pages, '--xlsx', xlsx, '--json');
    expect(code).toBe(1);
    const ruts = reports.map(({ rut }) => rut);
    expect(JSON.parse(stdout).companies.map(({ rut }: { rut: string }) => rut)).toEqual(ruts);
    expect(readdirSync(pages).sort()).toEqual([...ruts.map((rut) => `${rut}.html`), 'index.html']);
    const first = readFileSync(join(pages, 'index.html'), 'utf8');
    for (const rut of ruts) expect(first).toContain(`<a href="${rut}.html">`);
    expect(first).not.toMatch(/\sstyle=|\son\w+=/);
    const [companies, amounts] = readWorkbook(readFileSync(xlsx));
    expect([companies?.name, companies?.cells.get('A4')?.value]).toEqual(['Empresas', ruts[0]]);
    // Amounts are numbers: a row a company and currency.
    const summaries: { rut: string; sales: Record<string, string> }[] = JSON.parse(stdout).companies;
    const selling = summaries.find(({ sales }) => Object.keys(sales).length > 0);
    const [currency, sales] = Object.entries(selling?.sales ?? {})[0] ?? [];
    expect([amounts?.name, ...['A4', 'C4', 'D4'].map((at) => amounts?.cells.get(at)?.value)]).toEqual([
      'Importes',
      selling?.rut,
      currency,
      String(Number(sales)),
    ]);
    expect(amounts?.cells.get('D4')?.type).toBe('n');
  });

  it('are all told although the page of one cannot be written', async () => {
    const pages = join(newFolder(), 'pages');
    const [first] = reports;
    mkdirSync(join(pages, `${first?.rut}.html`), { recursive: true });
    const words = ['report', '--month', '2026-10', '--lake', lake.folder, '--html', pages];
    const { code } = await runMain(...words);
    expect(code).toBe(1);
    expect(readdirSync(pages)).toHaveLength(reports.length + 1);
    const page = readFileSync(join(pages, 'index.html'), 'utf8');
    expect(page.match(/badge failed/g)).toHaveLength(2);
  });
});

it('one company\u2019s month has all its rows as JSON', async () => {
  const [report] = reports.toReversed();
  if (report === undefined) throw new Error('there is no company');
  const json = reportJson(report, SPANISH_REPORT);
  expect(json.days).toHaveLength(62);
  for (const { part, answer } of report.parts) {
    expect(json.parts[part.id]?.length).toBe(answer?.rows.length);
  }
  const words = ['report', '--rut', report.rut, '--month', '2026-10', '--lake', lake.folder, '--json'];
  const { code, stdout } = await runMain(...words);
  expect([code, JSON.parse(stdout).rut]).toEqual([1, report.rut]);
});

it('a company that no run exported is said not to be in the lake', async () => {
  const words = ['report', '--rut', '211003420017', '--month', '2026-10', '--lake', lake.folder];
  const { code, stdout, stderr } = await runMain(...words);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/RUT 211003420017 is not in the lake .*: no export of it was ever recorded there/);
});
