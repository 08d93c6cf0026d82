import { CompanyList } from './company-list.ts';
import { type Choice, Controls, chosenCompanies } from './controls.ts';
import { PageData } from './data.ts';
import { element } from './dom.ts';
import { shadeLegend } from './shade-legend.ts';
import { TableView } from './table-view.ts';
import { showTooltips } from './tooltip.ts';

/** Draws the page from what stands in it. */
function start(page: HTMLElement): void {
  const data = new PageData();
  const list = new CompanyList(data);
  const table = new TableView(data);
  const nothing = element('p', { class: 'notice' }, 'No company has that. Choose something wider.');
  const legend = shadeLegend();
  const controls = new Controls(data.index, (choice: Choice) => {
    const places = chosenCompanies(data.index, choice);
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
  });
  page.append(controls.root, legend, nothing, list.root, table.root);
  controls.start();
  showTooltips(list.root);
  const openAddress = (): void => void list.openAddress(location.hash);
  window.addEventListener('hashchange', openAddress);
  openAddress();
}

const page = document.getElementById('page');
if ('DecompressionStream' in window) {
  if (page !== null) start(page);
} else {
  page?.append(
    element(
      'p',
      { class: 'notice' },
      'This browser is too old for this page: one of 2023 or later can show it.',
    ),
  );
}
