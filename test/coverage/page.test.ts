import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ENGLISH, SPANISH } from '../../lib/coverage/texts.ts';
import { campaign } from '../support/campaign.ts';
import { bigCoverageHtml } from '../support/coverage/big-coverage.ts';
import { hasChromium } from '../support/coverage/chromium.ts';
import { OTHER_RUT, RUT } from '../support/coverage/coverage-lake.ts';
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
    onTestFinished(() => expect([opened.errors, opened.requests]).toEqual([[], []]));
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
      '2026-11-17 (Tue): 3 receipts, still re-read',
    );
    expect(await day.isVisible()).toBe(false);
    await page.mouse.click(x, y);
    expect(await day.getByText('its 65 days are not over; read on 2026-11-19.').isVisible()).toBe(true);
    const tables = await day.locator('pre:visible').allInnerTexts();
    expect(tables[0]).toMatch(
      /111 e-Factura +2 {2}UYU +123,456,789,012,345\.68\n112 Nota de crédito de e-Factura +1 {2}USD +5\.00/,
    );
    expect(tables[1]).toMatch(/2026-11-19 03:00:00 {2}again +exportado +3 +1 /);
    expect(new URL(page.url()).hash).toBe(`#${ADDRESS}`);
    expect(await page.evaluate('document.activeElement.textContent')).toContain('2026-11-17');
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
    expect(await focused()).toBe('June 2026: 60 receipts; 28 missing, 1 aged');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('2026-06-01 (Mon): missing');
    await page.keyboard.press('Enter');
    expect(await calendar.getByText('no run has exported it.').first().isVisible()).toBe(true);
  });

  it('shows the companies that have days in the state, direction and name that are chosen', async () => {
    const page = await open();
    const shown = () => page.locator('.company:visible h2').allTextContents();
    const [nandu, tornillo] = [`Ñandú <b>& Hijos</b> ${RUT}`, `El Tornillo ${OTHER_RUT}`];
    expect(await shown()).toEqual([tornillo, nandu]);
    await page.getByRole('button', { name: '1 failed' }).click();
    expect(await shown()).toEqual([nandu]);
    expect(await page.getByRole('button', { name: '1 failed' }).getAttribute('aria-pressed')).toBe('true');
    expect((await page.getByRole('status').innerText()).trim()).toBe('1 of 2 companies');
    const opacity = (state: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('.days .${state}')).opacity`);
    expect([await opacity('failed'), await opacity('open')]).toEqual(['1', '0.2']);
    await page.getByLabel('emitidos').check();
    expect(await shown()).toEqual([]);
    expect(await page.getByText(ENGLISH.nothingChosen).isVisible()).toBe(true);
    await page.getByRole('button', { name: '1 failed' }).click();
    expect(await shown()).toEqual([tornillo, nandu]);
    expect(await page.locator('.calendar:visible').count()).toBe(2);
    await page.getByRole('searchbox').fill('NANDU');
    expect(await shown()).toEqual([nandu]);
    await page.getByRole('searchbox').fill(OTHER_RUT.slice(3, 9));
    expect(await shown()).toEqual([tornillo]);
  });

  it('is Spanish in a Spanish browser, says everything in one language, and keeps what is chosen', async () => {
    const spanish = await openBrowser(html, 'es-UY');
    onTestFinished(() => spanish.close());
    const { page, errors } = await spanish.open();
    expect(await page.title()).toBe('Cobertura del 01/06/2026 al 19/11/2026 · cfe-lake');
    const top = (await page.locator('header').innerText()).replaceAll(/\s+/g, ' ');
    expect(top).toContain(
      'Qué fechas de emisión hay en el lago: del 01/06/2026 al 19/11/2026, 2 empresas, en memory. Al 20/11/2026 03:12:00, hora de Uruguay.',
    );
    await page.evaluate(`
      for (const each of document.querySelectorAll('details')) each.open = true;
      // Text far from the window is not rendered otherwise.
      for (const each of document.querySelectorAll('.company')) each.style.contentVisibility = 'visible';
    `);
    const said = await page.evaluate<string>('document.body.innerText');
    expect(said).toContain('Exportado después de cumplir 65 días; leído el 10/11/2026.');
    expect(said).toContain('123.456.789.012.345,68');
    const months = 'getComputedStyle(document.querySelector("#months [lang=en]")).display';
    expect(await page.evaluate(months)).toBe('none');
    // Sentences are recognised by words that only English has.
    const words =
      /(?<!\p{L})(?:the|of|and|receipts?|read|days?|company|companies|missing|failed|settled|Thursday)(?!\p{L})/iu;
    const others = said
      .split('\n')
      .filter((line) => words.test(line) && !/the API refused|npm run/.test(line));
    expect(others).toEqual([]);
    await page.getByRole('button', { name: 'English' }).click();
    expect(await page.title()).toBe('Coverage 2026-06-01 to 2026-11-19 · cfe-lake');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Español');
    // Chromium stores the choice in another process: a reload may be faster.
    await eventually(async () => {
      await page.reload();
      return await page.locator('h1').innerText();
    }).toBe('Coverage');
    expect(errors).toEqual([]);
  });

  const CASES = campaign({
    quick: [['es-UY', 'dark', 380] as const],
    long: (['en-US', 'es-UY'] as const).flatMap((locale) => LOOKS.map((look) => [locale, ...look] as const)),
  });
  it.each(CASES)(
    'fits its window and is for everybody in %s, %s, %i pixels wide',
    async (locale, ...look) => {
      const other = await openBrowser(html, locale);
      onTestFinished(() => other.close());
      const { page } = await other.open();
      await showFor(page, ...look);
      expect(await violations(page)).toEqual([]);
      await page.evaluate(`location.hash = '#${ADDRESS}'`);
      const words = locale === 'es-UY' ? SPANISH : ENGLISH;
      await page.getByText(words.creditNotes).first().waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await outsideWindow(page)).toEqual([]);
    },
  );
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

  it('begins with an overview, whose rows lead to the companies and are filtered with them', async () => {
    const { page } = opened;
    const rows = page.locator('.overview li');
    expect(await rows.count()).toBe(COMPANIES);
    const row = rows.nth(COMPANIES - 2).getByRole('link');
    const name = await row.locator('.name').innerText();
    expect(await row.innerText()).toMatch(/recibidos: .*emitidos: /);
    await row.click();
    await eventually(() =>
      page
        .locator('.company')
        .nth(COMPANIES - 2)
        .getByText(name)
        .first()
        .isVisible(),
    ).toBe(true);
    await page.getByRole('searchbox').fill('ñandubaysera');
    await eventually(() => rows.filter({ visible: true }).count()).toBeLessThan(COMPANIES / 5);
    expect(await page.locator('.company:visible').count()).toBe(await rows.filter({ visible: true }).count());
    expect([opened.errors, opened.requests]).toEqual([[], []]);
  });

  it('is for everybody, and fits a narrow window', async () => {
    const { page } = opened;
    await showFor(page, 'light', 380);
    if (COMPANIES < 100) expect(await violations(page)).toEqual([]);
    expect(await outsideWindow(page)).toEqual([]);
  });
});
