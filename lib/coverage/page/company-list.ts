import { dayNumber, isDay } from '../../time/days.ts';
import { CompanySection, type DayPlace } from './company-section.ts';
import type { PageData } from './data.ts';
import { element } from './dom.ts';

/** Calendars are drawn within this distance of the viewport, before they are scrolled to. */
const DRAWN_AROUND = '500px';

/** From this many days on, cells are a little smaller. */
const LONG_DAYS = 366;

/** All companies. Calendars are drawn only near the viewport. */
export class CompanyList {
  readonly root = element('div.companies');
  private readonly data: PageData;
  private readonly sections: CompanySection[];
  private readonly bySection = new Map<Element, CompanySection>();
  private opened: CompanySection | undefined;
  /** Drawn sections: those near the viewport, and the neighbours of the focused one. */
  private readonly near = new Set<CompanySection>();
  private neighbours: readonly CompanySection[] = [];
  private readonly observer: IntersectionObserver;

  /** Draws until the signal is aborted. */
  constructor(data: PageData, signal: AbortSignal) {
    this.data = data;
    const { from, to } = data.index;
    if (dayNumber(to) - dayNumber(from) >= LONG_DAYS) this.root.setAttribute('data-long', '');
    const onOpen = (section: CompanySection, day: DayPlace | undefined) => this.onOpen(section, day);
    this.sections = data.index.companies.map((_, place) => new CompanySection(data, place, onOpen));
    this.observer = new IntersectionObserver((entries) => this.onSeen(entries), { rootMargin: DRAWN_AROUND });
    for (const section of this.sections) {
      this.bySection.set(section.root, section);
      this.root.append(section.root);
      this.observer.observe(section.root);
    }
    this.root.addEventListener('focusin', ({ target }) => this.drawNeighbours(target));
    window.addEventListener('resize', () => this.measure(), { signal });
    signal.addEventListener('abort', () => this.observer.disconnect());
  }

  /** Shows these companies and directions, given as indexes. */
  show(places: ReadonlySet<number>, directions: readonly number[]): void {
    for (const [place, section] of this.sections.entries()) {
      section.root.hidden = !places.has(place);
      section.setDirections(directions);
    }
    requestAnimationFrame(() => this.measure());
  }

  /** Opens the day of `#RUT/direction/day`, or goes to the company of `#RUT`. Ignores other addresses. */
  async openAddress(address: string): Promise<void> {
    const [rut, direction, day = ''] = address.replace(/^#/, '').split('/');
    const { companies, directions } = this.data.index;
    const section = this.sections[companies.findIndex((company) => company.rut === rut)];
    const place = directions.map(String).indexOf(direction ?? '');
    if (section === undefined || section.root.hidden) return;
    section.root.scrollIntoView();
    if (direction === undefined) section.focus();
    else await section.open({ direction: place, place: isDay(day) ? section.placeOf(day) : Number.NaN });
  }

  private onSeen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const section = this.bySection.get(target);
      if (section === undefined) continue;
      if (isIntersecting) {
        this.near.add(section);
        void section.draw().then(() => this.measure());
      } else {
        this.near.delete(section);
        this.leaveUnlessNeeded(section);
      }
    }
  }

  /** Draws the companies before and after the focused one, so that Tab and Shift+Tab reach them. */
  private drawNeighbours(target: EventTarget | null): void {
    const shown = this.sections.filter(({ root }) => !root.hidden);
    const place = shown.findIndex(({ root }) => target instanceof Node && root.contains(target));
    const before = this.neighbours;
    this.neighbours = [shown[place - 1], shown[place + 1]].filter((section) => section !== undefined);
    for (const section of before) this.leaveUnlessNeeded(section);
    for (const section of this.neighbours) void section.draw();
  }

  private leaveUnlessNeeded(section: CompanySection): void {
    if (!this.near.has(section) && !this.neighbours.includes(section)) section.leave();
  }

  /** Reserves the calendars' height, which is the same for all companies, for those that are not drawn. */
  private measure(): void {
    for (const section of this.sections) {
      const height = section.drawnHeight();
      if (height === undefined || height === 0) continue;
      this.root.style.setProperty('--calendars-height', `${height}px`);
      return;
    }
  }

  private onOpen(section: CompanySection, day: DayPlace | undefined): void {
    if (day !== undefined && this.opened !== undefined && this.opened !== section) this.opened.close();
    this.opened = day === undefined ? undefined : section;
    const { directions } = this.data.index;
    const address =
      day === undefined
        ? ''
        : `${section.company.rut}/${directions[day.direction]}/${section.dayAt(day.place)}`;
    // The address can be shared. It adds no entry to the history.
    history.replaceState(null, '', `#${address}`);
  }
}
