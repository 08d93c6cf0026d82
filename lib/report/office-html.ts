import { amountText } from '../coverage/texts/texts.ts';
import { htmlText as text } from '../text/html.ts';
import { languageButton, pageInLanguages } from './html.ts';
import { lackOf, type MonthSummary, type SumName, shownSums } from './office.ts';
import type { ReportTexts } from './texts/english.ts';
import { momentText } from './values.ts';

export interface OfficePage {
  summaries: readonly MonthSummary[];
  /** First day of the month. */
  from: `${number}-${number}-${number}`;
  lake: string;
  /** Local, `YYYY-MM-DDTHH:MM:SS`. */
  madeAt: string;
  /** The language asked for; absent: the browser's. */
  language?: string | undefined;
}

/** The file of a company's page, beside the first page. */
export function companyPageName(rut: string): string {
  return `${rut}.html`;
}

/** The first page of an office: a row a company, linked to its page. */
export function officeHtml(page: OfficePage): string {
  const { from, language } = page;
  return pageInLanguages(
    language,
    (texts) => titleOf(from, texts),
    (texts) => inLanguage(page, texts),
  );
}

function titleOf(from: OfficePage['from'], { office, forms }: ReportTexts): string {
  return `${office.title} · ${forms.longMonth(from)}`;
}

function inLanguage({ summaries, from, lake, madeAt }: OfficePage, texts: ReportTexts): string {
  const { locale, office, forms } = texts;
  const { columns } = office;
  const sums = shownSums(summaries);
  const headings = [
    ...[columns.name, columns.state, ...sums.map((sum) => columns[sum])],
    ...[columns.withoutVat, columns.rejected, columns.pendingAnswers, columns.changes],
  ];
  const head = headings.map((name) => `<th scope="col">${text(name)}</th>`).join('');
  return `<div lang="${locale}">
<header>
${languageButton(texts, (other) => titleOf(from, other))}
<h1>${text(office.title)}</h1>
<p><b>${text(forms.longMonth(from))}</b> · ${text(texts.source(lake, momentText(madeAt, texts)))}</p>
</header>
<main>
<section><p class="about">${text(office.about)}</p>
<div class="scroll" role="region" tabindex="0" aria-label="${text(office.title)}"><table class="office"><thead><tr>${head}</tr></thead><tbody>
${summaries.map((summary) => companyRows(summary, sums, headings.length, texts)).join('\n')}
</tbody></table></div></section>
</main>
</div>`;
}

/** A row of the company, and one below it of what its month lacks. */
function companyRows(
  summary: MonthSummary,
  sums: readonly SumName[],
  columnCount: number,
  texts: ReportTexts,
): string {
  const { rut, name, state, command, withoutVat, rejected, pendingAnswers, changesSinceClose } = summary;
  const label = state === 'failed' ? texts.office.failed : texts.states[state];
  const company = name === null ? rut : `${name} · ${rut}`;
  const linked =
    state === 'failed' ? text(company) : `<a href="${text(companyPageName(rut))}">${text(company)}</a>`;
  const amounts = (of: Readonly<Record<string, string>>) =>
    Object.entries(of)
      .map(([currency, sum]) => `${text(currency)} ${text(amountText(sum, texts.forms))}`)
      .join('<br>');
  const { columns } = texts.office;
  const counts = [
    [columns.withoutVat, withoutVat],
    [columns.rejected, rejected],
    [columns.pendingAnswers, pendingAnswers],
    [columns.changes, changesSinceClose],
  ] as const;
  const cell = (heading: string, content: string, kind: string) =>
    `<td class="${kind}" data-label="${text(heading)}">${content}</td>`;
  const cells = [
    cell(columns.state, `<span class="badge ${state}">${text(label)}</span>`, 'words'),
    ...sums.map((sum) => cell(columns[sum], amounts(summary[sum]), 'number')),
    ...counts.map(([heading, count]) =>
      cell(heading, count === null ? '' : amountText(String(count), texts.forms), 'number'),
    ),
  ];
  const row = `<tr><th scope="row">${linked}</th>${cells.join('')}</tr>`;
  const lack = lackOf(summary);
  if (lack === null) return row;
  const told = command === null ? text(lack) : `<code>${text(command)}</code>`;
  return `${row}\n<tr class="lack"><td colspan="${columnCount}">${text(columns.missing)}: ${told}</td></tr>`;
}
