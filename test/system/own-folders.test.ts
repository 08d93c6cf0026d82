import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writePrivateFile } from '../../lib/system/private-files.ts';
import { assertOwnFolders, makeFolder } from '../../lib/system/private-folders.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { becomeAnother, giveAway } from '../support/system/another-user.ts';

const isRoot = process.getuid?.() === 0;

let shared: string;
/** A folder of this user, into which somebody wants to lead what is written. */
let home: string;
beforeEach(() => {
  shared = newFolder();
  home = newFolder();
});

const said = (why: string) => expect.objectContaining({ exitCode: 2, message: expect.stringContaining(why) });

describe.skipIf(process.platform === 'win32')('folders to write into', () => {
  it('are made below a folder of anybody, and may be reached by links of one’s own', () => {
    const link = join(shared, 'link');
    symlinkSync(home, link);
    expect(makeFolder(join(link, 'a/b'))).toBe(join(link, 'a'));
    expect(makeFolder(join(link, 'a/b'))).toBeUndefined();
    expect(makeFolder(link)).toBeUndefined();
    expect(readdirSync(home, { recursive: true })).toEqual(['a', join('a', 'b')]);
  });

  it('are not what is no folder: a link in a circle, or to nothing', () => {
    for (const [name, target] of [
      ['circle', join(shared, 'circle')],
      ['nothing', join(home, 'none')],
    ] as const) {
      symlinkSync(target, join(shared, name));
      expect(() => makeFolder(join(shared, name))).toThrow('EEXIST');
    }
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([
    ['the folder', '.', '.'],
    ['with a slash at its end', './', '.'],
    ['a folder below it', 'RUT/2026-10', 'RUT/2026-10'],
    ['a folder above it', '../pages', '.'],
  ])('are reached by no link of another user: %s', (_what, asked, made) => {
    mkdirSync(join(home, 'pages'));
    const link = join(shared, 'pages');
    symlinkSync(home, link);
    giveAway(link);
    becomeAnother();
    const path = asked === '../pages' ? join(link, 'pages') : `${link}/${asked}`;
    expect(() => makeFolder(path, made === '.' ? path : link)).toThrow(
      said(
        `${link} is a link of another user, so nothing is written through it. Remove it, or name the folder`,
      ),
    );
    expect(readdirSync(home)).toEqual(['pages']);
  });

  it.runIf(isRoot)('are reached by no link of one’s own that leads over another’s', () => {
    const [ownFolder, link] = [join(home, 'own'), join(shared, 'pages')];
    symlinkSync(home, link);
    symlinkSync(join(link, 'below'), ownFolder);
    mkdirSync(join(home, 'below'));
    expect(() => assertOwnFolders(ownFolder)).not.toThrow();
    giveAway(link);
    expect(() => assertOwnFolders(ownFolder)).toThrow(said(`${link} is a link of another user`));
  });

  it('are no folder of another user, nor below the one that was named', () => {
    for (const name of ['out', 'out/RUT']) mkdirSync(join(shared, name));
    giveAway(join(shared, 'out/RUT'));
    becomeAnother();
    const folder = join(shared, 'out/RUT');
    for (const [path, given] of [
      [folder, folder],
      [join(folder, '2026-10'), folder],
    ] as const)
      expect(() => makeFolder(path, given)).toThrow(
        said(
          `${folder} belongs to another user, who could change what is written there, so nothing is. Name another`,
        ),
      );
    expect(readdirSync(folder)).toEqual([]);
    // What a new folder is made in may be a group's, whoever owns that.
    expect(makeFolder(join(folder, 'new'))).toBe(join(folder, 'new'));
  });

  it.runIf(isRoot)('are those of others too for root, but not behind their links', () => {
    const [folder, link] = [join(shared, 'mounted'), join(shared, 'link')];
    mkdirSync(folder);
    symlinkSync(home, link);
    for (const path of [folder, link]) giveAway(path);
    expect(makeFolder(join(folder, 'lake'), folder)).toBe(join(folder, 'lake'));
    expect(() => makeFolder(link)).toThrow(said('is a link of another user'));
  });
});

it.skipIf(process.platform === 'win32')(
  'a file is written through no link of another user above it',
  async () => {
    const link = join(shared, 'pages');
    symlinkSync(home, link);
    giveAway(link);
    becomeAnother();
    await expect(writePrivateFile(join(link, 'index.html'), 'x')).rejects.toThrow(
      said('is a link of another'),
    );
    expect(readdirSync(home)).toEqual([]);
  },
);
