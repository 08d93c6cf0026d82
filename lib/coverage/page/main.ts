import { CompanyList } from './company-list.ts';
import { type Choice, Controls, chosenCompanies } from './controls.ts';
import { PageData } from './data.ts';
import { element } from './dom.ts';
import { firstLanguage, otherLanguage } from './language.ts';
import { pageTop } from './page-top.ts';
import { shadeLegend } from './shade-legend.ts';
import { TableView } from './table-view.ts';
import { showTooltips } from './tooltip.ts';

/** Draws the page from what stands in it, in the language of its data; anew when that is switched. */
function draw(top: HTMLElement, page: HTMLElement, data: PageData, before?: Choice): void {
  const { index, words } = data;
  const drawing = new AbortController();
  const { signal } = drawing;
  let chosen = before;
  const list = new CompanyList(data, signal);
  const table = new TableView(data);
  const nothing = element('p', { class: 'notice' }, words.nothingChosen);
  const legend = shadeLegend(words);
  const onChoice = (choice: Choice): void => {
    chosen = choice;
    const places = chosenCompanies(index, choice);
    const isTable = choice.view === 'table';
    controls.sayCount(places.size);
    nothing.hidden = places.size > 0;
    list.root.hidden = isTable;
    legend.hidden = isTable;
    table.root.hidden = !isTable || places.size === 0;
    if (choice.state === undefined) list.root.removeAttribute('data-only');
    else list.root.setAttribute('data-only', choice.state);
    list.show(isTable ? new Set() : places, choice.directions);
    if (isTable) void table.show(places, choice.directions);
  };
  const controls = new Controls(index, words, onChoice, before);
  const onSwitch = (): void => {
    drawing.abort();
    data.words = otherLanguage(words);
    draw(top, page, data, chosen);
    top.querySelector('button')?.focus();
  };
  top.replaceChildren(...pageTop(index, words, onSwitch));
  page.replaceChildren(controls.root, legend, nothing, list.root, table.root);
  controls.start();
  showTooltips(list.root, signal);
  const openAddress = (): void => void list.openAddress(location.hash);
  window.addEventListener('hashchange', openAddress, { signal });
  openAddress();
}

const words = firstLanguage();
const [top, page] = ['top', 'page'].map((id) => document.getElementById(id));
if ('DecompressionStream' in window) {
  if (top != null && page != null) draw(top, page, new PageData(words));
} else {
  page?.append(element('p', { class: 'notice' }, words.tooOld));
}
