import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Look = ['light' | 'dark', number];

/** All looks (colour scheme and width in pixels). */
export const LOOKS: readonly Look[] = [
  ['light', 1400],
  ['dark', 380],
  ['dark', 1400],
  ['light', 380],
];

/** Shows a page in this look. */
export async function show(page: Page, ...[colorScheme, width]: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
}

/** Shows a page in this look, ready for axe. */
export async function showFor(page: Page, ...look: Look): Promise<void> {
  await show(page, ...look);
  await page.evaluate(axe.source);
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** The violations that axe finds on the page, with some of their places. */
export async function violations(page: Page): Promise<Violation[]> {
  const found = await page.evaluate<Violation[]>(
    "axe.run({ resultTypes: ['violations'], selectors: false }).then(({ violations }) => violations)",
  );
  return found.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 3) }));
}
