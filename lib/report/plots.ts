import { isMarked } from '../coverage/day.ts';
import { amountText } from '../coverage/texts/texts.ts';
import { escapeHtml } from '../text/html.ts';
import { weekdayOf } from '../time/days.ts';
import type { AnsweredPart, ReportDay } from './parts.ts';
import type { ReportTexts } from './texts/english.ts';
import { columnOf, counted } from './values.ts';

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
