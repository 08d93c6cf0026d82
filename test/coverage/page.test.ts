import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { campaign } from '../support/campaign.ts';
import { bigCoverageHtml } from '../support/coverage/big-coverage.ts';
import { hasChromium } from '../support/coverage/chromium.ts';
import { OTHER_RUT, RUT, runIdOf } from '../support/coverage/coverage-lake.ts';
import {
  eventually,
  type OpenBrowser,
  type OpenPage,
  openBrowser,
  outsideWindow,
  troubledPage,
} from '../support/coverage/coverage-page.ts';
import { LOOKS, showFor, violations } from '../support/coverage/looks.ts';

const HAS_BROWSER = hasChromium('the coverage page');
const ADDRESS = `${RUT}/recibidos/2026-11-17`;

describe.runIf(HAS_BROWSER)('the coverage page', () => {
  let html: string;
  let browser: OpenBrowser;

  beforeAll(async () => {
    html = await troubledPage();
    browser = await openBrowser(html);
  });
  afterAll(() => browser?.close());

  /** The page, of which is checked afterwards that it had no error and asked for nothing. */
  async function open(): Promise<Page> {
    const opened = await browser.open();
    onTestFinished(() =>
      expect({ errors: opened.errors, requests: opened.requests }).toEqual({ errors: [], requests: [] }),
    );
    return opened.page;
  }

  /** The middle of a day in the picture of a company's received receipts. */
  async function pointOf(page: Page, month: number, date: number) {
    const box = await page.locator(`[id="${RUT}/recibidos"] .days`).boundingBox();
    if (box === null) throw new RangeError('the picture is not shown');
    // From June to November.
    return { x: box.x + ((date - 0.5) / 31) * box.width, y: box.y + ((month - 6 + 0.5) / 6) * box.height };
  }

  it('opens the day that is clicked in the picture, and names it beside the pointer', async () => {
    const page = await open();
    const { x, y } = await pointOf(page, 11, 17);
    await page.mouse.move(x, y);
    const day = page.locator(`[id="${ADDRESS}"]`);
    expect(await page.locator('.days title').textContent()).toBe(
      'martes 17/11/2026: 3 comprobantes, se sigue releyendo',
    );
    expect(await day.isVisible()).toBe(false);
    await page.mouse.click(x, y);
    expect(await day.getByText('no cumplió 65 días; leído el 19/11/2026.').isVisible()).toBe(true);
    const tables = await day.locator('pre:visible').allInnerTexts();
    expect(tables[0]).toMatch(
      /111 e-Factura +2 {2}UYU +123\.456\.789\.012\.345,68\n112 Nota de crédito de e-Factura +1 {2}USD +5,00/,
    );
    expect(tables[1]).toMatch(new RegExp(`2026-11-19 03:00:00 {2}${runIdOf('again')} +exportado +3 +1 `));
    expect(new URL(page.url()).hash).toBe(`#${ADDRESS}`);
    expect(await page.evaluate('document.activeElement.textContent')).toContain('17/11/2026');
  });

  it('opens the day of its address, and shows why it failed, as text and nothing else', async () => {
    const page = await open();
    await page.evaluate(`location.hash = '#${RUT}/recibidos/2026-11-19'`);
    const day = page.locator(`[id="${RUT}/recibidos/2026-11-19"]`);
    await day.getByText('the API refused the token <script>alert(1)</script>').waitFor();
    expect(await page.locator('main script, main b b, h2 b').count()).toBe(0);
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      `El Tornillo ${OTHER_RUT}`,
      `Ñandú <b>& Hijos</b> ${RUT}`,
    ]);
  });

  it('is used with the keyboard alone: from a calendar to its months and days', async () => {
    const page = await open();
    const calendar = page.locator(`[id="${RUT}/recibidos"]`);
    const focused = () => page.evaluate<string>('document.activeElement.innerText');
    await calendar.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('junio de 2026: 60 comprobantes; 28 sin leer, 1 sin lectura final');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('lunes 01/06/2026: sin leer');
    await page.keyboard.press('Enter');
    expect(await calendar.getByText('ninguna corrida lo exportó.').first().isVisible()).toBe(true);
  });

  it('shows the companies that have days in the state, direction and name that are chosen', async () => {
    const page = await open();
    const shown = () => page.locator('.company:visible h2').allTextContents();
    const [nandu, tornillo] = [`Ñandú <b>& Hijos</b> ${RUT}`, `El Tornillo ${OTHER_RUT}`];
    expect(await shown()).toEqual([tornillo, nandu]);
    await page.getByRole('button', { name: '1 con error' }).click();
    expect(await shown()).toEqual([nandu]);
    expect(await page.getByRole('button', { name: '1 con error' }).getAttribute('aria-pressed')).toBe('true');
    expect((await page.getByRole('status').innerText()).trim()).toBe('1 de 2 empresas');
    const opacity = (state: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('.days .${state}')).opacity`);
    expect({ failed: await opacity('failed'), open: await opacity('open') }).toEqual({
      failed: '1',
      open: '0.2',
    });
    await page.getByLabel('emitidos').check();
    expect(await shown()).toEqual([]);
    expect(await page.getByText('Ninguna empresa coincide').isVisible()).toBe(true);
    await page.getByRole('button', { name: '1 con error' }).click();
    expect(await shown()).toEqual([tornillo, nandu]);
    expect(await page.locator('.calendar:visible').count()).toBe(2);
    await page.getByRole('searchbox').fill('NANDU');
    expect(await shown()).toEqual([nandu]);
    await page.getByRole('searchbox').fill(OTHER_RUT.slice(3, 9));
    expect(await shown()).toEqual([tornillo]);
  });

  it('is Spanish in any browser, and says everything in it', async () => {
    const page = await open();
    expect(await page.title()).toBe('Cobertura del 01/06/2026 al 19/11/2026');
    const top = (await page.locator('header').innerText()).replaceAll(/\s+/g, ' ');
    expect(top).toContain(
      'Qué fechas de emisión hay en el lago: del 01/06/2026 al 19/11/2026, 2 empresas, en memory. Al 20/11/2026 03:12, hora de Uruguay.',
    );
    await page.evaluate(`
      for (const block of document.querySelectorAll('details')) block.open = true;
      // Text far from the window is not rendered otherwise.
      for (const block of document.querySelectorAll('.company')) block.style.contentVisibility = 'visible';
    `);
    const said = await page.evaluate<string>('document.body.innerText');
    expect(said).toContain('Exportado después de cumplir 65 días; leído el 10/11/2026.');
    // Sentences are recognised by words that only English has.
    const words =
      /(?<!\p{L})(?:the|of|and|receipts?|read|days?|company|companies|missing|failed|settled|Thursday)(?!\p{L})/iu;
    const others = said
      .split('\n')
      .filter((line) => words.test(line) && !/the API refused|npm run/.test(line));
    expect(others).toEqual([]);
  });

  const CASES = campaign({ quick: LOOKS.slice(1, 2), long: LOOKS });
  it.each(CASES)('fits its window and is for everybody in %s, %i pixels wide', async (...look) => {
    const page = await open();
    await showFor(page, ...look);
    expect(await violations(page)).toEqual([]);
    await page.evaluate(`location.hash = '#${ADDRESS}'`);
    await page.getByText('Los totales de las notas de crédito son positivos').first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await outsideWindow(page)).toEqual([]);
  });
});

const { COMPANIES, DAYS } = campaign({
  quick: { COMPANIES: 30, DAYS: 100 },
  long: { COMPANIES: 1_000, DAYS: 400 },
});

describe.runIf(HAS_BROWSER)(`the coverage page of ${COMPANIES} companies and ${DAYS} days`, () => {
  let browser: OpenBrowser;
  let opened: OpenPage;

  beforeAll(async () => {
    browser = await openBrowser(await bigCoverageHtml(COMPANIES, DAYS));
    opened = await browser.open();
  });
  afterAll(() => browser?.close());

  it('has a line for each company, which opens its calendars and is filtered', async () => {
    const { page } = opened;
    const companies = page.locator('.company');
    expect(await companies.count()).toBe(COMPANIES);
    const company = companies.nth(COMPANIES - 2);
    await company.locator('summary').first().click();
    await eventually(() => company.locator('.picture').first().isVisible()).toBe(true);
    expect(await companies.nth(0).locator('.picture').first().isVisible()).toBe(false);
    await page.getByRole('searchbox').fill('ñandubaysera');
    await eventually(() => companies.filter({ visible: true }).count()).toBeLessThan(COMPANIES / 5);
    expect({ errors: opened.errors, requests: opened.requests }).toEqual({ errors: [], requests: [] });
  });

  it('is for everybody, and fits a narrow window', async () => {
    const { page } = opened;
    await showFor(page, 'light', 380);
    if (COMPANIES < 100) expect(await violations(page)).toEqual([]);
    expect(await outsideWindow(page)).toEqual([]);
  });
});
