import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { filesIn, labelOf, newFolder, objectOf } from '../../support/lake/lake-folder.ts';

const KEY = 'recibidos/fecha=2026-11-19/219999830019.parquet';
const NOW_MS = Date.UTC(2026, 10, 21, 9);
const HOUR_MS = 3_600_000;

const partOf = (hour: number) => `00000000-0000-4000-8000-0000000000${hour}.part`;

function leave(folder: string, name: string, hoursAgo: number): void {
  writeFileSync(join(folder, name), 'x');
  const seconds = (NOW_MS - hoursAgo * HOUR_MS) / 1000;
  utimesSync(join(folder, name), seconds, seconds);
}

describe('what killed writers left behind', () => {
  it('in the staging folder is removed when it is older than that', async () => {
    const folder = newFolder();
    const store = new FolderStore(folder);
    await store.replace(KEY, objectOf('old'), { metadata: {}, expected: undefined });
    for (const hour of [23, 25]) leave(folder, `.staging/${partOf(hour)}`, hour);
    leave(folder, '.staging/somebodys.parquet', 25);
    utimesSync(join(folder, KEY), 0, 0);
    await store.removeLeftovers(NOW_MS - 24 * HOUR_MS);
    expect(filesIn(folder)).toEqual([`.staging/${partOf(23)}`, '.staging/somebodys.parquet', KEY]);
    expect(await labelOf(store, KEY)).toBe('old');
  });

  it('of runs that are sealed are empty folders; those go, and no part does', async () => {
    const folder = newFolder();
    const part = '.open-runs/2026-08-01/open/exportaciones/a.parquet';
    for (const run of ['2026-08-01/open', '2026-08-01/closed', '2026-07-01/closed'])
      mkdirSync(join(folder, '.open-runs', run, 'exportaciones'), { recursive: true });
    writeFileSync(join(folder, part), 'x');
    await new FolderStore(folder).removeLeftovers(NOW_MS);
    expect(filesIn(folder)).toEqual([part]);
    expect(readdirSync(join(folder, '.open-runs'))).toEqual(['2026-08-01']);
    expect(readdirSync(join(folder, '.open-runs/2026-08-01'))).toEqual(['open']);
  });

  it.each(['.staging', '.open-runs', '.lagging'])('is not looked for behind a link: %s', async (name) => {
    const [folder, elsewhere] = [newFolder(), newFolder()];
    leave(elsewhere, partOf(25), 25);
    mkdirSync(join(elsewhere, 'empty'));
    symlinkSync(elsewhere, join(folder, name));
    await new FolderStore(folder).removeLeftovers(NOW_MS);
    expect(readdirSync(elsewhere)).toEqual([partOf(25), 'empty']);
  });

  it('is nothing in a lake that does not exist yet', async () => {
    const store = new FolderStore(join(newFolder(), 'none'));
    await expect(store.removeLeftovers(NOW_MS)).resolves.toBeUndefined();
  });
});
