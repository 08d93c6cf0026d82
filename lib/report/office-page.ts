import { amountText, longMonth, momentText } from '../text/spanish.ts';
import type { Day } from '../time/days.ts';
import { htmlText, note, page, type TableRow, table } from '../view/parts.ts';
import { lackOf, type MonthSummary, OFFICE, officeAnswer, SUM_END } from './office.ts';

export interface OfficePage {
  summaries: readonly MonthSummary[];
  /** First day of the month. */
  from: Day;
  lake: string;
  /** Local, `YYYY-MM-DDTHH:MM:SS`. */
  madeAt: string;
}

/** The file of a company's page, beside the first page. */
export function companyPageName(rut: string): string {
  return `${rut}.html`;
}

/** Columns of the table that say which company it is: the page has them in one cell, with a link. */
const OF_COMPANY = 2;

/** The first page of an office: a row a company, linked to its page, and below it what its month lacks. */
export function officeHtml({ summaries, from, lake, madeAt }: OfficePage): string {
  const { columns, rows } = officeAnswer(summaries);
  const shown = columns.slice(OF_COMPANY, -1);
  const lines = summaries.map((summary, row): TableRow => {
    const { rut, name, state, command } = summary;
    const company = htmlText(name === null ? rut : `${name} · ${rut}`);
    const cells = shown.map(({ type }, place) => {
      const value = rows[row]?.[OF_COMPANY + place] ?? null;
      if (value === null) return null;
      if (place === 0) return `<span class="badge ${state}">${htmlText(value)}</span>`;
      return type === 'INTEGER' ? amountText(value) : value.split(SUM_END).map(htmlText).join('<br>');
    });
    const lack = lackOf(summary);
    const told = command === null ? htmlText(lack ?? '') : `<code>${htmlText(command)}</code>`;
    return {
      cells: [
        state === 'failed' ? company : `<a href="${htmlText(companyPageName(rut))}">${company}</a>`,
        ...cells,
      ],
      below: lack === null ? undefined : `Qué falta: ${told}`,
    };
  });
  const kinds = shown.map(({ name }, place) => ({ name, kind: place === 0 ? 'text' : 'number' }) as const);
  return page({
    title: `${OFFICE.title} · ${longMonth(from)}`,
    heading: OFFICE.title,
    aboutHtml: `<b>${longMonth(from)}</b> · según ${htmlText(lake)}, al ${momentText(madeAt)}, hora de Uruguay`,
    html: `<section class="card">${note(OFFICE.about)}
${table(OFFICE.title, [{ name: 'Empresa', kind: 'head' }, ...kinds], lines)}</section>`,
  });
}
