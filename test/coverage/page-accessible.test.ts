import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGLISH } from '../../lib/coverage/texts/english.ts';
import { SPANISH } from '../../lib/coverage/texts/spanish.ts';
import { dayText } from '../../lib/coverage/texts/texts.ts';
import { hasChromium } from '../support/coverage/chromium.ts';
import { type OpenBrowser, openBrowser, troubledPage } from '../support/coverage/coverage-page.ts';
import { looksOf, showFor, violations } from '../support/coverage/looks.ts';

const LOCALES = [
  ['en-US', ENGLISH],
  ['es-UY', SPANISH],
] as const;

describe.runIf(hasChromium('whether everybody can use the coverage page')).each(LOCALES)(
  'axe, %s',
  (locale, words) => {
    let browser: OpenBrowser;
    beforeAll(async () => {
      browser = await openBrowser(await troubledPage(), locale);
    });
    afterAll(() => browser?.close());

    it.each(looksOf(LOCALES.findIndex(([each]) => each === locale)))(
      'finds nothing in %s, %i pixels wide: calendars, an open day, the table',
      async (colorScheme, width) => {
        const { page } = await browser.open();
        await showFor(page, colorScheme, width);
        await page.getByRole('gridcell', { name: dayText('2026-11-19', 'open', 1234, words) }).waitFor();
        expect(await violations(page)).toEqual([]);
        await page.getByRole('button', { name: words.states.failed }).click();
        await page.getByRole('gridcell', { name: dayText('2026-11-19', 'failed', null, words) }).click();
        await page.locator('.detail').waitFor();
        expect(await violations(page)).toEqual([]);
        await page.getByLabel(words.table, { exact: true }).check();
        await page.locator('.table-view td').first().waitFor();
        expect(await violations(page)).toEqual([]);
      },
    );
  },
);
