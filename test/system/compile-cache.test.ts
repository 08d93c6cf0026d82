import { chmodSync, existsSync, mkdirSync, rmdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { runProgram } from '../support/program/run-program.ts';

/** Starts the program with a home, caches and a temporary directory of its own. */
async function start() {
  const machine = newFolder();
  const caches = join(machine, 'caches');
  const temporary = join(machine, 'tmp');
  for (const folder of [caches, temporary]) mkdirSync(folder, { recursive: true });
  const ownCache = join(caches, 'cfe-lake');
  const run = () => runProgram(['--version'], machine, { XDG_CACHE_HOME: caches, TMPDIR: temporary });
  return { caches, temporary, ownCache, run };
}

describe('modules that are kept compiled', () => {
  it('are in a private folder, and not in the shared one', async () => {
    const { ownCache, temporary, run } = await start();
    expect((await run()).code).toBe(0);
    expect(statSync(ownCache).mode & 0o777).toBe(0o700);
    expect(statSync(join(ownCache, 'compiled')).mode & 0o777).toBe(0o700);
    expect(filesIn(join(ownCache, 'compiled')).length).toBeGreaterThan(0);
    expect(filesIn(temporary)).toEqual([]);
  });

  it.each([
    ['is open to others', (ownCache: string) => chmodSync(ownCache, 0o777)],
    [
      'is a link to elsewhere',
      (ownCache: string) => {
        rmdirSync(ownCache);
        symlinkSync(`${ownCache}-elsewhere`, ownCache);
      },
    ],
  ])('are not kept, and none are run, where that folder %s', async (_what, plant) => {
    const { ownCache, caches, temporary, run } = await start();
    for (const folder of [ownCache, `${ownCache}-elsewhere`]) mkdirSync(folder);
    plant(ownCache);
    expect(await run()).toEqual({ code: 0, stdout: expect.stringMatching(/^\d/), stderr: '' });
    expect([...filesIn(caches), ...filesIn(temporary)].filter((name) => !name.endsWith('cfe-lake'))).toEqual(
      [],
    );
  });

  it('are not kept without a home', async () => {
    const { temporary, caches } = await start();
    const nowhere = join(caches, 'no-home', '.cache');
    const ended = await runProgram(['--version'], caches, { XDG_CACHE_HOME: nowhere, TMPDIR: temporary });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(filesIn(temporary)).toEqual([]);
    expect(existsSync(nowhere)).toBe(false);
  });
});
