import { isNumber } from '../query/answer.ts';
import { longMonth, momentText } from '../text/spanish.ts';
import type { Day } from '../time/days.ts';
import { commandHtml, htmlText, note, page, type TableRow, table } from '../view/parts.ts';
import { lackOf, type MonthSummary, OFFICE, officeAnswer, REJECTED, SUM_END } from './office.ts';
import { asWritten } from './values.ts';

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
  const answer = officeAnswer(summaries);
  const { rows } = asWritten(answer);
  // What no company has any of needs no column.
  const places = [...answer.columns.keys()]
    .slice(OF_COMPANY, -2)
    .filter((place) => rows.some((row) => /[^0,]/.test(row[place] ?? '')));
  const lines = summaries.map((summary, row): TableRow => {
    const { rut, name, state, command } = summary;
    const company = htmlText(name === null ? rut : `${name} · ${rut}`);
    const cells = places.map((place) => {
      const value = rows[row]?.[place] ?? null;
      if (value === null) return null;
      if (place === OF_COMPANY) return `<span class="badge ${state}">${htmlText(value)}</span>`;
      const isBad = answer.columns[place]?.name === REJECTED && value !== '0';
      return isBad ? `<b class="bad">${htmlText(value)}</b>` : htmlText(value);
    });
    const sumItems = rows[row]
      ?.at(-2)
      ?.split(SUM_END)
      .map((sum) => `<li>${htmlText(sum)}</li>`);
    const lack = lackOf(summary);
    const help = command === null ? htmlText(lack ?? '') : commandHtml(command);
    const below = [
      ...(sumItems === undefined
        ? []
        : [`<details><summary>Otras monedas</summary><ul>${sumItems.join('')}</ul></details>`]),
      ...(lack === null ? [] : [`Qué falta: ${help}`]),
    ].join('\n');
    return {
      cells: [
        state === 'failed' ? company : `<a href="${htmlText(companyPageName(rut))}">${company}</a>`,
        ...cells,
      ],
      below: below || undefined,
    };
  });
  const kinds = places.flatMap((place) =>
    answer.columns.slice(place, place + 1).map((column) => {
      const kind = isNumber(column) ? 'number' : column.name === 'Le falta' ? 'words' : 'text';
      return { name: column.name, kind } as const;
    }),
  );
  return page({
    title: `${OFFICE.title} · ${longMonth(from)}`,
    heading: OFFICE.title,
    aboutHtml: `<b>${longMonth(from)}</b> · según ${htmlText(lake)}, al ${momentText(madeAt)}, hora de Uruguay`,
    html: `<section class="card">${note(OFFICE.about)}
${table(OFFICE.title, [{ name: 'Empresa', kind: 'head' }, ...kinds], lines)}</section>`,
  });
}
