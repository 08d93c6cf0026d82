import { RECEIPT } from '../coverage/words.ts';
import { type Answer, type AnswerColumn, isNumber, totalsApart } from '../query/answer.ts';
import { amountText, counted, countText, longMonth, momentText, weekDay } from '../text/spanish.ts';
import { weekdayOf } from '../time/days.ts';
import { DIRECTIONS } from '../units/unit.ts';
import {
  commandHtml,
  dayBars,
  htmlText,
  namedBars,
  note,
  page,
  section,
  type TableColumn,
  type TableRow,
  table,
  tile,
} from '../view/parts.ts';
import { type AnsweredPart, answerOf } from './parts.ts';
import { type Report, troubleAnswer } from './read-report.ts';
import { isToLookAt, type ReportDay } from './report-day.ts';
import { BRING, shownRows } from './text.ts';
import { asWritten, columnOf, totalsByCurrency } from './values.ts';
import { currencyHint, VERDICTS, verdictOf } from './verdict.ts';

/** Rows of a part, one receipt each, that the page shows; the workbook has all. A summary is never cut. */
const MOST_ROWS = 60;
const SUMMARIES = ['ventas', 'compras', 'iva', 'posicion', 'sin-respuesta', 'sumas'];

/**
 * A company's month as one HTML page, which requests nothing. `madeAt` is local, `YYYY-MM-DDTHH:MM:SS`. `accepted`: what a
 * close leaves open, in Spanish; its page is the client's too, and has neither commands nor paths, which others have in
 * their last part.
 */
export function reportHtml(report: Report, madeAt: string, accepted?: readonly string[]): string {
  const { rut, name, from, parts, days } = report;
  const plots = [
    ...DIRECTIONS.map((direction) => dayPlot(direction, days)),
    ...parts.flatMap((answered) =>
      answered.part.id === 'ventas' || answered.part.id === 'compras' ? typePlot(answered) : [],
    ),
  ];
  return page({
    title: `${longMonth(from)} · ${name ?? rut}`,
    heading: name ?? `RUT ${rut}`,
    aboutHtml: `RUT ${htmlText(rut)} · <b>${longMonth(from)}</b> · ${accepted === undefined ? '' : 'cierre, '}al ${momentText(madeAt)}, hora de Uruguay`,
    html: `${verdictHtml(report, accepted)}
<section class="grid" aria-label="Totales">${totalsTile(report, 'ventas', 'Ventas')}${totalsTile(report, 'compras', 'Compras')}</section>
<section class="grid" aria-label="Gráficas">
${plots.join('\n')}
</section>
${daysSection(report)}
${parts.map(partSection).join('\n')}${accepted === undefined ? programSection(report) : ''}`,
  });
}

const FOR_WHOM = 'Para quien corre el programa';
const DAMAGED = 'Una parte de lo anotado al leer está dañada: no se sabe qué más falta.';

function verdictHtml({ damaged, bring, ...report }: Report, accepted?: readonly string[]): string {
  const { state, sentence, concerns } = verdictOf(report);
  const items = [
    ...damaged.slice(0, 1).map(() => `<li>${DAMAGED}</li>`),
    ...concerns.map(({ text, anchor }) => `<li><a href="#${anchor}">${htmlText(text)}</a></li>`),
  ];
  const list = items.length === 0 ? nothingElse(accepted) : `<ul>${items.join('')}</ul>`;
  const help =
    bring === undefined || accepted !== undefined
      ? ''
      : `<p>Lo que falta se trae de una vez: <a href="#programa">${FOR_WHOM}</a>.</p>`;
  const closed =
    accepted === undefined || accepted.length === 0
      ? ''
      : `<p><b>Se aceptó al cerrar:</b> ${htmlText(accepted.join('; '))}.</p>`;
  return `<section class="card verdict ${state}"><h2><span class="badge">${VERDICTS[state]}</span> ${htmlText(sentence)}</h2>
${list}${help}${closed}</section>`;
}

/** What is said where the report has nothing to look into: a close looks into more, and what that found is said beside it. */
function nothingElse(accepted: readonly string[] | undefined): string {
  if (accepted === undefined)
    return '<p>En esta página no hay nada más que mirar. Al cerrar se miran también los libros, el formulario 2181 y las listas de la DGI.</p>';
  return accepted.length === 0 ? '<p>No hay nada más que mirar.</p>' : '';
}

/** The only part with paths and commands. */
function programSection({ lake, bring, damaged }: Report): string {
  const command = bring === undefined ? '' : `${note(`${BRING}:`)}<p>${commandHtml(bring)}</p>`;
  return section(
    'programa',
    FOR_WHOM,
    note(`Según ${lake}.`) + damaged.map((reason) => note(reason)).join('') + command,
  );
}

function totalsTile(report: Report, id: 'ventas' | 'compras', title: string): string {
  const answer = answerOf(report.parts, id);
  const lines = (answer === undefined ? [] : totalsByCurrency(answer)).map(
    ({ currency, total, receipts }) => {
      const count = counted(receipts, RECEIPT);
      // Without a currency there is no sum: it may be of several.
      return currency === null
        ? `<li><small>${count}: moneda desconocida</small></li>`
        : `<li><span class="currency">${htmlText(currency)}</span> <b>${total === null ? '—' : amountText(total)}</b> <small>${count}</small></li>`;
    },
  );
  const advice = currencyHint(report, id);
  return tile(
    `<h2>${title}</h2><ul>${lines.join('') || '<li>—</li>'}</ul>${advice === undefined ? '' : note(advice)}`,
  );
}

/** Receipts per day of one list. A day that needs a look has a mark above its bar. */
function dayPlot(direction: string, days: readonly ReportDay[]): string {
  const daysOfList = days.filter((day) => day.direction === direction);
  const most = Math.max(0, ...daysOfList.map(({ receipts }) => receipts ?? 0));
  const total = daysOfList.reduce((sum, { receipts }) => sum + (receipts ?? 0), 0);
  const marked = daysOfList.filter(isToLookAt).length;
  const troubled = counted(marked, [
    'día falta o hay que volver a leerlo',
    'días faltan o hay que volver a leerlos',
  ]);
  const title = direction === 'emitidos' ? 'Emitidos por día' : 'Recibidos por día';
  const bars = daysOfList.map(({ day, state, receipts }) => ({
    label: Number(day.slice(8)),
    count: receipts ?? 0,
    hint: `${weekDay(day)}: ${receipts === null ? 'sin leer' : counted(receipts, RECEIPT)}`,
    isMarked: isToLookAt({ state }),
    isWeekend: [0, 6].includes(weekdayOf(day)),
  }));
  const caption = `${title}: ${counted(total, RECEIPT)}, hasta ${countText(most)} en un día`;
  return dayBars(bars, marked === 0 ? caption : `${caption}, ${troubled} (✕)`);
}

/** Further types are drawn as one bar. */
const MOST_TYPES = 12;

/** Receipts per type, all currencies together. */
function typePlot({ part, answer }: AnsweredPart): string[] {
  if (answer === undefined || answer.rows.length === 0) return [];
  const names = columnOf(answer, 'tipo');
  const codes = columnOf(answer, 'tipo_comprobante');
  const counts = new Map<string, number>();
  for (const [index, count] of columnOf(answer, 'comprobantes').entries()) {
    const name = `${codes[index] ?? '?'} ${names[index] ?? 'tipo desconocido'}`;
    counts.set(name, (counts.get(name) ?? 0) + Number(count));
  }
  const typeCounts = [...counts].sort(([, a], [, b]) => b - a);
  const otherReceipts = typeCounts.slice(MOST_TYPES).reduce((sum, [, count]) => sum + count, 0);
  const shown =
    otherReceipts === 0
      ? typeCounts
      : [...typeCounts.slice(0, MOST_TYPES), ['Otros tipos', otherReceipts] as const];
  const bars = shown.map(([name, count]) => ({ name, count, said: countText(count) }));
  return [namedBars(bars, `${part.title}: cantidad de comprobantes`)];
}

/** The days that need a look, and how many are complete. */
function daysSection({ days }: Report): string {
  const whole = days.filter((day) => !isToLookAt(day)).length;
  const about = `De ${counted(days.length, ['día', 'días'])} (cada fecha cuenta una vez para emitidos y otra para recibidos), ${whole} ${whole === 1 ? 'está completo' : 'están completos'}.`;
  const title = 'Días que faltan o que hay que volver a leer';
  return section(
    'dias',
    title,
    note(about) + answerTable(title, troubleAnswer(days), 'No falta ningún día.'),
  );
}

/** A part of the page. `answer` is undefined if it can't be asked yet. */
function partSection({ part: { id, title, about, emptyText }, answer }: AnsweredPart): string {
  if (answer === undefined) return section(id, title, `${note(about)}<p>El mes no está cerrado todavía.</p>`);
  const { columns, rows } = answer;
  const shown = SUMMARIES.includes(id) ? rows : rows.slice(0, MOST_ROWS);
  const moreNote = shown.length < rows.length ? note(shownRows(shown.length, rows.length)) : '';
  const hasBook = id === 'ventas' || id === 'compras';
  return section(
    id,
    title,
    note(about) +
      answerTable(title, { columns, rows: shown }, emptyText, hasBook ? totalRows(answer) : []) +
      (hasBook ? bookNote(id, answer) : moreNote),
  );
}

/** By how much the book is less than its part: e-Boletas de entrada are in no book. */
function bookNote(id: string, { columns, rows }: Answer): string {
  const types = columnOf({ columns, rows }, 'tipo_comprobante');
  const slips = { columns, rows: rows.filter((_, row) => /5[123]$/.test(types[row] ?? '')) };
  const sums = totalsByCurrency(slips).map(({ currency, total, receipts }) => {
    const sum =
      currency === null || total === null ? 'importe desconocido' : `${currency} ${amountText(total)}`;
    return `${sum} (${counted(receipts, RECEIPT)})`;
  });
  if (sums.length === 0) return '';
  return note(
    `El libro IVA ${id} no tiene las e-Boletas de entrada, que emite quien compra: ${sums.join('; ')}. Las otras ${id} suman lo mismo que el libro.`,
  );
}

/** A row for each known currency. */
function totalRows(answer: Answer): TableRow[] {
  return totalsByCurrency(answer).flatMap(({ currency, total, receipts }) => {
    if (currency === null) return [];
    const cells = new Map([
      ['tipo', 'Total'],
      ['moneda', htmlText(currency)],
      ['comprobantes', countText(receipts)],
      ['total', total === null ? '' : amountText(total)],
    ]);
    return [{ cells: answer.columns.map(({ name }) => cells.get(name) ?? null) }];
  });
}

function answerTable(
  title: string,
  answer: Answer,
  emptyText: string,
  totals: readonly TableRow[] = [],
): string {
  if (answer.rows.length === 0) return note(emptyText);
  const { lines, totals: totalsOfPart } = totalsApart(answer);
  const rowsOf = (part: Answer) =>
    asWritten(part).rows.map((row) => ({ cells: row.map((value) => value && htmlText(value)) }));
  return table(
    title,
    asWritten(answer).columns.map(({ name }, place) => ({ name, kind: kindOf(answer.columns[place]) })),
    rowsOf(lines),
    [...totals, ...rowsOf(totalsOfPart)],
  );
}

/** Columns of words, which may take two lines. */
const WORDS = /^(tipo|nombre|proveedor|antes|despues|concepto|nota)$/;

function kindOf(column: AnswerColumn | undefined): TableColumn['kind'] {
  if (column === undefined) return 'text';
  if (column.name === 'id') return 'id';
  if (WORDS.test(column.name)) return 'words';
  return isNumber(column) ? 'number' : 'text';
}
