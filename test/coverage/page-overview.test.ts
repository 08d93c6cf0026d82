import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { campaign, itLong } from '../support/campaign.ts';
import { bigCoverageHtml } from '../support/coverage/big-coverage.ts';
import { hasChromium } from '../support/coverage/chromium.ts';
import {
  eventually,
  type OpenBrowser,
  type OpenPage,
  openBrowser,
} from '../support/coverage/coverage-page.ts';
import { LOOKS, showFor, violations } from '../support/coverage/looks.ts';

const COMPANIES = campaign({ quick: 24, long: 80 });
const DAYS = campaign({ quick: 62, long: 93 });

describe.runIf(hasChromium('the overview of many companies'))('the overview of many companies', () => {
  let browser: OpenBrowser;
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser(bigCoverageHtml(COMPANIES, DAYS));
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    opened = await browser.open();
    page = opened.page;
    await overview().waitFor();
  });
  afterEach(async () => {
    expect([opened.errors, opened.requests]).toEqual([[], []]);
  });

  const overview = () => page.getByRole('navigation', { name: 'Overview' });
  const rows = () => overview().getByRole('link');
  const rut = (place: number) => page.locator('h2 .rut').nth(place).textContent();
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  /** The number of pixels of each colour in a row's picture. */
  const coloursOf = (place: number) =>
    page.evaluate<Record<string, number>>(`(() => {
      const canvas = document.querySelectorAll('.overview canvas')[${place}];
      if (canvas.width === 0) return {};
      const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
      const context = copy.getContext('2d', { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      const counts = {};
      for (let at = 0; at < data.length; at += 4) {
        const name = [...data.slice(at, at + 4)].join(' ');
        counts[name] = (counts[name] ?? 0) + 1;
      }
      return counts;
    })()`);
  const FAILED = '196 24 60 255';

  it('has a row for each company, which says in words what needs a look, and all fit a screen', async () => {
    expect(await rows().count()).toBe(COMPANIES);
    const first = await rows().first().textContent();
    expect(first).toContain(await rut(0));
    expect(first).toMatch(/recibidos: 1 failed; emitidos: 1 unstable/);
    const { y = 0, height = 0 } = (await overview().boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(900);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1400);
  });

  it('draws each day in the colour of its state, those of others paler when a state is chosen', async () => {
    const place = await page.evaluate<number>(
      `[...document.querySelectorAll('.overview a')].findIndex((link) => link.textContent.includes(' failed'))`,
    );
    await eventually(async () => (await coloursOf(place))[FAILED] ?? 0).toBeGreaterThan(0);
    const before = await coloursOf(place);
    await page.getByRole('button', { name: 'settled' }).click();
    await eventually(async () => (await coloursOf(place))[FAILED]).toBeUndefined();
    await page.getByRole('button', { name: 'settled' }).click();
    expect(await coloursOf(place)).toEqual(before);
  });

  itLong('goes to a company with the keyboard alone, and back', async () => {
    await page.getByLabel('table', { exact: true }).focus();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe(await rows().first().textContent());
    for (const [key, place] of [
      ['ArrowDown', 1],
      ['End', COMPANIES - 1],
      ['ArrowDown', COMPANIES - 1],
      ['ArrowUp', COMPANIES - 2],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, await focused()]).toEqual([key, await rows().nth(place).textContent()]);
    }
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { level: 2 }).nth(COMPANIES - 1);
    await eventually(focused).toBe(await heading.textContent());
    expect((await heading.boundingBox())?.y).toBeLessThan(900);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('↑ Overview');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe(
      await rows()
        .nth(COMPANIES - 1)
        .textContent(),
    );
  });

  itLong('goes to a company and its calendars with a click, even a second time', async () => {
    const place = COMPANIES / 2;
    for (const _ of ['once', 'again']) {
      await page.evaluate('scrollTo(0, 0)');
      await rows().nth(place).click();
      const company = page.locator('.company').nth(place);
      await eventually(() => company.locator('[role=gridcell]').count()).toBe(2 * DAYS);
      await eventually(async () => Math.round((await company.boundingBox())?.y ?? -1)).toBe(0);
      expect(new URL(page.url()).hash).toBe(`#${await rut(place)}`);
    }
  });

  it('says beside the pointer which day of which company it is on', async () => {
    const box = await page.locator('.overview canvas').nth(1).boundingBox();
    if (box === null) throw new Error('the picture is not there');
    const name = (await page.locator('h2').nth(1).textContent())?.replace(/ \d{12}$/, '');
    await page.mouse.move(box.x + box.width - 1, box.y + 1);
    await eventually(() => page.locator('.tip').filter({ visible: true }).allTextContents()).toEqual([
      expect.stringMatching(/, recibidos, 2026-11-19 \(Thu\): /),
    ]);
    expect(await page.locator('.tip').filter({ visible: true }).textContent()).toContain(name);
    await page.mouse.move(0, 0);
    await eventually(() => page.locator('.tip').filter({ visible: true }).count()).toBe(0);
  });

  itLong('appears only for more than a few companies, and not beside the table', async () => {
    const filter = page.getByRole('searchbox', { name: 'Company' });
    await filter.fill((await rut(3)) ?? '');
    await eventually(() => overview().count()).toBe(0);
    await filter.fill('');
    await overview().waitFor();
    await page.getByLabel('emitidos', { exact: true }).check();
    expect(await rows().first().textContent()).not.toContain('recibidos');
    await page.getByLabel('table', { exact: true }).check();
    expect(await overview().count()).toBe(0);
  });

  // In `npm test`, page-accessible.test.ts tries the other scheme and width.
  itLong.each(campaign({ quick: LOOKS.slice(0, 1), long: LOOKS }))(
    'is clean for axe in %s, %i pixels wide, and no wider',
    async (colorScheme, width) => {
      await showFor(page, colorScheme, width);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    },
  );
});
