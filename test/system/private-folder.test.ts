import { chmodSync, chownSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { privateCacheFolder, privateCacheFolderIfThere } from '../../lib/system/private-folders.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';

const isRoot = process.getuid?.() === 0;
const ANOTHER_USER = 65_534;

let caches: string;
beforeEach(() => {
  caches = newFolder();
  vi.stubEnv('XDG_CACHE_HOME', caches);
});

/** Makes the folder first, as somebody else might. */
function plant(name: string, mode = 0o700): string {
  const folder = join(caches, name);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, mode);
  return folder;
}

describe('the private cache folder', () => {
  it('is made for this user alone, and found again', () => {
    const folder = privateCacheFolder('lakes');
    expect(folder).toBe(join(caches, 'cfe-lake', 'lakes'));
    for (const privateFolder of [folder, join(caches, 'cfe-lake')])
      expect(statSync(privateFolder).mode & 0o777).toBe(0o700);
    writeFileSync(join(folder, 'kept'), '');
    expect(privateCacheFolder('lakes')).toBe(folder);
    expect(filesIn(folder)).toEqual(['kept']);
  });

  it('is made by nobody who asks for it only if it is there', () => {
    expect(privateCacheFolderIfThere('lakes')).toBeUndefined();
    expect(filesIn(caches)).toEqual([]);
    expect(lstatSync(join(caches, 'cfe-lake'), { throwIfNoEntry: false })).toBeUndefined();
    const folder = privateCacheFolder('lakes');
    expect(privateCacheFolderIfThere('lakes')).toBe(folder);
    expect(privateCacheFolderIfThere('questions')).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')(
    'is in the home without XDG_CACHE_HOME, or with one that is no path',
    () => {
      const home = newFolder();
      vi.stubEnv('HOME', home);
      for (const named of ['', 'relative/place']) {
        vi.stubEnv('XDG_CACHE_HOME', named);
        expect(privateCacheFolder('lakes')).toBe(join(home, '.cache', 'cfe-lake', 'lakes'));
      }
      expect(statSync(join(home, '.cache')).mode & 0o777).toBe(0o700);
    },
  );

  it('makes no home for a user without one', () => {
    vi.stubEnv('XDG_CACHE_HOME', join(caches, 'no-home', '.cache'));
    expect(() => privateCacheFolder('lakes')).toThrow('ENOENT');
    expect(filesIn(caches)).toEqual([]);
    expect(lstatSync(join(caches, 'no-home'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('may be reached by a link to a safe place, and its path is then the real one', () => {
    const elsewhere = newFolder();
    symlinkSync(elsewhere, join(caches, 'link'));
    vi.stubEnv('XDG_CACHE_HOME', join(caches, 'link'));
    expect(privateCacheFolder('lakes')).toBe(join(elsewhere, 'cfe-lake', 'lakes'));
  });

  it('is refused where it is a link', () => {
    const elsewhere = newFolder();
    symlinkSync(elsewhere, join(caches, 'cfe-lake'));
    expect(() => privateCacheFolder('lakes')).toThrow(/so it is not used/);
    expect(() => privateCacheFolder('lakes')).toThrow(
      /cfe-lake is not a folder, or only a link to one, so it is not used/,
    );
    expect(filesIn(elsewhere)).toEqual([]);
  });

  it.each(['cfe-lake', 'cfe-lake/lakes'])('is refused where %s is a file', (name) => {
    if (name !== 'cfe-lake') plant('cfe-lake');
    writeFileSync(join(caches, name), '');
    expect(() => privateCacheFolder('lakes')).toThrow();
  });

  it.each([0o777, 0o755, 0o750, 0o701, 0o710, 0o1777])('is refused with mode %o', (mode) => {
    const folder = plant('cfe-lake', mode);
    expect(() => privateCacheFolder('lakes')).toThrow(
      `${folder} is open to others (mode ${mode.toString(8)}, not 700)`,
    );
    expect(statSync(folder).mode & 0o7777).toBe(mode);
  });

  it.each([0o777, 0o775, 0o722])('is refused below a folder that others may write, with mode %o', (mode) => {
    vi.stubEnv('XDG_CACHE_HOME', join(plant('home', mode), '.cache'));
    expect(() => privateCacheFolder('lakes')).toThrow(`may be written by others (mode ${mode.toString(8)})`);
  });

  it('is taken below a folder that is sticky, where nobody can swap it', () => {
    vi.stubEnv('XDG_CACHE_HOME', plant('shared', 0o1777));
    expect(privateCacheFolder('lakes')).toBe(join(caches, 'shared/cfe-lake/lakes'));
  });
});

describe.runIf(isRoot)("another user's folder (root only: a file is given away)", () => {
  it.each(['cfe-lake', 'cfe-lake/lakes'])('is refused as %s, though it is closed', (name) => {
    plant('cfe-lake');
    chownSync(plant(name), ANOTHER_USER, ANOTHER_USER);
    expect(() => privateCacheFolder('lakes')).toThrow(`${join(caches, name)} belongs to another user`);
  });

  it('is refused as home, and nothing is made in it', () => {
    const home = plant('home', 0o755);
    chownSync(home, ANOTHER_USER, ANOTHER_USER);
    vi.stubEnv('XDG_CACHE_HOME', join(home, '.cache'));
    expect(() => privateCacheFolder('lakes')).toThrow(`${home} belongs to another user`);
    expect(lstatSync(join(home, '.cache'), { throwIfNoEntry: false })).toBeUndefined();
  });
});

it.skipIf(isRoot)("another user's folder: tried only as root, who can give a file away", ({ skip }) => {
  skip('not root');
});
