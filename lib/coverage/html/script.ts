import { LANGUAGE_SWITCH } from '../../text/html.ts';

/** The page's script: the language, the filter, and clicks on days. Without it, the whole page can still be read. */
export const PAGE_SCRIPT = `${LANGUAGE_SWITCH}
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const { dataset } = document.body;
  const companies = all('.company');
  const rows = all('.overview li');
  const search = document.getElementById('search');
  const plain = (text) => text.normalize('NFD').replaceAll(/\\p{M}/gu, '').toLowerCase();
  const names = companies.map((company) => plain(company.querySelector('h2').textContent));
  const filter = () => {
    const { state, direction } = dataset;
    const days = (direction ? '.' + direction : '.calendar') + ' path.' + state;
    let count = 0;
    for (const [place, company] of companies.entries()) {
      const isNamed = names[place].includes(plain(search.value.trim()));
      company.hidden = !isNamed || (state !== undefined && company.querySelector(days) === null);
      if (rows[place]) rows[place].hidden = company.hidden;
      if (!company.hidden) count += 1;
    }
    document.getElementById('shown').textContent = count;
    document.getElementById('nothing').hidden = count > 0;
  };
  const choose = (name, value) => {
    if (value) dataset[name] = value;
    else delete dataset[name];
    filter();
  };
  const tiles = all('.tile');
  for (const tile of tiles) {
    tile.addEventListener('click', () => {
      const isChosen = tile.ariaPressed === 'true';
      for (const other of tiles) other.ariaPressed = String(other === tile && !isChosen);
      choose('state', isChosen ? '' : tile.value);
    });
  }
  for (const radio of all('[name=direction]')) radio.addEventListener('change', () => choose('direction', radio.value));
  search.addEventListener('input', filter);
  search.value = '';
  document.getElementById('choices').hidden = false;
  filter();

  /** The id of the day under the pointer, from its place in the picture: rows are months, columns days. */
  const dayAt = ({ target, clientX, clientY }) => {
    const picture = target.matches('.days path') ? target.ownerSVGElement : null;
    if (picture === null) return undefined;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(picture.getScreenCTM().inverse());
    const [year, month] = dataset.from.split('-').map(Number);
    const day = new Date(Date.UTC(year, month - 1 + Math.floor(y + 0.5), 1 + Math.floor(x)));
    return picture.closest('.calendar').id + '/' + day.toISOString().slice(0, 10);
  };
  /** Opens the day, or its calendar's words if the page does not have that day in full. */
  const open = (id) => {
    const found = document.getElementById(id) ?? document.getElementById(id.split('/', 2).join('/'))?.querySelector('details');
    for (let each = found; each; each = each.parentElement) if (each.tagName === 'DETAILS') each.open = true;
    found?.scrollIntoView({ block: id.includes('/') ? 'center' : 'start' });
    return found;
  };
  document.addEventListener('click', (event) => {
    const id = dayAt(event);
    if (id === undefined) return;
    open(id)?.querySelector('summary').focus({ preventScroll: true });
    history.replaceState(null, '', '#' + id);
  });
  document.addEventListener('mousemove', (event) => {
    const id = dayAt(event);
    if (id === undefined) return;
    const title = event.target.querySelector('title') ?? document.createElementNS('http://www.w3.org/2000/svg', 'title');
    const { lang } = document.documentElement;
    const said = document.getElementById(id)?.querySelector('summary [lang=' + lang + ']').textContent;
    const state = document.querySelector('.tile[value=' + event.target.classList[0] + '] .name').innerText;
    title.textContent = said ?? id.split('/').pop() + ': ' + state;
    event.target.append(title);
  });
  const openAddress = () => open(decodeURIComponent(location.hash.slice(1)));
  addEventListener('hashchange', openAddress);
  openAddress();
})();`;
