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
 * for each day would be too many. Each row is a link to the company, and says in words what needs a look.
 */
export class Overview {
  readonly root: HTMLElement;
  private readonly data: PageData;
  private readonly tip: Tip;
  private readonly blocks = element('div.blocks');
  private readonly help = element('p.overview-help');
  private readonly rows: readonly Row[];
  private readonly dayCount: number;
  private shown: readonly Row[] = [];
  private directions: readonly number[] = [];
  private onlyState: DayState | undefined;
  /** The row that Tab reaches. */
  private current: Row | undefined;
  private layoutName = '';

  /** Draws until the signal is aborted. `onSame` is called for a click on the row that the address already has. */
  constructor(data: PageData, dayCount: number, tip: Tip, signal: AbortSignal, onSame: () => void) {
    this.data = data;
    this.dayCount = dayCount;
    this.tip = tip;
    const { words, index } = data;
    this.root = element(
      'nav.overview',
      { id: 'overview', 'aria-label': words.overview },
      this.help,
      this.blocks,
    );
    this.rows = areMany(index.companies.length) ? index.companies.map((company) => this.newRow(company)) : [];
    this.root.addEventListener('click', ({ target }) => {
      const row = this.rowOf(target);
      if (row !== undefined) this.pointTo(row);
      if (row !== undefined && row.link.hash === location.hash) onSame();
    });
    this.root.addEventListener('keydown', (event) => this.onKey(event));
    this.root.addEventListener('mousemove', (event) => this.showDay(event));
    this.root.addEventListener('mouseleave', () => tip.hide());
    const observer = new ResizeObserver(() => this.layOut());
    observer.observe(this.root);
    signal.addEventListener('abort', () => observer.disconnect());
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', () => this.paint(), { signal });
    void this.open(signal);
  }

  /** Shows these companies and directions, given as indexes. With `state`, days in other states are faded. */
  show(places: ReadonlySet<number>, directions: readonly number[], state: DayState | undefined): void {
    this.shown = this.rows.filter((_, place) => places.has(place));
    this.root.hidden = !areMany(this.shown.length);
    this.directions = directions;
    this.onlyState = state;
    const { index, words } = this.data;
    const names = directions.map((direction) => index.directions[direction] ?? '');
    this.help.textContent = words.overviewHelp(names);
    for (const row of this.shown) this.describe(row);
    this.layoutName = '';
    this.layOut();
  }

  private newRow(company: PackedCompany): Row {
    const picture = element('canvas', { 'aria-hidden': 'true' });
    const link = element('a', { href: `#${company.rut}`, tabindex: -1 });
    return { company, item: element('li', link), link, picture, calendars: undefined };
  }

  /** Writes the row's texts: the name, how many days are troubled, and for screen readers which states they have. */
  private describe({ company, link, picture }: Row): void {
    const { words, index } = this.data;
    const counts = this.directions.map((direction) => company.summaries[direction]?.states);
    const states = counts.filter((count) => count !== undefined);
    const troubled = states.reduce((sum, state) => sum + troubledDays(state), 0);
    const summaries = this.directions.map((direction, place) => {
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

  private async open(signal: AbortSignal): Promise<void> {
    for (const [place, row] of this.rows.entries()) {
      row.calendars = await this.data.calendars(place);
      if (signal.aborted) return;
      this.paintRow(row, coloursOf(this.root));
    }
  }

  /** Divides the rows into as many blocks as there is room for, and paints them. */
  private layOut(): void {
    const width = this.blocks.clientWidth;
    if (width === 0) return;
    const room = Math.floor(width / (NAME_PX + this.dayCount * LEAST_DAY_PX));
    const enough = Math.ceil(this.shown.length / ROWS_OF_A_BLOCK);
    const blockCount = Math.max(1, Math.min(room, enough, MOST_BLOCKS));
    const name = `${blockCount} ${width}`;
    if (name === this.layoutName) return;
    this.layoutName = name;
    const rowCount = Math.ceil(this.shown.length / blockCount);
    const height = ROW_HEIGHTS.find(({ most }) => rowCount <= most)?.px ?? 0;
    this.root.style.setProperty('--row', `${height}px`);
    const blocks = Array.from({ length: blockCount }, (_, block) => {
      const rows = this.shown.slice(block * rowCount, (block + 1) * rowCount);
      return element('div.block', this.axis(), element('ul', ...rows.map(({ item }) => item)));
    });
    this.blocks.replaceChildren(...blocks);
    this.pointTo(
      this.current !== undefined && this.shown.includes(this.current) ? this.current : this.shown[0],
    );
    for (const axis of this.blocks.querySelectorAll<HTMLElement>('.axis')) thinOut(axis);
    this.paint();
  }

  /** The months above a block. */
  private axis(): HTMLElement {
    const { words, index } = this.data;
    const labels = monthsOf(index.from, this.dayCount).map(({ first, weeks }) => {
      const label = element('span', words.shortMonth(first));
      label.style.left = `${((weeks[0]?.[0] ?? 0) / this.dayCount) * 100}%`;
      return label;
    });
    return element('div.axis', { 'aria-hidden': 'true' }, element('div', ...labels));
  }

  private paint(): void {
    const colours = coloursOf(this.root);
    for (const row of this.shown) this.paintRow(row, colours);
  }

  private paintRow({ picture, calendars }: Row, colours: Colours): void {
    if (calendars === undefined) return;
    const lines = this.directions.flatMap((direction) => calendars[direction] ?? []);
    paintDays(picture, lines, { colours, onlyState: this.onlyState });
  }

  private rowOf(target: EventTarget | null): Row | undefined {
    const link = target instanceof Element ? target.closest('a') : null;
    return link === null ? undefined : this.shown.find((row) => row.link === link);
  }

  /** Makes this row the one that Tab reaches. */
  private pointTo(row: Row | undefined): void {
    this.current?.link.setAttribute('tabindex', '-1');
    this.current = row;
    row?.link.setAttribute('tabindex', '0');
  }

  private onKey(event: KeyboardEvent): void {
    const row = this.rowOf(event.target);
    if (row === undefined || event.altKey || event.metaKey || event.ctrlKey) return;
    const place = this.shown.indexOf(row);
    const wanted = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: this.shown.length - 1 }[
      event.key
    ];
    const next = wanted === undefined ? undefined : this.shown[wanted];
    if (wanted === undefined) return;
    event.preventDefault();
    if (next === undefined) return;
    this.pointTo(next);
    next.link.focus();
  }

  /** Shows the company and day under the pointer in a tooltip. */
  private showDay({ target, clientX, clientY }: MouseEvent): void {
    const row = this.rowOf(target);
    if (row === undefined) {
      this.tip.hide();
      return;
    }
    const { words, index } = this.data;
    const name = row.company.name || row.company.rut;
    const box = row.picture.getBoundingClientRect();
    const place = Math.floor(((clientX - box.left) / box.width) * this.dayCount);
    const line = Math.floor(((clientY - box.top) / box.height) * this.directions.length);
    const direction = this.directions[Math.min(Math.max(line, 0), this.directions.length - 1)] ?? 0;
    const calendar = row.calendars?.[direction];
    const day =
      calendar?.states[place] === undefined
        ? ''
        : `, ${index.directions[direction]}, ${dayText(addDays(index.from, place), stateAt(calendar, place), calendar.receipts[place] ?? null, words)}`;
    this.tip.show(`${name}${day}`, new DOMRect(clientX, row.link.getBoundingClientRect().top, 0, box.height));
  }
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
