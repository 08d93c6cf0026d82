import { describe, expect, it, onTestFinished } from 'vitest';
import { ENGLISH } from '../../lib/coverage/texts/english.ts';
import { SPANISH } from '../../lib/coverage/texts/spanish.ts';
import { dayText } from '../../lib/coverage/texts/texts.ts';
import { campaign } from '../support/campaign.ts';
import { hasChromium } from '../support/coverage/chromium.ts';
import { openBrowser, troubledPage } from '../support/coverage/coverage-page.ts';
import { LOOKS, showFor, violations } from '../support/coverage/looks.ts';

const WORDS = { 'en-US': ENGLISH, 'es-UY': SPANISH } as const;

/** Languages, colour schemes and widths; `npm test` tries that which the overview's test does not. */
const CASES = campaign({
  quick: [['es-UY', 'dark', 380] as const],
  long: (['en-US', 'es-UY'] as const).flatMap((locale) => LOOKS.map((look) => [locale, ...look] as const)),
});

describe.runIf(hasChromium('whether everybody can use the coverage page'))('axe', () => {
  it.each(CASES)(
    'finds nothing in %s, %s, %i pixels wide: calendars, an open day, the table',
    async (locale, colorScheme, width) => {
      const words = WORDS[locale];
      const browser = await openBrowser(await troubledPage(), locale);
      onTestFinished(() => browser.close());
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
});
