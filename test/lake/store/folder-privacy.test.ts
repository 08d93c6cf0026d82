import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withStoreToWrite } from '../../../lib/lake/store/open-store.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import { newFolder, objectOf } from '../../support/lake/lake-folder.ts';
import { lockRequest } from '../../support/lake/lock-request.ts';

const KEY = 'recibidos/fecha=2026-11-19/219999830019.parquet';

/** `700 recibidos`, `600 recibidos/…`: every folder and file below this one, in alphabetical order. */
function modesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => `${(statSync(join(folder, name)).mode & 0o777).toString(8)} ${name}`);
}

async function write(store: LakeStore): Promise<void> {
  await store.replace(KEY, objectOf('one'), { metadata: {}, expected: await store.find(KEY) });
}

// Windows has access control lists instead of modes.
describe.skipIf(process.platform === 'win32')('a lake in a folder', () => {
  it('is for its owner alone, whatever the umask allows', async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const folder = newFolder();
    let modesOfLock: string[] = [];
    await withStoreToWrite(join(folder, 'lakes/mine'), lockRequest(), async (store) => {
      modesOfLock = modesIn(join(folder, 'lakes/mine/.lock'));
      await write(store);
    });
    expect(modesOfLock).toEqual(['600 holder', '600 lock']);
    expect(modesIn(folder)).toEqual([
      '700 lakes',
      '700 lakes/mine',
      '700 lakes/mine/.lock',
      '600 lakes/mine/.lock/lock',
      '700 lakes/mine/recibidos',
      '700 lakes/mine/recibidos/fecha=2026-11-19',
      `600 lakes/mine/${KEY}`,
    ]);
  });

  it('leaves a folder that somebody opened to others as it is, but not the files that it writes there', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'recibidos/fecha=2026-11-19'), { recursive: true });
    chmodSync(join(folder, 'recibidos'), 0o755);
    await withStoreToWrite(folder, lockRequest(), async (store) => {
      await write(store);
      chmodSync(join(folder, KEY), 0o644);
      await write(store);
    });
    expect(modesIn(folder)).toContain('755 recibidos');
    expect(modesIn(folder)).toContain(`600 ${KEY}`);
  });
});
