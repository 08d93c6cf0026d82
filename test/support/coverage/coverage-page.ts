import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { renderCoverageHtml } from '../../../lib/coverage/coverage-page.ts';
import { chromiumTab } from './chromium.ts';
import { audit, failedOn, NOW_MS, newStore, OTHER_RUT, RUT, readOn, TODAY } from './coverage-lake.ts';

const NAMES = new Map([
  [RUT, 'Ñandú <b>& Hijos</b>'],
  [OTHER_RUT, 'El Tornillo'],
]);

/** A page with half a year of two companies. The first one's received receipts have a day in each state. */
export async function troubledPage(): Promise<string> {
  const store = newStore();
  const unit = { rut: RUT, direction: 'recibidos', day: '2026-11-17' } as const;
  const totals = [
    { type: 111, currency: 'UYU', receipts: 2, withoutTotal: 0, total: '123456789012345.68' },
    { type: 112, currency: 'USD', receipts: 1, withoutTotal: 0, total: '5.00' },
  ];
  await audit(store, 'backfill', [
    readOn('2026-08-01', { day: '2026-06-02' }, { receipts: 40 }),
    readOn('2026-11-10', { day: '2026-06-03' }, { receipts: 20 }),
  ]);
  await audit(store, 'nightly', [
    readOn(TODAY, { day: '2026-11-16' }, { receipts: 5, isStable: false }),
    readOn('2026-11-18', unit, { receipts: 2, appeared: 2 }),
    readOn(TODAY, { rut: OTHER_RUT, direction: 'emitidos', day: '2026-11-19' }, { receipts: 1234 }),
    readOn(TODAY, { day: '2026-11-18' }, { receipts: 37 }),
  ]);
  await audit(store, 'again', [
    readOn('2026-11-19', unit, { receipts: 3, appeared: 1, state: 'exportado', totals }),
    failedOn(TODAY, { day: '2026-11-19' }, 'the API refused the token <script>alert(1)</script>'),
  ]);
  return await renderCoverageHtml(store, {
    from: '2026-06-01',
    to: '2026-11-19',
    nowMs: NOW_MS,
    program: 'npm run -s cfe-lake --',
    directions: ['recibidos', 'emitidos'],
    names: NAMES,
  });
}

export interface OpenPage {
  page: Page;
  address: string;
  /** The page's console messages and errors. */
  errors: readonly string[];
  /** Requests that the page made, besides the one for itself. */
  requests: readonly string[];
}

export interface OpenBrowser {
  /** Loads the page again, at 1400 by 900 pixels. */
  open(): Promise<OpenPage>;
  close(): Promise<void>;
}

/** A browser with one page, which is saved as a file. Default language: English. Until it is closed, no other opens. */
export async function openBrowser(html: string, locale?: string): Promise<OpenBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  const file = join(folder, 'coverage.html');
  await writeFile(file, html);
  const address = `file://${file}`;
  const page = await chromiumTab(locale);
  page.setDefaultTimeout(20_000);
  let errors: string[] = [];
  let requests: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => errors.push(message.text()));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith('data:') && url.split('#')[0] !== address) requests.push(url);
  });
  return {
    open: async () => {
      await page.emulateMedia({ colorScheme: null, media: null });
      await page.setViewportSize({ width: 1400, height: 900 });
      await page.mouse.move(0, 0);
      errors = [];
      requests = [];
      await page.goto(address);
      return { page, address, errors, requests };
    },
    close: async () => {
      // All files share their storage.
      await page.evaluate('localStorage.clear()');
      await page.removeAllListeners(undefined, { behavior: 'wait' });
      await rm(folder, { recursive: true });
    },
  };
}

/** Polls an expectation until it holds, for up to 20 s. */
export function eventually<Value>(look: () => Promise<Value>): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(look, { timeout: 20_000 });
}

/** The elements that reach beyond the window's right edge. */
export function outsideWindow(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[
    ...(document.documentElement.scrollWidth > innerWidth ? ['page'] : []),
    ...[...document.querySelectorAll('.day, .tile, .picture, .company, h2, input, .language')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
      .map((element) => element.className || element.tagName),
  ]`);
}
