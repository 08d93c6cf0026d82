import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listMarks } from '../../lib/lake/marks.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { plainTable } from '../../lib/query/answer.ts';
import { headingOf } from '../../lib/query/written-values.ts';
import { officeAnswer, reportJson, summaryOf } from '../../lib/report/office.ts';
import { officeHtml } from '../../lib/report/office-page.ts';
import { answerOf, type PartId } from '../../lib/report/parts.ts';
import { type Report, readReport, readReports } from '../../lib/report/read-report.ts';
import { reportHtml } from '../../lib/report/report-page.ts';
import { reportText } from '../../lib/report/text.ts';
import { asWritten, columnOf, totalsByCurrency } from '../../lib/report/values.ts';
import { verdictOf } from '../../lib/report/verdict.ts';
import { amountText } from '../../lib/text/spanish.ts';
import { campaign } from '../support/campaign.ts';
import { hasChromium } from '../support/coverage/chromium.ts';
import { type OpenPage, openBrowser } from '../support/coverage/coverage-page.ts';
import { LOOKS, showFor, violations } from '../support/coverage/looks.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { markDays } from '../support/lake/marked-days.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain, runStreamed } from '../support/program/run-main.ts';
import { centsText, scaled, sumOf } from '../support/query/exact-sums.ts';
import { type Known, type QueriedLake, sharedQueriedLake } from '../support/query/queried-lake.ts';
import {
  currencyOf,
  inPesos,
  isPurchaseSlip,
  isTrade,
  rateOf,
  signed,
} from '../support/query/receipt-kinds.ts';
import { readWorkbook } from '../support/query/workbook.ts';

const RUT = '219999830019';
const TODAY = '2026-11-20';
const MONTH = { from: '2026-10-01', to: '2026-10-31', today: TODAY } as const;
const READ = ['2026-10-01', '2026-10-28', '2026-10-31'];
const EVIL = 'Ñandú <script>alert(1)</script> & "Hijos"\u202e';

let lake: QueriedLake;
/** The month of each company, as all of them were asked for together. */
let reports: Report[];
let report: Report;
beforeAll(async () => {
  lake = await sharedQueriedLake();
  // A command takes the day from the clock.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${TODAY}T12:00:00Z`) });
  reports = [];
  for await (const { report: companyReport } of readReports(new FolderStore(lake.folder), MONTH)) {
    if ('error' in companyReport) throw companyReport.error;
    reports.push(companyReport);
  }
  report = { ...reportOf(RUT), name: EVIL };
});

function reportOf(wanted: string): Report {
  const found = reports.find(({ rut }) => rut === wanted);
  if (found === undefined) throw new Error(`there is no report of ${wanted}`);
  return found;
}

/** The report as a page in a browser shows it; in `npm test`, with few rows of each part. */
function pageOf(): string {
  const most = campaign({ quick: 8, long: Number.POSITIVE_INFINITY });
  const parts = report.parts.map(({ part, answer }) => ({
    part,
    answer: answer && { ...answer, rows: answer.rows.slice(0, most) },
  }));
  return reportHtml({ ...report, parts }, '2026-11-20T03:12:00');
}

function answered(id: PartId, asked = report) {
  const answer = answerOf(asked.parts, id);
  if (answer === undefined) throw new Error(`${id} was not asked`);
  return answer;
}

describe('the report of a month', () => {
  it('adds up the purchases of this company and month alone', () => {
    const bought = lake.known
      .map(({ receipt }) => receipt)
      .filter(
        (receipt) =>
          receipt.rut === RUT && READ.includes(receipt.day) && isTrade(receipt) && receipt.estado !== 'BE',
      )
      .filter((receipt) => receipt.direction === 'recibidos' && !isPurchaseSlip(receipt));
    const answer = answered('compras');
    const types = columnOf(answer, 'tipo_comprobante');
    const counts = columnOf(answer, 'comprobantes');
    const ordinary = counts.filter((_, index) => !/^.5/.test(types[index] ?? ''));
    expect(ordinary.reduce((sum, count) => sum + Number(count), 0)).toBe(bought.length);
    const rows = answer.rows.filter((_, index) => !/^.5/.test(types[index] ?? ''));
    for (const { currency, total } of totalsByCurrency({ ...answer, rows })) {
      const inCurrency = bought.filter(({ moneda }) => moneda === currency);
      const expected = centsText(sumOf(inCurrency.map((receipt) => signed(receipt, receipt.total))));
      expect(total, `${currency}`).toEqual(expected);
    }
    expect(columnOf(answer, 'signo')).toContain('−');
  });

  it('adds up nothing whose currency is not known, and says how to read it', () => {
    const page = reportHtml(report, '2026-11-20T09:00:00');
    const unknown = totalsByCurrency(answered('ventas')).find(({ currency }) => currency === null);
    const count = unknown?.receipts.toLocaleString('es-UY');
    expect(page).toContain(`<li><small>${count} comprobantes: moneda desconocida</small></li>`);
    expect(page).toContain('>La moneda está en los detalles, que no se leyeron todos.<');
    expect(reportText(report, 60).replace(/\s+/g, ' ')).toContain(
      `${count} comprobantes: moneda desconocida. La moneda está en los detalles, que no se leyeron todos.`,
    );
  });

  it('states VAT and withholdings of this company and month alone, as posicion-iva does', async () => {
    const all = await lake.answerOf('posicion-iva');
    const ofMonth = all.filter(([rut, month]) => rut === RUT && month === MONTH.from);
    // The note stands further left, where it is on the screen, and what is to be looked at beside what lacks.
    const shown = ofMonth.map((row) => {
      const [quoted, odd, note] = row.slice(-3);
      return [...row.slice(2, 4), note, ...row.slice(4, -3), odd, quoted];
    });
    expect(answered('posicion').rows).toEqual(shown);
    const page = reportHtml(report, '2026-11-20T09:00:00');
    expect(page).toContain('>IVA de e-Tickets recibidos<');
    expect(page).toContain('>faltan detalles, moneda desconocida<');
  });

  it('tells how many details were not read', () => {
    const unread = columnOf(answered('iva'), 'sin_desglose');
    expect(unread.reduce((sum, count) => sum + Number(count), 0)).toBeGreaterThan(0);
    expect(verdictOf(report).concerns.map(({ anchor }) => anchor)).toContain('iva');
  });

  it('has every day of both lists, and says which were never read', () => {
    expect(report.days).toHaveLength(62);
    const read = report.days.filter(({ state }) => state !== 'missing').map(({ day }) => day);
    expect([...new Set(read)]).toEqual(READ);
    const { state, concerns } = verdictOf(report);
    const text = '56 días de emitidos o recibidos no se leyeron';
    expect({ state, firstConcern: concerns[0] }).toEqual({
      state: 'incomplete',
      firstConcern: { text, anchor: 'dias' },
    });
  });
});

describe('the report of a month that is not over, and of which a day lags behind what was exported', () => {
  let running: Report;
  beforeAll(async () => {
    const store = new FolderStore(lake.folder);
    await markDays(store, '20261115020000-00000001', ['2026-11-18']);
    const day = join(lake.folder, 'recibidos/fecha=2026-11-18/dia.parquet');
    renameSync(day, `${day}.away`);
    try {
      const month = { from: '2026-11-01', to: '2026-11-30', today: '2026-11-16' } as const;
      running = await readReport(store, { rut: RUT, name: undefined, ...month });
    } finally {
      renameSync(`${day}.away`, day);
      for (const { key } of await listMarks(store)) await store.remove(key);
    }
  });

  it('says that it lags', () => {
    const { concerns } = verdictOf(running);
    expect(concerns.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^Hay días leídos que las tablas/),
    );
  });

  it('counts no future day as missing, and asks for no changes since a close', () => {
    expect(running.days).toHaveLength(30);
    expect(answerOf(running.parts, 'cambios')).toBeUndefined();
    expect(verdictOf(running).sentence).toBe('El mes no terminó: va hasta el 30/11/2026.');
    expect(reportHtml(running, '2026-11-16T09:00:00')).toContain('El mes no está cerrado todavía.');
  });
});

describe('the months of all companies', () => {
  it('come as a table with a row a company, and its sums and counts', () => {
    const summaries = reports.map((companyReport) => summaryOf(companyReport));
    const { columns, rows } = officeAnswer(summaries);
    expect(rows.map(([rut]) => rut)).toEqual(reports.map(({ rut }) => rut));
    expect(rows.every((row) => row.length === columns.length)).toBe(true);
    for (const [index, companyReport] of reports.entries()) {
      const rejected = answered('rechazados', companyReport).rows.length;
      expect(summaries[index]).toMatchObject({ state: 'incomplete', rejected });
      expect(summaries[index]?.command).toMatch(
        /--from 2026-10-\d\d --to 2026-10-\d\d --details recibidos --details emitidos$/,
      );
    }
    expect(summaries.some(({ purchases }) => Object.hasOwn(purchases, 'UYU'))).toBe(true);
  });

  it('are told in a terminal of 100 columns without a cut amount', () => {
    const summaries = reports.map((companyReport) => summaryOf(companyReport));
    const text = plainTable(asWritten(officeAnswer(summaries)), 100).replace(/\s+/g, ' ');
    for (const { sales, purchases } of summaries) {
      for (const [currency, amount] of [...Object.entries(sales), ...Object.entries(purchases)])
        expect(text).toContain(`${currency === 'UYU' ? '' : `${currency} `}${amountText(amount)}`);
    }
  });

  it('have what is due in pesos: VAT of sales less that of e-Facturas, each receipt at its own rate', () => {
    const vatInPesos = ({ receipt, wire }: Known) =>
      sumOf(
        ['mnt_iva_tasa_minima', 'mnt_iva_tasa_basica'].map((field) =>
          wire?.totales[field] === undefined || currencyOf({ receipt, wire }) === null
            ? null
            : inPesos(signed(receipt, scaled(wire.totales[field], 2)), rateOf({ receipt, wire })),
        ),
      );
    for (const companyReport of reports) {
      const ofCompany = lake.known.filter(
        ({ receipt }) =>
          receipt.rut === companyReport.rut &&
          receipt.day.startsWith('2026-10') &&
          isTrade(receipt) &&
          !isPurchaseSlip(receipt),
      );
      const isInvoice = (type: number) => [11, 12, 13, 41, 42, 43].includes(type % 100);
      const vatOf = (direction: string, isCounted: (type: number) => boolean) =>
        sumOf(
          ofCompany
            .filter(({ receipt }) => receipt.direction === direction && isCounted(receipt.tipo_comprobante))
            .map(vatInPesos),
        );
      const [sold, bought] = [vatOf('emitidos', () => true), vatOf('recibidos', isInvoice)];
      const { position } = summaryOf(companyReport);
      expect(position).toMatchObject({
        ...(sold === null ? {} : { 'IVA de ventas': centsText(sold) }),
        ...(bought === null ? {} : { 'IVA de e-Facturas recibidas': centsText(bought) }),
        ...(sold === null && bought === null
          ? {}
          : { 'IVA de ventas menos e-Facturas': centsText((sold ?? 0n) - (bought ?? 0n)) }),
      });
    }
  });

  it('have one line each on the first page, other currencies behind a click, and when the month was closed', () => {
    const [first, ...others] = reports;
    if (first === undefined) throw new Error('there is no company');
    const closed = { ...first, closedAt: '2026-11-05T09:30:00' };
    const summaries = [closed, ...others].map((companyReport) => summaryOf(companyReport));
    const html = officeHtml({ summaries, from: MONTH.from, lake: 'lake', madeAt: '2026-11-20T09:00:00' });
    const cells = html.slice(html.indexOf('<tbody>')).replaceAll(/<tr class="below">.*?<\/tr>/gs, '');
    expect(html).toMatch(/<td data-label="Cierre">05\/11\/2026 09:30</);
    expect(cells).not.toMatch(/<br>|USD/);
    expect(html).toMatch(/<details><summary>Otras monedas<\/summary><ul><li>Ventas: USD [\d.]+,\d\d<\/li>/);
    expect(html).toContain('>IVA de ventas menos e-Facturas</th>');
  });

  it('have sales and purchases that are those of the books, but for the e-Boletas that the page names', async () => {
    for (const [id, book] of [
      ['ventas', 'libro-iva-ventas'],
      ['compras', 'libro-iva-compras'],
    ] as const) {
      const lines = (await lake.answerOf(book)).filter(
        ([rut, day]) => rut === RUT && day?.startsWith('2026-10'),
      );
      const html = reportHtml(report, '2026-11-20T09:00:00');
      const [, slipTotals = ''] =
        new RegExp(`El libro IVA ${id} no tiene las e-Boletas de entrada[^:]*: (.*?)\\. Las otras`).exec(
          html,
        ) ?? [];
      for (const { currency, total } of totalsByCurrency(answered(id))) {
        if (currency === null) continue;
        const inBook = sumOf(
          lines.flatMap((row) => (row[8] === currency && row[17] != null ? [scaled(row[17], 2)] : [])),
        );
        const slips = lake.known.filter(
          (known) =>
            known.receipt.rut === RUT &&
            known.receipt.day.startsWith('2026-10') &&
            known.receipt.direction === (id === 'ventas' ? 'recibidos' : 'emitidos') &&
            isPurchaseSlip(known.receipt) &&
            isTrade(known.receipt) &&
            currencyOf(known) === currency,
        );
        const ofSlips = sumOf(slips.map(({ receipt }) => signed(receipt, receipt.total)));
        expect(total, `${id} ${currency}`).toEqual(centsText((inBook ?? 0n) + (ofSlips ?? 0n)));
        if (ofSlips !== null)
          expect(slipTotals).toContain(`${currency} ${amountText(centsText(ofSlips) ?? '')} (`);
      }
      const hasSlips = columnOf(answered(id), 'tipo_comprobante').some((type) =>
        /^15[123]$/.test(type ?? ''),
      );
      expect(slipTotals !== '', id).toEqual(hasSlips);
    }
  });

  it('have VAT of received e-Tickets apart from that of e-Facturas, each as the company’s own part has it', () => {
    const concepts = {
      salesVat: 'IVA de ventas',
      invoicesVat: 'IVA de e-Facturas recibidas',
      ticketsVat: 'IVA de e-Tickets recibidos',
      otherVat: 'IVA de otros recibidos',
    } as const;
    for (const companyReport of reports) {
      const answer = answered('posicion', companyReport);
      const [concept, currency, minimum, basic] = ['concepto', 'moneda', 'iva_minima', 'iva_basica'].map(
        (name) => columnOf(answer, name),
      );
      const summary = summaryOf(companyReport);
      for (const [name, words] of Object.entries(concepts) as [keyof typeof concepts, string][]) {
        const known = answer.rows.flatMap((_, row) => {
          const sum = [minimum, basic].flatMap((column) => column?.[row] ?? []);
          const code = currency?.[row];
          if (concept?.[row] !== words || code == null || sum.length === 0) return [];
          return [[code, centsText(sumOf(sum.map((amount) => scaled(amount, 2))))]];
        });
        expect(summary[name], name).toEqual(Object.fromEntries(known));
      }
    }
    const summaries = reports.map((companyReport) => summaryOf(companyReport));
    for (const name of ['salesVat', 'invoicesVat', 'ticketsVat'] as const)
      expect(summaries.some((summary) => /[1-9]/.test(summary[name].UYU ?? ''))).toBe(true);
  });
});

describe('cfe-lake report of all companies, where the page of one cannot be written', () => {
  let ended: Awaited<ReturnType<typeof runMain>>;
  let pages: string;
  let xlsx: Buffer;
  beforeAll(async () => {
    const folder = sharedFolder();
    pages = join(folder, 'pages');
    const workbook = join(folder, 'office.xlsx');
    const words = ['report', '--month', '2026-10', '--lake', lake.folder, '--json', '--accept', 'days'];
    mkdirSync(join(pages, `${reports[0]?.rut}.html`), { recursive: true });
    ended = await runMain(...words, '--html', pages, '--xlsx', workbook);
    xlsx = readFileSync(workbook);
  });
  const summaries = (): { rut: string; state: string; sales: Record<string, string> }[] =>
    JSON.parse(ended.stdout).companies;

  it('prints all as JSON, that one as failed, and exits with 1', () => {
    expect({ code: ended.code, states: summaries().map(({ rut, state }) => [rut, state]) }).toEqual({
      code: 1,
      states: reports.map(({ rut }, index) => [rut, index === 0 ? 'failed' : 'incomplete']),
    });
  });

  it('writes the pages of the others, and a first one that names all', () => {
    const ruts = reports.map(({ rut }) => rut);
    expect(readdirSync(pages).sort()).toEqual([...ruts.map((rut) => `${rut}.html`), 'index.html']);
    const first = readFileSync(join(pages, 'index.html'), 'utf8');
    for (const rut of ruts.slice(1)) expect(first).toContain(`<a href="${rut}.html">`);
    expect(first.match(/badge failed/g)).toHaveLength(1);
    expect(first).not.toMatch(/\sstyle=|\son\w+=/);
  });

  it('writes a workbook, in which amounts are numbers: a row a company and currency', () => {
    const [companies, amounts] = readWorkbook(xlsx);
    expect({ sheet: companies?.name, firstRut: companies?.cells.get('A5')?.value }).toEqual({
      sheet: 'Empresas',
      firstRut: reports[0]?.rut,
    });
    const selling = summaries().find(({ sales }) => Object.keys(sales).length > 0);
    const [currency, sales] = Object.entries(selling?.sales ?? {})[0] ?? [];
    const valueAt = (place: string) => amounts?.cells.get(place)?.value;
    expect({
      sheet: amounts?.name,
      rut: valueAt('A5'),
      currency: valueAt('C5'),
      sales: valueAt('D5'),
    }).toEqual({
      sheet: 'Importes',
      rut: selling?.rut,
      currency,
      sales: String(Number(sales)),
    });
    expect(amounts?.cells.get('D5')?.type).toBe('n');
  });
});

describe('cfe-lake report of all companies', () => {
  it('has those of the file of which nothing was exported, and says that their month is missing', async () => {
    const companies = writeCompanies(sharedFolder(), [{ rut: '211003420017', token: 'one' }]);
    const words = ['report', '--month', '2026-10', '--lake', lake.folder, '--json'];
    const { code, stdout } = await runMain(...words, '--companies', companies);
    const states = JSON.parse(stdout).companies.map(({ rut, state }: Report & { state: string }) => [
      rut,
      state,
    ]);
    expect({ code, states }).toEqual({
      code: 1,
      states: ['211003420017', ...reports.map(({ rut }) => rut)].map((rut) => [rut, 'incomplete']),
    });
  });

  it('is no empty table where nothing was exported of the month', async () => {
    const { code, stdout, stderr } = await runMain('report', '--month', '2026-01', '--lake', lake.folder);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /Nothing of 2026-01 was exported to .*\. Export these days first: .* export --from/,
    );
  });
});

describe('cfe-lake report', () => {
  const words = () => ['report', '--rut', RUT, '--month', '2026-10', '--lake', lake.folder];

  it('prints the verdict and the sums, no line wider than the terminal', async () => {
    const { code, stdout, stderr } = await runStreamed(words(), { isTTY: true, columns: 60 });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.not.stringContaining('cfe-lake:') });
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      `RUT ${RUT}, octubre de 2026 El mes no está completo: hay días que faltan o que hay que volver a leer. - 56 días`,
    );
    for (const title of ['Ventas por tipo', 'Compras por tipo', 'IVA'])
      expect(stdout).toContain(`\n${title}\n`);
    const lines = stdout.split('\n').filter((line) => !line.includes('npm run'));
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
  });

  it('prints all rows as JSON: those that the company has among all others', async () => {
    const json = reportJson(reportOf(RUT));
    expect(json.days).toHaveLength(62);
    const { code, stdout } = await runMain(...words(), '--json');
    expect({ code, answer: JSON.parse(stdout) }).toEqual({
      code: 1,
      answer: JSON.parse(JSON.stringify(json)),
    });
  });

  it('writes a page and a workbook with a sheet a part, of the same rows', async () => {
    const folder = newFolder();
    const [html, xlsx] = [join(folder, 'r.html'), join(folder, 'r.xlsx')];
    const { code, stdout } = await runMain(...words(), '--html', html, '--xlsx', xlsx, '--accept', 'days');
    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 1,
      lines: [
        `Wrote ${html}: El mes no está completo: hay días que faltan o que hay que volver a leer.`,
        expect.stringContaining(`Wrote ${xlsx}: 12 sheets`),
        '',
      ],
    });
    const sheets = readWorkbook(readFileSync(xlsx));
    expect(sheets.map(({ name }) => name)).toEqual([
      ...report.parts.map(({ part }) => part.title),
      'Días',
      'Notas',
    ]);
    for (const [index, { part, answer }] of report.parts.entries()) {
      const cells = sheets[index]?.cells;
      const last = `A${(answer?.rows.length ?? 0) + 4}`;
      const [title, whose, heading] = ['A2', 'A3', 'A4'].map((at) => cells?.get(at)?.value);
      expect({ hasLastCell: cells?.has(last), title, heading }).toEqual({
        hasLastCell: true,
        title: part.title,
        heading: headingOf(answer?.columns[0]?.name ?? ''),
      });
      expect(whose).toMatch(new RegExp(`RUT ${RUT}, octubre de 2026$`));
    }
    expect(sheets.at(-1)?.cells.get('A4')?.value).toBe(verdictOf(report).sentence);
  });

  it('ends with Ctrl-C, and leaves nothing', async () => {
    const temporary = newFolder();
    vi.stubEnv('TMPDIR', temporary);
    const interruption = new AbortController();
    const asked = { rut: RUT, name: undefined, ...MONTH } as const;
    const parts: string[] = [];
    const ended = readReport(new FolderStore(lake.folder), asked, {
      signal: interruption.signal,
      onPart: ({ id }) => {
        parts.push(id);
        interruption.abort(new Error('interrupted'));
      },
    });
    await expect(ended).rejects.toThrow(/interrupted/i);
    expect({ parts: parts.length, temporaryFiles: readdirSync(temporary) }).toEqual({
      parts: 1,
      temporaryFiles: [],
    });
  });

  it.each([
    [['report'], /Give --month YYYY-MM/],
    [['report', '--month', '2026-10', '--ui', '2026=6,42'], /--ui takes a year and a decimal/],
    [['report', '--rut', RUT, '--month', 'octubre'], /--month takes a month as YYYY-MM/],
    [['report', '--rut', '219999830018', '--month', '2026-10'], /its check digit is wrong/],
    [['report', '--rut', RUT, '--month', '2026-10', '--xlsx', 'r.xls'], /a name that ends with \.xlsx/],
    [['report', '--rut', RUT, '--month', '2026-10', '--lake', 'nowhere'], /There is no lake at /],
    [['report', '--month', '2026-10', '--html', 'pages.html'], /name a folder for them, --html pages, or/],
  ])('%j is refused', async (typed, message) => {
    const { code, stdout, stderr } = await runMain(...typed);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });
});

it('a company that no run exported is said not to be in the lake', async () => {
  const words = ['report', '--rut', '211003420017', '--month', '2026-10', '--lake', lake.folder];
  const { code, stdout, stderr } = await runMain(...words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/RUT 211003420017 is not in the lake .*: no export of it was ever recorded there/);
});

describe('the page', () => {
  it('shows other people’s words as text', () => {
    const html = reportHtml(report, '2026-11-20T03:12:00');
    expect(html).toContain('Ñandú &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Hijos&quot;\\u202e');
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/\sstyle=|\son\w+=/);
  });

  it('has paths and commands in its last part alone, where one brings all; that of a close has none', () => {
    const shown = (accepted?: string[]) =>
      reportHtml(report, '2026-11-20T03:12:00', accepted).split('<body>')[1]?.split('<script>')[0] ?? '';
    const [above = '', below = ''] = shown().split('<details class="card section" id="programa"');
    expect(above).toMatch(/Lo que falta se trae de una vez: <a href="#programa">/);
    expect(shown([])).not.toContain('programa');
    for (const part of [above, shown([])]) {
      expect(part).not.toMatch(/<code|cfe-lake|--/);
      expect(part).not.toContain(lake.folder);
    }
    expect(below).toContain(lake.folder);
    expect(below.match(/<code>.*<\/code>/g)).toEqual([
      `<code>npm run -s cfe-lake -- exportar --lake ${lake.folder} --empresas companies.json --rut ${RUT} --desde 2026-10-01 --hasta 2026-10-31 --details recibidos --details emitidos</code>`,
    ]);
  });
});

it('titles are such as a sheet can bear', () => {
  const titles = report.parts.map(({ part }) => part.title);
  expect(titles.filter(({ length }) => length > 31)).toEqual([]);
  expect(new Set(titles).size).toBe(titles.length);
});

describe.runIf(hasChromium('the page of the report'))('the page in a browser', () => {
  async function opened(): Promise<OpenPage> {
    const browser = await openBrowser(pageOf());
    onTestFinished(() => browser.close());
    return await browser.open();
  }

  it.each(campaign({ quick: LOOKS.slice(0, 1), long: LOOKS }))(
    'is clean in %s, %i pixels wide: no fault for axe, no word in the console, nothing wider',
    async (colorScheme, width) => {
      const { page, errors, requests } = await opened();
      await showFor(page, colorScheme, width);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect({ errors, requests }).toEqual({ errors: [], requests: [] });
    },
  );

  it('has its sections folded on a phone, and there all amounts of one on the screen, each beside its heading', async () => {
    const { page } = await opened();
    await page.setViewportSize({ width: 380, height: 900 });
    await page.reload();
    const summary = page.locator('#posicion summary');
    expect(await page.locator('#posicion td').first().isVisible()).toBe(false);
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(5_000);
    await summary.click();
    const outside = `[...document.querySelectorAll('#posicion td.number')]
      .map((cell) => cell.getBoundingClientRect()).filter(({ left, right }) => left < 0 || right > 380).length`;
    expect(await page.evaluate(outside)).toBe(0);
    const label = "getComputedStyle(document.querySelector('#posicion td.number'), '::before').content";
    expect(await page.evaluate(label)).toBe('"Cantidad"');
    await page.evaluate("location.hash = '#ventas'");
    await page.locator('#ventas td').first().waitFor();
  });

  it('prints on A4 without losing a column', async () => {
    const { page } = await opened();
    await page.emulateMedia({ media: 'print' });
    // 210 mm less the margins, at 96 dots an inch.
    await page.setViewportSize({ width: 703, height: 1000 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(703);
    const breaks =
      "[...document.querySelectorAll('td.number')].map((cell) => getComputedStyle(cell).whiteSpace)";
    // A number broken over two lines would be misread.
    expect(new Set(await page.evaluate<string[]>(breaks))).toEqual(new Set(['nowrap']));
  });
});
