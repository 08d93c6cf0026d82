import { readFileSync } from 'node:fs';
import { isMarked } from '../coverage/day.ts';
import { amountText } from '../coverage/texts.ts';
import { type Answer, type AnswerColumn, isNumber } from '../query/answer.ts';
import { escapeHtml, LANGUAGE_SWITCH, PAGE_STYLE, pageHead, htmlText as text } from '../text/html.ts';
import { printableLine } from '../text/terminal.ts';
import { isDay, weekdayOf } from '../time/days.ts';
import { type AnsweredPart, answerOf, type PartTexts, type ReportDay, type ReportPart } from './parts.ts';
import { type Report, readDaysCommand, troubleAnswer } from './read-report.ts';
import { ENGLISH_REPORT, type ReportTexts } from './texts/english.ts';
import { SPANISH_REPORT } from './texts/spanish.ts';
import {
  columnOf,
  counted,
  headingText,
  momentText,
  totalsByCurrency,
  valueText,
  withoutMixedTotals,
} from './values.ts';
import { currencyHint, type Verdict, verdictOf } from './verdict.ts';

const DAY_WIDTH = 20;
const BAR_WIDTH = 16;
const PLOT_HEIGHT = 110;
const AXIS_HEIGHT = 26;

/** Bar chart of receipts per day of one list. A day that needs a look has a mark above its bar. */
export function dayPlot(days: readonly ReportDay[], title: string, texts: ReportTexts): string {
  const most = Math.max(1, ...days.map(({ receipts }) => receipts ?? 0));
  const marks = days.map((day, index) => {
    const x = index * DAY_WIDTH + (DAY_WIDTH - BAR_WIDTH) / 2;
    const height = Math.round(((day.receipts ?? 0) / most) * PLOT_HEIGHT);
    const hasMark = isMarked(day.state);
    const label = day.receipts === null ? texts.unread : counted(day.receipts, texts.receipt, texts);
    const number = Number(day.day.slice(8));
    const isWeekend = [0, 6].includes(weekdayOf(day.day));
    return [
      `<g><title>${texts.forms.weekDay(day.day)}: ${label}</title>`,
      `<rect x="${x}" y="${PLOT_HEIGHT - height + 10}" width="${BAR_WIDTH}" height="${Math.max(height, 1)}" rx="2" class="bar"/>`,
      hasMark ? `<path d="M${x + 3} ${PLOT_HEIGHT - height - 1} l10 -8 m0 8 l-10 -8" class="trouble"/>` : '',
      `<text x="${x + BAR_WIDTH / 2}" y="${PLOT_HEIGHT + 10 + 18}" class="${labelClass(number, isWeekend)}">${number}</text></g>`,
    ].join('');
  });
  const width = days.length * DAY_WIDTH;
  const total = days.reduce((sum, { receipts }) => sum + (receipts ?? 0), 0);
  const troubled = days.filter(({ state }) => isMarked(state)).length;
  const note = troubled === 0 ? '' : `, ${counted(troubled, texts.troubled, texts)} (✕)`;
  const summary = `${title}: ${counted(total, texts.receipt, texts)}, ${texts.atMost(amountText(String(most), texts.forms))}${note}`;
  return figure(
    summary,
    `<svg viewBox="0 0 ${width} ${PLOT_HEIGHT + AXIS_HEIGHT + 10}" role="img" aria-label="${escapeHtml(summary)}">${marks.join('')}</svg>`,
  );
}

/** Where room is scarce, the style hides the `minor` numbers: all but each fifth. */
function labelClass(number: number, isWeekend: boolean): string {
  return [...(isWeekend ? ['weekend'] : []), ...(number === 1 || number % 5 === 0 ? [] : ['minor'])].join(
    ' ',
  );
}

/** Further types are drawn as one bar. */
const MOST_TYPES = 12;

/** Bar chart of receipts per type, all currencies together. */
export function typePlot({ part, answer }: AnsweredPart, texts: ReportTexts): string {
  if (answer === undefined || answer.rows.length === 0) return '';
  const names = columnOf(answer, 'Comprobante');
  const codes = columnOf(answer, 'Tipo');
  const counts = new Map<string, number>();
  for (const [index, count] of columnOf(answer, 'Cantidad').entries()) {
    const name = `${codes[index] ?? '?'} ${names[index] ?? texts.unknownType}`;
    counts.set(name, (counts.get(name) ?? 0) + Number(count));
  }
  const all = [...counts].sort(([, one], [, other]) => other - one);
  const rest = all.slice(MOST_TYPES).reduce((sum, [, count]) => sum + count, 0);
  const rows = rest === 0 ? all : [...all.slice(0, MOST_TYPES), [texts.otherTypes, rest] as const];
  const most = Math.max(1, ...rows.map(([, count]) => count));
  const bars = rows.map(
    ([name, count]) =>
      `<li><span>${escapeHtml(name)}</span><svg aria-hidden="true"><rect width="${((count / most) * 100).toFixed(1)}%" height="100%" rx="2" class="bar"/></svg><span class="number">${amountText(String(count), texts.forms)}</span></li>`,
  );
  return figure(texts.byType(texts.parts[part.id].title), `<ul class="types">${bars.join('')}</ul>`);
}

function figure(caption: string, svg: string): string {
  return `<figure><figcaption>${escapeHtml(caption)}</figcaption>${svg}</figure>`;
}

/** Rows of a part that the page shows; the workbook has all. */
const MOST_ROWS = 60;
/** Columns of counts. Other whole numbers identify things and get no thousands separators. */
const COUNTS = /^(Cantidad|Comprobantes|Sin monto|Sin desglose|Sin detalle|Sin tipo de cambio|Por revisar)$/;

/** Columns of words, which may take two lines on paper. */
const WORDS = /^(Comprobante|Nombre|Proveedor|Antes|Después|Concepto|Nota)$/;

const LANGUAGES = [SPANISH_REPORT, ENGLISH_REPORT];

/**
 * The report as one HTML page, which requests nothing. It contains all languages; its script shows one of them. Without
 * scripts, it shows the language asked for, else Spanish. `madeAt` is local, `YYYY-MM-DDTHH:MM:SS`.
 */
export function reportHtml(report: Report, madeAt: string, asked?: string): string {
  return pageInLanguages(
    asked,
    (texts) => titleOf(report, texts),
    (texts) => inLanguage(report, madeAt, texts),
  );
}

/** A page with a body in each language, of which its script shows one. */
export function pageInLanguages(
  asked: string | undefined,
  title: (texts: ReportTexts) => string,
  body: (texts: ReportTexts) => string,
): string {
  const style = PAGE_STYLE + readFileSync(new URL('./report.css', import.meta.url), 'utf8');
  const first = LANGUAGES.find(({ language }) => language === asked) ?? SPANISH_REPORT;
  const parts = LANGUAGES.map(body);
  return `${pageHead({ language: first.locale, title: title(first), style, script: LANGUAGE_SWITCH })}
<body${asked === undefined ? '' : ` data-asked="${asked}"`}>
${parts.join('\n')}
<script>${LANGUAGE_SWITCH}</script>
</body>
</html>
`;
}

/** Shows the other language. */
export function languageButton(texts: ReportTexts, title: (texts: ReportTexts) => string): string {
  const other = LANGUAGES.find((each) => each !== texts) ?? texts;
  return `<button type="button" class="language" lang="${other.locale}" data-title="${text(title(other))} · cfe-lake" hidden>${texts.otherLanguage}</button>`;
}

function titleOf({ from, name, rut }: Report, texts: ReportTexts): string {
  return printableLine(`${texts.forms.longMonth(from)} · ${name ?? rut}`);
}

function inLanguage(report: Report, madeAt: string, texts: ReportTexts): string {
  const { rut, name, from, lake, parts, days } = report;
  const { language, locale } = texts;
  const verdict = verdictOf(report, texts);
  const id = (anchor: string) => `${language}-${anchor}`;
  const troubled: Section = {
    id: id('dias'),
    title: texts.troubledTitle,
    about: daysAbout(report, texts),
    nothing: texts.noTroubledDay,
  };
  const plots = (['emitidos', 'recibidos'] as const).map((direction) =>
    dayPlot(
      days.filter((day) => day.direction === direction),
      texts.perDay[direction],
      texts,
    ),
  );
  const types = parts.filter(({ part }) => /^(ventas|compras)$/.test(part.id));
  return `<div lang="${locale}">
<header>
${languageButton(texts, (other) => titleOf(report, other))}
<h1>${text(name ?? `RUT ${rut}`)}</h1>
<p>RUT ${text(rut)} · <b>${text(texts.forms.longMonth(from))}</b> · ${text(texts.source(lake, momentText(madeAt, texts)))}</p>
</header>
<main>
<section class="verdict ${verdict.state}" aria-labelledby="${id('veredicto')}">
<h2 id="${id('veredicto')}"><span class="badge">${texts.states[verdict.state]}</span> ${text(verdict.sentence)}</h2>
${concernList(report, verdict, texts)}
</section>
<section class="summary" aria-label="${texts.totals}">${tile(report, 'ventas', texts.sales, texts)}${tile(report, 'compras', texts.purchases, texts)}</section>
<section class="plots" aria-label="${texts.plots}">
${plots.join('\n')}
${types.map((part) => typePlot(part, texts)).join('\n')}
</section>
${section(troubled, troubleAnswer(days, texts), texts)}
${parts.map(({ part, answer }) => section({ ...texts.parts[part.id], id: id(part.id) }, answer && shownAnswer(part, answer), texts)).join('\n')}
</main>
</div>`;
}

/** The answer as people see it. Other parts have one receipt a row, whose amount is no sum. */
function shownAnswer({ id }: ReportPart, answer: Answer): Answer {
  return id === 'ventas' || id === 'compras' ? withoutMixedTotals(answer) : answer;
}

function concernList(
  { damaged }: Report,
  { concerns }: Verdict,
  { language, nothingElse }: ReportTexts,
): string {
  const items = [
    ...damaged.map((reason) => `<li>${text(reason)}</li>`),
    ...concerns.map(({ text: words, anchor, command }) => {
      const help = command === undefined ? '' : ` <code>${text(command)}</code>`;
      return `<li><a href="#${language}-${anchor}">${text(words)}</a>${help}</li>`;
    }),
  ];
  return items.length === 0 ? `<p>${text(nothingElse)}</p>` : `<ul>${items.join('')}</ul>`;
}

function tile(report: Report, id: 'ventas' | 'compras', title: string, texts: ReportTexts): string {
  const answer = answerOf(report.parts, id);
  const totals = answer === undefined ? [] : totalsByCurrency(answer);
  const lines = totals.map(({ currency, total, receipts }) => {
    const count = counted(receipts, texts.receipt, texts);
    // Without a currency there is no sum: it may be of several.
    return currency === null
      ? `<li><small>${count}: ${text(texts.unknownCurrency)}</small></li>`
      : `<li><span class="currency">${text(currency)}</span> <b>${total === null ? '—' : text(amountText(total, texts.forms))}</b> <small>${count}</small></li>`;
  });
  const advice = currencyHint(report, id, texts)?.replace(/\n */, ' ');
  const hint = advice === undefined ? '' : `<p class="about">${text(advice)}</p>`;
  return `<div class="tile"><h2>${text(title)}</h2><ul>${lines.join('') || '<li>—</li>'}</ul>${hint}</div>`;
}

/** How many days are complete, and the command that reads the others again. */
function daysAbout(report: Report, texts: ReportTexts): string {
  const { days } = report;
  const troubled = days.filter(({ state }) => isMarked(state)).length;
  const whole = texts.wholeDays(counted(days.length, texts.day, texts), days.length - troubled);
  const command = readDaysCommand(report);
  return command === undefined ? whole : `${whole} ${texts.readAgain} ${command}`;
}

type Section = PartTexts & { id: string };

/** A part of the page. `answer` is undefined if it can't be asked yet. */
function section(
  { id, title, about, nothing }: Section,
  answer: Answer | undefined,
  texts: ReportTexts,
): string {
  const head = `<section id="${id}"><h2>${text(title)}</h2><p class="about">${text(about)}</p>`;
  if (answer === undefined) return `${head}<p>${text(texts.notClosed)}</p></section>`;
  const count = answer.rows.length;
  const rest =
    count > MOST_ROWS
      ? `<p>${text(texts.shownRows(MOST_ROWS, amountText(String(count), texts.forms)))}</p>`
      : '';
  const rows = count === 0 ? `<p class="nothing">${text(nothing)}</p>` : table(title, answer, texts);
  return `${head}\n${rows}${rest}</section>`;
}

function table(title: string, { columns, rows }: Answer, texts: ReportTexts): string {
  const head = columns.map(
    (column) => `<th scope="col"${classOf(column)}>${text(headingText(column.name, texts))}</th>`,
  );
  const body = rows
    .slice(0, MOST_ROWS)
    .map(
      (row) => `<tr>${columns.map((column, index) => cell(column, row[index] ?? null, texts)).join('')}</tr>`,
    );
  return `<div class="scroll" role="region" tabindex="0" aria-label="${text(title)}"><table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

function cell(column: AnswerColumn, value: string | null, texts: ReportTexts): string {
  // On a phone, each cell of a row stands on a line of its own, beside this label.
  const label = text(headingText(column.name, texts));
  return `<td${classOf(column)} data-label="${label}">${value === null ? '' : text(shown(column, value, texts))}</td>`;
}

/** Ids have a class of their own: they are not printed. */
function classOf(column: AnswerColumn): string {
  if (column.name === 'id') return ' class="number id"';
  if (WORDS.test(column.name)) return ' class="words"';
  return isNumber(column) ? ' class="number"' : '';
}

function shown({ name, type }: AnswerColumn, value: string, texts: ReportTexts): string {
  if (type === 'DATE' && isDay(value)) return texts.forms.shortDay(value);
  if (type.startsWith('TIMESTAMP')) return momentText(value, texts);
  if (type.startsWith('DECIMAL') || COUNTS.test(name)) return amountText(value, texts.forms);
  return valueText(name, value, texts);
}
