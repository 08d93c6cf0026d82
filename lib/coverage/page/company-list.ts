import { addDays, dayNumber, isDay } from '../../time/days.ts';
import { type CompanySection, companySection, type DayPlace } from './company-section.ts';
import type { PageData } from './data.ts';
import { element } from './dom.ts';

/** Calendars are drawn within this distance of the viewport, before they are scrolled to. */
const DRAWN_AROUND = '500px';

/** From this many days on, cells are a little smaller. */
const LONG_DAYS = 366;

/** All companies, drawn until the signal is aborted. Calendars are drawn only near the viewport. */
export function companyList(data: PageData, signal: AbortSignal) {
  const { index } = data;
  const root = element('div.companies');
  if (dayNumber(index.to) - dayNumber(index.from) >= LONG_DAYS) root.setAttribute('data-long', '');
  const sections = index.companies.map((company, place): CompanySection => {
    const section = companySection(data, company, place, (day) => onOpen(section, day));
    return section;
  });
  const bySection = new Map<Element, CompanySection>();
  let opened: CompanySection | undefined;
  /** Drawn sections: those near the viewport, and the neighbours of the focused one. */
  const near = new Set<CompanySection>();
  let neighbours: readonly CompanySection[] = [];
  const observer = new IntersectionObserver(onSeen, { rootMargin: DRAWN_AROUND });
  for (const section of sections) {
    bySection.set(section.root, section);
    root.append(section.root);
    observer.observe(section.root);
  }
  root.addEventListener('focusin', ({ target }) => drawNeighbours(target));
  window.addEventListener('resize', measure, { signal });
  signal.addEventListener('abort', () => observer.disconnect());

  /** Shows these companies and directions, given as indexes. */
  function show(places: ReadonlySet<number>, directions: readonly number[]): void {
    for (const [place, section] of sections.entries()) {
      section.root.hidden = !places.has(place);
      section.setDirections(directions);
    }
    requestAnimationFrame(measure);
  }

  /** Opens the day of `#RUT/direction/day`, or goes to the company of `#RUT`. Ignores other addresses. */
  async function openAddress(address: string): Promise<void> {
    const [rut, direction, day = ''] = address.replace(/^#/, '').split('/');
    const { companies, directions } = index;
    const section = sections[companies.findIndex((company) => company.rut === rut)];
    const place = directions.map(String).indexOf(direction ?? '');
    if (section === undefined || section.root.hidden) return;
    section.root.scrollIntoView();
    if (direction === undefined) section.focus();
    else
      await section.open({
        direction: place,
        place: isDay(day) ? dayNumber(day) - dayNumber(index.from) : Number.NaN,
      });
  }

  function onSeen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const section = bySection.get(target);
      if (section === undefined) continue;
      if (isIntersecting) {
        near.add(section);
        void section.draw().then(measure);
      } else {
        near.delete(section);
        leaveUnlessNeeded(section);
      }
    }
  }

  /** Draws the companies before and after the focused one, so that Tab and Shift+Tab reach them. */
  function drawNeighbours(target: EventTarget | null): void {
    const shown = sections.filter((section) => !section.root.hidden);
    const place = shown.findIndex((section) => target instanceof Node && section.root.contains(target));
    const before = neighbours;
    neighbours = [shown[place - 1], shown[place + 1]].filter((section) => section !== undefined);
    for (const section of before) leaveUnlessNeeded(section);
    for (const section of neighbours) void section.draw();
  }

  function leaveUnlessNeeded(section: CompanySection): void {
    if (!near.has(section) && !neighbours.includes(section)) section.leave();
  }

  /** Reserves the calendars' height, which is the same for all companies, for those that are not drawn. */
  function measure(): void {
    for (const section of sections) {
      const height = section.drawnHeight();
      if (height === undefined || height === 0) continue;
      root.style.setProperty('--calendars-height', `${height}px`);
      return;
    }
  }

  function onOpen(section: CompanySection, day: DayPlace | undefined): void {
    if (day !== undefined && opened !== undefined && opened !== section) opened.close();
    opened = day === undefined ? undefined : section;
    const address =
      day === undefined
        ? ''
        : `${section.company.rut}/${index.directions[day.direction]}/${addDays(index.from, day.place)}`;
    // The address can be shared. It adds no entry to the history.
    history.replaceState(null, '', `#${address}`);
  }

  return { root, show, openAddress };
}
