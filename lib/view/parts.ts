import { createHash } from 'node:crypto';
import { withNamesOf } from '../text/spanish-names.ts';
import { printableLine } from '../text/terminal.ts';
import { PAGE_SCRIPT } from './script.ts';
import { PAGE_STYLE } from './style.ts';

/** What all pages are made of. What is given as `html` is markup; all else is text, and gets escaped. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A text from receipts or settings for a page: no markup and no invisible characters get into it. */
export function htmlText(text: string): string {
  return escapeHtml(printableLine(text));
}

/** A command, under the names that it has in Spanish, as all pages are. */
export function commandHtml(command: string): string {
  return `<code>${htmlText(withNamesOf('es', command))}</code>`;
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230f766e' d='M1 1h6v6H1zM9 9h6v6H9z'/%3E%3Cpath fill='%2399d5c9' d='M9 1h6v6H9zM1 9h6v6H1z'/%3E%3C/svg%3E";

export interface Page {
  /** The window's title. */
  title: string;
  heading: string;
  /** Below the heading: of what and of when it is. */
  aboutHtml: string;
  html: string;
  /** First day of its calendars. */
  from?: string;
}

/** A whole page. Its content security policy forbids all requests, and any other style or script. */
export function page({ title, heading, aboutHtml, html, from }: Page): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(PAGE_SCRIPT)}'`,
    `style-src '${hashOf(PAGE_STYLE)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="es-UY">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${htmlText(title)}</title>
<link rel="icon" href="${ICON}">
<style>${PAGE_STYLE}</style>
</head>
<body${from === undefined ? '' : ` data-from="${from}"`}>
<header>
<h1>${htmlText(heading)}</h1>
<p>${aboutHtml}</p>
</header>
<main>
${html}
</main>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** A sentence that explains. */
export function note(text: string, html = ''): string {
  return `<p class="note">${htmlText(text)}${html}</p>`;
}

/** A titled part of a page. On a phone it begins folded. */
export function section(id: string, title: string, html: string): string {
  return `<details class="card section" id="${htmlText(id)}" open><summary><h2>${htmlText(title)}</h2></summary>
${html}</details>`;
}

/** A number that stands out. One with a value is a button: it filters. */
export function tile(html: string, value?: string): string {
  return value === undefined
    ? `<div class="card tile">${html}</div>`
    : `<button type="button" class="card tile" value="${value}" aria-pressed="false">${html}</button>`;
}

export interface DayBar {
  /** Day of the month. */
  label: number;
  count: number;
  /** What is shown beside the pointer. */
  hint: string;
  isMarked: boolean;
  isWeekend: boolean;
}

const BAR_STEP = 20;
const BAR_WIDTH = 16;
const PLOT_HEIGHT = 110;

/** A bar for each day. A marked one has a cross above it. */
export function dayBars(bars: readonly DayBar[], caption: string): string {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const drawn = bars.map(({ label, count, hint, isMarked, isWeekend }, place) => {
    const x = place * BAR_STEP + (BAR_STEP - BAR_WIDTH) / 2;
    const height = Math.round((count / most) * PLOT_HEIGHT);
    // Where room is scarce, the style hides the minor numbers.
    const isMinor = label !== 1 && label % 5 !== 0;
    const look = [...(isWeekend ? ['weekend'] : []), ...(isMinor ? ['minor'] : [])].join(' ');
    return [
      `<g><title>${htmlText(hint)}</title>`,
      `<rect x="${x}" y="${PLOT_HEIGHT - height + 10}" width="${BAR_WIDTH}" height="${Math.max(height, 1)}" rx="2" class="bar"/>`,
      isMarked ? `<path d="M${x + 3} ${PLOT_HEIGHT - height - 1} l10 -8 m0 8 l-10 -8" class="trouble"/>` : '',
      `<text x="${x + BAR_WIDTH / 2}" y="${PLOT_HEIGHT + 28}" class="${look}">${label}</text></g>`,
    ].join('');
  });
  const svg = `<svg viewBox="0 0 ${bars.length * BAR_STEP} ${PLOT_HEIGHT + 36}" role="img" aria-label="${escapeHtml(caption)}">${drawn.join('')}</svg>`;
  return figure(caption, svg);
}

/** A bar for each name, with its number beside it. */
export function namedBars(
  bars: readonly { name: string; count: number; said: string }[],
  caption: string,
): string {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const rows = bars.map(
    ({ name, count, said }) =>
      `<li><span>${htmlText(name)}</span><svg aria-hidden="true"><rect width="${((count / most) * 100).toFixed(1)}%" height="100%" rx="2" class="bar"/></svg><span class="number">${said}</span></li>`,
  );
  return figure(caption, `<ul>${rows.join('')}</ul>`);
}

function figure(caption: string, html: string): string {
  return `<figure class="card bars"><figcaption>${htmlText(caption)}</figcaption>${html}</figure>`;
}

export interface TableColumn {
  name: string;
  /** `head` names its row; `words` may take several lines; an `id` is not printed. */
  kind: 'head' | 'text' | 'words' | 'number' | 'id';
}

export interface TableRow {
  /** Markup; null for an empty cell. */
  cells: readonly (string | null)[];
  /** Markup of a line below them, as wide as the table. */
  below?: string | undefined;
}

/** A table, which scrolls by itself where it is wider than the window, also by keyboard. */
export function table(
  title: string,
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  totals: readonly TableRow[] = [],
): string {
  const names = columns.map(({ name }) => htmlText(name));
  const classes = columns.map(({ kind }) =>
    kind === 'text' ? '' : ` class="${kind === 'id' ? 'number id' : kind}"`,
  );
  const head = names.map((name, place) => `<th scope="col"${classes[place]}>${name}</th>`);
  const line = ({ cells, below }: TableRow) => {
    const drawn = columns.map(({ kind }, place) => {
      const html = cells[place] ?? '';
      // On a phone, each cell of a row stands on a line of its own, beside this label.
      return kind === 'head'
        ? `<th scope="row" class="head">${html}</th>`
        : `<td${classes[place]} data-label="${names[place]}">${html}</td>`;
    });
    const row = `<tr>${drawn.join('')}</tr>`;
    return below === undefined
      ? row
      : `${row}\n<tr class="below"><td colspan="${columns.length}">${below}</td></tr>`;
  };
  const foot = totals.length === 0 ? '' : `<tfoot>${totals.map(line).join('')}</tfoot>`;
  return `<div class="scroll" role="region" tabindex="0" aria-label="${htmlText(title)}"><table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.map(line).join('\n')}</tbody>${foot}</table></div>`;
}

/** A table of text, which is a fiftieth of the elements of another. */
export function textBlock(text: string): string {
  const [titles = '', , ...lines] = text.split('\n');
  return `<pre tabindex="0"><b>${escapeHtml(titles)}</b>\n${escapeHtml(lines.join('\n'))}</pre>`;
}

/** Height of a calendar's row, in pixels. */
const ROW_PX = 16;

/** Days side by side, the first of them at the column `x`: how each looks, as classes of the style. */
export interface DayRow {
  x: number;
  looks: readonly string[];
}

/** A path for each look, in which neighbours are one stroke. */
function paths(rows: readonly DayRow[]): string {
  const strokes = new Map<string, string>();
  for (const [y, { x, looks }] of rows.entries()) {
    let start = 0;
    for (const [place, look] of looks.entries()) {
      if (looks[place + 1] === look) continue;
      strokes.set(look, `${strokes.get(look) ?? ''}M${x + start} ${y}h${place + 1 - start}`);
      start = place + 1;
    }
  }
  return [...strokes].map(([look, stroke]) => `<path class="${look}" d="${stroke}"/>`).join('');
}

/** A calendar of coloured days: a row is a month, a column a day of it. */
export function calendar(rows: readonly DayRow[]): string {
  const height = rows.length * ROW_PX;
  return `<div class="picture" aria-hidden="true"><svg class="months" height="${height}"><use href="#months"/></svg><svg class="ruler"><use href="#ruler"/></svg><svg class="days" viewBox="0 -.5 31 ${rows.length}" height="${height}" preserveAspectRatio="none">${paths(rows)}</svg></div>`;
}

/** The same days in one line. */
export function calendarLine(looks: readonly string[], name: string): string {
  return `<svg class="line ${name}" viewBox="0 -.5 ${looks.length} 1" preserveAspectRatio="none" aria-hidden="true">${paths([{ x: 0, looks }])}</svg>`;
}

/** One day of a calendar, for a legend. */
export function swatch(look: string): string {
  return `<svg class="swatch" viewBox="0 -.5 1 1" aria-hidden="true"><path class="${look}" d="M0 0h1"/></svg>`;
}

/** What all calendars of a page use: names of their months, days of a month, marks of days without a colour. */
export function calendarMarks(months: readonly string[]): string {
  const names = months.map((name, row) => `<text x="0" y="${row * ROW_PX + 12}">${name}</text>`);
  const ruler = [1, 5, 10, 15, 20, 25, 30].map(
    (date) => `<text x="${(((date - 0.5) / 31) * 100).toFixed(1)}%" y="11">${date}</text>`,
  );
  const mark = (look: string, drawn: string) =>
    `<pattern id="${look}" width="1" height="1" y="-.5" patternUnits="userSpaceOnUse"><rect x=".08" y=".08" width=".84" height=".84" rx=".16"/>${drawn}</pattern>`;
  return `<svg class="hidden" aria-hidden="true"><defs>
<g id="months">${names.join('')}</g>
<g id="ruler">${ruler.join('')}</g>
${mark('missing', '<path d="M.2 .8l.6-.6M.2 .45l.25-.25M.55 .8l.25-.25"/>')}
${mark('failed', '<path d="M.3 .3l.4 .4M.7 .3l-.4 .4"/>')}
${mark('early', '<path d="M.62 .28l-.24 .22l.24 .22"/>')}
${mark('unstable', '<path d="M.22 .56q.14-.26 .28-.06t.28-.06"/>')}
</defs></svg>`;
}
