import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { filesIn, labelOf, newFolder, objectOf } from '../../support/lake/lake-folder.ts';

const KEY = 'recibidos/fecha=2026-11-19/219999830019.parquet';
const NOW_MS = Date.UTC(2026, 10, 21, 9);
const HOUR_MS = 3_600_000;

/** A lake with the leftovers of writers that were killed this many hours ago. */
async function lakeWithLeftovers(hours: readonly number[]) {
  const folder = newFolder();
  const store = new FolderStore(folder);
  await store.replace(KEY, objectOf('old'), { metadata: {}, expected: undefined });
  mkdirSync(join(folder, '.staging/run'), { recursive: true });
  for (const hour of hours) {
    const seconds = (NOW_MS - hour * HOUR_MS) / 1000;
    const claim = `.staging/a+b.after-${hour}`;
    for (const name of [`.staging/${hour}.part`, `.staging/run/${hour}.parquet`, claim]) {
      writeFileSync(join(folder, name), 'x');
      utimesSync(join(folder, name), seconds, seconds);
    }
  }
  utimesSync(join(folder, KEY), 0, 0);
  return { folder, store };
}

describe('what killed writers left behind', () => {
  it('is removed when it is older than that, in the staging folder only', async () => {
    const { folder, store } = await lakeWithLeftovers([23, 25, 100]);
    await store.removeLeftovers(NOW_MS - 24 * HOUR_MS, NOW_MS - 99 * HOUR_MS);
    expect(filesIn(folder)).toEqual([
      '.staging/23.part',
      '.staging/a+b.after-23',
      '.staging/run/23.parquet',
      '.staging/run/25.parquet',
      KEY,
    ]);
    expect(await labelOf(store, KEY)).toBe('old');
  });

  it('of runs that are closed are empty folders; those go, and no part does, however old', async () => {
    const { folder, store } = await lakeWithLeftovers([]);
    const part = '.open-runs/2026-08-01/open/exportaciones/a.parquet';
    for (const run of ['2026-08-01/open', '2026-08-01/closed', '2026-07-01/closed', '2026-11-21/new']) {
      mkdirSync(join(folder, '.open-runs', run, 'exportaciones'), { recursive: true });
    }
    writeFileSync(join(folder, part), 'x');
    const old = ['2026-08-01/open', '2026-08-01/closed', '2026-07-01/closed'].flatMap((run) => [
      `${run}/exportaciones`,
      run,
    ]);
    for (const name of [...old, '2026-08-01', '2026-07-01'])
      utimesSync(join(folder, '.open-runs', name), 0, 0);
    await store.removeLeftovers(NOW_MS, NOW_MS);
    expect(filesIn(folder)).toEqual([part, KEY]);
    expect(readdirSync(join(folder, '.open-runs')).sort()).toEqual(['2026-08-01', '2026-11-21']);
    expect(readdirSync(join(folder, '.open-runs/2026-08-01'))).toEqual(['open']);
  });

  it('is nothing in a lake that does not exist yet', async () => {
    const store = new FolderStore(join(newFolder(), 'none'));
    await expect(store.removeLeftovers(NOW_MS, NOW_MS)).resolves.toBeUndefined();
  });

  it('does not stop the next writer when a claim has lost its file', async () => {
    const { folder, store } = await lakeWithLeftovers([]);
    const expected = await store.find(KEY);
    writeFileSync(join(folder, `.staging/${KEY.replaceAll('/', '+')}.after-${expected?.version}`), 'x');
    const replace = () => store.replace(KEY, objectOf('new'), { metadata: {}, expected });
    await expect(replace()).rejects.toThrow('was replaced by another run');
    await replace();
    expect(await labelOf(store, KEY)).toBe('new');
  });
});
