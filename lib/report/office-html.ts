import { amountText } from '../coverage/texts.ts';
import { type Answer, type AnswerColumn, isNumber } from '../query/answer.ts';
import { htmlText as text } from '../text/html.ts';
import { languageButton, pageInLanguages } from './html.ts';
import { lackOf, type MonthSummary, officeAnswer, SUM_END, shownSums } from './office.ts';
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
  const { columns, rows } = officeAnswer(summaries, shownSums(summaries), texts);
  const headings = [office.columns.name, ...columns.slice(OF_COMPANY, -1).map(({ name }) => name)];
  const head = headings.map((name) => `<th scope="col">${text(name)}</th>`).join('');
  const body = summaries.map((summary, index) => companyRows(summary, columns, rows[index] ?? [], texts));
  return `<div lang="${locale}">
<header>
${languageButton(texts, (other) => titleOf(from, other))}
<h1>${text(office.title)}</h1>
<p><b>${text(forms.longMonth(from))}</b> · ${text(texts.source(lake, momentText(madeAt, texts)))}</p>
</header>
<main>
<section><p class="about">${text(office.about)}</p>
<div class="scroll" role="region" tabindex="0" aria-label="${text(office.title)}"><table class="office"><thead><tr>${head}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div></section>
</main>
</div>`;
}

/** Columns of the table that say which company it is: the page has them in one cell, with a link. */
const OF_COMPANY = 2;

/** A row of the company, and one below it of what its month lacks. */
function companyRows(
  summary: MonthSummary,
  columns: readonly AnswerColumn[],
  values: Answer['rows'][number],
  texts: ReportTexts,
): string {
  const { rut, name, state, command } = summary;
  const company = text(name === null ? rut : `${name} · ${rut}`);
  const linked = state === 'failed' ? company : `<a href="${text(companyPageName(rut))}">${company}</a>`;
  const content = (column: AnswerColumn, value: string) => {
    if (column.name === texts.office.columns.state)
      return `<span class="badge ${state}">${text(value)}</span>`;
    if (isNumber(column)) return amountText(value, texts.forms);
    return value.split(SUM_END).map(text).join('<br>');
  };
  const cells = columns.slice(OF_COMPANY, -1).map((column, index) => {
    const value = values[OF_COMPANY + index] ?? null;
    const kind = index === 0 ? 'words' : 'number';
    return `<td class="${kind}" data-label="${text(column.name)}">${value === null ? '' : content(column, value)}</td>`;
  });
  const row = `<tr><th scope="row">${linked}</th>${cells.join('')}</tr>`;
  const lack = lackOf(summary);
  if (lack === null) return row;
  const told = command === null ? text(lack) : `<code>${text(command)}</code>`;
  const { missing } = texts.office.columns;
  return `${row}\n<tr class="lack"><td colspan="${cells.length + 1}">${text(missing)}: ${told}</td></tr>`;
}
