import { addDays } from '../../time/days.ts';
import { areMany, type DayState, MARKED_STATES, troubledDays } from '../day.ts';
import type { PackedCalendars, PackedCompany } from '../html/packed.ts';
import { countText, dayText } from '../texts/texts.ts';
import { monthsOf, stateAt } from './calendar.ts';
import type { PageData } from './data.ts';
import { type Colours, coloursOf, paintDays } from './day-picture.ts';
import { element, type Tip } from './dom.ts';

/** Width of a row's name and count, beside its days. */
const NAME_PX = 230;
/** Rows are divided into several blocks if each day keeps at least this width. */
const LEAST_DAY_PX = 4.4;
const MOST_BLOCKS = 3;
/** Rows that a block has before another is begun. */
const ROWS_OF_A_BLOCK = 20;
/** Height of rows, by the number of rows in a block: eighty companies fit on a screen. */
const ROW_HEIGHTS = [
  { most: 20, px: 22 },
  { most: 30, px: 18 },
  { most: Number.POSITIVE_INFINITY, px: 14 },
] as const;
const MONTH_LABEL_PX = 52;

interface Row {
  company: PackedCompany;
  item: HTMLElement;
  link: HTMLAnchorElement;
  picture: HTMLCanvasElement;
  /** Undefined until they are unpacked. */
  calendars: PackedCalendars | undefined;
}

/**
 * All companies on one screen: a row each, with a line of days per direction. The lines are pictures, since an element
 * for each day would be too many. Each row is a link to the company, and says in words what needs a look. Draws until the
 * signal is aborted. `onSame` is called for a click on the row that the address already has.
 */
export function overview(
  data: PageData,
  dayCount: number,
  tip: Tip,
  signal: AbortSignal,
  onSame: () => void,
) {
  const { words, index } = data;
  const blocks = element('div.blocks');
  const help = element('p.overview-help');
  const root = element('nav.overview', { id: 'overview', 'aria-label': words.overview }, help, blocks);
  const rows = areMany(index.companies.length) ? index.companies.map(newRow) : [];
  let shown: readonly Row[] = [];
  let directions: readonly number[] = [];
  let onlyState: DayState | undefined;
  /** The row that Tab reaches. */
  let current: Row | undefined;
  let layoutName = '';
  root.addEventListener('click', ({ target }) => {
    const row = rowOf(target);
    if (row !== undefined) pointTo(row);
    if (row !== undefined && row.link.hash === location.hash) onSame();
  });
  root.addEventListener('keydown', onKey);
  root.addEventListener('mousemove', showDay);
  root.addEventListener('mouseleave', () => tip.hide());
  const observer = new ResizeObserver(layOut);
  observer.observe(root);
  signal.addEventListener('abort', () => observer.disconnect());
  const scheme = window.matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', paint, { signal });
  void open();

  /** Shows these companies and directions, given as indexes. With `state`, days in other states are faded. */
  function show(places: ReadonlySet<number>, wanted: readonly number[], state: DayState | undefined): void {
    shown = rows.filter((_, place) => places.has(place));
    root.hidden = !areMany(shown.length);
    directions = wanted;
    onlyState = state;
    const names = directions.map((direction) => index.directions[direction] ?? '');
    help.textContent = words.overviewHelp(names);
    for (const row of shown) describe(row);
    layoutName = '';
    layOut();
  }

  function newRow(company: PackedCompany): Row {
    const picture = element('canvas', { 'aria-hidden': 'true' });
    const link = element('a', { href: `#${company.rut}`, tabindex: -1 });
    return { company, item: element('li', link), link, picture, calendars: undefined };
  }

  /** Writes the row's texts: the name, how many days are troubled, and for screen readers which states they have. */
  function describe({ company, link, picture }: Row): void {
    const counts = directions.map((direction) => company.summaries[direction]?.states);
    const states = counts.filter((count) => count !== undefined);
    const troubled = states.reduce((sum, state) => sum + troubledDays(state), 0);
    const summaries = directions.map((direction, place) => {
      const count = counts[place];
      const marks = MARKED_STATES.filter((state) => (count?.[state] ?? 0) > 0);
      const said = marks.map((state) => `${countText(count?.[state] ?? 0, words)} ${words.states[state]}`);
      return `${index.directions[direction]}: ${said.join(', ') || words.noTrouble}`;
    });
    link.replaceChildren(
      element('span', { class: troubled > 0 ? 'name troubled' : 'name' }, company.name || company.rut),
      element('span.hidden', ` ${company.name === '' ? '' : company.rut}, ${summaries.join('; ')}`),
      element('span.count', { 'aria-hidden': 'true' }, troubled > 0 ? countText(troubled, words) : ''),
      picture,
    );
  }

  async function open(): Promise<void> {
    for (const [place, row] of rows.entries()) {
      row.calendars = await data.calendars(place);
      if (signal.aborted) return;
      paintRow(row, coloursOf(root));
    }
  }

  /** Divides the rows into as many blocks as there is room for, and paints them. */
  function layOut(): void {
    const width = blocks.clientWidth;
    if (width === 0) return;
    const room = Math.floor(width / (NAME_PX + dayCount * LEAST_DAY_PX));
    const enough = Math.ceil(shown.length / ROWS_OF_A_BLOCK);
    const blockCount = Math.max(1, Math.min(room, enough, MOST_BLOCKS));
    const name = `${blockCount} ${width}`;
    if (name === layoutName) return;
    layoutName = name;
    const rowCount = Math.ceil(shown.length / blockCount);
    const height = ROW_HEIGHTS.find(({ most }) => rowCount <= most)?.px ?? 0;
    root.style.setProperty('--row', `${height}px`);
    const columns = Array.from({ length: blockCount }, (_, block) => {
      const items = shown.slice(block * rowCount, (block + 1) * rowCount).map(({ item }) => item);
      return element('div.block', axis(), element('ul', ...items));
    });
    blocks.replaceChildren(...columns);
    pointTo(current !== undefined && shown.includes(current) ? current : shown[0]);
    for (const months of blocks.querySelectorAll<HTMLElement>('.axis')) thinOut(months);
    paint();
  }

  /** The months above a block. */
  function axis(): HTMLElement {
    const labels = monthsOf(index.from, dayCount).map(({ first, weeks }) => {
      const label = element('span', words.shortMonth(first));
      label.style.left = `${((weeks[0]?.[0] ?? 0) / dayCount) * 100}%`;
      return label;
    });
    return element('div.axis', { 'aria-hidden': 'true' }, element('div', ...labels));
  }

  function paint(): void {
    const colours = coloursOf(root);
    for (const row of shown) paintRow(row, colours);
  }

  function paintRow({ picture, calendars }: Row, colours: Colours): void {
    if (calendars === undefined) return;
    const lines = directions.flatMap((direction) => calendars[direction] ?? []);
    paintDays(picture, lines, colours, onlyState);
  }

  function rowOf(target: EventTarget | null): Row | undefined {
    const link = target instanceof Element ? target.closest('a') : null;
    return link === null ? undefined : shown.find((row) => row.link === link);
  }

  /** Makes this row the one that Tab reaches. */
  function pointTo(row: Row | undefined): void {
    current?.link.setAttribute('tabindex', '-1');
    current = row;
    row?.link.setAttribute('tabindex', '0');
  }

  function onKey(event: KeyboardEvent): void {
    const row = rowOf(event.target);
    if (row === undefined || event.altKey || event.metaKey || event.ctrlKey) return;
    const place = shown.indexOf(row);
    const wanted = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: shown.length - 1 }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    const next = shown[wanted];
    if (next === undefined) return;
    pointTo(next);
    next.link.focus();
  }

  /** Shows the company and day under the pointer in a tooltip. */
  function showDay({ target, clientX, clientY }: MouseEvent): void {
    const row = rowOf(target);
    if (row === undefined) {
      tip.hide();
      return;
    }
    const name = row.company.name || row.company.rut;
    const box = row.picture.getBoundingClientRect();
    const place = Math.floor(((clientX - box.left) / box.width) * dayCount);
    const line = Math.floor(((clientY - box.top) / box.height) * directions.length);
    const direction = directions[Math.min(Math.max(line, 0), directions.length - 1)] ?? 0;
    const calendar = row.calendars?.[direction];
    const day =
      calendar?.states[place] === undefined
        ? ''
        : `, ${index.directions[direction]}, ${dayText(addDays(index.from, place), stateAt(calendar, place), calendar.receipts[place] ?? null, words)}`;
    tip.show(`${name}${day}`, new DOMRect(clientX, row.link.getBoundingClientRect().top, 0, box.height));
  }

  return { root, show };
}

/** Removes months that have no room beside the previous one. */
function thinOut(axis: HTMLElement): void {
  let end = Number.NEGATIVE_INFINITY;
  const right = axis.getBoundingClientRect().right;
  for (const label of axis.querySelectorAll('span')) {
    const { left } = label.getBoundingClientRect();
    const hasRoom = left >= end && left + MONTH_LABEL_PX <= right + 1;
    label.hidden = !hasRoom;
    if (hasRoom) end = left + MONTH_LABEL_PX;
  }
}
