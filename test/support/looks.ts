import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { campaign } from './campaign.ts';

type Look = ['light' | 'dark', number];

/** How a page is looked at by axe: colour scheme and width in pixels. */
export const LOOKS = campaign<Look[]>({
  quick: [
    ['light', 1400],
    ['dark', 380],
  ],
  long: [
    ['light', 1400],
    ['dark', 1400],
    ['light', 380],
    ['dark', 380],
  ],
});

/** How a page of several languages is looked at by axe: all ways in each, or in npm test one way in each in turn. */
export function looksOf(language: number): Look[] {
  const turn = LOOKS[language % LOOKS.length];
  return campaign({ quick: turn === undefined ? [] : [turn], long: LOOKS });
}

/** Shows a page in one of these ways, ready for axe. */
export async function showFor(page: Page, ...[colorScheme, width]: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  await page.evaluate(axe.source);
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What axe finds wrong with the page as it is now, with some of the places. */
export async function violations(page: Page): Promise<Violation[]> {
  const found = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)');
  return found.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 3) }));
}
