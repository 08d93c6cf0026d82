import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

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

/** A headless Chromium of this language with an empty profile, which does nothing of its own accord on the network. */
export async function openChromium(
  locale = 'en-US',
): Promise<{ context: BrowserContext; close(): Promise<void> }> {
  const profile = await mkdtemp(join(tmpdir(), 'cfe-lake-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM_PATH,
    headless: true,
    locale,
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
  return {
    context,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
