import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { campaign, itLong } from '../support/campaign.ts';
import { bigCoverageHtml } from '../support/coverage/big-coverage.ts';
import { hasChromium } from '../support/coverage/chromium.ts';
import {
  eventually,
  type OpenBrowser,
  type OpenPage,
  openBrowser,
} from '../support/coverage/coverage-page.ts';

/** Drawing all days would take three times the elements in `npm test`, and ten times in `npm run test:long`. */
const { COMPANIES, DAYS, MAX_BYTES, MAX_ELEMENTS } = campaign({
  quick: { COMPANIES: 60, DAYS: 120, MAX_BYTES: 1024 * 1024, MAX_ELEMENTS: 5_000 },
  long: { COMPANIES: 200, DAYS: 400, MAX_BYTES: 8 * 1024 * 1024, MAX_ELEMENTS: 12_000 },
});
/** The place of a company that has this share of all before it. */
const placeAt = (share: number) => Math.round(share * (COMPANIES - 1));

describe.runIf(hasChromium(`the coverage page of ${COMPANIES} companies and ${DAYS} days`))(
  `a page of ${COMPANIES} × ${DAYS} days`,
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
      const shares = campaign({ quick: [0, 1, 0.6], long: [0, 0.2, 1, 0.6, 0.02] });
      for (const place of shares.map(placeAt)) {
        await heading(place).scrollIntoViewIfNeeded();
        await eventually(() => drawnAt(place).count()).toBe(2 * DAYS);
        await eventually(elements).toBeLessThan(MAX_ELEMENTS);
      }
    });

    itLong('keeps its height while companies are drawn and emptied', async () => {
      const height = () => page.evaluate<number>('document.documentElement.scrollHeight');
      const middle = placeAt(0.5);
      await heading(middle).scrollIntoViewIfNeeded();
      await eventually(() => drawnAt(middle).count()).toBe(2 * DAYS);
      const before = await height();
      await heading(placeAt(0.05)).scrollIntoViewIfNeeded();
      await eventually(() => drawnAt(middle).count()).toBe(0);
      expect(await height()).toBe(before);
    });

    it('keeps a company in which a day is open, and empties it when the day is closed', async () => {
      const far = placeAt(0.75);
      await heading(far).scrollIntoViewIfNeeded();
      await drawnAt(far).last().click();
      await page.locator('.detail').waitFor();
      await heading(0).scrollIntoViewIfNeeded();
      await eventually(() => drawnAt(0).count()).toBe(2 * DAYS);
      expect(await page.locator('.detail').count()).toBe(1);
      await drawnAt(0).first().click();
      await eventually(() => drawnAt(far).count()).toBe(0);
      await eventually(elements).toBeLessThan(MAX_ELEMENTS);
    });

    itLong('goes from company to company with Tab, however far the next one is', async () => {
      const start = placeAt(0.3);
      const next = [start + 1, start + 2, start + 3];
      await page.setViewportSize({ width: 380, height: 300 });
      const company = `document.activeElement.closest('.company')?.querySelector('h2').textContent`;
      const names = await page.locator('h2').allTextContents();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);
      await heading(start).scrollIntoViewIfNeeded();
      await eventually(() => drawnAt(start).count()).toBe(2 * DAYS);
      // The first day of the second calendar.
      await drawnAt(start).nth(DAYS).focus();
      for (const place of next) {
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
      for (const place of [start, ...next]) await eventually(() => drawnAt(place).count()).toBe(0);
      await page.setViewportSize({ width: 1400, height: 900 });
    });

    itLong('finds one company among all, and shows the table a page at a time', async () => {
      const filter = page.getByRole('searchbox', { name: 'Company' });
      await filter.fill('ñandubaysera');
      await eventually(() => page.getByRole('status').textContent()).toBe(`1 of ${COMPANIES} companies`);
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
