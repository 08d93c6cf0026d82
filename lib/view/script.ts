/** The one script of all pages: folding, the filter, and clicks on days. Without it, each page can still be read. */
export const PAGE_SCRIPT = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const { dataset } = document.body;
  const fold = (isOpen) => all('.section').forEach((section) => (section.open = isOpen));
  if (matchMedia('screen and (max-width: 600px)').matches) fold(false);
  addEventListener('beforeprint', () => fold(true));
  /** Opens what has the id, or the words of a day's calendar if the page does not have that day in full. */
  const open = (id) => {
    const found = byId(id) ?? byId(id.split('/', 2).join('/'))?.querySelector('details');
    for (let box = found; box; box = box.parentElement) if (box.tagName === 'DETAILS') box.open = true;
    found?.scrollIntoView({ block: id.includes('/') ? 'center' : 'start' });
    return found;
  };
  const openAddress = () => open(decodeURIComponent(location.hash.slice(1)));
  addEventListener('hashchange', openAddress);
  openAddress();
  const search = byId('search');
  if (search === null) return;
  const [companies, tiles] = [all('.company'), all('button.tile')];
  const plain = (text) => text.normalize('NFD').replaceAll(/\\p{M}/gu, '').toLowerCase();
  const names = companies.map((company) => plain(company.querySelector('h2').textContent));
  const filter = () => {
    const state = (dataset.state = tiles.find(({ ariaPressed }) => ariaPressed === 'true')?.value ?? '');
    const direction = (dataset.direction = document.querySelector('[name=direction]:checked')?.value ?? '');
    const days = '.calendar' + (direction && '.' + direction) + ' .days path.' + state;
    for (const [place, company] of companies.entries()) {
      const isNamed = names[place].includes(plain(search.value.trim()));
      company.hidden = !isNamed || (state !== '' && company.querySelector(days) === null);
    }
    byId('shown').textContent = companies.filter(({ hidden }) => !hidden).length;
    byId('nothing').hidden = companies.some(({ hidden }) => !hidden);
  };
  for (const tile of tiles) tile.addEventListener('click', () => {
    for (const other of tiles) other.ariaPressed = String(other === tile && tile.ariaPressed === 'false');
    filter();
  });
  search.value = '';
  byId('choices').addEventListener('input', filter);
  byId('choices').hidden = false;
  filter();
  /** The day under the pointer, from its place in the picture: rows are months, columns days. */
  for (const event of ['click', 'mousemove']) document.addEventListener(event, ({ target, clientX, clientY }) => {
    if (!target.matches('.days path')) return;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(target.ownerSVGElement.getScreenCTM().inverse());
    const [year, month] = dataset.from.split('-').map(Number);
    const day = new Date(Date.UTC(year, month - 1 + Math.floor(y + 0.5), 1 + Math.floor(x))).toISOString().slice(0, 10);
    const id = target.closest('.calendar').id + '/' + day;
    const title = target.querySelector('title') ?? document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = byId(id)?.querySelector('summary').textContent ?? day;
    target.append(title);
    if (event === 'mousemove') return;
    open(id)?.querySelector('summary').focus({ preventScroll: true });
    history.replaceState(null, '', '#' + id);
  });
})();`;
