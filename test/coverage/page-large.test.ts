import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bigCoverageHtml } from '../support/big-coverage.ts';
import { hasChromium } from '../support/chromium.ts';
import { type OpenBrowser, type OpenPage, openBrowser } from '../support/coverage-page.ts';

const COMPANIES = 200;
const DAYS = 400;
const MAX_BYTES = 8 * 1024 * 1024;
/** Some 160,000 days would be as many elements. */
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

    it('draws what is near and nothing else, wherever one scrolls', async () => {
      expect(await page.locator('h2').count()).toBe(COMPANIES);
      for (const place of [0, 40, 199, 120, 3]) {
        await heading(place).scrollIntoViewIfNeeded();
        await expect.poll(() => drawnAt(place).count()).toBe(2 * DAYS);
        await expect.poll(elements).toBeLessThan(MAX_ELEMENTS);
      }
    });

    it('keeps its height while companies are drawn and emptied', async () => {
      const height = () => page.evaluate<number>('document.documentElement.scrollHeight');
      await heading(100).scrollIntoViewIfNeeded();
      await expect.poll(() => drawnAt(100).count()).toBe(2 * DAYS);
      const before = await height();
      await heading(10).scrollIntoViewIfNeeded();
      await expect.poll(() => drawnAt(100).count()).toBe(0);
      expect(await height()).toBe(before);
    });

    it('keeps a company in which a day is open, and empties it when the day is closed', async () => {
      await heading(150).scrollIntoViewIfNeeded();
      await drawnAt(150).last().click();
      await page.locator('.detail').waitFor();
      await heading(0).scrollIntoViewIfNeeded();
      await expect.poll(() => drawnAt(0).count()).toBe(2 * DAYS);
      expect(await page.locator('.detail').count()).toBe(1);
      await drawnAt(0).first().click();
      await expect.poll(() => drawnAt(150).count()).toBe(0);
      await expect.poll(elements).toBeLessThan(MAX_ELEMENTS);
    });

    it('goes from company to company with Tab', async () => {
      await page.getByLabel('table', { exact: true }).focus();
      const visited: string[] = [];
      const name = `document.activeElement.closest('.company')?.querySelector('h2').textContent ?? ''`;
      for (let stop = 0; stop < 24; stop += 1) {
        await page.keyboard.press('Tab');
        visited.push(await page.evaluate<string>(name));
        // A detail that the test before left open has stops of its own.
        if (new Set(visited).size === 8) break;
      }
      const names = (await page.locator('h2').allTextContents()).slice(0, 8);
      expect([...new Set(visited)]).toEqual(names);
    });

    it('finds one company among all, and shows the table a page at a time', async () => {
      const filter = page.getByRole('searchbox', { name: 'Company' });
      await filter.fill('ñandubaysera');
      await expect.poll(() => page.getByRole('status').textContent()).toBe('1 of 200 companies');
      await filter.fill('');
      await page.getByLabel('table', { exact: true }).check();
      const rows = page.locator('.table-view tbody tr');
      await expect.poll(() => rows.count()).toBe(50);
      await page.getByRole('button', { name: 'Show 25 more companies' }).click();
      await expect.poll(() => rows.count()).toBe(100);
      expect(await elements()).toBeLessThan(MAX_ELEMENTS);
    });

    it('had no error and asked for nothing', () => {
      expect([opened.errors, opened.requests]).toEqual([[], []]);
    });
  },
);
