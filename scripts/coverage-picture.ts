import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderCoverageHtml } from '../lib/coverage/coverage-page.ts';
import { FolderStore } from '../lib/lake/store/folder.ts';
import { DIRECTIONS } from '../lib/units/unit.ts';
import { chromiumTab, closeChromium, hasChromium } from '../test/support/coverage/chromium.ts';
import { FIRST_DAY, fillLake, LAST_DAY, NOW_MS } from './coverage-lake.ts';
import { repackPng } from './repack-png.ts';

/** Makes docs/coverage.png: the coverage page of a sandbox's lake with some failures. */
const PICTURE = fileURLToPath(new URL('../docs/coverage.png', import.meta.url));
const MAX_BYTES = 200 * 1024;

if (!hasChromium('the picture of the coverage page')) process.exit(1);
const folder = await mkdtemp(join(tmpdir(), 'cfe-lake-picture-'));
try {
  // The page shows the lake's address: this one looks like a reader's.
  process.chdir(folder);
  const store = new FolderStore('./lake');
  await fillLake(store);
  const html = await renderCoverageHtml(store, {
    from: FIRST_DAY,
    to: LAST_DAY,
    nowMs: NOW_MS,
    program: 'npm run -s cfe-lake --',
    directions: DIRECTIONS,
  });
  await writeFile('coverage.html', html);
  const page = await chromiumTab();
  try {
    await page.setViewportSize({ width: 1120, height: 1200 });
    await page.goto(`file://${join(folder, 'coverage.html')}`);
    const last = await page.locator('.company').last().boundingBox();
    const height = Math.ceil((last?.y ?? 0) + (last?.height ?? 0) + 16);
    await writeFile(PICTURE, repackPng(await page.screenshot({ clip: { x: 0, y: 0, width: 1120, height } })));
  } finally {
    await closeChromium();
  }
} finally {
  process.chdir(tmpdir());
  await rm(folder, { recursive: true });
}
const { size } = await stat(PICTURE);
process.stdout.write(`docs/coverage.png: ${(size / 1024).toFixed(0)} KB\n`);
if (size > MAX_BYTES) throw new Error(`The picture is over ${MAX_BYTES / 1024} KB: make its window smaller.`);
