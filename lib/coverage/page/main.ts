import { dayNumber } from '../../time/days.ts';
import type { PackedIndex } from '../html/packed.ts';
import { ENGLISH } from '../texts/english.ts';
import { SPANISH } from '../texts/spanish.ts';
import { countText, type Texts } from '../texts/texts.ts';
import { companyList } from './company-list.ts';
import { type Choice, chosenCompanies, controls } from './controls.ts';
import { PageData } from './data.ts';
import { button, element, shadeLegend, showTooltips, Tip } from './dom.ts';
import { overview } from './overview.ts';
import { tableView } from './table-view.ts';

const LANGUAGES = [ENGLISH, SPANISH];
const KEPT_AS = 'cfe-lake-language';

/** The language chosen earlier, else the browser's first one that the page has, else English. */
function firstLanguage(): Texts {
  const wanted = [keptLanguage() ?? '', ...navigator.languages];
  const spoken = wanted.flatMap((name) =>
    LANGUAGES.filter(({ language }) => name.split('-')[0] === language),
  );
  return spoken[0] ?? ENGLISH;
}

/** The other language, which is kept for the next page. */
function otherLanguage({ language }: Texts): Texts {
  const other = LANGUAGES.find((texts) => texts.language !== language) ?? ENGLISH;
  try {
    localStorage.setItem(KEPT_AS, other.language);
  } catch {
    // The browser stores nothing for this page: the choice lasts until the page is closed.
  }
  return other;
}

function keptLanguage(): string | null {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}

/** The page's title, and the switch to the other language. */
function pageTop(index: PackedIndex, words: Texts, onSwitch: () => void): Node[] {
  const { from, to, lake, today, madeAt, companies } = index;
  const range = words.range(words.shortDay(from), words.shortDay(to));
  const count = words.companies(countText(companies.length, words), companies.length === 1);
  const moment = `${words.shortDay(today)} ${madeAt.slice(11)}`;
  document.documentElement.lang = words.language;
  document.title = `${words.title} ${range} · cfe-lake`;
  const other = words.language === 'en' ? 'es' : 'en';
  return [
    element(
      'div.title',
      element('h1', words.title),
      button(words.otherLanguage, onSwitch, { class: 'language', lang: other }),
    ),
    element(
      'p',
      `${words.whichDays} `,
      element('b', range),
      `, ${count}, ${words.inLake} `,
      element('b', lake),
      `. ${words.asOf(moment)}`,
    ),
  ];
}

/** Draws the page in the language of its data. Called again when the language is switched. */
function draw(top: HTMLElement, page: HTMLElement, data: PageData, before?: Choice): void {
  const { index, words } = data;
  const drawing = new AbortController();
  const { signal } = drawing;
  let chosen = before;
  const tip = new Tip(signal);
  const list = companyList(data, signal);
  const openAddress = (): void => void list.openAddress(location.hash);
  const dayCount = dayNumber(index.to) - dayNumber(index.from) + 1;
  const summary = overview(data, dayCount, tip, signal, openAddress);
  const table = tableView(data);
  const nothing = element('p.notice', words.nothingChosen);
  const legend = shadeLegend(words);
  const onChoice = (choice: Choice): void => {
    chosen = choice;
    const places = chosenCompanies(index, choice);
    const isTable = choice.view === 'table';
    filters.sayCount(places.size);
    nothing.hidden = places.size > 0;
    list.root.hidden = isTable;
    legend.hidden = isTable;
    table.root.hidden = !isTable || places.size === 0;
    if (choice.state === undefined) list.root.removeAttribute('data-only');
    else list.root.setAttribute('data-only', choice.state);
    const drawn = isTable ? new Set<number>() : places;
    summary.show(drawn, choice.directions, choice.state);
    list.show(drawn, choice.directions);
    if (isTable) void table.show(places, choice.directions);
  };
  const filters = controls(index, words, onChoice, before);
  const onSwitch = (): void => {
    drawing.abort();
    data.words = otherLanguage(words);
    draw(top, page, data, chosen);
    top.querySelector('button')?.focus();
  };
  top.replaceChildren(...pageTop(index, words, onSwitch));
  page.replaceChildren(filters.root, nothing, summary.root, legend, list.root, table.root);
  filters.start();
  showTooltips(list.root, tip);
  window.addEventListener('hashchange', openAddress, { signal });
  openAddress();
}

const words = firstLanguage();
const [top, page] = ['top', 'page'].map((id) => document.getElementById(id));
if ('DecompressionStream' in window) {
  if (top != null && page != null) draw(top, page, new PageData(words));
} else {
  page?.append(element('p.notice', words.tooOld));
}
