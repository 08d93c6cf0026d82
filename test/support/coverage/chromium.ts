import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const USUAL_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Chromium honours only the last such switch, so the other lines repeat what matters of playwright-core's. */
const DISABLED_FEATURES = [
  // Hidden pages of the browser's own. Loading them with each new window took three times as long as a tested page.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'LensOverlay',
  'PaintHolding',
  // Each page that is loaded would begin a process, and the one before would be kept in its own.
  'BackForwardCache',
  'ProactivelySwapBrowsingInstance',
  'RenderDocument',
];

/** Path of Chromium on this machine; undefined if there is none. */
export const CHROMIUM_PATH: string | undefined = [process.env.CHROMIUM_PATH ?? '', ...USUAL_PATHS].find(
  (path) => path !== '' && existsSync(path),
);

/** Whether the tests of a page can run. If not, prints a line that says so. */
export function hasChromium(what: string): boolean {
  if (CHROMIUM_PATH !== undefined) return true;
  console.warn(
    `Not tested: ${what}. There is no Chromium here: install it (apt-get install chromium) or set CHROMIUM_PATH.`,
  );
  return false;
}

/** One browser for all tests of this process. It ends with the process. */
let browser: Promise<Browser> | undefined;
/** Its tabs by language. A new one takes as long as several pages. */
const tabs = new Map<string, Promise<Page>>();

/** The one tab in this language, whatever page it shows, of a headless Chromium without background network traffic. */
export function chromiumTab(locale = 'en-US'): Promise<Page> {
  const tab = tabs.get(locale) ?? openTab(locale);
  tabs.set(locale, tab);
  return tab;
}

async function openTab(locale: string): Promise<Page> {
  browser ??= chromium.launch({
    executablePath: CHROMIUM_PATH,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Of all tabs, one renders at a time.
      '--disable-site-isolation-trials',
      '--renderer-process-limit=1',
      `--disable-features=${DISABLED_FEATURES.join()}`,
    ],
  });
  const context = await (await browser).newContext({ locale });
  return await context.newPage();
}
