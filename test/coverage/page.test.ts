import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { campaign } from '../support/campaign.ts';
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
import { LOOKS_TO_FIT, show } from '../support/coverage/looks.ts';

describe.runIf(hasChromium('the coverage page'))('the coverage page', () => {
  let browser: OpenBrowser;
  let opened: OpenPage;
  let page: Page;
  let address: string;

  beforeAll(async () => {
    browser = await openBrowser(await troubledPage());
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    opened = await browser.open();
    ({ page, address } = opened);
    await cell('2026-11-19').first().waitFor();
  });
  afterEach(async () => {
    expect(opened.errors).toEqual([]);
    expect(opened.requests).toEqual([]);
  });

  /** The cells of a day in all calendars, or in the one with the given name. */
  const cell = (day: string, grid?: string) =>
    (grid === undefined ? page : page.getByRole('grid', { name: grid })).locator(`[aria-label^="${day}"]`);
  const GRID = 'recibidos of Ñandú';
  const detail = () => page.locator('.detail');
  const focused = () =>
    page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.textContent');

  it('names every day for screen readers', async () => {
    const labels = [
      '2026-06-01',
      '2026-06-02',
      '2026-06-03',
      '2026-11-16',
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
    ];
    const found = await Promise.all(labels.map((day) => cell(day, GRID).getAttribute('aria-label')));
    expect(found).toEqual([
      '2026-06-01 (Mon): missing',
      '2026-06-02 (Tue): 40 receipts, aged',
      '2026-06-03 (Wed): 20 receipts, settled',
      '2026-11-16 (Mon): 5 receipts, unstable',
      '2026-11-17 (Tue): 3 receipts, still re-read',
      '2026-11-18 (Wed): 37 receipts, still re-read',
      '2026-11-19 (Thu): failed',
    ]);
    expect(await page.getByRole('grid').count()).toBe(4);
    expect(await page.getByRole('grid', { name: GRID }).getByRole('gridcell').count()).toBe(172);
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      `El Tornillo ${OTHER_RUT}`,
      `Ñandú <b>& Hijos</b> ${RUT}`,
    ]);
  });

  it('shows the readings and exact totals of a day that is clicked', async () => {
    await cell('2026-11-17', GRID).click();
    await detail().waitFor();
    expect(await detail().getByRole('heading').textContent()).toBe('Tuesday, 17 November 2026');
    const totals = await detail().locator('.totals tbody tr').allInnerTexts();
    expect(totals.map((row) => row.split(/\t/))).toEqual([
      ['111 e-Factura', 'UYU', '2', '123,456,789,012,345.68'],
      ['112 Nota de crédito de e-Factura', 'USD', '1', '5.00'],
    ]);
    const readings = detail().locator('.readings tbody tr');
    expect(await readings.count()).toBe(2);
    const newest = await readings.first().locator('td').allTextContents();
    expect(newest.slice(0, 4)).toEqual(['2026-11-19 03:00:00again', 'exportado', '3', '1']);
    expect(await detail().textContent()).toContain(
      '3 receipts, read on 2026-11-19, 2 days after its issue date.',
    );
    expect(await cell('2026-11-17', GRID).getAttribute('aria-selected')).toBe('true');
    expect(new URL(page.url()).hash).toBe(`#${RUT}/recibidos/2026-11-17`);
  });

  it('shows why a day failed, as text and nothing else', async () => {
    await cell('2026-11-19', GRID).click();
    await detail().waitFor();
    expect(await detail().textContent()).toContain('the API refused the token <script>alert(1)</script>');
    expect(await detail().textContent()).toContain(
      `npm run -s cfe-lake -- export --lake memory --companies companies.json --from 2026-11-19 --to 2026-11-19 --rut ${RUT} --direction recibidos`,
    );
    expect(await page.locator('main script, main b b, h2 b').count()).toBe(0);
  });

  it('is used with the keyboard alone', async () => {
    await page.getByLabel('table', { exact: true }).focus();
    await page.keyboard.press('Tab');
    expect(await focused()).toMatch(/^2026-11-19/);
    for (const [key, day] of [
      ['ArrowUp', '2026-11-18'],
      ['ArrowLeft', '2026-11-11'],
      ['PageUp', '2026-10-11'],
      ['Home', '2026-10-05'],
      ['End', '2026-10-11'],
      ['ArrowRight', '2026-10-18'],
      ['ArrowDown', '2026-10-19'],
      ['Control+Home', '2026-06-01'],
      ['ArrowUp', '2026-06-01'],
      ['Control+End', '2026-11-19'],
      ['ArrowDown', '2026-11-19'],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, (await focused()).slice(0, 10)]).toEqual([key, day]);
    }
    expect(await page.locator('[role=gridcell][tabindex="0"]').count()).toBe(4);
    await page.keyboard.press('Enter');
    await detail().waitFor();
    expect(await focused()).toBe('Thursday, 19 November 2026');
    await page.keyboard.press('Escape');
    expect(await detail().count()).toBe(0);
    expect(await focused()).toMatch(/^2026-11-19/);
  });

  it('goes from day to day, and opens one day at a time', async () => {
    await cell('2026-11-17', GRID).click();
    await page.getByRole('button', { name: 'Day after' }).click();
    await page.getByRole('heading', { name: 'Wednesday, 18 November 2026' }).waitFor();
    await page.getByRole('button', { name: 'Day after' }).click();
    await page.getByRole('heading', { name: 'Thursday, 19 November 2026' }).waitFor();
    expect(await page.getByRole('button', { name: 'Day after' }).isDisabled()).toBe(true);
    await cell('2026-11-19', 'emitidos of El Tornillo').click();
    await page.getByText('1,234 receipts, read on').waitFor();
    expect(await detail().count()).toBe(1);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await detail().count()).toBe(0);
  });

  it('opens the day of an address, and leaves a wrong one alone', async () => {
    const wrongs = [
      '#%',
      '#219999830019/recibidos/2031-01-01',
      '#nobody/emitidos/2026-11-17',
      '#219999830019/x',
    ];
    for (const [index, wrong] of wrongs.entries()) {
      // Else the page is not loaded again, but told of its new address. `npm test` loads it for the first one.
      if (index % campaign({ quick: 4, long: 1 }) === 0) await page.goto('about:blank');
      await page.goto(`${address}${wrong}`);
      await cell('2026-11-19').first().waitFor();
      expect(await detail().count()).toBe(0);
    }
    await page.evaluate(`location.hash = '#${RUT}/recibidos/2026-11-16'`);
    await page.getByRole('heading', { name: 'Monday, 16 November 2026' }).waitFor();
  });

  it('finds companies by name, RUT and state', async () => {
    const shown = async () => await page.getByRole('heading', { level: 2 }).allTextContents();
    const filter = page.getByRole('searchbox', { name: 'Company' });
    await filter.fill('nandu');
    expect(await shown()).toEqual([`Ñandú <b>& Hijos</b> ${RUT}`]);
    await filter.fill('21484');
    expect(await shown()).toEqual([`El Tornillo ${OTHER_RUT}`]);
    expect(await page.getByRole('status').textContent()).toBe('1 of 2 companies');
    await filter.fill('nobody');
    expect(await shown()).toEqual([]);
    expect(await page.getByText('No company matches').isVisible()).toBe(true);
    await filter.fill('');
    const failed = page.getByRole('button', { name: '1 failed' });
    await failed.click();
    expect(await failed.getAttribute('aria-pressed')).toBe('true');
    expect(await shown()).toEqual([`Ñandú <b>& Hijos</b> ${RUT}`]);
    await failed.click();
    expect(await shown()).toHaveLength(2);
  });

  it('shows one direction, or a table', async () => {
    await page.getByLabel('emitidos', { exact: true }).check();
    await eventually(() => page.getByRole('grid').count()).toBe(2);
    await page.getByLabel('both').check();
    await page.getByLabel('table', { exact: true }).check();
    await eventually(() => page.locator('.table-view tbody tr').count()).toBe(4);
    expect(await page.getByRole('grid').count()).toBe(0);
    const row = await page.locator('.table-view tbody tr').nth(2).locator('td').allTextContents();
    expect(row).toEqual([
      ...[RUT, 'recibidos', 105, 166, 1, 1, 1, 2, 1].map(String),
      '2026-06-01, 2026-06-04..2026-11-16, 2026-11-19',
    ]);
  });

  it.each(LOOKS_TO_FIT)(
    'fits its window in %s, %i pixels wide, with a day open and as a table',
    async (colorScheme, width) => {
      await show(page, colorScheme, width);
      await page.getByRole('heading', { name: 'Ñandú', level: 2 }).scrollIntoViewIfNeeded();
      await cell('2026-11-17', GRID).click();
      await detail().waitFor();
      expect(await outsideWindow(page)).toEqual([]);
      await page.getByLabel('table', { exact: true }).check();
      expect(await outsideWindow(page)).toEqual([]);
    },
  );
});
