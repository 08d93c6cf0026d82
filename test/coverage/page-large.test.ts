import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bigCoverageHtml } from '../support/big-coverage.ts';
import { hasChromium } from '../support/chromium.ts';
import { eventually, type OpenBrowser, type OpenPage, openBrowser } from '../support/coverage-page.ts';

const COMPANIES = 200;
const DAYS = 400;
const MAX_BYTES = 8 * 1024 * 1024;
/** Drawing all of some 160,000 days would take as many elements. */
const MAX_ELEMENTS = 12_000;

describe.runIf(hasChromium('the coverage page of 200 companies and 400 days'))(
  'a page of 200 × 400 days',
  () => {
    let browser: OpenBrowser;
    let opened: OpenPage;
    let page: Page;

    beforeAll(async () => {
      const html = bigCoverageHtml(COMPANIES, DAYS);
      expect(Buffer.byteLength(html)).toBeLessThan(MAX_BYTES);
      browser = await openBrowser(html);
      opened = await browser.open();
      page = opened.page;
    });
    afterAll(() => browser?.close());

    const elements = () => page.evaluate<number>("document.querySelectorAll('*').length");
    const heading = (place: number) => page.locator('h2').nth(place);
    const drawnAt = (place: number) => page.locator('.company').nth(place).locator('[role=gridcell]');

    it('draws only what is near, wherever one scrolls', async () => {
      expect(await page.locator('h2').count()).toBe(COMPANIES);
      for (const place of [0, 40, 199, 120, 3]) {
        await heading(place).scrollIntoViewIfNeeded();
        await eventually(() => drawnAt(place).count()).toBe(2 * DAYS);
        await eventually(elements).toBeLessThan(MAX_ELEMENTS);
      }
    });

    it('keeps its height while companies are drawn and emptied', async () => {
      const height = () => page.evaluate<number>('document.documentElement.scrollHeight');
      await heading(100).scrollIntoViewIfNeeded();
      await eventually(() => drawnAt(100).count()).toBe(2 * DAYS);
      const before = await height();
      await heading(10).scrollIntoViewIfNeeded();
      await eventually(() => drawnAt(100).count()).toBe(0);
      expect(await height()).toBe(before);
    });

    it('keeps a company in which a day is open, and empties it when the day is closed', async () => {
      await heading(150).scrollIntoViewIfNeeded();
      await drawnAt(150).last().click();
      await page.locator('.detail').waitFor();
      await heading(0).scrollIntoViewIfNeeded();
      await eventually(() => drawnAt(0).count()).toBe(2 * DAYS);
      expect(await page.locator('.detail').count()).toBe(1);
      await drawnAt(0).first().click();
      await eventually(() => drawnAt(150).count()).toBe(0);
      await eventually(elements).toBeLessThan(MAX_ELEMENTS);
    });

    it('goes from company to company with Tab, however far the next one is', async () => {
      await page.setViewportSize({ width: 380, height: 300 });
      const company = `document.activeElement.closest('.company')?.querySelector('h2').textContent`;
      const names = await page.locator('h2').allTextContents();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);
      await heading(60).scrollIntoViewIfNeeded();
      await eventually(() => drawnAt(60).count()).toBe(2 * DAYS);
      // The first day of the second calendar.
      await drawnAt(60).nth(DAYS).focus();
      for (const place of [61, 62, 63]) {
        // From the first day of a company's last calendar, far above the next company.
        await page.keyboard.press('Control+Home');
        await eventually(() => drawnAt(place).count()).toBe(2 * DAYS);
        await page.keyboard.press('Tab');
        expect(await page.evaluate(company)).toBe(names[place]);
        // From the overview link to the first calendar, then to the second.
        await page.keyboard.press('Tab');
        await page.keyboard.press('Tab');
      }
      await heading(0).scrollIntoViewIfNeeded();
      await eventually(() => drawnAt(0).count()).toBe(2 * DAYS);
      await drawnAt(0).first().focus();
      for (const place of [60, 61, 62, 63, 64]) await eventually(() => drawnAt(place).count()).toBe(0);
      await page.setViewportSize({ width: 1400, height: 900 });
    });

    it('finds one company among all, and shows the table a page at a time', async () => {
      const filter = page.getByRole('searchbox', { name: 'Company' });
      await filter.fill('ñandubaysera');
      await eventually(() => page.getByRole('status').textContent()).toBe('1 of 200 companies');
      await filter.fill('');
      await page.getByLabel('table', { exact: true }).check();
      const rows = page.locator('.table-view tbody tr');
      await eventually(() => rows.count()).toBe(50);
      await page.getByRole('button', { name: 'Show 25 more companies' }).click();
      await eventually(() => rows.count()).toBe(100);
      expect(await elements()).toBeLessThan(MAX_ELEMENTS);
    });

    it('had no error and asked for nothing', () => {
      expect([opened.errors, opened.requests]).toEqual([[], []]);
    });
  },
);
