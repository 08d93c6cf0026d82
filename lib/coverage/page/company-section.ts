import { addDays } from '../../time/days.ts';
import { areMany } from '../day.ts';
import { type PackedCalendar, type PackedCompany, unpackDay } from '../html/packed.ts';
import { countText, receiptsText } from '../texts/texts.ts';
import { type CalendarGrid, calendarGrid, stateAt } from './calendar.ts';
import type { PageData } from './data.ts';
import { dayDetail } from './day-detail.ts';
import { element, spanish, stateChips } from './dom.ts';

/** A day of a company, as indexes: of the direction, and of the day in its calendar. */
export interface DayPlace {
  direction: number;
  place: number;
}

interface Drawn {
  calendar: PackedCalendar;
  grid: CalendarGrid;
  box: HTMLElement;
}

/** One company. Its heading is always drawn, its calendars only near the viewport. */
export class CompanySection {
  readonly root: HTMLElement;
  readonly company: PackedCompany;
  private readonly heading: HTMLElement;
  private readonly data: PageData;
  private readonly place: number;
  private readonly body = element('div.calendars');
  /** By the direction's place in the index. */
  private drawn: Map<number, Drawn> | undefined;
  private isNear = false;
  private directions: readonly number[] = [];
  private openDay: DayPlace | undefined;
  private readonly onOpen: (section: CompanySection, day: DayPlace | undefined) => void;

  constructor(
    data: PageData,
    company: PackedCompany,
    place: number,
    onOpen: (section: CompanySection, day: DayPlace | undefined) => void,
  ) {
    this.data = data;
    this.company = company;
    this.place = place;
    this.onOpen = onOpen;
    const { name, rut } = company;
    const id = `company-${place}`;
    const titles = name === '' ? [rut] : [name, ' ', element('span.rut', rut)];
    this.heading = element('h2', { id, tabindex: -1 }, ...titles);
    const top = element('div.company-top', this.heading);
    if (areMany(data.index.companies.length)) {
      top.append(element('a.up', { href: '#overview' }, data.words.toOverview));
    }
    top.append(
      stateChips(
        this.company.summaries.map(({ states }) => states),
        data.words,
      ),
    );
    this.root = element('section.company', { 'aria-labelledby': id }, top, this.body);
    // The new focus is known only after the event.
    this.root.addEventListener('focusout', () => setTimeout(() => this.tidy()));
  }

  /** Which directions to show, by their places in the index. */
  setDirections(directions: readonly number[]): void {
    const isSame = directions.every((direction, index) => direction === this.directions[index]);
    if (isSame && directions.length === this.directions.length) return;
    this.directions = directions;
    const isNear = this.isNear;
    this.close();
    this.clear();
    if (isNear) void this.draw();
  }

  /** Draws the calendars, when the section comes near the viewport or next to the focus. */
  async draw(): Promise<void> {
    this.isNear = true;
    if (this.drawn !== undefined) return;
    const calendars = await this.data.calendars(this.place);
    // Meanwhile it may have been scrolled away, or drawn by another call.
    if (!this.isNear || this.drawn !== undefined) return;
    this.drawn = new Map();
    for (const direction of this.directions) {
      const calendar = calendars[direction];
      if (calendar !== undefined) this.drawn.set(direction, this.drawCalendar(direction, calendar));
    }
    this.body.replaceChildren(...[...this.drawn.values()].map(({ box }) => box));
  }

  /** The section is no longer near the viewport: clears it as soon as it is not in use. */
  leave(): void {
    this.isNear = false;
    this.tidy();
  }

  private tidy(): void {
    const isInUse = this.openDay !== undefined || this.root.contains(document.activeElement);
    if (!this.isNear && !isInUse) this.clear();
  }

  private clear(): void {
    this.drawn = undefined;
    this.body.replaceChildren();
  }

  /** Moves the focus to the heading, after a jump from elsewhere on the page. */
  focus(): void {
    this.heading.focus({ preventScroll: true });
  }

  /** Height of the calendars; undefined if they are not drawn or a day is open among them. */
  drawnHeight(): number | undefined {
    return this.drawn === undefined || this.openDay !== undefined
      ? undefined
      : this.body.getBoundingClientRect().height;
  }

  /** Opens a day below its calendar. */
  async open(day: DayPlace): Promise<void> {
    await this.draw();
    const drawn = this.drawn?.get(day.direction);
    if (drawn?.calendar.states[day.place] === undefined) return;
    this.takeDetail();
    this.openDay = day;
    drawn.grid.select(day.place);
    this.onOpen(this, day);
    const detail = await this.detailOf(day, drawn);
    if (this.openDay !== day) return;
    drawn.box.after(detail);
    detail.querySelector('h4')?.focus({ preventScroll: true });
    detail.scrollIntoView({ block: 'nearest' });
  }

  /** Closes the open day. If the focus was in its detail, it goes back to the day's cell. */
  close(): void {
    const day = this.openDay;
    if (day === undefined) return;
    const hasFocus = this.root.querySelector('.detail')?.contains(document.activeElement) === true;
    this.takeDetail();
    if (hasFocus) this.drawn?.get(day.direction)?.grid.focus(day.place);
    this.onOpen(this, undefined);
    this.tidy();
  }

  private takeDetail(): void {
    if (this.openDay === undefined) return;
    this.drawn?.get(this.openDay.direction)?.grid.select(undefined);
    this.root.querySelector('.detail')?.remove();
    this.openDay = undefined;
  }

  private drawCalendar(direction: number, calendar: PackedCalendar): Drawn {
    const { index, words } = this.data;
    const id = `calendar-${this.place}-${direction}`;
    const most = calendar.receipts.reduce<number>((greatest, count) => Math.max(greatest, count ?? 0), 0);
    const receipts = this.company.summaries[direction]?.receipts ?? 0;
    const title = element(
      'h3',
      { id },
      spanish(index.directions[direction] ?? ''),
      element('span.hidden', ` ${words.ofCompany(this.company.name || this.company.rut)}`),
    );
    const facts = [
      receiptsText(receipts, words),
      ...(most > 0 ? [words.most(countText(most, words))] : []),
    ].join(', ');
    const labels = { labelledBy: id, describedBy: 'grid-help' };
    const grid = calendarGrid(
      calendar,
      index.from,
      words,
      labels,
      (place) => void this.open({ direction, place }),
    );
    const top = element('div.calendar-top', title, element('span.facts', facts));
    return { calendar, grid, box: element('div.calendar', top, grid.root) };
  }

  private async detailOf(day: DayPlace, { calendar }: Drawn): Promise<HTMLElement> {
    const { index, words } = this.data;
    const details = await this.data.details(this.place);
    const { direction, place } = day;
    const move = (to: number) =>
      to < 0 || to >= calendar.states.length ? undefined : () => void this.open({ direction, place: to });
    return dayDetail({
      company: this.company,
      direction: index.directions[direction] ?? '',
      day: addDays(index.from, place),
      state: stateAt(calendar, place),
      receipts: calendar.receipts[place] ?? null,
      record: unpackDay(details, direction, place),
      index,
      words,
      previous: move(place - 1),
      next: move(place + 1),
      close: () => this.close(),
    });
  }
}
