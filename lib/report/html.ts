import { readFileSync } from 'node:fs';
import { readAgainCommand } from '../coverage/read-again.ts';
import { PROGRAM } from '../program.ts';
import type { Answer, AnswerColumn } from '../query/answer.ts';
import { escapeHtml, pageHead } from '../text/html.ts';
import { printableLine } from '../text/printable.ts';
import { dayPlot, typePlot } from './plots.ts';
import { type AnsweredPart, type Report, troubleAnswer } from './read-report.ts';
import { totalsByCurrency } from './totals.ts';
import { TROUBLE } from './verdict.ts';
import { amountText, counted, dayText, momentText, monthText } from './words.ts';

/** Of a longer part the page shows the first so many rows; the workbook has all. */
const MOST_ROWS = 60;
/** Numbers that are counts, not names of things. */
const COUNTS = /^(Cantidad|Comprobantes|Sin monto|Sin desglose|Por revisar)$/;

/** Columns of words, which may take two lines on paper. */
const WORDS = /^(Comprobante|Nombre|Proveedor|Antes|Después)$/;

const VERDICT_WORDS = { incomplete: 'Incompleto', open: 'Puede cambiar', complete: 'Completo' } as const;

/** The report as one page, whole: it asks for nothing and runs nothing. `madeAt` is local, `YYYY-MM-DDTHH:MM:SS`. */
export function reportHtml(report: Report, madeAt: string): string {
  const style = readFileSync(new URL('./report.css', import.meta.url), 'utf8');
  const { rut, name, from, lake, verdict, parts, days } = report;
  const title = `${monthText(from)} · ${name ?? rut}`;
  return `${pageHead({ language: 'es-UY', title: printableLine(title), style })}
<body>
<header>
<h1>${text(name ?? `RUT ${rut}`)}</h1>
<p>RUT ${text(rut)} · <b>${text(monthText(from))}</b> · según ${text(lake)}, ${text(momentText(madeAt))} (Uruguay)</p>
</header>
<main>
<section class="verdict ${verdict.state}" aria-labelledby="veredicto">
<h2 id="veredicto"><span class="badge">${VERDICT_WORDS[verdict.state]}</span> ${text(verdict.sentence)}</h2>
${concernList(report)}
</section>
<section class="summary" aria-label="Totales">${tile(parts, 'ventas', 'Ventas')}${tile(parts, 'compras', 'Compras')}</section>
<section class="plots" aria-label="Gráficas">
${dayPlot(ofList(report, 'emitidos'), 'Emitidos por día')}
${dayPlot(ofList(report, 'recibidos'), 'Recibidos por día')}
${parts.map((part) => (/^(ventas|compras)$/.test(part.part.id) ? typePlot(part, part.part.title) : '')).join('\n')}
</section>
${section('dias', 'Días que faltan o fallaron', daysAbout(report), troubleAnswer(days), 'No falta ningún día.')}
${parts.map(partSection).join('\n')}
</main>
</body>
</html>
`;
}

/** Other people's words: nothing in them is markup, nor invisible. */
function text(words: string): string {
  return escapeHtml(printableLine(words));
}

function concernList({ verdict, damaged }: Report): string {
  const items = [
    ...damaged.map((reason) => `<li>${text(reason)}</li>`),
    ...verdict.concerns.map(({ text: words, anchor }) => `<li><a href="#${anchor}">${text(words)}</a></li>`),
  ];
  return items.length === 0 ? '<p>No hay nada más que mirar.</p>' : `<ul>${items.join('')}</ul>`;
}

function ofList({ days }: Report, direction: string) {
  return days.filter((day) => day.direction === direction);
}

function tile(parts: readonly AnsweredPart[], id: string, title: string): string {
  const answer = parts.find(({ part }) => part.id === id)?.answer;
  const totals = answer === undefined ? [] : totalsByCurrency(answer);
  const lines = totals.map(
    ({ currency, total, receipts }) =>
      `<li><span class="currency">${text(currency ?? 'moneda no leída')}</span> <b>${text(amountText(total))}</b> <small>${counted(receipts, 'comprobante', 'comprobantes')}</small></li>`,
  );
  return `<div class="tile"><h2>${text(title)}</h2><ul>${lines.join('') || '<li>—</li>'}</ul></div>`;
}

/** How many days are whole, and what reads the others. */
function daysAbout({ days, rut, lake, source }: Report): string {
  const troubled = days.filter(({ state }) => TROUBLE.includes(state)).map(({ day }) => day);
  const whole = `De ${counted(days.length, 'día', 'días')} (cada fecha de emisión, emitidos y recibidos), ${days.length - troubled.length} están enteros.`;
  const first = troubled.reduce((one, other) => (one < other ? one : other), '9999');
  const last = troubled.reduce((one, other) => (one > other ? one : other), '');
  if (troubled.length === 0) return whole;
  const command = readAgainCommand(PROGRAM, lake, source);
  return `${whole} Se leen con: ${command} --rut ${rut} --from ${first} --to ${last}`;
}

function partSection({ part, answer }: AnsweredPart): string {
  const { id, title, about, nothing } = part;
  if (answer === undefined) {
    return `<section id="${id}"><h2>${text(title)}</h2><p class="about">${text(about)}</p><p>El mes no está cerrado todavía.</p></section>`;
  }
  return section(id, title, about, answer, nothing);
}

function section(id: string, title: string, about: string, answer: Answer, nothing: string): string {
  const count = answer.rows.length;
  const rest =
    count > MOST_ROWS
      ? `<p>Se muestran ${MOST_ROWS} de ${amountText(String(count))} filas; el libro (--xlsx) las tiene todas.</p>`
      : '';
  return `<section id="${id}"><h2>${text(title)}</h2><p class="about">${text(about)}</p>
${count === 0 ? `<p class="nothing">${text(nothing)}</p>` : table(title, answer)}${rest}</section>`;
}

function table(title: string, { columns, rows }: Answer): string {
  const head = columns.map((column) => `<th scope="col"${classOf(column)}>${text(column.name)}</th>`);
  const body = rows
    .slice(0, MOST_ROWS)
    .map((row) => `<tr>${columns.map((column, index) => cell(column, row[index] ?? null)).join('')}</tr>`);
  return `<div class="scroll" role="region" tabindex="0" aria-label="${text(title)}"><table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

function cell(column: AnswerColumn, value: string | null): string {
  return `<td${classOf(column)}>${value === null ? '' : text(shown(column, value))}</td>`;
}

/** An id is for who looks further, and not printed. */
function classOf({ name, isNumber }: AnswerColumn): string {
  if (name === 'id') return ' class="number id"';
  if (WORDS.test(name)) return ' class="words"';
  return isNumber ? ' class="number"' : '';
}

function shown({ name, type }: AnswerColumn, value: string): string {
  if (type === 'DATE') return dayText(value);
  if (type.startsWith('TIMESTAMP')) return momentText(value);
  return type.startsWith('DECIMAL') || COUNTS.test(name) ? amountText(value) : value;
}
