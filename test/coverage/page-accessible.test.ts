import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type OpenBrowser, openBrowser, troubledPage } from '../support/coverage-page.ts';

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

describe.runIf(hasChromium('whether everybody can use the coverage page'))('axe', () => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await openBrowser(await troubledPage());
  });
  afterAll(() => browser?.close());

  it.each([
    ['light', 1400],
    ['dark', 1400],
    ['light', 380],
    ['dark', 380],
  ] as const)(
    'finds nothing in %s, %i pixels wide: calendars, an open day, the table',
    async (colorScheme, width) => {
      const { page } = await browser.open();
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(axe.source);
      const violations = async () => {
        const found = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)');
        return found.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 3) }));
      };
      await page.getByRole('gridcell', { name: '2026-11-19: 1,234 receipts' }).waitFor();
      expect(await violations()).toEqual([]);
      await page.getByRole('button', { name: 'failed' }).click();
      await page.getByRole('gridcell', { name: '2026-11-19: failed' }).click();
      await page.locator('.detail').waitFor();
      expect(await violations()).toEqual([]);
      await page.getByLabel('table', { exact: true }).check();
      await page.locator('.table-view td').first().waitFor();
      expect(await violations()).toEqual([]);
      await page.close();
    },
  );
});
