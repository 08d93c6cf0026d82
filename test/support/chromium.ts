import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

const USUAL_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where Chromium is on this machine; undefined where there is none. */
export const CHROMIUM_PATH: string | undefined = [process.env.CHROMIUM_PATH ?? '', ...USUAL_PATHS].find(
  (path) => path !== '' && existsSync(path),
);

/** Whether the tests of a page can run; where not, says so in one line. */
export function hasChromium(what: string): boolean {
  if (CHROMIUM_PATH !== undefined) return true;
  console.warn(
    `Not tested: ${what}. There is no Chromium here: install it (apt-get install chromium) or set CHROMIUM_PATH.`,
  );
  return false;
}

/** One for all tests of this process; it ends with the process. */
let browser: Promise<Browser> | undefined;

/** For a program that is to end: tests leave it to the end of their process. */
export async function closeChromium(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** A new session of a headless Chromium of this language, which does nothing of its own accord on the network. */
export async function openChromium(locale = 'en-US'): Promise<BrowserContext> {
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
    ],
  });
  return await (await browser).newContext({ locale });
}
