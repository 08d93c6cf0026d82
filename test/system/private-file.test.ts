import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writePrivateFile, writeSecretFile } from '../../lib/system/private-files.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';

describe('writePrivateFile', () => {
  it.skipIf(process.platform === 'win32')(
    'writes for the owner alone, even where others could read before',
    async () => {
      const before = process.umask(0);
      onTestFinished(() => void process.umask(before));
      const folder = newFolder();
      const file = join(folder, 'page.html');
      for (const text of ['new', 'newer']) {
        await writePrivateFile(file, text);
        expect(readFileSync(file, 'utf8')).toBe(text);
        expect(statSync(file).mode & 0o777).toBe(0o600);
        chmodSync(file, 0o644);
      }
      expect(filesIn(folder)).toEqual(['page.html']);
    },
  );

  it.each([
    ['a file', 'another.txt'],
    ['nothing', 'nowhere'],
  ])('follows no link, to %s', async (_to, name) => {
    const folder = newFolder();
    const target = join(folder, name);
    if (name === 'another.txt') writeFileSync(target, "somebody's");
    const file = join(folder, 'page.html');
    symlinkSync(target, file);
    const before = filesIn(folder);
    await expect(writePrivateFile(file, 'text')).rejects.toThrow(
      `${file} can't be written: it is a link. Remove the link, or name another file.`,
    );
    expect(readlinkSync(file)).toBe(target);
    expect(filesIn(folder)).toEqual(before);
    if (name === 'another.txt') expect(readFileSync(target, 'utf8')).toBe("somebody's");
  });

  it('replaces no folder and no device', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'page.html'));
    await expect(writePrivateFile(join(folder, 'page.html'), 'text')).rejects.toThrow(
      /is a folder\. Name a file in it/,
    );
    expect(lstatSync(join(folder, 'page.html')).isDirectory()).toBe(true);
    if (process.platform !== 'win32') {
      await expect(writePrivateFile('/dev/null', 'text')).rejects.toThrow(/is a device/);
    }
  });

  it('names the file and the reason when it can’t be written, and leaves nothing behind', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'page.html'), 'old');
    const file = join(folder, 'page.html', 'x.html');
    await expect(writePrivateFile(file, 'text')).rejects.toThrow(
      `${file} can't be written: a file stands where a folder should (ENOTDIR). Choose another place.`,
    );
    expect(filesIn(folder)).toEqual(['page.html']);
  });
});

it('leaves a file with tokens to its user alone on Windows, by icacls, before anything is in it', async () => {
  const folder = newFolder();
  const ran: unknown[] = [];
  await writeSecretFile(join(folder, 'companies.json'), '{}', {
    icacls: async ([part = '', ...words]) => {
      ran.push(words, dirname(part), readFileSync(part, 'utf8'));
    },
  });
  const user = expect.stringMatching(/\S:F$/);
  expect(ran).toEqual([['/inheritance:r', '/grant:r', user], folder, '']);
  expect(readFileSync(join(folder, 'companies.json'), 'utf8')).toBe('{}');
  const refused = async () => {
    throw new Error('Access is denied.');
  };
  await expect(writeSecretFile(join(folder, 'new'), '{}', { icacls: refused })).rejects.toThrow(
    'Access is denied.',
  );
  expect(filesIn(folder)).toEqual(['companies.json']);
});
